"""The figure of disagreement across halves of the test rows, and of the ranking changes that are real."""

import numpy as np

from aucstudy.experiments.compared import AREA_LABELS, DISTINCT_AREAS, DISTINCT_PAIRS
from aucstudy.experiments.inputs import Study
from aucstudy.experiments.noise import SWAP_LEVEL
from aucstudy.figures import charts


def noise_halves(study: Study):
    swaps = study.table("noise_swaps")
    table = study.numbers("noise", quantity=["across", "excess", "self_first", "self_second"])
    crosses = dict(zip(DISTINCT_AREAS, ("x", "+", "1"), strict=True))
    looks = {
        1: ("best", 0.22, {"color": charts.SERIES_COLOURS[0], "marker": "o"}),
        3: (
            "first three",
            -0.22,
            {"color": charts.SERIES_COLOURS[2], "marker": "s", "markerfacecolor": "white"},
        ),
    }
    figure, axes = charts.panels(1, 3, height=3.2, sharey=True)
    left, middle, right = axes
    for y, (first, second) in zip((2, 1, 0), DISTINCT_PAIRS, strict=True):
        pair_rows = table[(table["first"] == first) & (table["second"] == second)].set_index("quantity")
        for top, (_, shift, look) in looks.items():
            rows = pair_rows[pair_rows["at"] == top]
            charts.across(left, [y + shift], rows.loc[["across"]], **look)
            charts.across(middle, [y + shift], rows.loc[["excess"]], **look)
            for area, quantity, below in ((first, "self_first", 0.1), (second, "self_second", 0.18)):
                alone = 100 * rows.loc[quantity, "estimate"]
                left.plot(
                    alone, y + shift - below, crosses[area], color=charts.AREA_COLOURS[area], markersize=5
                )
        pair_swaps = swaps[(swaps["first"] == first) & (swaps["second"] == second)].sort_values(
            "p", kind="stable"
        )
        height = y + np.linspace(-0.3, 0.3, len(pair_swaps)) * (len(pair_swaps) > 1)
        fills = np.where(pair_swaps["real"].astype(bool), "black", "none")
        right.scatter(100 * pair_swaps["p"], height, s=14, edgecolor="black", facecolor=fills, linewidth=0.8)
        label = (
            f"at most {100 * SWAP_LEVEL:g} %:\n{int(pair_swaps['real'].sum())} of {len(pair_swaps)} changes"
        )
        right.text(101, y - 0.2, label, ha="right", va="center", fontsize=charts.NOTE)
    charts.named_rows(axes, (2, 1, 0), (f"{AREA_LABELS[a]}\n{AREA_LABELS[b]}" for a, b in DISTINCT_PAIRS))
    left.set(xlabel="tasks with different models\non the two halves (%)", xlim=(None, 100), ylim=(-0.5, 2.6))
    middle.set(xlabel="two metrics, more often than\none on two halves (points)")
    middle.axvline(0, color="0.3", linewidth=0.7)
    right.set(xlabel="half samples that contradict\na change of the best model (%)", xlim=(-3, 103))
    right.axvline(100 * SWAP_LEVEL, color="0.3", linewidth=0.7, linestyle=":")
    marks = {f"{label}: two metrics, one on each half": look for label, _, look in looks.values()}
    marks |= {
        f"{AREA_LABELS[area]} on both halves": {"marker": mark, "color": charts.AREA_COLOURS[area]}
        for area, mark in crosses.items()
    }
    charts.legend_above(
        figure, {label: {**look, "linestyle": "none"} for label, look in marks.items()}, columns=3
    )
    return figure
