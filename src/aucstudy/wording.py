"""Text from tables: templates, and one style for a number with its 95 % interval over source groups.

A point is a hundredth of a metric or of a share. The interval is left out if there is only one source group.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import pandas as pd
from jinja2 import BaseLoader, Environment, PackageLoader, StrictUndefined

UNKNOWN = "unknown"  # in place of a number that the data do not give


def percent(row: pd.Series, estimate: str = "estimate") -> str:
    """Return a share in per cent, with its interval.

    >>> percent(pd.Series({"estimate": 0.2167, "low": 0.101, "high": 0.332}))
    '22 % (10 to 33)'
    """
    if math.isnan(row[estimate]):
        return UNKNOWN
    low, high = 100 * row["low"], 100 * row["high"]
    return f"{100 * row[estimate]:.0f} %" + ("" if math.isnan(low) else f" ({low:.0f} to {high:.0f})")


def points(row: pd.Series, estimate: str = "estimate", low: str = "low", high: str = "high") -> str:
    """Return a difference in points, with its interval.

    >>> points(pd.Series({"estimate": -0.00264, "low": -0.006, "high": 0.00067}))
    '-0.3 points (-0.6 to 0.1)'
    >>> points(pd.Series({"estimate": 0.3718, "low": 0.279, "high": 0.4647}))
    '37 points (28 to 46)'
    """
    if math.isnan(row[estimate]):
        return UNKNOWN
    worded = in_percent(100 * row[[estimate, low, high]].set_axis([estimate, "low", "high"]), estimate)
    return worded.replace(" (", " points (") if "(" in worded else f"{worded} points"


def in_percent(row: pd.Series, estimate: str) -> str:
    """Return a number of hundredths with its interval. Below ten it has one decimal, from ten on none.

    >>> in_percent(pd.Series({"here": 21.67, "low": 10.1, "high": 33.2}), "here")
    '22 (10 to 33)'
    """
    digits = 0 if abs(row[estimate]) >= 9.95 else 1
    centre, *ends = (with_decimals(row[name], digits) for name in (estimate, "low", "high"))
    return centre if math.isnan(row["low"]) else f"{centre} ({' to '.join(ends)})"


def with_decimals(number: float, digits: int) -> str:
    """Return a number with so many decimals. A number that rounds to 0 has no sign.

    >>> with_decimals(-0.145, 2), with_decimals(-0.001, 2)
    ('-0.14', '0.00')
    """
    text = f"{number:.{digits}f}"
    return text if float(text) else text.lstrip("-")


def number(row: pd.Series, estimate: str = "estimate") -> str:
    """Return a number with three significant digits, and its interval with as many decimals.

    >>> number(pd.Series({"estimate": 0.39985, "low": 0.0957, "high": 0.6188}))
    '0.400 (0.096 to 0.619)'
    """
    if pd.isna(row.get("low")):
        return significant(row[estimate])
    digits = max(2 - math.floor(math.log10(abs(row[estimate]))), 0) if row[estimate] else 3
    centre, *ends = (with_decimals(row[name], digits) for name in (estimate, "low", "high"))
    return f"{centre} ({' to '.join(ends)})"


def significant(number: float | str) -> str:
    """Return a number with three significant digits, or "" if it is missing.

    Whole numbers and numbers from 100 on are written without decimals. Numbers below a billionth become 0.

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
    """Return a printed number with the zero before its point, which papers leave out.

    >>> with_zero(".183"), with_zero("24")
    ('0.183', '24')
    """
    return f"0{number}" if number.startswith(".") else number


def listed(texts: Iterable[str]) -> str:
    """Return the texts as one text, joined by commas and "and".

    >>> listed(["a", "b", "c"]), listed(["a"]), listed([])
    ('a, b and c', 'a', 'none')
    """
    *leading, last = [*texts] or ["none"]
    return f"{', '.join(leading)} and {last}" if leading else last


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown.

    >>> print(markdown_table(["area", "tasks"], [["AUPR", "60"]]))
    | area | tasks |
    |---|---|
    | AUPR | 60 |
    """
    lines = [f"| {' | '.join(cells)} |" for cells in (heads, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(heads), *lines[1:]])


class NoLongerTrue(Exception):
    """A statement of a text that its tables contradict."""


def guard(condition: object, statement: str) -> str:
    """Return an empty text, or raise NoLongerTrue if the condition of a statement does not hold."""
    if not condition:
        raise NoLongerTrue(f"the tables no longer say: {statement}")
    return ""


@cache
def html_templates(package: str) -> Environment:
    """Return the templates of web pages in a package's folder, which escape what is put in."""
    return Environment(
        loader=PackageLoader(package, "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )


@cache
def text_templates(loader: BaseLoader | None = None) -> Environment:
    """Return an environment for templates of text and Markdown, with functions of this module as filters."""
    environment = Environment(
        loader=loader,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    for function in (percent, points, in_percent, number, significant, with_zero, listed):
        environment.filters[function.__name__] = function
    environment.globals |= {"guard": guard, "markdown_table": markdown_table}
    return environment


Tables = Callable[[str], pd.DataFrame | None]


def text_of(template: str, tables: Tables, **names: object) -> str:
    """Return the text that a template gives.

    The template can call `table(name)`, `rows(name, column=value, ...)`, and `row(...)` for the only such
    row.
    """

    def rows(table: str, **where: object) -> pd.DataFrame:
        return selected(tables(table), **where)

    def row(table: str, **where: object) -> pd.Series:
        return single(rows(table, **where), f"{table}.csv with {where}")

    return text_templates().from_string(template).render(table=tables, rows=rows, row=row, **names)


def selected(table: pd.DataFrame, **where: object) -> pd.DataFrame:
    for column, value in where.items():
        table = table[table[column] == value]
    return table


def single(rows: pd.DataFrame, selection: str) -> pd.Series:
    if len(rows) != 1:
        raise LookupError(f"{selection}: {len(rows)} rows; expected: one")
    return rows.iloc[0]
