"""The tables on intervals of metrics that cog writes into docs/intervals.md, from the tournament of candidates."""

from collections.abc import Callable
from functools import cache

import pandas as pd
from committed import ROOT

from aucstudy.metrics.registry import labels
from aucstudy.store.tables import read_table
from aucstudy.wording import markdown_table

PARTS = ["kind", "scale", "variance", "unseen", "freedom"]
TODAY = [(kind, "plain", "halves", 1.0, "the rarer class") for kind in ("one model", "Student")]
VARIANCES = {
    "halves": "random halves",
    "scaled halves": "random halves on this scale",
    "influences": "influence functions",
    "pseudo-rows": "influence functions with the added rows",
    "score": "Hanley and McNeil's",
}
ROWS = {0.0: "none", 0.25: "a quarter", 0.5: "half", 1.0: "one"}
QUANTILES = {"the rarer class": "t, the rarer class", "both classes": "t, both classes", "normal": "normal"}


@cache
def _table(name: str) -> pd.DataFrame:
    return read_table(ROOT / "results" / "benchmarks" / f"{name}.csv")


def _rivals(kinds: tuple[str, ...]) -> pd.DataFrame:
    """Return what the kept samples say of the candidates in the table of settings, the widest first."""
    shown = _table("area_interval_tournament")[PARTS].drop_duplicates()
    verdicts = _table("area_interval_candidates")
    verdicts = verdicts[(verdicts["samples"] == "kept") & (verdicts["rarer_rows"] == "all")]
    rivals = verdicts.merge(shown, on=PARTS)
    return rivals[rivals["kind"].isin(kinds)].sort_values("width", ascending=False, kind="stable")


def _lines(rivals: pd.DataFrame, cells_of: Callable[[pd.Series], list[str]]) -> list[list[str]]:
    lines = []
    for _, row in rivals.iterrows():
        name, *parts = _named(row)
        worst = f"{labels()[row['worst_metric']]}, *{row['worst_design']}*, {row['worst_prevalence']:g}, "
        worst += str(row["worst_rarer"])
        facts = [f"{row['width']:.2f}", *cells_of(row), f"{100 * row['lowest_coverage']:.1f} %", worst]
        lines.append([f"{name} (the package's)" if tuple(row[PARTS]) in TODAY else name, *parts, *facts])
    return lines


HEADS = ["scale", "variance of", "unseen or added rows", "quantile", "width"]


def of_one_model() -> str:
    """Return a table of the intervals of one model that the tournament compared, the widest first."""
    rivals = _rivals(("one model",))
    lines = _lines(rivals, lambda row: [f"{row['cells_that_stop']} of {row['cells']}"])
    return markdown_table([*HEADS, "cells under 93.5 %", "lowest coverage", "in the cell"], lines)


def of_differences() -> str:
    """Return a table of the intervals of a difference that the tournament compared, the widest first."""

    def cells_of(row: pd.Series) -> list[str]:
        return [f"{row['cells_that_stop']} of {row['cells']}", f"{100 * row['highest_type_1']:.1f} %"]

    lines = _lines(_rivals(("Student", "joined")), cells_of)
    heads = [*HEADS, "cells that stop it", "highest type I error", "lowest coverage", "in the cell"]
    return markdown_table(heads, lines)


def winners() -> str:
    """Return a table of the candidates that win by the rule, by the number of rows of the rarer class."""
    verdicts = _table("area_interval_candidates")
    kept = verdicts[verdicts["samples"] == "kept"].set_index(["rarer_rows", *PARTS])
    lines = []
    # Each number of rows has its winners together, "all" first as in the table.
    for _, winner in verdicts[verdicts["wins"]].iterrows():
        again = kept.loc[tuple(winner[["rarer_rows", *PARTS]])]
        name = "one model" if winner["kind"] == "one model" else "a difference"
        line = [name, winner["rarer_rows"], *_named(winner), f"{again['width']:.2f}"]
        line += [f"{100 * row['lowest_coverage']:.1f} %" for row in (winner, again)]
        lines.append([*line, "yes" if again["admitted"] else "no"])
    heads = ["interval of", "rows of the rarer class", *HEADS]
    return markdown_table([*heads, "lowest coverage, tuning", "lowest coverage, kept", "confirmed"], lines)


def _named(row: pd.Series) -> list[str]:
    """Return the parts of a candidate in words."""
    name = f"{row['scale']}, joined" if row["kind"] == "joined" else row["scale"]
    return [name, VARIANCES[row["variance"]], ROWS[row["unseen"]], QUANTILES[row["freedom"]]]
