"""Figures of metrics on downsampled test sets, and of models that are fitted to downsampled training sets.

One of them shows the metrics moved back to the original class ratio.
"""

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import AREA_LABELS, CLIPPED, SIGNED_LABELS
from aucstudy.experiments.downsampling import EVERY_RATIO, ORIGINAL, ratio_name
from aucstudy.experiments.inputs import Study
from aucstudy.figures import charts
from aucstudy.published import ORIGINAL_RATIO, printed_table

AREAS_DRAWN = ("aupr", "aucnpr", "auroc", "auprg", CLIPPED)


def downsampling(study: Study):
    levels, changes = (
        study.numbers("downsampling", quantity=quantity, subset=EVERY_RATIO)
        for quantity in ("metric", "change of the metric")
    )
    ratios = list(levels["setting"].drop_duplicates())
    figure, (left_axis, right_axis) = charts.panels(1, 2, height=3.1, sharex=True)
    for axis, rows in ((left_axis, levels), (right_axis, changes)):
        series = []
        for name in AREAS_DRAWN:
            look = charts.area_look(name.removesuffix("_clipped"), variant=name == CLIPPED)
            series.append((SIGNED_LABELS[name], look, rows[rows["first"] == name]))
        charts.series_upwards(axis, series, ratios, reach=0.16)
        axis.set(xlabel="positives : negatives in the test set", xlim=(-0.4, len(ratios) - 0.6))
    right_axis.axhline(0, color="0.4", linewidth=0.6)
    left_axis.set(ylabel=f"mean of the metric ({charts.so_many_tasks(levels)})", ylim=(None, 1))
    right_axis.set(ylabel="metric minus its original value")
    charts.legend_above(figure, axis=left_axis)
    return figure


LINES: tuple[tuple[str, str, str, dict], ...] = (
    ("aupr", "moved", "AUPR moved", charts.area_look("aupr")),
    ("aupr", "corrected", "AUPR corrected", charts.area_look("aupr", variant=True)),
    ("aupr", "plain subsample", "AUPR, plain subsample", {"color": "black", "linestyle": ":", "marker": "x"}),
    ("auprg", "moved", "AUPRG moved", charts.area_look("auprg")),
    ("auroc", "moved", "AUROC", charts.area_look("auroc")),
)
BINS = np.logspace(1, 3.5, 11)
TICKS = np.outer(10 ** np.arange(5), [1, 2, 5]).ravel()


def prevalence_shift(study: Study):
    by_task = study.table("prevalence_shift_tasks")
    table = study.numbers("downsampling.prevalence_shift", quantity="bias", subset=EVERY_RATIO)
    ratios = list(table["setting"].drop_duplicates())
    figure, (left_axis, right_axis) = charts.panels(1, 2, height=3.2)
    series = [
        (label, look, table[(table["first"] == area) & (table["second"] == estimator)])
        for area, estimator, label, look in LINES
    ]
    charts.series_upwards(left_axis, series, ratios, reach=0.16)
    for estimator, look in ((estimator, look) for area, estimator, _, look in LINES if area == "aupr"):
        points = by_task[(by_task["area"] == "aupr") & (by_task["estimator"] == estimator)]
        dots = {"marker": look["marker"], "facecolor": look.get("markerfacecolor", look["color"])}
        if estimator != "plain subsample":
            dots["edgecolor"] = look["color"]
        right_axis.scatter(points["n_negative"], points["bias"], s=8, alpha=0.25, linewidth=0.4, **dots)
        means = points.groupby(np.digitize(points["n_negative"], BINS))[["n_negative", "bias"]].mean()
        right_axis.plot(means["n_negative"], means["bias"], **look)
    left_axis.set(
        xlabel=f"positives : negatives in the downsampled test set ({charts.so_many_tasks(table)})",
        ylabel="bias: estimate minus original value",
    )
    sizes = by_task["n_negative"]
    ticks = TICKS[(sizes.min() < 1.5 * TICKS) & (sizes.max() > TICKS / 1.5)]
    right_axis.set(
        xscale="log", xlabel="negatives in the downsampled test set (all tasks)", ylabel="bias of AUPR"
    )
    right_axis.set_xticks(ticks, ticks)
    right_axis.set_xticks([], minor=True)
    right_axis.grid(True, axis="y")
    for axis in (left_axis, right_axis):
        axis.axhline(0, color="0.4", linewidth=0.6)
    charts.legend_above(figure, axis=left_axis, columns=len(LINES))
    return figure


EFFECTS = {
    "test skew": "skew of the test set",
    "after moving": "left after moving back",
    "after correction": "left after correction (AUPR only)",
    "ranking": "ranking: skew of training",
}
KINDS = {"downsampled": ("-", "test set downsampled too"), "original": ("--", "whole test set")}
PRINTED = "printed: SAYU, UW-CSE"
# Table 3 of Boyd et al. has both. The names of its columns are on the right.
REFITTED_AREAS = {"aupr": "aucpr", "aucnpr": "aucnpr"}


def refitting(study: Study):
    table_3 = study.table("refitting_table_3")
    effects = study.numbers("downsampling.refitting", quantity=list(EFFECTS))
    figure, axes = charts.panels(2, len(REFITTED_AREAS), height=6.6, sharex="row", sharey="row")
    for (upper_axis, lower_axis), (area, printed_column) in zip(axes.T, REFITTED_AREAS.items(), strict=True):
        _draw_learners(upper_axis, table_3, area, printed_column)
        _draw_effects(lower_axis, effects[effects["first"] == area])
        upper_axis.set_title(AREA_LABELS[area], weight="bold")
        for axis in (upper_axis, lower_axis):
            axis.set(xlabel="positives : negatives in training")
            axis.axhline(0, color="0.4", linewidth=0.6)
    axes[0, 0].set(ylabel=f"metric minus its original value ({charts.so_many_tasks(table_3)})")
    axes[1, 0].set(ylabel="difference of the metric, all learners")
    charts.legend_above(figure, axis=axes[0, 0], columns=4)
    figure.legend(
        *axes[1, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4, columnspacing=1
    )
    return figure


def _draw_learners(axis, table_3: pd.DataFrame, area: str, printed_column: str) -> None:
    """Draw by how much the metric of each learner differs from its original value, and the paper's learner."""
    ratios = list(table_3["ratio"].drop_duplicates())
    flows = list(table_3.groupby("flow_name", sort=False))
    colours = charts.pyplot().get_cmap("viridis")(np.linspace(0, 0.85, len(flows)))
    for i, (flow, flow_rows) in enumerate(flows):
        flow_rows = flow_rows.set_index("ratio").reindex(ratios)
        marker = charts.SERIES_MARKERS[i % len(charts.SERIES_MARKERS)]
        look = {"marker": marker, "color": colours[i], "linewidth": 1}
        for kind, (style, _) in KINDS.items():
            rises = flow_rows[f"{area}_{kind}"] - flow_rows[f"{area}_original"].iloc[-1]
            axis.plot(ratios, rises, linestyle=style, **look)
        axis.plot([], [], label=flow, **look)
    printed = printed_table(3)
    for kind, (style, label) in KINDS.items():
        rows = printed[printed["test_set"] == kind].set_index("negatives_per_positive")
        rises = rows[printed_column].astype(float) - float(rows.loc[ORIGINAL_RATIO, printed_column])
        rises.index = [ORIGINAL if n == ORIGINAL_RATIO else ratio_name(n) for n in rises.index]
        rises = rises[rises.index.isin(ratios)]
        look = {"color": "black", "linewidth": 2, "zorder": 0}
        axis.plot(rises.index, rises, style, **look, label=PRINTED if kind == "downsampled" else None)
        axis.plot([], [], style, color="0.4", linewidth=1, label=label)
    axis.grid(True, axis="y")


def _draw_effects(axis, rows: pd.DataFrame) -> None:
    series = []
    for i, (effect, label) in enumerate(EFFECTS.items()):
        of_effect = rows[rows["quantity"] == effect]
        if of_effect["estimate"].notna().any():  # There is no correction of AUCNPR.
            series.append((label, charts.series_look(i, linewidth=1), of_effect))
    charts.series_upwards(axis, series, list(rows["setting"].drop_duplicates()), reach=0.18)
