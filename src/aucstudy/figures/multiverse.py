"""The disagreement shares under every choice, and by prevalence."""

from itertools import pairwise

import numpy as np
import pandas as pd

from aucstudy.area_names import DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.experiments.disagreement import SHARE
from aucstudy.experiments.inputs import Study
from aucstudy.experiments.multiverse_prevalence import PREVALENCE_BINS
from aucstudy.figures import charts
from aucstudy.metrics.conventions import CONVENTIONS
from aucstudy.published import printed_shares

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
    # from the top down, with a gap between dimensions
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


# the share of one or two tasks says nothing: it is in the table and not drawn
FEWEST_DRAWN = 3


def prevalence_shares(study: Study):
    table = study.table("prevalence")
    is_drawn = (table["scope"] == "within tasks") | (table["n_tasks"] >= FEWEST_DRAWN)
    best = table[(table["top"] == 1) & is_drawn]
    sizes = set(best.loc[best["scope"] == "across tasks", "positives"])
    classes = ["all", *sorted(sizes - {"all"}, key=lambda name: int(name.split()[0]))]
    looks = [charts.series_look(i, linestyle="none") for i in range(len(classes))]
    n_rows = 1 if len(classes) == 1 else 2  # the lower row has tasks by their numbers of positives
    figure, axes = charts.panels(n_rows, 3, height=2.65 if n_rows == 1 else 4.9, sharey="row", squeeze=False)
    for column, pair in zip(axes.T, DISTINCT_PAIRS, strict=True):
        above, below = column[0], column[-1]
        pair_rows = best[(best["first"] == pair[0]) & (best["second"] == pair[1])]
        within_tasks = pair_rows[pair_rows["scope"] == "within tasks"].sort_values("prevalence")
        band = 100 * within_tasks[["low", "high"]].to_numpy().T
        above.fill_between(within_tasks["prevalence"], *band, color="0.85", linewidth=0)
        above.plot(within_tasks["prevalence"], 100 * within_tasks["estimate"], color="0.4")
        for k, (positives, look) in enumerate(zip(classes, looks, strict=True)):
            rows = pair_rows[(pair_rows["scope"] == "across tasks") & (pair_rows["positives"] == positives)]
            bins = np.searchsorted(PREVALENCE_BINS, rows["prevalence_low"])
            positions = bins if k else rows["prevalence"]
            axis, x = (below, bins + 0.25 * (k - 2)) if k else (above, positions)
            charts.upwards(axis, x, rows, estimate="estimate", scale=100, **look)
            for i, (position, n_tasks) in enumerate(zip(positions, rows["n_tasks"], strict=True)):
                text = {"ha": "center", "va": "center", "fontsize": charts.NOTE, "color": look["color"]}
                # above, where bins lie near one another, at two heights
                axis.text(position, 109 + 11 * (k - 1 if k else i % 2), f"{n_tasks}", **text)
        above.set(title=PAIR_LABELS[pair], xscale="log", ylim=(-4, 128))
        above.set_xticks([0.01, 0.03, 0.1, 0.3], ["0.01", "0.03", "0.1", "0.3"])
        above.minorticks_off()
        if below is not above:
            below.set(xlim=(-0.6, len(PREVALENCE_BINS) - 1.4), ylim=(-4, 100 + 11 * len(classes)))
            names = [f"{low:g}-\n{high:g}" for low, high in pairwise(PREVALENCE_BINS)]
            below.set_xticks(range(len(names)), names)
        for axis in column:
            axis.set(xlabel="prevalence", yticks=range(0, 101, 20))
            axis.grid(True, axis="y")
    for axis in axes[:, 0]:
        axis.set_ylabel("another best model (% of tasks)")
    labels = ["tasks of that prevalence", *(f"with {positives} positives" for positives in classes[1:])]
    marks = {"same predictions, moved": {"color": "0.4"}, **dict(zip(labels, looks, strict=True))}
    charts.legend_above(figure, marks, columns=3)
    return figure
