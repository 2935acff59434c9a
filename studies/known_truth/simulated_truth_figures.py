"""The figure of `simulated_truth`: what it costs to select by one metric if another one judges."""

from aucstudy.experiments.compared import AREA_LABELS, DISTINCT_AREAS
from aucstudy.experiments.inputs import Study
from aucstudy.figures import charts

# the lowest excess regret that matters
MARGIN = 0.01


def simulated_choices(study: Study):
    table = study.table("simulated_choices")
    is_compared = table["selected_by"].isin(DISTINCT_AREAS) & table["judged_by"].isin(DISTINCT_AREAS)
    costs = table[is_compared & (table["selected_by"] != table["judged_by"])]
    keys = ["truth_model", "prevalence", "selected_by", "positives"]
    dearest = costs.loc[costs.groupby(keys)["excess_regret"].idxmax()].set_index(keys)
    prevalences = sorted(costs["prevalence"].unique())
    labels = {"fitted": "fits to 17 tasks", "crossing": "crossing curves", "nested": "nested curves"}
    figure, axes = charts.panels(
        len(labels), len(prevalences), height=5.4, sharex=True, sharey="row", squeeze=False
    )
    for row, (truth_model, label) in zip(axes, labels.items(), strict=True):
        for axis, prevalence in zip(row, prevalences, strict=True):
            for area in DISTINCT_AREAS:
                line = dearest.loc[truth_model, prevalence, area]
                look = {**charts.area_look(area), "elinewidth": 0.7, "markersize": 3}
                axis.errorbar(line.index, 100 * line["excess_regret"], 200 * line["excess_mc_se"], **look)
            axis.axhline(100 * MARGIN, color=charts.MUTED, linewidth=0.7)
        row[0].set_ylabel(f"{label}\ncosts (points)")
    # Crossing curves have by far the largest costs.
    axes[1, 0].set_yscale("log")
    axes[1, 0].yaxis.set_major_formatter("{x:g}")
    for axis, prevalence in zip(axes[0], prevalences, strict=True):
        axis.set_title(f"prevalence {prevalence:g}")
    for axis in axes[-1]:
        axis.set(xscale="log", xlabel="positives")
        axis.xaxis.set_major_formatter("{x:.0f}")
    charts.legend_above(
        figure, {f"chosen by {AREA_LABELS[area]}": charts.area_look(area) for area in DISTINCT_AREAS}
    )
    return figure
