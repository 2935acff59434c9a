"""The figure of how often metrics pick different models, under every choice of the analysis."""

from itertools import pairwise

import numpy as np
import pandas as pd

from aucstudy.claims.entries import printed_shares
from aucstudy.experiments.compared import DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.experiments.disagreement import SHARE
from aucstudy.experiments.inputs import Study
from aucstudy.figures import charts
from aucstudy.metrics.conventions import CONVENTIONS

RANGE = ["estimate", "low", "high"]
CHOICE = ["dimension", "choice"]
TOP_LOOKS = {
    1: ("best model", 0.14, charts.series_look(0)),
    3: ("first three", -0.14, charts.series_look(1)),
}
LABELS = {
    **{name: convention.rule for name, convention in CONVENTIONS.items()},
    "AUPR is": "AUPR", "AUPRG is": "AUPRG", "as configured": "", "fold_mean": "mean", "models drawn": "models redrawn",
    "unit_square": "clipped at 0",
}  # fmt: skip


def multiverse_shares(study: Study):
    table, paper = study.table("multiverse"), printed_shares()
    configured = table["dimension"] == "this study"
    as_configured = (table[RANGE] == table.groupby(SHARE)[RANGE].transform("first")).all(axis=1)
    shown_rows = table[configured | ~as_configured]
    # The rows go from the top down, with a gap between dimensions.
    choices = _choices(shown_rows)
    gaps = np.cumsum([False, *(a[0] != b[0] for a, b in pairwise(choices))])
    heights = dict(zip(choices, -np.arange(len(choices)) - 0.5 * gaps, strict=True))
    figure, axes = charts.panels(1, 3, height=0.2 * len(heights) + 1.5, sharey=True)
    for axis, (first, second) in zip(axes, DISTINCT_PAIRS, strict=True):
        pair_rows = shown_rows[(shown_rows["first"] == first) & (shown_rows["second"] == second)]
        for top, (_, shift, look) in TOP_LOOKS.items():
            axis.axvline(paper[first, second, top], color=look["color"], linestyle=":", linewidth=1)
            for range_of, rows in pair_rows[pair_rows["top"] == top].groupby("range_of"):
                y = [heights[choice] + shift for choice in rows[CHOICE].itertuples(index=False, name=None)]
                face = "white" if range_of == "redraws" else look["color"]
                charts.across(axis, y, rows, markersize=3.5, markerfacecolor=face, **look)
        axis.set(title=PAIR_LABELS[first, second], xlim=(0, 100), xlabel="tasks (%)")
        axis.axhspan(-0.5, 0.5, color="0.93", zorder=0)
        axis.grid(True, axis="x")
    charts.named_rows(axes, heights.values(), (_label(*choice) for choice in heights))
    axes[0].set_ylim(min(heights.values()) - 0.7, 0.7)
    marks = {label: {"linestyle": "none", "markersize": 3.5, **look} for label, _, look in TOP_LOOKS.values()}
    charts.legend_above(figure, marks | {"Flach & Kull 2015": {"color": "0.3", "linestyle": ":"}})
    if unchanged := [_label(*choice) for choice in _choices(table) if choice not in heights]:
        figure.supxlabel(f"no share changes with {'; '.join(unchanged)}", fontsize=charts.NOTE, wrap=True)
    return figure


def _choices(table: pd.DataFrame) -> list[tuple[str, str]]:
    return list(table[CHOICE].drop_duplicates().itertuples(index=False, name=None))


def _label(dimension: str, choice: str) -> str:
    names = (LABELS.get(name, name) for name in (dimension, choice))
    return ": ".join(name for name in names if name)
