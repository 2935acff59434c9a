"""The evidence for a claim, the verdicts of claims.csv, and the rules that choose a verdict.

No verdict is set by hand.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from math import isfinite, nan
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from aucstudy.claims.entries import Entry
from aucstudy.statistics.intervals import FEWEST_GROUPS
from aucstudy.store.estimates import ALL, SOURCE, selected, subset_of_part
from aucstudy.store.tables import TooFewRows, rows_with, study_table

if TYPE_CHECKING:
    from aucstudy.experiments.contract import Experiment

# An interval that is wider, as a share of the published value's scale, agrees with almost anything.
WIDEST_TELLING_INTERVAL = 0.2


class Verdict(StrEnum):
    """The verdicts. docs/claims.md says what they mean. The rule of each claim is in its entry."""

    SUPPORTS = "measured: supports"
    NO_DIFFERENCE = "measured: no difference that matters"
    CONTRADICTS = "measured: contradicts"
    UNDECIDED = "measured: undecided"
    INSIDE = "other population: published value inside our interval"
    BELOW = "other population: published value below our interval"
    ABOVE = "other population: published value above our interval"
    BOTH_SIDES = "other population: published values below and above our intervals"
    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    OPEN = "undecided"
    EXPLORATORY_CONFIRMED = "exploratory: confirmed"
    EXPLORATORY_CONTRADICTED = "exploratory: contradicted"
    EXPLORATORY_OPEN = "exploratory: undecided"
    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    SAME_DATA_OTHER_LEARNER = "same data and other learner"
    TOO_FEW_DATA = "too few data"
    FAILED = "experiment failed"
    # These verdicts are on claims that follow from mathematics or from the papers' own tables.
    PROVED = "theorem: proved"
    CHECKED = "theorem: checked"
    FALSE = "theorem: does not hold"
    COMES_OUT = "arithmetic: comes out"
    WITHIN_ROUNDING = "arithmetic: within rounding"
    DOES_NOT_COME_OUT = "arithmetic: does not come out"
    BY_CONSTRUCTION = "consistent by construction"
    ERRATUM = "erratum"
    REMARK = "remark"


# These are no verdicts on a claim, so they are not counted.
NO_CLAIM = (Verdict.ERRATUM, Verdict.REMARK)
ARITHMETIC = "arithmetic of printed numbers"
# The verdicts on claims of these kinds if they hold and if they do not.
VERDICTS_BY_KIND = {
    "theorem": (Verdict.CHECKED, Verdict.FALSE),
    ARITHMETIC: (Verdict.COMES_OUT, Verdict.DOES_NOT_COME_OUT),
    "consistent by construction": (Verdict.BY_CONSTRUCTION, Verdict.DOES_NOT_COME_OUT),
}
WORD_OF_SIDE = {"inside": Verdict.INSIDE, "below": Verdict.BELOW, "above": Verdict.ABOVE}


@dataclass(frozen=True)
class Item:
    """A number of a claim in the unit of the published number, with its interval.

    `n` says how many tasks or other cases it rests on, and `n_groups` how many sources of data.
    """

    name: str
    here: float = nan
    low: float = nan
    high: float = nan
    n: int | None = None
    n_groups: int | None = None


@dataclass(frozen=True)
class Finding:
    verdict: Verdict
    items: Sequence[Item] = field(default_factory=tuple)
    note: str = ""
    # whether it rests on estimates of one weight
    weighed: bool = False

    @property
    def n_groups(self) -> int | None:
        """The smallest number of sources of data behind one of its numbers."""
        return fewest(item.n_groups for item in self.items)


@dataclass(frozen=True)
class Evidence:
    """The study's tables, the source of its tasks, and what counts once in its verdicts.

    `weight` is that of the table of estimates, for claims whose entry has no weight of its own.
    """

    tables: Path
    source: str
    # `same_population` is true if the tasks were chosen by the paper's rules: see
    # `sources.papers_population`.
    same_population: bool = False
    # `failed` has the experiment that failed, by the names of the tables and experiments that are missing therefore.
    failed: Mapping[str, str] = field(default_factory=dict)
    weight: str = SOURCE
    # `made` has the names of the experiments that the study makes, if they are known.
    made: frozenset[str] | None = None
    # `declared` are the experiments of the package and the study's own: see `contract.experiments_of`. Without it,
    # they are those of the package.
    declared: Mapping[str, "Experiment"] | None = field(default=None, repr=False)
    read: dict[str, pd.DataFrame | None] = field(default_factory=dict, compare=False, repr=False)

    @property
    def experiments(self) -> Mapping[str, "Experiment"]:
        if self.declared is not None:
            return self.declared
        from aucstudy.experiments.contract import (
            experiments,  # A study that says what it makes does not need it.
        )

        return experiments()

    def why_empty(self, table: str) -> str:
        """Return the reason why a table may have no row."""
        from aucstudy.experiments.contract import why_empty  # Few studies have an empty table.

        return why_empty(table, self.experiments)

    def makes(self, experiment: str) -> bool:
        """Return whether the study makes an experiment. If `made` does not say it, its tables show it."""
        if self.made is not None:
            return experiment in self.made
        return any(self.table(name) is not None for name in self.experiments[experiment].tables)

    def numbers(self, experiment: str, **keys: object) -> pd.DataFrame:
        """Return the estimates with these keys by the study's weight, as `store.estimates.selected` does."""
        return selected(self.table("estimates"), experiment, weight=self.weight, **keys)

    def table(self, name: str) -> pd.DataFrame | None:
        if name not in self.read:
            self.read[name] = study_table(self.tables, name)
        return self.read[name]


class NotDecided(Exception):
    """The study lacks what a claim is about: the experiment, its table, or the paper's own tasks."""


class ExperimentFailed(Exception):
    """A table that a claim reads is missing because its experiment failed in this run."""


@dataclass(frozen=True)
class Claim:
    """A claim that a study is to judge, by the estimates of one `weight`.

    It is judged on the whole study or on a `part` of `aucstudy.estimates.parts_of`.
    """

    entry: Entry
    evidence: Evidence
    weight: str = SOURCE
    part: str = ""
    # the experiments whose estimates the judge has read
    read: list[str] = field(default_factory=list, compare=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its numbers, in the order of the entry."""
        return tuple(self.entry.numbers)

    @property
    def printed(self) -> dict[str, Decimal]:
        return self.entry.printed

    def table(self, name: str) -> pd.DataFrame:
        """Return a table of the study.

        Raises NotDecided if the study does not make the table, and ExperimentFailed if its experiment failed.
        """
        table = self.evidence.table(name)
        if table is not None:
            return table
        if name in self.evidence.failed:
            raise ExperimentFailed(self.evidence.failed[name])
        raise NotDecided

    def estimates(
        self, experiment: str, *, known: Sequence[str] = (), subset: str = ALL, **keys: object
    ) -> pd.DataFrame:
        """Return the estimates of an experiment that have these keys, for the subset and weight.

        They are means, shares, ratios and correlations, unless `kind` is among the keys. The errors are those of
        `table`, and TooFewRows if there is no such row.
        """
        self.read.append(experiment)
        table = self.evidence.table("estimates")
        has_rows = table is not None and (table["experiment"] == experiment).any()
        if not has_rows and experiment in self.evidence.failed:
            raise ExperimentFailed(self.evidence.failed[experiment])
        if table is None or not (has_rows or self.evidence.makes(experiment)):
            raise NotDecided
        of_experiment = table[table["experiment"] == experiment]
        subset = subset_of_part(subset, self.part)
        return selected(of_experiment, experiment, weight=self.weight, subset=subset, known=known, **keys)

    def estimate(self, experiment: str, **keys: object) -> pd.Series:
        """Return the first row of `estimates`."""
        return self.estimates(experiment, **keys).iloc[0]

    def rows(self, name: str, *, known: Sequence[str] = (), **where: object) -> pd.DataFrame:
        """Return the rows of a table that `rows_with` selects. Raises TooFewRows if there are none."""
        return rows_with(self.table(name), name, known, **where)

    def row(self, name: str, **where: object) -> pd.Series:
        return self.rows(name, **where).iloc[0]

    def numbers(self, *values: float, n: int | None = None, n_groups: int | None = None) -> list[Item]:
        named = zip(self.names, map(float, values), strict=True)
        return [Item(name, value, n=n, n_groups=n_groups) for name, value in named]

    def items(self, rows: Iterable[pd.Series]) -> list[Item]:
        return [item_of(name, row) for name, row in zip(self.names, rows, strict=True)]

    def note(self, case: str = "", **facts: object) -> str:
        """Return the note of the entry, or that of a case, with the facts filled in."""
        note = self.entry.get("note")
        return (note[case] if case else note).format(**facts)

    def comes_out(self, items: Iterable[Item]) -> bool:
        from aucstudy.published import comes_out  # Few claims of a study need it.

        return all(
            comes_out(self.printed[item.name], item.here) for item in items if item.name in self.printed
        )

    def exact_if(self, holds: bool, *values: float, n: int | None = None, **facts: object) -> Finding:
        """Return the finding on a claim that follows without data, if it `holds` or if it does not.

        A theorem that holds is proved if its entry names a proof, and else checked on `n` cases. `facts` are filled
        into the note.
        """
        holding, failing = VERDICTS_BY_KIND.get(self.entry.get("kind"), VERDICTS_BY_KIND[ARITHMETIC])
        if holding is Verdict.CHECKED and self.entry.get("proof"):
            holding = Verdict.PROVED
        verdict = holding if holds else failing
        return Finding(verdict, self.numbers(*values, n=n), self.note(**facts))

    def arithmetic(self, *values: float, n: int | None = None, **facts: object) -> Finding:
        """Return the finding of `exact_if`, which holds if each printed number comes out at its last digit."""
        return self.exact_if(self.comes_out(self.numbers(*values)), *values, n=n, **facts)

    def reproduced_if(self, holds: bool, items: Sequence[Item], case: str = "", **facts: object) -> Finding:
        return Finding(Verdict.REPRODUCED if holds else Verdict.DIFFERS, items, self.note(case, **facts))


Judge = Callable[[Claim], Finding | None]


def found(judge: Judge, claim: Claim) -> Finding | None:
    """Return what a judge finds, or None if the study lacks the claim's table or tasks.

    The finding is "too few data" if the claim's rows are missing, and "experiment failed" if its experiment
    failed.
    """
    try:
        finding = judge(claim)
        return finding and replace(finding, weighed=bool(claim.read))
    except NotDecided:
        return None
    except ExperimentFailed as failed:
        return Finding(Verdict.FAILED, note=f"The experiment {failed} failed in this run.")
    except TooFewRows as missing:
        table = claim.evidence.read.get(missing.table)
        if table is None or not table.empty:
            return Finding(Verdict.TOO_FEW_DATA, note=f"{missing}.")
        reason = claim.evidence.why_empty(missing.table)
        return Finding(Verdict.TOO_FEW_DATA, note=f"{missing.table}.csv has no row: {reason}.")


def joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))


def replication(
    items: Sequence[Item], printed: dict[str, Decimal], *, same_population: bool, scale: float, note: str = ""
) -> Finding:
    """Return the finding of comparing published values with our intervals.

    On the paper's population the intervals must be narrow to say anything. Their width is judged by `scale`,
    the range of the unit (100 for %, 1 for a correlation).
    """
    if few := too_few(items, note):
        return few
    sides = {item.name: side_of(float(printed[item.name]), item.low, item.high) for item in items}
    outside = set(sides.values()) - {"inside"}
    if same_population:
        too_wide = any(item.high - item.low > WIDEST_TELLING_INTERVAL * scale for item in items)
        verdict = Verdict.DIFFERS if outside else Verdict.REPRODUCED
        return Finding(Verdict.TOO_FEW_DATA if too_wide else verdict, items, note)
    verdict = Verdict.BOTH_SIDES if len(outside) > 1 else WORD_OF_SIDE[min(outside, default="inside")]
    return Finding(verdict, items, note)


def side_of(published: float, low: float, high: float) -> str:
    """Return on which side of an interval a published value lies.

    >>> side_of(24.0, 34.2, 45.8), side_of(34.2, 34.2, 45.8)
    ('below', 'inside')
    """
    return "below" if published < low else "above" if published > high else "inside"


def measured(
    items: Sequence[Item],
    margins: Sequence[Item],
    note: str = "",
    *,
    matters: float = 0.0,
) -> Finding:
    """Return the finding on a claim that some numbers, its margins, are above 0.

    It is `no difference that matters` if every interval lies inside (-matters, matters). Else it is
    `supports` if every interval lies above 0, `contradicts` if one lies below -matters, and `undecided`
    otherwise.
    """
    if few := too_few(margins, note):
        return replace(few, items=items)
    verdict = Verdict.UNDECIDED
    if all(-matters < margin.low and margin.high < matters for margin in margins):
        verdict = Verdict.NO_DIFFERENCE
    elif all(margin.low > 0 for margin in margins):
        verdict = Verdict.SUPPORTS
    elif any(margin.high < -matters for margin in margins):
        verdict = Verdict.CONTRADICTS
    return Finding(verdict, items, note)


def too_few(items: Sequence[Item], note: str = "") -> Finding | None:
    """Return the finding "too few data", or None if the data are enough.

    They are too few if a number lacks an interval, or rests on fewer than `FEWEST_GROUPS` tasks or source
    groups.
    """
    n_least = fewest(n for item in items for n in (item.n, item.n_groups))
    if n_least is not None and n_least < FEWEST_GROUPS:
        reason = f"Fewer than {FEWEST_GROUPS} sources decide nothing."
    elif not items or not all(isfinite(end) for item in items for end in (item.here, item.low, item.high)):
        reason = "There is no interval."
    else:
        return None
    return Finding(Verdict.TOO_FEW_DATA, items, joined(note, reason))


def fewest(numbers: Iterable[int | None]) -> int | None:
    return min((n for n in numbers if n is not None), default=None)


def largest(margins: Sequence[Item]) -> Item:
    """Return the margin of a claim that holds if one of several margins does: it has their largest ends."""
    estimate, low, high = (max(getattr(margin, end) for margin in margins) for end in ("here", "low", "high"))
    return Item("largest", estimate, low, high, n_groups=fewest(margin.n_groups for margin in margins))


def item_of(name: str, row: pd.Series, estimate: str = "estimate", factor: float = 1.0) -> Item:
    """Return the number and the interval in a row of a table, times a factor."""
    value, *ends = (float(factor * row[column]) for column in (estimate, "low", "high"))
    low, high = ends if factor > 0 else ends[::-1]
    n_groups = next((round(row[column]) for column in ("n_sources", "n_groups") if column in row), None)
    return Item(name, value, low, high, round(row["n_tasks"]), n_groups)


def closed_gap(name: str, row: pd.Series) -> Item:
    """Return how many per cent of a gap are closed, from the part that is left. It has no interval."""
    n_tasks, n_sources = (round(row[column]) for column in ("n_tasks", "n_sources"))
    return Item(name, 100 * (1 - abs(row["estimate"])), n=n_tasks, n_groups=n_sources)


def items_of(rows: pd.DataFrame, name: str, estimate: str = "estimate") -> list[Item]:
    """Return an item for each row. Columns in braces in the name are filled in from the row."""
    return [item_of(name.format(**row), row, estimate) for _, row in rows.iterrows()]


# The margin of a number lies above 0 if the claim holds.

Margin = Callable[[Item], Item]


def above(bound: float, sign: int = 1) -> Margin:
    """Return a function that says how far a number lies above a bound, or below it with sign -1.

    >>> above(0.05, -1)(Item("loss", 0.02, 0.01, 0.03)).low.__round__(6)
    0.02
    """

    def margin(item: Item) -> Item:
        low, high = sorted(sign * (end - bound) for end in (item.low, item.high))
        return replace(item, here=sign * (item.here - bound), low=low, high=high)

    return margin


def below(bound: float) -> Margin:
    return above(bound, -1)


def inside(bound: float) -> Margin:
    """Return a function that says how much closer to 0 a number lies than a bound.

    The low end is above 0 if the whole interval lies closer. The high end is below 0 if no part of it does.
    """

    def margin(item: Item) -> Item:
        nearest, farthest = sorted(abs(end) for end in (item.low, item.high))
        nearest = 0.0 if item.low <= 0 <= item.high else nearest
        return replace(item, here=bound - abs(item.here), low=bound - farthest, high=bound - nearest)

    return margin


def outside(bound: float) -> Margin:
    return lambda item: above(0, -1)(inside(bound)(item))


MARGINS = {"above": above, "below": below, "within": inside, "beyond": outside}


def margin_of(condition: str) -> Margin:
    """Return the margin of a condition, which lies above 0 if a number meets the condition.

    >>> margin_of("within 0.05")(Item("loss", 0.02, 0.01, 0.03)).low.__round__(6)
    0.02
    """
    side, bound = condition.split()
    return MARGINS[side](float(bound))
