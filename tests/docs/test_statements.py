"""The numbers and directions in the sentences of README and the docs are those of the committed tables.

`statements.yaml` lists the sentences and says how an entry is written. A number on a page must be the number
of its table, rounded to the digits that the page gives.
"""

import json
import re
from functools import cache
from pathlib import Path

import estimates
import numpy as np
import pandas as pd
import pytest
import yaml
from peers import by_function, matrix

from aucstudy.store.estimates import OF_OTHER_KINDS

ROOT = Path(__file__).parents[2]
STATEMENTS = {
    page: entries
    for page, entries in yaml.safe_load((Path(__file__).parent / "statements.yaml").read_text()).items()
    if page != "shared"
}
NUMBER = r"[+-]?[\d,]*\.?\d+"
FUNCTIONS = {
    "len": len,
    "max": max,
    "min": min,
    "set": set,
    "sum": sum,
    "list": list,
    "sorted": sorted,
    "float": float,
}
MADE = {
    "estimates": estimates.estimates,
    "verdicts": estimates.verdicts,
    "reasons": estimates.reasons,
    "functions": lambda: by_function(matrix()),
    "cases": lambda: pd.DataFrame(json.loads((ROOT / "conformance/cases.json").read_text())["cases"]),
}


@cache
def committed(path):
    """Return a table below results/. A YAML file is a table of one row."""
    if path in MADE:
        return MADE[path]()
    file = ROOT / "results" / path
    if file.suffix == ".yaml":
        return pd.json_normalize(yaml.safe_load(file.read_text(encoding="utf-8")))
    return pd.read_csv(file, low_memory=False)


def selected(selection, tables):
    where = selection.get("where", {})
    if selection["table"] == "estimates":
        where = {"weight": "source", "subset": "all", **where}
    rows = tables(selection["table"], tuple(where))
    if selection["table"] == "estimates":
        rows = rows[~rows["kind"].isin(OF_OTHER_KINDS)]
    for column, values in where.items():
        rows = rows[rows[column].isin(values if isinstance(values, list) else [values])]
    return rows.query(selection["query"]) if "query" in selection else rows


def named(statement, tables):
    """Return what the expressions of a statement may name.

    These are all `rows`, the columns of the row if it is the only one, and the selections `beside` it.
    """
    rows = selected(statement, tables)
    names = {"rows": rows, **(rows.iloc[0] if len(rows) == 1 else {})}
    for name, selection in statement.get("beside", {}).items():
        other = selected({"table": statement["table"], **selection}, tables)
        names[name] = other.iloc[0] if len(other) == 1 else other
    return names


def evaluated(expression, names):
    return eval(expression, {"__builtins__": FUNCTIONS}, names)


def expressions(statement, n_numbers):
    """Return the expressions of the numbers. Without `numbers`, they are the estimate and its interval."""
    if "numbers" in statement and n_numbers:
        return [str(expression) for expression in statement["numbers"]]
    return ["100 * estimate", "100 * low", "100 * high"][:n_numbers]


def as_on_page(value, text):
    """Return a value as the page would give it: with as many decimals as `text` has."""
    if isinstance(value, str):
        return value
    rounded = f"{value:.{len(text.partition('.')[2])}f}"
    return rounded if float(rounded) else rounded.lstrip("-")


def places(statement):
    words = statement["words"]
    return words if isinstance(words, list) else [words]


@cache
def text_of(page):
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


def matches(text, words, values):
    """Return the matches of the words in a text, with a group for each {}."""
    first, *others = (re.escape(part) for part in " ".join(words.split()).split("{}"))
    groups = ["(.+?)" if isinstance(value, str) else f"({NUMBER})" for value in values]
    pattern = first + "".join(group + part for group, part in zip(groups, others, strict=True))
    return list(re.finditer(rf"(?<![\w.]){pattern}", text))


def wrong_numbers(page, statement, tables):
    """Return a line for each number of a statement that is not that of its table, or is not on the page."""
    problems = []
    for words in places(statement):
        names = named(statement, tables) if "{}" in words else {}
        values = [evaluated(each, names) for each in expressions(statement, words.count("{}"))]
        on_page = [match.groups() for match in matches(text_of(page), words, values)]
        if len(on_page) != 1:
            problems.append(f"{page}: {words!r} is there {len(on_page)} times; expected: once")
            continue
        for text, value in zip(on_page[0], values, strict=True):
            if (expected := as_on_page(value, text)) != text.replace(",", "").lstrip("+"):
                problems.append(f"{page}: {words!r}: {text}; the table says {expected}")
    return problems


def conditions(statement):
    holds = statement.get("holds", [])
    return holds if isinstance(holds, list) else [holds]


def broken_conditions(statement, tables):
    names = named(statement, tables) if "holds" in statement else {}
    return [condition for condition in conditions(statement) if not evaluated(condition, names)]


def as_committed(path, keys):
    return committed(path)


EACH = pytest.mark.parametrize(
    ("page", "statement"),
    [
        pytest.param(page, statement, id=f"{page}-{places(statement)[0][:60]}")
        for page, statements in STATEMENTS.items()
        for statement in statements
    ],
)


@EACH
def test_a_statement_has_the_numbers_of_its_table(page, statement):
    assert wrong_numbers(page, statement, as_committed) == []


@EACH
def test_a_statement_is_true_of_its_table(page, statement):
    assert broken_conditions(statement, as_committed) == []


# These functions change the results in a table. The columns by which a statement selects rows stay.
def times_ten(rows):
    return 10 * rows


def negated(rows):
    return -rows


def mirrored(rows):
    return 1 - rows


def shifted(by):
    return lambda rows: rows + by


def certain(rows):
    """Return results whose intervals have no width."""
    middle = next((name for name in ("estimate", "difference", "here") if name in rows), None)
    ends = [name for name in rows if name.endswith(("low", "high"))]
    return rows.assign(**dict.fromkeys(ends, rows[middle])) if middle else rows


def uncertain(rows):
    """Return results whose intervals contain every value that a result can have."""
    return rows.assign(
        **{
            name: -np.inf if name.endswith("low") else np.inf
            for name in rows
            if name.endswith(("low", "high"))
        }
    )


def backwards(rows):
    """Return the results in reverse order, so that each row has the results of another one."""
    return rows.iloc[::-1].set_axis(rows.index)


ALTERED = (
    *(times_ten, negated, mirrored, certain, uncertain, backwards),
    *(shifted(by) for by in (1, -1, 0.05, -0.05)),
)


def changed(alteration):
    """Return a function that gives a table with other results."""

    def tables(path, keys):
        table = committed(path)
        results = [name for name in table.select_dtypes("number") if name not in keys]
        other = alteration(table[results].astype(float))
        ends = [
            (low, low[:-3] + "high") for low in other if low.endswith("low") and f"{low[:-3]}high" in other
        ]
        for low, high in ends:
            other[[low, high]] = np.sort(other[[low, high]].to_numpy())
        return table.assign(**{name: other[name] for name in results})

    return tables


def worded(text):
    """Return a function that gives a table with the text in place of all verdicts and names."""

    def tables(path, keys):
        table = committed(path)
        words = [name for name in table.select_dtypes(["object", "string"]) if name not in keys]
        return table.assign(**dict.fromkeys(words, text))

    return tables


def half(first):
    """Return a function that gives every second row of a table, from row `first` on."""
    return lambda path, keys: committed(path)[first::2]


def fails(check, *arguments):
    try:
        return bool(check(*arguments))
    except (IndexError, KeyError, NameError, ValueError, AttributeError, TypeError):
        return None  # A row is missing, which says nothing of its numbers.


@EACH
def test_a_statement_fails_if_its_table_changes(page, statement):
    others = [*map(changed, ALTERED), worded("other"), worded("contradicted"), half(0), half(1)]
    if any("{}" in words for words in places(statement)):
        assert any(fails(wrong_numbers, page, statement, tables) for tables in others)
    for condition in conditions(statement):
        single = {**statement, "holds": condition}
        assert any(fails(broken_conditions, single, tables) for tables in others), condition


# An estimate with its interval. Examples of how to read one are in quotation marks.
INTERVAL = rf'(?<!")(?<![\w.]){NUMBER}(?: %| points)? \({NUMBER} to {NUMBER}\)'


@pytest.mark.parametrize("page", STATEMENTS)
def test_each_interval_in_a_sentence_belongs_to_a_statement(page):
    text = re.sub(r"(?s)<!-- \[\[\[cog.*?\[\[\[end\]\]\] -->", "", (ROOT / page).read_text(encoding="utf-8"))
    if page == "docs/claims.md":  # test_claims_page.py compares what was measured
        text = re.sub(r"(?m)^\* \*\*We measured\*\*.*\n(    \* .*\n)*", "", text)
    text = " ".join(text.split())
    spans = [
        match.span()
        for statement in STATEMENTS[page]
        for words in places(statement)
        for match in matches(text, words, [""] * words.count("{}"))
    ]
    intervals = re.finditer(INTERVAL, text)
    lone = [match[0] for match in intervals if not any(a <= match.start() < b for a, b in spans)]
    assert lone == []


def test_a_statement_fails_if_its_words_are_not_on_the_page():
    statement = {"words": "these words are on no page"}
    assert wrong_numbers("README.md", statement, as_committed) == [
        "README.md: 'these words are on no page' is there 0 times; expected: once"
    ]


def test_a_wrong_number_is_shown_beside_that_of_the_table():
    statement = {
        "words": "from the {} tasks of the study `wide`",
        "table": "wide/tables/tasks.csv",
        "numbers": ["len(rows) + 1"],
    }
    (problem,) = wrong_numbers("docs/figures.md", statement, as_committed)
    assert problem.endswith("312; the table says 313")
