"""The figure of the steps from AUPR to AUPRG at which the order of models changes."""

import numpy as np
import pandas as pd

from aucstudy.experiments.decomposition import changes_by_step
from aucstudy.experiments.inputs import Study
from aucstudy.figures import charts

ELSEWHERE = "0.7"  # for pairs whose order changes at another step


def decomposition_steps(study: Study):
    swaps = study.table("decomposition_swaps")

    def numbers(quantity: str) -> dict[str, pd.Series]:
        return {
            pairs: study.numbers("decomposition", quantity=quantity.format(pairs)).set_index("setting")[
                "estimate"
            ]
            for pairs in ("best", "all")
        }

    shares, parts = numbers("order of {} pairs changes"), numbers("part of the changes of {} pairs")
    names = {
        "recall_above_prevalence": "recall below $\\pi$\nleft out",
        "recall_gain": "recall weighted\nby $1/r^2$",
        "auprg": "precision\nharmonic",
        "tie": "tied best\nmodels",
    }
    if not parts["best"].get("tie, any", 0.0) > 0:
        names.pop("tie")
    kinds = {"best": ("best models", "tasks", -0.19), "all": ("all pairs", "pairs", 0.19)}
    colours = dict(zip(kinds, charts.SERIES_COLOURS, strict=False))
    figure, (left_axis, right_axis) = charts.panels(1, 2, height=2.9, sharey=True)
    changes = 100 * changes_by_step(swaps)
    handles = []
    for pairs, (label, unit, shift) in kinds.items():
        share = shares[pairs]["whole, any"]
        handles.append(charts.patch(f"{label} ({100 * share:.0f} % of {unit})", color=colours[pairs]))
        for y, step in enumerate(names):
            start = 0.0
            hatches = {"any": None} if step == "tie" else {"untied": None, "tied": "////"}
            for scores, hatch in hatches.items():
                width = np.nan_to_num(100 * parts[pairs].get(f"{step}, {scores}", 0.0))
                look = {"color": colours[pairs], "hatch": hatch, "edgecolor": "white", "linewidth": 0.5}
                left_axis.barh(y + shift, width, 0.36, start, **look)
                start += width
            if start > 0:
                left_axis.text(start + 1, y + shift, f"{start:.0f}", va="center", fontsize=charts.NOTE)
    for y, step in enumerate(names):
        if step in changes and len(changes):
            sorted_changes = changes[step].sort_values(kind="stable")
            turns = swaps.loc[sorted_changes.index, "flips_at"] == step
            dots = {"s": 7, "c": np.where(turns, "black", ELSEWHERE), "linewidth": 0}
            right_axis.scatter(sorted_changes, y + np.linspace(0.38, -0.38, len(sorted_changes)), **dots)
    handles.append(charts.patch("tied scores", facecolor="white", edgecolor="0.3", hatch="////"))
    for label, colour in (("the order changes here", "black"), ("elsewhere", ELSEWHERE)):
        handles.append(charts.line(label, marker="o", color=colour, linestyle="none"))
    charts.legend_above(figure, handles)
    charts.named_rows((left_axis, right_axis), range(len(names)), names.values())
    left_axis.set(xlabel="share of all changes of order (%)", xlim=(0, 100), ylim=(len(names) - 0.5, -0.5))
    right_axis.axvline(0, color="0.3", linewidth=0.7)
    right_axis.set(xlabel="change of the difference\nbetween the best models (points)")
    return figure
