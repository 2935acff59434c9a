"""One style for numbers in README, docs and report: two or three digits, an interval in brackets, % or points.

A point is a hundredth of an area, of a share or of F1. Brackets hold 95 % intervals over source groups.
"""

import math
import re

import pandas as pd


def percent(row: pd.Series, estimate: str = "estimate") -> str:
    """A share with its interval; tasks of one source group have none.

    >>> percent(pd.Series({"estimate": 0.2167, "low": 0.101, "high": 0.332}))
    '22 % (10 to 33)'
    """
    low, high = 100 * row["low"], 100 * row["high"]
    return f"{100 * row[estimate]:.0f} %" + ("" if math.isnan(low) else f" ({low:.0f} to {high:.0f})")


def points(row: pd.Series, estimate: str = "estimate", low: str = "low", high: str = "high") -> str:
    """A difference in points with its interval: one decimal below ten points, none above.

    >>> points(pd.Series({"estimate": -0.00264, "low": -0.006, "high": 0.00067}))
    '-0.3 points (-0.6 to 0.1)'
    >>> points(pd.Series({"estimate": 0.3718, "low": 0.279, "high": 0.4647}))
    '37 points (28 to 46)'
    """
    worded = in_percent(100 * row[[estimate, low, high]].set_axis([estimate, "low", "high"]), estimate)
    return worded.replace(" (", " points (") if "(" in worded else f"{worded} points"


def in_percent(row: pd.Series, estimate: str) -> str:
    """A number of hundredths with its interval: one decimal below ten, none above.

    >>> in_percent(pd.Series({"here": 21.67, "low": 10.1, "high": 33.2}), "here")
    '22 (10 to 33)'
    """
    digits = 0 if abs(row[estimate]) >= 9.95 else 1
    centre, *ends = (_rounded(row[name], digits) for name in (estimate, "low", "high"))
    return centre if math.isnan(row["low"]) else f"{centre} ({' to '.join(ends)})"


def _rounded(number: float, digits: int) -> str:
    text = f"{number:.{digits}f}"
    return text if float(text) else text.lstrip("-")


def number(row: pd.Series, estimate: str = "estimate") -> str:
    """A number of three significant digits, with its interval to the same decimal.

    >>> number(pd.Series({"estimate": 0.39985, "low": 0.0957, "high": 0.6188}))
    '0.400 (0.096 to 0.619)'
    """
    if pd.isna(row.get("low")):
        return significant(row[estimate])
    digits = max(2 - math.floor(math.log10(abs(row[estimate]))), 0) if row[estimate] else 3
    centre, *ends = (_rounded(row[name], digits) for name in (estimate, "low", "high"))
    return f"{centre} ({' to '.join(ends)})"


def significant(number: float | str) -> str:
    """Three significant digits, whole numbers whole, "" for what is missing; below a billionth it is rounding: 0.

    >>> significant(0.05176), significant(1800.0), significant(26580.4), significant(5e-14), significant("")
    ('0.0518', '1800', '26580', '0', '')
    """
    if number == "" or math.isnan(float(number)):
        return ""
    number = float(number)
    if abs(number) < 1e-9:
        return "0"
    if number.is_integer() or abs(number) >= 100:
        return f"{number:.0f}"
    return f"{number:.3g}" if abs(number) >= 1e-4 else f"{number:.1e}"


def with_zero(number: str) -> str:
    """A number as papers print it, with the zero before its point.

    >>> with_zero(".183"), with_zero("24")
    ('0.183', '24')
    """
    return f"0{number}" if number.startswith(".") else number


def in_one_style(sentence: str) -> str:
    """A sentence of an experiment in the style of this module: brackets alone hold an interval, a point is a point.

    >>> in_one_style("+2.9 percentage points (95 % interval -0.4 to +7.0), 22 % (95 % interval 10 to 33)")
    '2.9 points (-0.4 to 7.0), 22 % (10 to 33)'
    """
    sentence = re.sub(r"\(95 % interval ([^()]*)\)", r"(\1)", sentence).replace("percentage points", "points")
    return re.sub(r"(?<![\w.)])\+(?=\d)", "", sentence)
