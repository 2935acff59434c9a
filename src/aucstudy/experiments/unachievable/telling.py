"""Figures 1 to 4 of Boyd et al. 2012: the part of precision-recall space that no ranking reaches."""

import matplotlib.pyplot as plt
import numpy as np

from aucstudy.experiments.inputs import Figure
from aucstudy.experiments.unachievable.figure_4 import (
    F1_LEVEL,
    FIGURE_4_PREVALENCE,
    chance_point,
    f1_contour,
    figure_4_points,
    modified_f1,
)
from aucstudy.metrics.bounds import aucpr_min, min_precision
from aucstudy.presentation.style import COLUMN, PAGE

RECALL = np.linspace(0, 1, 401)
GREY = "0.85"


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
    axis.plot(RECALL, min_precision(RECALL, pi), color="#D55E00", label="minimum curve")
    axis.axhline(pi, color="#0072B2", linestyle="--", label="random guessing")
    axis.text(0.03, 0.96, f"AUCPR_MIN = {aucpr_min(pi):.3f}", va="top", fontsize=8)
    axis.legend(loc="upper right", bbox_to_anchor=(1, 0.9))
    _axes(axis)
    return figure


def minimum_curves_figure() -> plt.Figure:
    """Figure 2: minimum curves at several prevalences."""
    figure, axis = plt.subplots(figsize=(COLUMN, 3.2))
    prevalences = (0.9, 0.75, 0.5, 1 / 3, 0.1, 0.01)
    for pi, colour in zip(
        prevalences, plt.get_cmap("viridis")(np.linspace(0, 0.9, len(prevalences))), strict=True
    ):
        axis.plot(RECALL, min_precision(RECALL, pi), color=colour)
        axis.annotate(f"π = {pi:.2g}", (1, pi), (4, 0), textcoords="offset points", fontsize=8, va="center",
                      color=colour, annotation_clip=False)  # fmt: skip
    _axes(axis)
    return figure


def minimum_area_figure() -> plt.Figure:
    """Figure 3: minimum AUCPR against prevalence, on three ranges of recall."""
    figure, axis = plt.subplots(figsize=(COLUMN, 2.8))
    prevalence = np.logspace(-2, np.log10(0.999), 300)
    for recall_range in ((0.0, 1.0), (0.5, 1.0), (0.8, 1.0)):
        label = f"recall in [{recall_range[0]:g}, {recall_range[1]:g}]"
        axis.plot(prevalence, aucpr_min(prevalence, recall_range), label=label)
    axis.set(xscale="log", xlabel="prevalence π", ylabel="minimum AUCPR", xlim=(0.01, 1), ylim=(0, 1))
    axis.set_xticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    axis.grid(True)
    axis.legend(loc="upper left")
    return figure


def f1_contours_figure() -> plt.Figure:
    """Figure 4: F1 contours over the unachievable region with points A, B, C; beside it the modified F1."""
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 3.5))
    pi = FIGURE_4_PREVALENCE
    r, p = np.meshgrid(np.linspace(0, 1, 301), np.linspace(0, 1, 301))
    for level in np.arange(0.1, 1, 0.1):
        axes[0].plot(*_contour(level), color="0.55", linewidth=0.7)
        axes[0].annotate(f"{level:.1f}", (1, level / (2 - level)), (2, 0), textcoords="offset points", fontsize=7,
                         color="0.35", va="center", annotation_clip=False)  # fmt: skip
    axes[0].plot(*_contour(F1_LEVEL), color="#D55E00", label=f"F1 = {F1_LEVEL}")
    lines = axes[1].contour(
        r, p, modified_f1(r, p, pi), levels=np.arange(0.1, 1, 0.1), colors="0.55", linewidths=0.7
    )
    axes[1].clabel(lines, fontsize=7, fmt="%.1f")
    for axis, title in zip(axes, ("F1", "modified F1 (0 at and below chance)"), strict=True):
        axis.fill_between(RECALL, 0, min_precision(RECALL, pi), color=GREY, linewidth=0, label="unachievable")
        axis.plot(RECALL, min_precision(RECALL, pi), color="#0072B2", label="minimum curve")
        axis.axhline(pi, color="#0072B2", linestyle=":", linewidth=1, label="prevalence .33")
        _axes(axis)
        axis.set_title(title)
    for name, (recall, precision) in {**figure_4_points(), "B'": chance_point()}.items():
        for axis in axes:
            axis.plot(recall, precision, "o", color="black", markersize=4, zorder=5)
        offset = {"A": (3, -10), "B": (-3, -12), "B'": (-4, 5), "C": (5, 4)}[name]
        for axis in axes:
            axis.annotate(name, (recall, precision), offset, textcoords="offset points", weight="bold")
    axes[0].legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=2)
    return figure


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
        "ranges of recall (Boyd et al. 2012, figure 3, Corollary 4).",
    ),
    "f1_contours": Figure(
        lambda study: f1_contours_figure(),
        "Contours of F1 (left) and of the modified F1 (right) at prevalence .33 with the unachievable region; A, "
        "B and C have the same F1 of .45, and A cannot be reached (Boyd et al. 2012, figure 4). The paper wants of B "
        "that it lies very near the minimum curve and is marginally better than random guessing; on this contour no "
        "point does both: B is the one near the curve, B' the one where precision comes down to the prevalence.",
    ),
}
