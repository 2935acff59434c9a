"""The tables on intervals of metrics that cog writes into docs/intervals.md, from the two rounds of the tournament."""

from collections.abc import Callable
from functools import cache

import pandas as pd
from committed import ROOT

from aucstudy.metrics.registry import labels
from aucstudy.store.tables import read_table
from aucstudy.wording import markdown_table

PARTS = ["kind", "scale", "variance", "unseen", "freedom"]
NAMES = {
    ("one model", "plain", "halves", 1.0, "the rarer class"): "the former one",
    ("one model", "plain", "halves", 1.0, "normal"): "the package's",
    ("Student", "plain", "halves", 1.0, "the rarer class"): "the former one",
}
NEAR_PARTS = ["share", "weight", "combination", "freedom"]
NEAR_NAMES = {
    ("0", 1.0, "sum", "the rarer class"): "the former one",
    ("0.125", 1.0, "sum", "both classes"): "the winner",
    ("0.125", 1.0, "sum", "the rarer class"): "the package's",
}
SHARES = {"0": "0", "0.125": "1/8", "0.25": "1/4", "0.5": "1/2", "1": "1"}
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
        facts = [f"{row['width']:.2f}", *cells_of(row), f"{100 * row['lowest_coverage']:.1f} %"]
        lines.append([_marked(name, NAMES.get(tuple(row[PARTS]))), *parts, *facts, _cell(row, "worst")])
    return lines


def _marked(name: str, mark: str | None) -> str:
    return f"{name} ({mark})" if mark else name


def _cell(row: pd.Series, prefix: str) -> str:
    """Return a cell in words: its metric, design, prevalence and number of rows of the rarer class."""
    metric, design, prevalence, rarer = (
        row[f"{prefix}_{name}"] for name in ("metric", "design", "prevalence", "rarer")
    )
    return f"{labels()[metric]}, *{design}*, {prevalence:g}, {rarer}"


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


def of_near_limits() -> str:
    """Return a table of what the limit of a difference on the side of 0 may have, the highest power first.

    For each share it has the candidate that the rule prefers on the samples for tuning. Numbers are from the kept ones.
    """
    verdicts = _table("area_interval_differences").astype({"share": str})
    tuning, kept = (verdicts[verdicts["samples"] == samples] for samples in ("tuning", "kept"))
    order = {"admitted": False, "stops": True, "power": False}
    preferred = tuning.sort_values(list(order), ascending=list(order.values()), kind="stable")
    preferred = preferred.groupby("share", sort=False).head(1)
    shown = {*NEAR_NAMES, *preferred[NEAR_PARTS].itertuples(index=False, name=None)}
    lines = []
    for _, row in kept.sort_values("power", ascending=False, kind="stable").iterrows():
        candidate = tuple(row[NEAR_PARTS])
        if candidate in shown:
            name = _marked(SHARES.get(row["share"], row["share"]), NEAR_NAMES.get(candidate))
            line = [name, ROWS[row["weight"]], row["combination"], QUANTILES[row["freedom"]]]
            line += [
                f"{100 * row['power']:.1f} %",
                f"{row['width']:.2f}",
                f"{row['stops']} of {row['cells']}",
            ]
            for fact in ("type_1", "coverage"):
                line.append(f"{100 * row[f'worst_{fact}']:.1f} %")
            lines.append([*line, _cell(row, "coverage")])
    heads = ["share", "unseen row", "with the variance", "quantile", "power", "width", "cells that stop it"]
    return markdown_table([*heads, "highest type I error", "lowest coverage", "in the cell"], lines)


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
