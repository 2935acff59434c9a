"""Numbers with their intervals, as the report's sentences word them, and texts in a row."""

from collections.abc import Iterable
from math import isnan

import pandas as pd


def interval(low: float, high: float, number: str, factor: float = 1.0) -> str:
    """An interval in brackets, each end in a format; tasks of one source group have none.

    >>> interval(0.25, 0.375, "+.2f"), interval(float("nan"), float("nan"), "+.2f")
    ('(95 % interval +0.25 to +0.38)', '(one source group: no interval)')
    """
    if isnan(low) or isnan(high):
        return "(one source group: no interval)"
    return f"(95 % interval {factor * low:{number}} to {factor * high:{number}})"


def percent(row: pd.Series) -> str:
    """An estimated share with its interval.

    >>> percent(pd.Series({"estimate": 0.41, "low": 0.29, "high": 0.53}))
    '41 % (95 % interval 29 to 53)'
    """
    return f"{100 * row['estimate']:.0f} % {interval(row['low'], row['high'], '.0f', 100)}"


def points(row: pd.Series) -> str:
    """A difference of shares.

    >>> points(pd.Series({"estimate": 0.029, "low": -0.004, "high": 0.07}))
    '+2.9 percentage points (95 % interval -0.4 to +7.0)'
    """
    ends = interval(row["low"], row["high"], "+.1f", 100)
    return f"{100 * row['estimate']:+.1f} percentage points {ends}"


def between(row: pd.Series, digits: int = 2, sign: str = "+") -> str:
    """A difference with its interval.

    >>> between(pd.Series({"difference": 0.31, "low": 0.25, "high": 0.375}))
    '+0.31 (95 % interval +0.25 to +0.38)'
    """
    number = f"{sign}.{digits}f"
    return f"{row['difference']:{number}} {interval(row['low'], row['high'], number)}"


def listed(texts: Iterable[str]) -> str:
    """Texts in a row.

    >>> listed(["a", "b", "c"]), listed(["a"]), listed([])
    ('a, b and c', 'a', 'none')
    """
    *others, last = [*texts] or ["none"]
    return f"{', '.join(others)} and {last}" if others else last
