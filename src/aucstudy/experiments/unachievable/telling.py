"""Figures 1 to 4 of Boyd et al. 2012: the part of precision-recall space that no ranking reaches."""

import matplotlib.pyplot as plt
import numpy as np

from aucstudy.experiments.inputs import Figure
from aucstudy.experiments.unachievable.figure_4 import (
    F1_LEVEL,
    FIGURE_4_PREVALENCE,
    at_modified_f1,
    chance_point,
    f1_contour,
    figure_4_points,
)
from aucstudy.metrics.bounds import aucpr_min, min_precision
from aucstudy.presentation.style import COLUMN, MUTED, NOTE, PAGE, SERIES_COLOURS

RECALL = np.linspace(0, 1, 401)
GREY = "0.85"
MINIMUM, RANDOM, CONTOUR = SERIES_COLOURS[:3]
RECALL_RANGES = ((0.0, 1.0), (0.5, 1.0), (0.8, 1.0))


def _axes(axis: plt.Axes) -> None:
    axis.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1), aspect="equal")


def _contour(f1: float) -> tuple[np.ndarray, np.ndarray]:
    """Recall and precision along a contour, from precision 1 on, dense where it is steep."""
    recall = f1 / (2 - f1) + (1 - f1 / (2 - f1)) * RECALL**3
    return recall, np.fmin(f1_contour(f1, recall * (1 + 1e-12)), 1)


def minimum_curve_figure() -> plt.Figure:
    """Figure 1: minimum and random precision-recall curve at one positive to two negatives."""
    figure, axis = plt.subplots(figsize=(COLUMN, 3.2))
    pi = 1 / 3
    axis.fill_between(
        RECALL, 0, min_precision(RECALL, pi), color=GREY, linewidth=0, label="unachievable region"
    )
    axis.plot(RECALL, min_precision(RECALL, pi), color=MINIMUM, label="minimum curve")
    axis.axhline(pi, color=RANDOM, linestyle="--", label="random guessing")
    axis.text(
        0.97, 0.02, f"area below the curve: {aucpr_min(pi):.3f}", ha="right", va="bottom", fontsize=NOTE
    )
    axis.legend(loc="upper right")
    _axes(axis)
    return figure


def minimum_curves_figure() -> plt.Figure:
    """Figure 2: minimum curves at several prevalences."""
    figure, axis = plt.subplots(figsize=(COLUMN, 3.2))
    prevalences = (0.9, 0.75, 0.5, 1 / 3, 0.1, 0.01)
    for pi, colour in zip(
        prevalences, plt.get_cmap("viridis")(np.linspace(0, 0.8, len(prevalences))), strict=True
    ):
        axis.plot(RECALL, min_precision(RECALL, pi), color=colour)
        axis.annotate(f"π = {pi:.2g}", (1, pi), (4, 0), textcoords="offset points", va="center",
                      color=colour, annotation_clip=False)  # fmt: skip
    _axes(axis)
    return figure


def minimum_area_figure() -> plt.Figure:
    """Figure 3: minimum AUCPR against prevalence on three ranges of recall, and as a share of the largest there."""
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 2.6))
    prevalence = np.logspace(-2, np.log10(0.999), 300)
    looks = zip(RECALL_RANGES, SERIES_COLOURS, ("-", "--", "-."), strict=False)
    for recall_range, colour, style in looks:
        low, high = recall_range
        look = {"color": colour, "linestyle": style, "label": f"recall in [{low:g}, {high:g}]"}
        area = aucpr_min(prevalence, recall_range)
        axes[0].plot(prevalence, area, **look)
        axes[1].plot(prevalence, area / (high - low), **look)
    axes[0].set(ylabel="minimum AUCPR")
    axes[1].set(ylabel="minimum AUCPR,\nshare of the largest in the range")
    for axis in axes:
        axis.set(xscale="log", xlabel="prevalence π", xlim=(0.01, 1), ylim=(0, 1))
        axis.set_xticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
        axis.grid(True)
    axes[0].legend(loc="upper left")
    return figure


def f1_contours_figure() -> plt.Figure:
    """Figure 4: F1 contours over the unachievable region with points A, B, C; beside it the modified F1."""
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 3.6))
    pi = FIGURE_4_PREVALENCE
    for level in np.arange(0.1, 1, 0.1):
        recall, precision = _contour(level)
        for axis, shown in zip(axes, (precision, at_modified_f1(precision, pi)), strict=True):
            axis.plot(recall, shown, color=MUTED, linewidth=0.7)
            axis.annotate(f"{level:.1f}", (1, shown[-1]), (2, 0), textcoords="offset points", fontsize=NOTE,
                          color="0.35", va="center", annotation_clip=False)  # fmt: skip
    axes[0].plot(*_contour(F1_LEVEL), color=CONTOUR, label=f"F$_1$ = {F1_LEVEL}")
    for axis, title in zip(axes, ("F$_1$", "modified F$_1$ (0 at and below chance)"), strict=True):
        axis.fill_between(RECALL, 0, min_precision(RECALL, pi), color=GREY, linewidth=0, label="unachievable")
        axis.plot(RECALL, min_precision(RECALL, pi), color=MINIMUM, label="minimum curve")
        axis.axhline(pi, color=RANDOM, linestyle="--", linewidth=1, label="random guessing, π = .33")
        _axes(axis)
        axis.set_title(title)
    _points(axes)
    axes[0].legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2, columnspacing=1)
    return figure


def _points(axes: np.ndarray) -> None:
    """A, B, C and B' in both panels, and below the second what B should be and cannot."""
    points = {**figure_4_points(), "B'": chance_point()}
    offsets = {"A": (3, -10), "B": (-3, -11), "B'": (-4, 5), "C": (5, 4)}
    for axis in axes:
        for name, point in points.items():
            axis.plot(*point, "o", color="black", markersize=4, zorder=5)
            axis.annotate(name, point, offsets[name], textcoords="offset points", weight="bold")
    b, second = (
        points[name][1] - min_precision(points[name][0], FIGURE_4_PREVALENCE) for name in ("B", "B'")
    )
    note = (
        f"B: precision {b:.2f} above the minimum curve, but below random guessing\n"
        f"B': random guessing, but {second:.2f} above the curve; the paper's B is near both"
    )
    axes[1].text(0.5, -0.2, note, transform=axes[1].transAxes, ha="center", va="top", fontsize=NOTE)


TABLES = {
    "boyd_table_1": (
        "Boyd et al. 2012, table 1: with 100 positives and 200 negatives, precision .2 is valid at recall .2 and "
        "impossible at recall .6, beyond recall .5."
    ),
    "boyd_table_2": (
        "Boyd et al. 2012, table 2 as printed, with the minimum that each row implies, what rounding allows of "
        "it, and the ranges of the text (section 4.2) beside Theorem 2."
    ),
    "boyd_table_3": (
        "Boyd et al. 2012, table 3 as printed, with the AUCNPR that each AUCPR and ratio imply and the interval "
        "that rounding allows."
    ),
}


FIGURES = {
    "minimum_curve": Figure(
        lambda study: minimum_curve_figure(),
        "Minimum and random precision-recall curve at one positive to two negatives; nothing in the grey region "
        "can be reached (Boyd et al. 2012, figure 1).",
    ),
    "minimum_curves": Figure(
        lambda study: minimum_curves_figure(),
        "Minimum precision-recall curves at several prevalences (Boyd et al. 2012, figure 2).",
    ),
    "minimum_area": Figure(
        lambda study: minimum_area_figure(),
        "Minimum area under the precision-recall curve against prevalence, for the whole and for two partial "
        "ranges of recall: as the paper has it (left; Boyd et al. 2012, figure 3, Corollary 4), and as a share of the "
        "largest area that the range has room for (right).",
    ),
    "f1_contours": Figure(
        lambda study: f1_contours_figure(),
        "Contours of F1 (left) and of the modified F1 (right) at prevalence .33 with the unachievable region; A, "
        "B and C have the same F1 of .45, and A cannot be reached (Boyd et al. 2012, figure 4). The paper wants of B "
        "that it lies very near the minimum curve and is marginally better than random guessing; on this contour no "
        "point does both: B is the one near the curve, B' the one where precision comes down to the prevalence.",
    ),
}
