"""The vocabulary of claims.csv and the rules that choose a verdict; none is ever written by hand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from math import isfinite, isnan, nan
from pathlib import Path

import pandas as pd

from aucstudy.published.values import comes_out
from aucstudy.store.tables import study_table

WIDEST_TELLING_INTERVAL = 0.2  # of the published value's scale: a wider interval agrees with almost anything


class Verdict(StrEnum):
    """What may be said of a published claim; its rule in values.csv says which, before the data are seen."""

    EXACT = "arithmetic: exact"
    WITHIN_ROUNDING = "arithmetic: within rounding"
    DOES_NOT_COME_OUT = "arithmetic: does not come out"
    BY_CONSTRUCTION = "consistent by construction"
    SUPPORTS = "measured: supports"
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
    """One number of a claim: as published, as found here, with the interval and what it rests on.

    `here`, `low`, `high` are in the unit of the published number; `n` counts tasks, cells or what `unit` says.
    """

    name: str
    here: float = nan
    low: float = nan
    high: float = nan
    n: int | None = None


@dataclass(frozen=True)
class Finding:
    """What the study says to one claim."""

    verdict: Verdict
    items: Sequence[Item] = field(default_factory=tuple)
    note: str = ""


@dataclass(frozen=True)
class Evidence:
    """What claims are judged by: the study's tables and the source of its tasks."""

    tables: Path
    source: str
    # whether the tasks were chosen by the paper's rules, see `sources.population`
    same_population: bool = False

    def table(self, name: str) -> pd.DataFrame | None:
        """A table of the study, None where its experiment is switched off."""
        return study_table(self.tables, name)


Judge = Callable[[Evidence, dict[str, Decimal]], Finding]


def not_available(reason: str) -> Finding:
    """A claim that this study cannot speak to."""
    return Finding(Verdict.NOT_AVAILABLE, note=reason)


def exact_if(right: bool, items: Sequence[Item], note: str = "") -> Finding:
    """A claim of arithmetic or a theorem: `exact`, or it does not come out."""
    return Finding(Verdict.EXACT if right else Verdict.DOES_NOT_COME_OUT, items, note)


def arithmetic(items: Sequence[Item], printed: dict[str, Decimal], note: str = "") -> Finding:
    """`exact` if each printed item comes out at its digit."""
    right = all(comes_out(printed[item.name], item.here) for item in items if item.name in printed)
    return exact_if(right, items, note)


def replication(
    items: Sequence[Item], printed: dict[str, Decimal], *, same_population: bool, scale: float, note: str = ""
) -> Finding:
    """Compare estimates with published ones.

    Parameters
    ----------
    scale : the range of the unit (100 for %, 1 for a correlation), by which an interval's width is judged.

    Returns
    -------
    On the paper's population `reproduced` where every published value stands inside its interval and the intervals
    are narrow enough to mean something, `too few data` where they are not, `differs` where a value stands outside.
    On another one, whether the published values stand inside our intervals or on which side of them; the note names
    those that stand outside.
    """
    known = all(isfinite(item.low) and isfinite(item.high) for item in items)
    sides = {item.name: side_of(float(printed[item.name]), item.low, item.high) for item in items}
    if not same_population:
        return _other_population(items, sides, note) if known else Finding(Verdict.TOO_FEW_DATA, items, note)
    narrow = known and all(item.high - item.low <= WIDEST_TELLING_INTERVAL * scale for item in items)
    if not narrow:
        return Finding(Verdict.TOO_FEW_DATA, items, note)
    inside = set(sides.values()) == {"inside"}
    return Finding(Verdict.REPRODUCED if inside else Verdict.DIFFERS, items, note)


def side_of(published: float, low: float, high: float) -> str:
    """Where a published value stands: inside, below or above an interval.

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
    places = "; ".join(f"{name} published {side} our interval" for name, side in sides.items())
    return Finding(verdict, items, f"{places}; {note}" if note else places)


def measured(items: Sequence[Item], margins: Sequence[Item], note: str = "", n_groups: int = 2) -> Finding:
    """A claim that every one of the `margins` is positive, by their intervals.

    Returns
    -------
    `supports` if all intervals lie above 0, `contradicts` if one lies below, else `undecided`;
    `too few data` with fewer than two source groups, which have no interval.
    """
    if n_groups < 2 or any(isnan(margin.low) or isnan(margin.high) for margin in margins):
        return Finding(Verdict.TOO_FEW_DATA, items, f"{note}; one source group has no interval".lstrip("; "))
    if all(margin.low > 0 for margin in margins):
        return Finding(Verdict.SUPPORTS, items, note)
    against = any(margin.high < 0 for margin in margins)
    return Finding(Verdict.CONTRADICTS if against else Verdict.UNDECIDED, items, note)


def shifted(item: Item, by: float, sign: int = 1) -> Item:
    """The margin `sign * (item - by)` with its interval.

    >>> shifted(Item("loss", 0.02, 0.01, 0.03), 0.05, -1).low.__round__(6)
    0.02
    """
    low, high = sorted(sign * (value - by) for value in (item.low, item.high))
    return Item(item.name, sign * (item.here - by), low, high, item.n)


def within(item: Item, margin: float) -> Item:
    """How far an item's interval stays inside (-margin, margin), as a margin to judge: low > 0 if it lies inside
    altogether, high < 0 if it lies outside altogether."""
    nearest = 0.0 if item.low <= 0 <= item.high else min(abs(item.low), abs(item.high))
    farthest = max(abs(item.low), abs(item.high))
    return Item(item.name, margin - abs(item.here), margin - farthest, margin - nearest, item.n)


def beyond(item: Item, margin: float) -> Item:
    """The opposite of `within`: low > 0 if the interval lies outside (-margin, margin) altogether."""
    inside = within(item, margin)
    return Item(item.name, -inside.here, -inside.high, -inside.low, item.n)
