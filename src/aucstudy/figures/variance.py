"""How far the share of tasks with another best model moves when everything is drawn again."""

from aucstudy.area_names import AREA_LABELS, DISTINCT_AREAS, DISTINCT_PAIRS
from aucstudy.experiments.inputs import Study
from aucstudy.experiments.variance import DATA_SET, EVERYTHING, ITSELF
from aucstudy.figures import charts


def variance(study: Study):
    table = study.table("variance").set_index(["first", "second", "quantity"]).sort_index()
    names = {
        "learner seed": "learner seed", "split": "split into folds", "test rows": "test rows",
        "flows drawn": "draw of the flows", "all four": "all four", DATA_SET: "data sets", EVERYTHING: "all five",
    }  # fmt: skip
    heights = {factor: len(names) - 1 - i for i, factor in enumerate(names)}
    figure, axes = charts.panels(1, 4, height=2.9, sharey=True, width_ratios=[1.5, 1, 1, 1])
    looks = {}
    for shift, area in zip((0.22, 0, -0.22), DISTINCT_AREAS, strict=True):
        rows = table.loc[[(area, area, ITSELF)]]
        look = {"color": charts.AREA_COLOURS[area], "marker": charts.AREA_MARKERS[area], "markersize": 3.5}
        charts.across(axes[0], rows["factor"].map(heights) + shift, rows, **look)
        looks[AREA_LABELS[area]] = {**look, "linestyle": "none"}
    charts.named_rows(axes, heights.values(), names.values())
    axes[0].set(title="an area and itself", xlabel="differ (%)", xlim=(0, 100), ylabel="redrawn")
    for axis, (first, second) in zip(axes[1:], DISTINCT_PAIRS, strict=True):
        rows = table.loc[[(first, second, "share")]]
        charts.across(axis, rows["factor"].map(heights), rows, color="0.2", markersize=3.5)
        axis.axvline(100 * rows["printed"].iloc[0], color="black", linestyle=":")
        axis.set(title=f"{AREA_LABELS[first]}, {AREA_LABELS[second]}", xlabel="differ (%)", xlim=(0, 80))
    for axis in axes:
        axis.grid(True, axis="x")
    charts.legend_above(figure, looks | {"Flach & Kull 2015": {"color": "black", "linestyle": ":"}})
    return figure
