"""What a claim is judged by, the vocabulary of claims.csv, and the rules that choose a verdict: none is set by hand."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from functools import cache
from math import isfinite, nan
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from aucstudy.experiments.contract import experiments, why_empty
from aucstudy.published import comes_out
from aucstudy.statistics.intervals import FEWEST_GROUPS, over_tasks, statistic_interval
from aucstudy.store.tables import TooFewRows, rows_with, study_table

WIDEST_TELLING_INTERVAL = 0.2  # of the published value's scale: a wider interval agrees with almost anything
RESAMPLES, SEED = 2000, 1
# for a table that a study lacks: the words of notes.yaml and the experiment they name, where not the usual ones
WORDS_OF_ABSENCE = {
    **dict.fromkeys(
        ("selection_primary", "fold_averages_tasks", "thresholds", "thresholds_intervals"),
        "experiment or task",
    ),
    **dict.fromkeys(("mistakes", "rare_rules", "natural_rules"), "not in study"),
    **dict.fromkeys(("fold_averages_choices", "thresholds_calibration"), "table"),
}
NAMED_EXPERIMENTS = {
    "theorems": "favour", "prevalence_shift": "downsampling", "prevalence_shift_tasks": "downsampling"
}  # fmt: skip


class Verdict(StrEnum):
    """What may be said of a claim; docs/claims.md says what each word means, values.csv by which rule."""

    EXACT = "arithmetic: exact"
    WITHIN_ROUNDING = "arithmetic: within rounding"
    DOES_NOT_COME_OUT = "arithmetic: does not come out"
    ERRATUM = "erratum"
    BY_CONSTRUCTION = "consistent by construction"
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
    NOT_AVAILABLE = "not available"


WORD_OF_SIDE = {"inside": Verdict.INSIDE, "below": Verdict.BELOW, "above": Verdict.ABOVE}


@dataclass(frozen=True)
class Item:
    """A number of a claim in the unit of the published one, its interval, and how many tasks or cells it rests on."""

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

    @property
    def n_groups(self) -> int | None:
        """The least number of source groups behind one of its numbers."""
        return fewest(item.n_groups for item in self.items)


@dataclass(frozen=True)
class Evidence:
    """The study's tables and the source of its tasks."""

    tables: Path
    source: str
    # whether the tasks were chosen by the paper's rules, see `sources.papers_population`
    same_population: bool = False
    # the experiment of each table that is not there because it failed
    failed: Mapping[str, str] = field(default_factory=dict)
    read: dict[str, pd.DataFrame | None] = field(default_factory=dict, compare=False, repr=False)

    def table(self, name: str) -> pd.DataFrame | None:
        if name not in self.read:
            self.read[name] = study_table(self.tables, name)
        return self.read[name]


class NotAvailable(Exception):
    """The study lacks a table that a claim is about; the text says why."""


@dataclass(frozen=True)
class Claim:
    """A claim put to a study: the names of its numbers in the ledger's order, and the published ones."""

    id: str
    names: tuple[str, ...]
    printed: dict[str, Decimal]
    evidence: Evidence
    absence: str = ""  # the words for a table that is not there, if not those of the table

    def table(self, name: str) -> pd.DataFrame:
        """A table of the study; NotAvailable without."""
        table = self.evidence.table(name)
        if table is not None:
            return table
        if name in self.evidence.failed:
            raise NotAvailable(worded("missing", "failed", experiment=self.evidence.failed[name]))
        experiment = NAMED_EXPERIMENTS.get(name) or next(
            room.name for room in experiments().values() if name in room.tables
        )
        words = self.absence or WORDS_OF_ABSENCE.get(name, "experiment")
        raise NotAvailable(worded("missing", words, experiment=experiment, table=name))

    def rows(self, name: str, *, known: Sequence[str] = (), **where: object) -> pd.DataFrame:
        """Rows of a table as of `rows_with`; TooFewRows without."""
        return rows_with(self.table(name), name, known, **where)

    def row(self, name: str, **where: object) -> pd.Series:
        return self.rows(name, **where).iloc[0]

    def numbers(self, *values: float, n: int | None = None, n_groups: int | None = None) -> list[Item]:
        named = zip(self.names, map(float, values), strict=True)
        return [Item(name, value, n=n, n_groups=n_groups) for name, value in named]

    def estimates(self, rows: Iterable[pd.Series], estimate: str = "estimate") -> list[Item]:
        return [item_of(name, row, estimate) for name, row in zip(self.names, rows, strict=True)]

    def note(self, case: str = "", **facts: object) -> str:
        return worded(self.id, case, **facts) if self.id in notes() else ""

    def comes_out(self, items: Iterable[Item]) -> bool:
        return all(
            comes_out(self.printed[item.name], item.here) for item in items if item.name in self.printed
        )

    def exact_if(self, holds: bool, *values: float, n: int | None = None, **facts: object) -> Finding:
        """`exact`, or it does not come out; `facts` fill its note in."""
        verdict = Verdict.EXACT if holds else Verdict.DOES_NOT_COME_OUT
        return Finding(verdict, self.numbers(*values, n=n), self.note(**facts))

    def arithmetic(self, *values: float, n: int | None = None, **facts: object) -> Finding:
        """`exact` if each printed number comes out at its digit."""
        return self.exact_if(self.comes_out(self.numbers(*values)), *values, n=n, **facts)

    def reproduced_if(self, holds: bool, items: Sequence[Item], case: str, **facts: object) -> Finding:
        return Finding(Verdict.REPRODUCED if holds else Verdict.DIFFERS, items, self.note(case, **facts))


Judge = Callable[[Claim], Finding]


def found(judge: Judge, claim: Claim) -> Finding:
    """What a judge finds, or that the study lacks a table or the rows that the claim is about."""
    try:
        return judge(claim)
    except NotAvailable as reason:
        return Finding(Verdict.NOT_AVAILABLE, note=str(reason))
    except TooFewRows as missing:
        table = claim.evidence.read.get(missing.table)
        is_empty = table is not None and table.empty
        reason = f"{missing.table}.csv has no row: {why_empty(missing.table)}" if is_empty else str(missing)
        return Finding(Verdict.TOO_FEW_DATA, note=reason)


def worded(heading: str, case: str = "", **facts: object) -> str:
    note = notes()[heading]
    return (note[case] if case else note).format(**facts)


def joined(*texts: str) -> str:
    return "; ".join(filter(None, texts))


@cache
def notes() -> dict[str, str | dict[str, str]]:
    text = Path(__file__).with_name("notes.yaml").read_text(encoding="utf-8")
    return yaml.load(text, yaml.CSafeLoader)


def replication(
    items: Sequence[Item], printed: dict[str, Decimal], *, same_population: bool, scale: float, note: str = ""
) -> Finding:
    """Published values against our intervals, which on the paper's population must be narrow to say anything.

    Their width is judged by `scale`, the range of the unit (100 for %, 1 for a correlation).
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
    notes_of_sides = (worded("every", "side", name=name, side=side) for name, side in sides.items())
    return Finding(verdict, items, joined(*notes_of_sides, note))


def side_of(published: float, low: float, high: float) -> str:
    """Where a published value lies.

    >>> side_of(24.0, 34.2, 45.8), side_of(34.2, 34.2, 45.8)
    ('below', 'inside')
    """
    return "below" if published < low else "above" if published > high else "inside"


def measured(
    items: Sequence[Item], margins: Sequence[Item], note: str = "", *, matters: float = 0.0
) -> Finding:
    """The finding of a claim that some numbers, its margins, are above 0.

    `no difference that matters`: every interval lies inside (-matters, matters); `supports`: else, every one above 0;
    `contradicts`: one below -matters; `undecided` otherwise.
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
    """The finding where numbers lack an interval, or rest on fewer than `FEWEST_GROUPS` tasks or source groups."""
    n_least = fewest(n for item in items for n in (item.n, item.n_groups))
    if n_least is not None and n_least < FEWEST_GROUPS:
        reason = worded("every", "few groups", fewest=FEWEST_GROUPS)
    elif not items or not all(isfinite(item.low) and isfinite(item.high) for item in items):
        reason = worded("every", "no interval")
    else:
        return None
    return Finding(Verdict.TOO_FEW_DATA, items, joined(note, reason))


def fewest(numbers: Iterable[int | None]) -> int | None:
    return min((n for n in numbers if n is not None), default=None)


def largest(margins: Sequence[Item]) -> Item:
    """The margin of a claim that holds if one of several does: it has their largest ends."""
    estimate, low, high = (max(getattr(margin, end) for margin in margins) for end in ("here", "low", "high"))
    return Item("largest", estimate, low, high, n_groups=fewest(margin.n_groups for margin in margins))


def item_of(name: str, row: pd.Series, estimate: str = "estimate", factor: float = 1.0) -> Item:
    """A row of a table times a factor."""
    value, *ends = (float(factor * row[column]) for column in (estimate, "low", "high"))
    low, high = ends if factor > 0 else ends[::-1]
    n_groups = round(row["n_groups"]) if "n_groups" in row else None
    return Item(name, value, low, high, round(row["n_tasks"]), n_groups)


def items_of(rows: pd.DataFrame, name: str, estimate: str = "estimate") -> list[Item]:
    """A number for each row; braces in the name hold columns."""
    return [item_of(name.format(**row), row, estimate) for _, row in rows.iterrows()]


def mean_over_tasks(name: str, values: pd.Series, source_groups: pd.Series, factor: float = 1.0) -> Item:
    return item_of(name, over_tasks(factor * values.to_numpy(dtype=float), source_groups.to_numpy()))


def bootstrapped(name: str, statistic: Callable[[np.ndarray], np.ndarray], source_groups: pd.Series) -> Item:
    """A statistic of weights of tasks, (resamples, n), with the interval of resampled source groups."""
    interval = statistic_interval(statistic, source_groups.to_numpy(), RESAMPLES, SEED)
    n, n_groups = len(source_groups), source_groups.nunique()
    return Item(name, interval.estimate, interval.low, interval.high, n, n_groups)


# a margin of a number lies above 0 where a claim holds

Margin = Callable[[Item], Item]


def above(bound: float, sign: int = 1) -> Margin:
    """How far a number lies above a bound; below it with sign -1.

    >>> above(0.05, -1)(Item("loss", 0.02, 0.01, 0.03)).low.__round__(6)
    0.02
    """

    def margin(item: Item) -> Item:
        low, high = sorted(sign * (end - bound) for end in (item.low, item.high))
        return replace(item, here=sign * (item.here - bound), low=low, high=high)

    return margin


def below(bound: float) -> Margin:
    return above(bound, -1)


def inside(bound: float, around: float = 0.0) -> Margin:
    """Low > 0 if all of the interval lies closer to `around` than the bound, high < 0 if none of it does."""

    def margin(item: Item) -> Item:
        nearest, farthest = sorted(abs(end - around) for end in (item.low, item.high))
        nearest = 0.0 if item.low <= around <= item.high else nearest
        return replace(item, here=bound - abs(item.here - around), low=bound - farthest, high=bound - nearest)

    return margin


def outside(bound: float) -> Margin:
    return lambda item: above(0, -1)(inside(bound)(item))


# a measured claim as data: the rows of a table that it shows, and what must lie above 0 for it to hold


@dataclass(frozen=True)
class Shown:
    """A number of a claim: a column of the first row with these values, or of the one where `most` is largest.

    Without a margin it is only shown. `interval` names the columns of its ends, if it has any.
    """

    row: Mapping[str, object]
    margin: Margin | None = None
    column: str = "estimate"
    factor: float = 1.0
    interval: tuple[str, str] | None = ("low", "high")
    most: str = ""

    def find(self, claim: Claim, table: str) -> pd.Series:
        rows = claim.rows(table, known=[self.most] if self.most else [], **self.row)
        return rows.loc[rows[self.most].idxmax()] if self.most else rows.iloc[0]

    def item(self, name: str, row: pd.Series) -> Item:
        if self.interval is None:
            return Item(name, self.factor * row[self.column])
        ends = dict(zip(("low", "high"), row[[*self.interval]], strict=True))
        return item_of(name, {**row, **ends}, self.column, self.factor)


@dataclass(frozen=True)
class Measured:
    """A claim that holds where all margins of its numbers, or one with `one_suffices`, lie above 0: see `measured`.

    With `scale` its numbers are compared with the published ones: see `replication`. Its note may name a column of the
    last row, what `noted` gives, the number of `margins` and of those that `surely` lie above 0.
    """

    table: str
    numbers: Sequence[Shown]
    matters: float = 0.0
    one_suffices: bool = False
    scale: float | None = None
    noted: Mapping[str, Shown] = field(default_factory=dict)

    def __call__(self, claim: Claim) -> Finding:
        items, margins = [], []
        for name, number in zip(claim.names, self.numbers, strict=True):
            row = number.find(claim, self.table)
            items.append(number.item(name, row))
            if number.margin:
                margins.append(number.margin(items[-1]))
        facts = {
            name: number.item(name, number.find(claim, self.table)).here
            for name, number in self.noted.items()
        }
        facts |= {"margins": len(margins), "surely": sum(margin.low > 0 for margin in margins)}
        note = claim.note(**{**row, **facts})
        if self.scale is not None:
            is_same = claim.evidence.same_population
            return replication(items, claim.printed, same_population=is_same, scale=self.scale, note=note)
        margins = [largest(margins)] if self.one_suffices else margins
        return measured(items, margins, note, matters=self.matters)


def every_row(table: str, margin: Margin, *rows: Mapping[str, object], **shown: object) -> Measured:
    """The claim that a margin holds for each of these rows."""
    return Measured(table, [Shown(row, margin, **shown) for row in rows])
