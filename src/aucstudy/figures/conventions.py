"""The figure of the rules that tools use for the area under the PR curve.

It shows how often they pick other models than the exact area does, and how far their values lie from it.
"""

import numpy as np

from aucstudy.experiments.conventions import ANY
from aucstudy.experiments.inputs import Study
from aucstudy.figures import charts
from aucstudy.metrics.conventions import CONVENTIONS

RIVAL_LABELS = {name: f"{rival.rule}\n({rival.tool})" for name, rival in CONVENTIONS.items()}
RIVAL_LABELS[ANY] = "at least one of them\n(without computer vision)"


def convention_choices(study: Study):
    by_task = study.table("conventions_tasks")
    shares = study.numbers("conventions", quantity="differs")
    means = study.numbers("conventions", quantity="mean excess").set_index("first")
    names = list(dict.fromkeys(shares["second"]))
    black, blue, brown = charts.SERIES_COLOURS[:3]
    figure, (left_axis, right_axis) = charts.panels(1, 2, height=0.44 * len(names), sharey=True)
    looks = (
        (1, "best model", -0.13, {"color": black}),
        (3, "first three, in order", 0.13, {"color": brown, "marker": "s", "markerfacecolor": "white"}),
    )
    for top, label, shift, look in looks:
        rows = shares[shares["at"] == top]
        heights = [names.index(name) + shift for name in rows["second"]]
        charts.across(left_axis, heights, rows, label=label, **look)
    for y, rival in enumerate(means.index):
        rival_rows = by_task[by_task["rival"] == rival]
        spread = y + np.linspace(-0.3, 0.3, len(rival_rows))
        largest = 100 * rival_rows["largest_difference"].sort_values()
        right_axis.plot(largest, spread, ".", color=blue, label=None if y else "model farthest off in a task")
    look = {"label": "mean over models and tasks", "color": black, "marker": "D"}
    charts.across(right_axis, range(len(means)), means, markersize=3, **look)
    charts.named_rows((left_axis, right_axis), range(len(names)), (RIVAL_LABELS[name] for name in names))
    left_axis.set(xlabel="tasks with other models than\nby the exact AUPR (%)")
    left_axis.set(xlim=(-2, max(10.0, 105 * shares["high"].max())), ylim=(len(names) - 0.4, -0.6))
    right_axis.set(xlabel="value minus the exact AUPR (points)")
    for axis in (left_axis, right_axis):
        axis.grid(True, axis="x")
    handles = [*left_axis.get_legend_handles_labels()[0], *right_axis.get_legend_handles_labels()[0]]
    charts.legend_above(figure, handles, columns=4)
    return figure
