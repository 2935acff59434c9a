"""Numbers with their intervals, as the report's sentences word them."""

import pandas as pd


def percent(row: pd.Series) -> str:
    """An estimated share with its interval: `41 % (95 % interval 29 to 53)`."""
    return f"{100 * row['estimate']:.0f} % (95 % interval {100 * row['low']:.0f} to {100 * row['high']:.0f})"


def points(row: pd.Series) -> str:
    """A difference of shares: `+2.9 percentage points (95 % interval -0.4 to +7.0)`."""
    told = f"{100 * row['low']:+.1f} to {100 * row['high']:+.1f}"
    return f"{100 * row['estimate']:+.1f} percentage points (95 % interval {told})"


def between(row: pd.Series, digits: int = 2, sign: str = "+") -> str:
    """A difference with its interval: `+0.31 (95 % interval +0.25 to +0.38)`."""
    number = f"{{:{sign}.{digits}f}}".format
    return f"{number(row['difference'])} (95 % interval {number(row['low'])} to {number(row['high'])})"
