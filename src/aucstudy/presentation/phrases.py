"""Numbers with their intervals, as the report's sentences word them."""

import pandas as pd


def percent(row: pd.Series) -> str:
    """An estimated share with its interval: `41 % (95 % interval 29 to 53)`."""
    return f"{100 * row['estimate']:.0f} % ({_interval(100 * row['low'], 100 * row['high'], '.0f')})"


def points(row: pd.Series) -> str:
    """A difference of shares: `+2.9 percentage points (95 % interval -0.4 to +7.0)`."""
    ends = _interval(100 * row["low"], 100 * row["high"], "+.1f")
    return f"{100 * row['estimate']:+.1f} percentage points ({ends})"


def between(row: pd.Series, digits: int = 2, sign: str = "+") -> str:
    """A difference with its interval: `+0.31 (95 % interval +0.25 to +0.38)`."""
    form = f"{sign}.{digits}f"
    return f"{row['difference']:{form}} ({_interval(row['low'], row['high'], form)})"


def _interval(low: float, high: float, form: str) -> str:
    """A mean over the tasks of one source group has no interval."""
    return "no interval: one source group" if pd.isna(low) else f"95 % interval {low:{form}} to {high:{form}}"
