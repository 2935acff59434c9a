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

from aucstudy.experiments.contract import why_empty
from aucstudy.published import comes_out
from aucstudy.statistics.intervals import FEWEST_GROUPS, over_tasks, ratio_interval, statistic_interval
from aucstudy.store.tables import TooFewRows, rows_with, study_table

WIDEST_TELLING_INTERVAL = 0.2  # of the published value's scale: a wider interval agrees with almost anything
RESAMPLES, SEED = 2000, 1


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


@dataclass(frozen=True)
class Item:
    """One number of a claim in the unit of the published one, its interval, and how many tasks or cells it rests on."""

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
    """What claims are judged by: the study's tables and the source of its tasks."""

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

    def without(self, missing: TooFewRows) -> str:
        """What the study has no row of, and why, where the whole table is empty."""
        table = self.read.get(missing.table)
        empty = table is not None and table.empty
        return f"{missing.table}.csv has no row: {why_empty(missing.table)}" if empty else str(missing)


@dataclass(frozen=True)
class Claim:
    """A claim as it is put to a study: the names of its numbers in the ledger's order, and those that are published."""

    id: str
    names: tuple[str, ...]
    printed: dict[str, Decimal]
    evidence: Evidence

    def table(self, name: str, experiment: str, missing: str = "experiment") -> pd.DataFrame:
        """A table without which the claim is not available."""
        table = self.evidence.table(name)
        if table is None and name in self.evidence.failed:
            raise NotAvailable("failed", experiment=self.evidence.failed[name])
        if table is None:
            raise NotAvailable(missing, experiment=experiment)
        return table

    def rows(
        self,
        name: str,
        experiment: str,
        missing: str = "experiment",
        *,
        known: Sequence[str] = (),
        **where: object,
    ) -> pd.DataFrame:
        """Those rows of a table, at least one, without which there are too few data: see `rows_with`."""
        return rows_with(self.table(name, experiment, missing), name, known, **where)

    def row(self, name: str, experiment: str, missing: str = "experiment", **where: object) -> pd.Series:
        return self.rows(name, experiment, missing, **where).iloc[0]

    def numbers(self, *here: float, n: int | None = None, n_groups: int | None = None) -> list[Item]:
        values = zip(self.names, here, strict=True)
        return [Item(name, value, n=n, n_groups=n_groups) for name, value in values]

    def estimates(
        self, rows: Iterable[pd.Series], estimate: str = "estimate", factor: float = 1.0
    ) -> list[Item]:
        return [item_of(name, row, estimate, factor) for name, row in zip(self.names, rows, strict=True)]

    def note(self, case: str = "", **facts: object) -> str:
        return worded(self.id, case, **facts) if self.id in notes() else ""


Judge = Callable[[Claim], Finding]


class NotAvailable(Exception):
    """This study cannot speak to a claim, for a reason of notes.yaml."""

    def __init__(self, missing: str, **facts: object):
        super().__init__(worded("missing", missing, **facts))


def found(judge: Judge, claim: Claim) -> Finding:
    """What a judge finds, also where the study lacks a table or the rows that the claim is about."""
    try:
        return judge(claim)
    except NotAvailable as reason:
        return Finding(Verdict.NOT_AVAILABLE, note=str(reason))
    except TooFewRows as missing:
        return Finding(Verdict.TOO_FEW_DATA, note=claim.evidence.without(missing))


def worded(of: str, case: str = "", **facts: object) -> str:
    note = notes()[of]
    return (note[case] if case else note).format(**facts)


@cache
def notes() -> dict[str, str | dict[str, str]]:
    text = Path(__file__).with_name("notes.yaml").read_text(encoding="utf-8")
    return yaml.load(text, yaml.CSafeLoader)


def exact_if(holds: bool, items: Sequence[Item], note: str = "") -> Finding:
    """A claim of arithmetic or a theorem: `exact`, or it does not come out."""
    return Finding(Verdict.EXACT if holds else Verdict.DOES_NOT_COME_OUT, items, note)


def arithmetic(items: Sequence[Item], printed: dict[str, Decimal], note: str = "") -> Finding:
    """`exact` if each printed item comes out at its digit."""
    holds = all(comes_out(printed[item.name], item.here) for item in items if item.name in printed)
    return exact_if(holds, items, note)


def replication(
    items: Sequence[Item], printed: dict[str, Decimal], *, same_population: bool, scale: float, note: str = ""
) -> Finding:
    """Published values against our intervals; on the paper's population these must be narrow to say anything.

    `scale` is the range of the unit (100 for %, 1 for a correlation), by which an interval's width is judged.
    """
    if few := too_few(items, note):
        return few
    sides = {item.name: side_of(float(printed[item.name]), item.low, item.high) for item in items}
    if not same_population:
        return _other_population(items, sides, note)
    is_narrow = all(item.high - item.low <= WIDEST_TELLING_INTERVAL * scale for item in items)
    if not is_narrow:
        return Finding(Verdict.TOO_FEW_DATA, items, note)
    inside = set(sides.values()) == {"inside"}
    return Finding(Verdict.REPRODUCED if inside else Verdict.DIFFERS, items, note)


def side_of(published: float, low: float, high: float) -> str:
    """Where a published value lies.

    >>> side_of(24.0, 34.2, 45.8), side_of(34.2, 34.2, 45.8)
    ('below', 'inside')
    """
    return "below" if published < low else "above" if published > high else "inside"


def _other_population(items: Sequence[Item], sides: dict[str, str], note: str) -> Finding:
    outside = {side for side in sides.values() if side != "inside"}
    verdicts = {"below": Verdict.BELOW, "above": Verdict.ABOVE}
    verdict = Verdict.INSIDE if not outside else Verdict.BOTH_SIDES
    if len(outside) == 1:
        verdict = verdicts[outside.pop()]
    places = (worded("every", "side", name=name, side=side) for name, side in sides.items())
    return Finding(verdict, items, "; ".join(filter(None, (*places, note))))


def measured(
    items: Sequence[Item], margins: Sequence[Item], note: str = "", *, matters: float = 0.0
) -> Finding:
    """The one rule of measured claims, each of which says that some numbers, its margins, are above 0.

    `supports`: every interval lies above 0; `no difference that matters`: every one inside (-matters, matters), be it
    above 0 or not; `contradicts`: one lies below -matters; else `undecided`.
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
    """The finding where numbers lack an interval, or are of fewer tasks or source groups than `FEWEST_GROUPS`."""
    n_least = fewest(n for item in items for n in (item.n, item.n_groups))
    if n_least is not None and n_least < FEWEST_GROUPS:
        reason = worded("every", "few groups", fewest=FEWEST_GROUPS)
    elif not items or not all(isfinite(item.low) and isfinite(item.high) for item in items):
        reason = worded("every", "no interval")
    else:
        return None
    return Finding(Verdict.TOO_FEW_DATA, items, "; ".join(filter(None, (note, reason))))


def fewest(numbers: Iterable[int | None]) -> int | None:
    return min((n for n in numbers if n is not None), default=None)


def largest(margins: Sequence[Item]) -> Item:
    """The margin of a claim that holds if it holds for one of several: its ends are the largest ones."""
    here, low, high = (max(getattr(margin, end) for margin in margins) for end in ("here", "low", "high"))
    return Item("largest", here, low, high, n_groups=fewest(margin.n_groups for margin in margins))


def shifted(item: Item, by: float, sign: int = 1) -> Item:
    """`sign * (item - by)` with its interval.

    >>> shifted(Item("loss", 0.02, 0.01, 0.03), 0.05, -1).low.__round__(6)
    0.02
    """
    low, high = sorted(sign * (value - by) for value in (item.low, item.high))
    return Item(item.name, sign * (item.here - by), low, high, item.n, item.n_groups)


def within(item: Item, margin: float) -> Item:
    """A margin to judge: low > 0 if the interval lies inside (-margin, margin), high < 0 if all of it lies outside."""
    nearest = 0.0 if item.low <= 0 <= item.high else min(abs(item.low), abs(item.high))
    farthest = max(abs(item.low), abs(item.high))
    return Item(
        item.name, margin - abs(item.here), margin - farthest, margin - nearest, item.n, item.n_groups
    )


def beyond(item: Item, margin: float) -> Item:
    inside = within(item, margin)
    return Item(item.name, -inside.here, -inside.high, -inside.low, item.n, item.n_groups)


def item_of(name: str, row: pd.Series, estimate: str = "estimate", factor: float = 1.0) -> Item:
    """A row of a table, times a factor (100 for percentages)."""
    here, *ends = (float(factor * row[column]) for column in (estimate, "low", "high"))
    low, high = ends if factor > 0 else ends[::-1]
    n_groups = round(row["n_groups"]) if "n_groups" in row else None
    return Item(name, here, low, high, round(row["n_tasks"]), n_groups)


def mean_over_tasks(name: str, values: pd.Series, source_groups: pd.Series, factor: float = 1.0) -> Item:
    mean = over_tasks(factor * values.to_numpy(dtype=float), source_groups.to_numpy())
    return Item(name, mean["estimate"], mean["low"], mean["high"], mean["n_tasks"], mean["n_groups"])


def share_of_sums(
    name: str, above: pd.Series, below: pd.Series, source_groups: pd.Series, factor: float = 1.0
) -> Item:
    share = ratio_interval(
        above.to_numpy(dtype=float), below.to_numpy(dtype=float), source_groups, share=True
    )
    return Item(
        name,
        factor * share.estimate,
        factor * share.low,
        factor * share.high,
        len(above),
        len(set(source_groups)),
    )


def quantile_over_tasks(name: str, values: pd.Series, source_groups: pd.Series, quantile: float) -> Item:
    of_tasks = values.to_numpy(dtype=float)

    def quantiles(weights: np.ndarray) -> np.ndarray:
        return np.array([np.quantile(np.repeat(of_tasks, times.astype(int)), quantile) for times in weights])

    interval = statistic_interval(quantiles, source_groups.to_numpy(), RESAMPLES, SEED)
    return Item(name, interval.estimate, interval.low, interval.high, len(of_tasks), source_groups.nunique())


# a measured claim as data: the rows of a table that it shows, and what must lie above 0 for it to hold

Margin = Callable[[Item], Item]


def above(bound: float) -> Margin:
    return lambda item: shifted(item, bound)


def below(bound: float) -> Margin:
    return lambda item: shifted(item, bound, -1)


def inside(bound: float, around: float = 0.0) -> Margin:
    return lambda item: within(shifted(item, around), bound)


def outside(bound: float) -> Margin:
    return lambda item: beyond(item, bound)


@dataclass(frozen=True)
class Shown:
    """A number of a claim: a column of the first row with these values, and its margin, without which it is only shown.

    `interval` names the columns of its ends; a number without a margin may have none.
    """

    row: Mapping[str, object]
    margin: Margin | None = None
    column: str = "estimate"
    factor: float = 1.0
    interval: tuple[str, str] | None = ("low", "high")


@dataclass(frozen=True)
class Measured:
    """A claim that holds where the margins of its numbers lie above 0, see `measured`; judges by being called.

    Its note may name any column of the first row, and what `noted` gives.
    """

    table: str
    experiment: str
    numbers: Sequence[Shown]
    matters: float = 0.0
    missing: str = "experiment"
    noted: Mapping[str, Shown] = field(default_factory=dict)

    def __call__(self, claim: Claim) -> Finding:
        rows = [self._row(claim, number) for number in self.numbers]
        shown = list(zip(self.numbers, map(_item, claim.names, self.numbers, rows), strict=True))
        margins = [number.margin(item) for number, item in shown if number.margin]
        noted = {
            name: _item(name, number, self._row(claim, number)).here for name, number in self.noted.items()
        }
        note = claim.note(**{**rows[0], **noted})
        return measured([item for _, item in shown], margins, note, matters=self.matters)

    def _row(self, claim: Claim, number: Shown) -> pd.Series:
        return claim.row(self.table, self.experiment, self.missing, **number.row)


def _item(name: str, number: Shown, row: pd.Series) -> Item:
    if number.interval is None:
        return Item(name, number.factor * row[number.column])
    low, high = number.interval
    ends = row[["n_tasks", "n_groups", number.column]].to_dict() | {"low": row[low], "high": row[high]}
    return item_of(name, ends, number.column, number.factor)
