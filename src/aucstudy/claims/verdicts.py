"""The vocabulary of claims.csv and the rules that choose a verdict; none is ever written by hand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from math import isfinite, isnan, nan
from pathlib import Path

import pandas as pd

from aucstudy.published.values import comes_out
from aucstudy.store.tables import read_table

WIDEST_TELLING_INTERVAL = 0.2  # of the published value's scale: a wider interval agrees with almost anything


class Verdict(StrEnum):
    """What may be said of a published claim."""

    EXACT = "exact"
    EXACT_WITHIN_ROUNDING = "exact within rounding"
    DOES_NOT_COME_OUT = "does not come out"
    REPRODUCED = "reproduced"
    TOO_FEW_DATA = "too few data"
    DIFFERS = "differs"
    HOLDS = "holds"
    DOES_NOT_HOLD = "does not hold"
    SAME_DATA_OTHER_LEARNER = "same data, other learner"
    OTHER_DATA = "other data"
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
        path = self.tables / f"{name}.csv"
        return read_table(path) if path.exists() else None


Judge = Callable[[Evidence, dict[str, Decimal]], Finding]


def not_available(reason: str) -> Finding:
    """A claim that this study cannot speak to."""
    return Finding(Verdict.NOT_AVAILABLE, note=reason)


def arithmetic(items: Sequence[Item], printed: dict[str, Decimal], note: str = "") -> Finding:
    """`exact` if each item comes out at the printed digit, else `does not come out`."""
    right = all(comes_out(printed[item.name], item.here) for item in items)
    return Finding(Verdict.EXACT if right else Verdict.DOES_NOT_COME_OUT, items, note)


def replication(
    items: Sequence[Item], printed: dict[str, Decimal], *, same_population: bool, scale: float, note: str = ""
) -> Finding:
    """Compare estimates with published ones.

    Parameters
    ----------
    scale : the range of the unit (100 for %, 1 for a correlation), by which an interval's width is judged.

    Returns
    -------
    `other data` unless the population is the paper's; else `reproduced` where every published value stands inside
    its interval and the intervals are narrow enough to mean something, `too few data` where they are not, `differs`
    where a value stands outside.
    """
    if not same_population:
        return Finding(Verdict.OTHER_DATA, items, note)
    known = all(isfinite(item.low) and isfinite(item.high) for item in items)
    inside = known and all(item.low <= float(printed[item.name]) <= item.high for item in items)
    narrow = known and all(item.high - item.low <= WIDEST_TELLING_INTERVAL * scale for item in items)
    if not narrow:
        return Finding(Verdict.TOO_FEW_DATA, items, note)
    return Finding(Verdict.REPRODUCED if inside else Verdict.DIFFERS, items, note)


def direction(items: Sequence[Item], margin: Item, note: str = "") -> Finding:
    """A claim that a `margin` is positive: `holds` or `does not hold` by its interval, else `too few data`.

    A margin without an interval is arithmetic on the paper's own numbers and is judged by its sign.
    """
    low, high = (margin.here, margin.here) if isnan(margin.low) else (margin.low, margin.high)
    if low > 0:
        verdict = Verdict.HOLDS
    elif high <= 0:
        verdict = Verdict.DOES_NOT_HOLD
    else:
        verdict = Verdict.TOO_FEW_DATA
    return Finding(verdict, items, note)
