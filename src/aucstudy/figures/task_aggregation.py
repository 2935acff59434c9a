"""The figure of how often the best flow over all tasks is best again in resamples."""

import numpy as np

from aucstudy.experiments.inputs import Study
from aucstudy.figures import charts

# The claim is supported if this average has another best flow than mean AUPR in so many % of the resamples.
CLAIM = ("mean AUCNPR", 95)


def task_aggregation(study: Study):
    table = study.table("task_aggregation")
    figure, axis = charts.panels(height=0.24 * len(table) + 1.1)
    y = np.arange(len(table))[::-1]
    again_colour, differs_colour = charts.SERIES_COLOURS[1], charts.SERIES_COLOURS[0]
    axis.barh(y + 0.2, 100 * table["best_again"], 0.36, color=again_colour)
    axis.barh(y - 0.2, 100 * table["differs"], 0.36, color=differs_colour)
    for height, share in zip(y, 100 * table["differs"], strict=True):
        axis.text(share + 0.7, height - 0.24, f"{share:.0f}", va="center", fontsize=charts.NOTE)
    claimed, needed = CLAIM
    mark = {"color": charts.AREA_COLOURS["auprg"], "marker": "|", "markersize": 7, "markeredgewidth": 2}
    axis.plot(needed, y[(table["average"] == claimed).argmax()] - 0.2, **mark)
    charts.named_rows(axis, y, table["average"])
    flows = axis.secondary_yaxis("right")
    charts.named_rows(flows, y, table["best"])
    flows.spines["right"].set_visible(False)
    axis.text(1.011, 1, "best over all tasks", weight="bold", transform=axis.transAxes)
    axis.set(xlim=(0, 105), xticks=range(0, 101, 20), ylim=(-0.6, len(table) - 0.4))
    axis.set_xlabel("% of the resamples of source groups")
    axis.grid(True, axis="x")
    handles = [
        charts.patch("same flow best again", color=again_colour),
        charts.patch("not the best by mean AUPR", color=differs_colour),
        charts.line(f"claim on {claimed}: {needed} %", linestyle="none", **mark),
    ]
    charts.legend_above(figure, handles)
    return figure
