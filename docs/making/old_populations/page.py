"""docs/populations.md, its sentences and tables from those of the study beside it."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from math import isnan, nan

import pandas as pd
from aucstudy.presentation.markdown import markdown_table
from aucstudy.presentation.phrases import listed
from aucstudy.report.populations.factors import JOINTLY, MANY, TIES
from aucstudy.report.populations.numbers import (
    ACROSS,
    ALL,
    BEST,
    CORRELATION,
    FIRST_THREE,
    GAIN,
    GAP,
    PAPER,
    TIED,
    of_pair,
)
from aucstudy.report.wording import in_percent

from aucstudy.area_names import DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.published.values import RULES_FIXED, confirmation_rules

SIDES = ("below", "inside", "above")
FEWEST_GROUPS = 5  # for an interval to be worth its ink
LABELS = {pair: PAIR_LABELS[pair] for pair in DISTINCT_PAIRS}
INTRODUCTION = """\
Shares of tasks in percent, with 95 % intervals over source groups in brackets: data sets that share rows or an origin
are one group. A dash: no tasks, or fewer than {fewest} source groups, whose interval says nothing. The paper prints no
interval and no positives; its tasks and runs are those of OpenML in 2015."""
FACTORS = """\
Differences in percentage points between shares of tasks with another best model. *learners*: the same tasks with two
sets of learners, paired. *tasks*: data sets that the first study has not, minus those that it has. *positives*: tasks
with 100 positives and more minus the others. *ties*: tasks whose best model by one of the two areas is tied minus the
others. Rows with "{jointly}" are coefficients of one linear model of all tasks of all studies."""
RULES = """\
The rules of [confirmation.md](confirmation.md), each answered from the study's own tables. The default study is
exploratory: {fixed}. A verdict counts for: {counted}. Points are
hundredths of a utility or of a share, brackets hold 95 % intervals where the rule reads one
(C1: for both numbers at once); notes stand in `populations_rules.csv`.

C4 asks for the excess over an area's disagreement with itself, in percent of the largest possible one; that it is small
does not show that noise is the cause."""
SHIFT = """\
Part of the distance between the AUPR of a test set cut to 1:1 and that of the whole one that is closed by moving the
same ROC curve, and by the correction for few negatives, whose rule was chosen on the default study's tasks; only tasks
that admit every ratio. The last column is the difference of the two."""


def populations_page(
    table: pd.DataFrame, moved: pd.DataFrame, ruled: pd.DataFrame, overlap: pd.DataFrame
) -> str:
    """The page in Markdown.

    Parameters
    ----------
    table, moved, ruled, overlap : as `side_by_side`, `factors`, `rules` and `overlap` give them.
    """
    parts = [
        "# The paper's numbers on other populations",
        "<!-- made by python -m aucstudy.report.populations -->",
        INTRODUCTION.format(fewest=FEWEST_GROUPS),
        "\n".join(f"* {sentence}" for sentence in (*nearness(table), *sizes(overlap), *distances(table))),
        "![Shares of tasks whose models differ](../results/populations/figures/populations.png)",
        "The paper's numbers are the dashed lines; numbers in brackets are tasks.",
        *(f"## {_title(quantity)}\n\n" + _shares(table, quantity) for quantity in (BEST, FIRST_THREE)),
        "## Correlation of the models' ranks\n\n" + _correlations(table),
        "## What moves the shares: learners, tasks, positives or ties?",
        FACTORS.format(jointly=JOINTLY),
        "\n".join(f"* {sentence}" for sentence in movers(moved)),
        _factors(moved),
        "## The rules of confirmation",
        RULES.format(counted=_counted(ruled), fixed=RULES_FIXED),
        _rules(ruled),
        "## The area at another prevalence",
        SHIFT,
        _shift(table),
    ]
    return "\n\n".join(parts) + "\n"


def sizes(overlap: pd.DataFrame) -> Iterator[str]:
    """How many tasks and source groups there are, and how many of them other studies have too."""
    for row in overlap.itertuples():
        again = (
            f"; {_count(row.tasks_in_an_earlier_one, 'task')} and "
            f"{_count(row.groups_in_an_earlier_one, 'source group')} stand in a study above too, so that the two say "
            "nothing independent of each other on them"
            if row.groups_in_an_earlier_one
            else ""
        )
        yield (
            f"{row.study}: {_count(row.n_tasks, 'task')}, {row.over_200_positives} with more than 200 positives, of "
            f"{_count(row.n_groups, 'source group')}{again}."
        )


def nearness(table: pd.DataFrame) -> Iterator[str]:
    """In how many comparisons of best models the paper's share lies below, inside and above the interval here."""
    studies = [_sides(table, study, BEST) for study in _studies(table)]
    counts = {side: sum(len(of[side]) for of in studies) for side in SIDES}
    total = sum(counts.values())
    if total:
        shown = listed(f"{side} our interval in {count}" for side, count in counts.items())
        yield f"Another best model: of {total} comparisons of a study with the paper the paper's share lies {shown}."


def distances(table: pd.DataFrame) -> Iterator[str]:
    """Where each population's intervals have the paper's shares of best models and of first threes."""
    for study in _studies(table):
        sentences = []
        for quantity, models in ((BEST, "best model"), (FIRST_THREE, "first three")):
            sides = _sides(table, study, quantity)
            shares = "; ".join(f"{side} our interval, {', '.join(of)}" for side, of in sides.items() if of)
            sentences += [f"of another {models} {shares}"] if shares else []
        if sentences:
            yield f"{study}: the paper's shares lie, " + "; ".join(sentences) + "."


def _sides(table: pd.DataFrame, study: str, quantity: str) -> dict[str, list[str]]:
    """By side of a study's intervals the pairs of areas whose printed share lies there, each with both shares."""
    sides: dict[str, list[str]] = {side: [] for side in SIDES}
    for pair in DISTINCT_PAIRS:
        row = of_pair(table, pair, {"study": study, "positives": ALL, "quantity": quantity})
        if row is None:
            continue
        paper = of_pair(table, pair, {"study": PAPER, "quantity": quantity})["estimate"]
        side = "below" if paper < row["low"] else "above" if paper > row["high"] else "inside"
        sides[side].append(f"{LABELS[pair]} ({100 * paper:.0f} %, here {_share(row)})")
    return sides


def movers(moved: pd.DataFrame) -> Iterator[str]:
    """Which factors have an interval that excludes 0, for the share of tasks with another best model."""
    rows = moved[
        (moved["quantity"] == BEST) & (moved["positives"] == ALL) & (moved["n_groups"] >= FEWEST_GROUPS)
    ]
    for factor, of_factor in rows.groupby("factor", sort=False):
        away = of_factor[(of_factor["low"] > 0) | (of_factor["high"] < 0)]
        intervals = "; ".join(
            f"{LABELS[row['first'], row['second']]} {_points(row)} ({_where(row)})"
            for _, row in away.iterrows()
        )
        yield (
            f"{factor}: {len(away)} of {len(of_factor)} intervals exclude 0"
            + (f": {intervals}." if intervals else ".")
        )


def _where(row: pd.Series) -> str:
    if row["against"] == JOINTLY:
        return f"{row['of']}, {JOINTLY}"
    return f"in {row['of']}" if row["factor"] in (MANY, TIES) else f"{row['of']} against {row['against']}"


def _studies(table: pd.DataFrame) -> list[str]:
    return [study for study in table["study"].unique() if study != PAPER]


def _title(quantity: str) -> str:
    return {BEST: "Tasks with another best model", FIRST_THREE: "Tasks with another first three, in order"}[
        quantity
    ]


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" + ("" if n == 1 else "s")


def _share(row: pd.Series, factor: float = 100, digits: int = 0) -> str:
    number = f"{factor * row['estimate']:.{digits}f}"
    if isnan(row["low"]) or row["n_groups"] < FEWEST_GROUPS:
        return number
    return f"{number} ({factor * row['low']:.{digits}f} to {factor * row['high']:.{digits}f})"


def _points(row: pd.Series) -> str:
    return f"{100 * row['estimate']:+.0f} ({100 * row['low']:+.0f} to {100 * row['high']:+.0f})"


def _shares(table: pd.DataFrame, quantity: str) -> str:
    of = table[table["quantity"] == quantity]

    def rows() -> Iterator[list[str]]:
        for (study, positives), cells in of.groupby(["study", "positives"], sort=False):
            tied = table[
                (table["study"] == study) & (table["positives"] == positives) & (table["quantity"] == TIED)
            ]
            groups = cells["n_groups"].iloc[0]
            yield [
                study, positives, *(_cell(cells, pair) for pair in DISTINCT_PAIRS),
                "–" if tied.empty else f"{100 * tied['estimate'].max():.0f}",
                f"{cells['n_tasks'].iloc[0]:.0f}", "–" if isnan(groups) else f"{groups:.0f}",
            ]  # fmt: skip

    return markdown_table(["study", "positives", *LABELS.values(), "tied tops", "tasks", "groups"], rows())


def _cell(cells: pd.DataFrame, pair: tuple[str, str], factor: float = 100, digits: int = 0) -> str:
    row = of_pair(cells, pair, {})
    if row is None:
        return "–"
    few = row["n_groups"] < FEWEST_GROUPS
    return "–" if few else _share(row, factor, digits)


def _correlations(table: pd.DataFrame) -> str:
    of = table[table["quantity"].isin((ACROSS, CORRELATION))]
    names = {ACROSS: "across all tasks", CORRELATION: "mean within tasks"}
    rows = (
        [study, positives, names[quantity], *(_cell(cells, pair, 1, 3) for pair in DISTINCT_PAIRS)]
        for (study, quantity, positives), cells in of.groupby(["study", "quantity", "positives"], sort=False)
    )
    return markdown_table(["study", "positives", "", *LABELS.values()], rows)


def _factors(moved: pd.DataFrame) -> str:
    of = moved[moved["quantity"] == BEST]
    rows = (
        [factor, name, against, positives]
        + [
            "–"
            if (row := of_pair(cells, pair, {})) is None or row["n_groups"] < FEWEST_GROUPS
            else _points(row)
            for pair in DISTINCT_PAIRS
        ]
        + [f"{cells['n_tasks'].iloc[0]}", f"{cells['n_groups'].iloc[0]}"]
        for (factor, name, against, positives), cells in of.groupby(
            ["factor", "of", "against", "positives"], sort=False
        )
    )
    return markdown_table(["factor", "of", "against", "positives", *LABELS.values(), "tasks", "groups"], rows)


def _counted(ruled: pd.DataFrame) -> str:
    kinds = ruled["note"].fillna("").str.split("; ").str[-1]
    first = kinds.groupby(ruled["study"], sort=False)
    by_study = ((study, [kind for kind in of if "source groups" in kind]) for study, of in first)
    return "; ".join(f"*{study}*, {kinds_of[0]}" for study, kinds_of in by_study if kinds_of)


def _rules(ruled: pd.DataFrame) -> str:
    studies, ruled = list(dict.fromkeys(ruled["study"])), ruled.fillna("")
    asked = dict(list(confirmation_rules().groupby("id")))

    def rows() -> Iterator[list[str]]:
        for rule, of_rule in ruled.groupby("id", sort=False):
            verdicts = of_rule.set_index("study")
            cells = [
                f"**{verdicts.loc[study, 'verdict']}** {_numbers(verdicts.loc[study], asked[rule])}".strip()
                for study in studies
            ]
            yield [rule, of_rule["claim"].iloc[0], "; ".join(asked[rule]["item"]), *cells]

    return markdown_table(["", "answer of the default study", "numbers", *studies], rows())


def _numbers(row: pd.Series, asked: pd.DataFrame) -> str:
    """The numbers of a rule with unit and interval, in the order of its items."""
    if row["here"] == "":
        return ""
    # a cell of one number is read as a number, one of several as text
    cells = (f"{row[name]}".split("; ") for name in ("here", "low", "high"))
    numbers = zip_longest(*cells, fillvalue="")
    return "; ".join(
        _with_unit(item, unit, number)
        for item, unit, number in zip(asked["item"], asked["unit"], numbers, strict=True)
    )


def _with_unit(item: str, printed_unit: str, number: Sequence[str]) -> str:
    """One number as `here`, `low` and `high`, the last two "" where the rule reads no interval."""
    if number[0] == "":
        return "–"
    if printed_unit == "cuts":
        return f"{float(number[0]):.0f} cuts"
    factor, unit = (1, " %") if printed_unit == "%" else (100, " points")
    unit = " points" if "minus" in item else unit
    ends = pd.Series([factor * float(end) if end else nan for end in number], ["here", "low", "high"])
    here, *interval = in_percent(ends, "here").split(" (")
    return f"{here}{unit}" + "".join(f" ({ends}" for ends in interval)


def _shift(table: pd.DataFrame) -> str:
    of = table[table["quantity"].isin((GAP, GAIN))]

    def rows() -> Iterator[list[str]]:
        for (study, positives), cells in of.groupby(["study", "positives"], sort=False):
            by_name = cells.set_index(["quantity", "first"])
            shown = [by_name.loc[key] for key in ((GAP, "moved"), (GAP, "corrected"), (GAIN, "corrected"))]
            n = [f"{cells[name].iloc[0]:.0f}" for name in ("n_tasks", "n_groups")]
            yield [study, positives, *(_share(row, digits=1) for row in shown), *n]

    return markdown_table(
        ["study", "positives", "moved", "corrected", "difference", "tasks", "groups"], rows()
    )
