"""Figures 1 to 3 of Flach & Kull 2015, on their running example with reconstructed counts."""

import matplotlib.pyplot as plt
import numpy as np

from aucstudy.experiments.inputs import Figure
from aucstudy.experiments.running_example.numbers import running_example
from aucstudy.metrics.curves import min_pr_curve, pr_curve, prg_curve, roc_curve
from aucstudy.metrics.hulls import prg_hull, roc_hull
from aucstudy.presentation.style import MUTED, NOTE, PAGE, SERIES_COLOURS

CURVE, GRID, HULL = SERIES_COLOURS[:3]


def curves_and_hull(y_true: np.ndarray, scores: np.ndarray) -> plt.Figure:
    """Figure 1: ROC and PR curves with non-dominated points and the ROC hull."""
    figure, (roc_axis, pr_axis) = plt.subplots(1, 2, figsize=(PAGE, 3.3))
    roc, hull = roc_curve(y_true, scores), roc_hull(y_true, scores)
    pi = y_true.mean()
    kept = _non_dominated(roc.fpr, roc.tpr)
    roc_axis.plot(roc.fpr, roc.tpr, color=CURVE, label="curve")
    roc_axis.plot(roc.fpr[kept], roc.tpr[kept], "o", color=HULL, markersize=2.5, label="non-dominated")
    roc_axis.plot(hull.fpr, hull.tpr, ":", color=HULL, label="convex hull")
    roc_axis.plot([0, 1], [0, 1], color="0.7", linewidth=0.7, label="random")
    roc_axis.set(xlabel="false positive rate", ylabel="true positive rate")
    curve = pr_curve(y_true, scores, points_per_segment=8)
    pr_axis.plot(curve.recall, curve.precision, color=CURVE)
    recall, precision = _pr_of_rates(roc.fpr[kept][1:], roc.tpr[kept][1:], pi)
    pr_axis.plot(recall, precision, "o", color=HULL, markersize=2.5)
    fpr, tpr = (np.concatenate(ends) for ends in _along(hull.fpr, hull.tpr))
    pr_axis.plot(*_pr_of_rates(fpr, tpr, pi), ":", color=HULL)
    _baselines(pr_axis, pi)
    roc_axis.legend(loc="lower right")
    pr_axis.legend(loc="upper right")
    for axis in (roc_axis, pr_axis):
        axis.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02), aspect="equal")
    return figure


def contours(y_true: np.ndarray, scores: np.ndarray) -> plt.Figure:
    """Figure 2: F1 contours are hyperbolas in PR space and parallel lines in PRG space."""
    figure, (pr_axis, prg_axis) = plt.subplots(1, 2, figsize=(PAGE, 3.3))
    pi = y_true.mean()
    curve = pr_curve(y_true, scores, points_per_segment=8)
    gain = prg_curve(y_true, scores, from_zero=True)
    pr_axis.plot(curve.recall, curve.precision, color=CURVE, label="curve")
    prg_axis.plot(gain.recall_gain, gain.precision_gain, color=CURVE)
    always = 2 * pi / (1 + pi)
    for f1 in (always, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        look = {"color": HULL, "linewidth": 1.2} if f1 == always else {"color": MUTED, "linewidth": 0.7}
        recall = np.linspace(f1 / (2 - f1), 1, 200)
        pr_axis.plot(recall, f1 * recall / (2 * recall - f1), **look)
        f_gain = (f1 - pi) / ((1 - pi) * f1)
        x = np.array([max(0.0, 2 * f_gain - 1), min(1.0, 2 * f_gain)])
        prg_axis.plot(x, 2 * f_gain - x, **look)
        pr_axis.text(1.01, f1 / (2 - f1), f"{f1:.2g}", fontsize=NOTE, va="center", color=look["color"])
        if f1 <= 0.6:  # further up the lines are too close for labels
            at = 2 * f_gain - x[1] + (0.02 if f1 == always else 0)
            prg_axis.text(x[1] + 0.01, at, f"{f1:.2g}", fontsize=NOTE, va="center", color=look["color"])
    _baselines(pr_axis, pi)
    pr_axis.set(xlim=(0, 1.08), ylim=(0, 1.02), aspect="equal")
    prg_axis.set(
        xlabel="recall gain", ylabel="precision gain", xlim=(0, 1.08), ylim=(0, 1.02), aspect="equal"
    )
    pr_axis.plot([], [], color=MUTED, linewidth=0.7, label="contour of F$_1$")
    pr_axis.plot([], [], color=HULL, linewidth=1.2, label="F$_1$ of always positive")
    figure.legend(*pr_axis.get_legend_handles_labels(), loc="outside upper center", ncols=5, columnspacing=1)
    return figure


def calibrated_hulls(y_true: np.ndarray, scores: np.ndarray) -> plt.Figure:
    """Figure 3: ROC and PRG hulls with their calibrated scores, each over the other space's regular grid."""
    figure, (roc_axis, prg_axis) = plt.subplots(1, 2, figsize=(PAGE, 3.5))
    pi = y_true.mean()
    grid = np.stack(np.meshgrid(np.linspace(0.05, 1, 20), np.linspace(0.05, 1, 20))).reshape(2, -1)
    recall, precision = pi / (1 - (1 - pi) * grid)
    roc_axis.plot(
        recall * pi * (1 - precision) / ((1 - pi) * precision),
        recall,
        ".",
        color=GRID,
        markersize=2,
        label="regular grid of the other space",
    )
    fpr, tpr = grid[0] - 0.05, grid[1]
    prg_axis.plot(
        1 - pi / (1 - pi) * (1 - tpr) / tpr, 1 - fpr / tpr, ".", color=GRID, markersize=2, clip_on=True
    )
    roc, hull = roc_curve(y_true, scores), roc_hull(y_true, scores)
    roc_axis.plot(roc.fpr, roc.tpr, color=CURVE, linewidth=0.8, label="curve")
    _labelled(roc_axis, hull.fpr, hull.tpr, hull.probability, 1)
    gain, whole = prg_curve(y_true, scores, from_zero=True), prg_hull(y_true, scores, unit_square=True)
    prg_axis.plot(gain.recall_gain, gain.precision_gain, color=CURVE, linewidth=0.8)
    _labelled(prg_axis, whole.recall_gain, whole.precision_gain, whole.d, -1)
    roc_axis.set(xlabel="false positive rate", ylabel="true positive rate")
    prg_axis.set(xlabel="recall gain", ylabel="precision gain")
    for axis in (roc_axis, prg_axis):
        axis.set(xlim=(-0.02, 1.02), ylim=(-0.05, 1.04), aspect="equal")
    figure.legend(*roc_axis.get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def _labelled(axis: plt.Axes, x: np.ndarray, y: np.ndarray, values: np.ndarray, side: int) -> None:
    """A hull whose segments carry their calibrated scores, off the line: to its right (side 1) or its left (-1)."""
    axis.plot(x, y, "o-", color=HULL, markersize=2.5, linewidth=1.2, label="convex hull")
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    for k, value in enumerate(values):
        dx, dy = x[k + 1] - x[k], y[k + 1] - y[k]
        across, up = side * np.array([dy, -dx]) / np.hypot(dx, dy)
        middle, ends = (
            ((x[k] + x[k + 1]) / 2, (y[k] + y[k + 1]) / 2),
            {"ha": "left" if across > 0.3 else "center"},
        )
        axis.annotate(
            f"{value:.2g}", middle, (6 * across, 9 * up), textcoords="offset points", fontsize=NOTE, va="center",
            bbox=box, **ends,
        )  # fmt: skip


def _non_dominated(fpr: np.ndarray, tpr: np.ndarray) -> np.ndarray:
    """Points that no other point beats in one rate without losing in the other."""
    highest = np.maximum.accumulate(np.concatenate([[-1.0], tpr[:-1]]))
    first_at_rate = np.concatenate([tpr[1:] > tpr[:-1], [False]]) & np.concatenate(
        [fpr[1:] == fpr[:-1], [False]]
    )
    return (tpr > highest) & ~first_at_rate


def _along(fpr: np.ndarray, tpr: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Points along the segments of a ROC hull, from its first true positive on."""
    steps = np.linspace(0, 1, 30)
    return tuple(
        [values[k] + steps * (values[k + 1] - values[k]) for k in range(1, len(values) - 1)]
        for values in (fpr, tpr)
    )


def _pr_of_rates(fpr: np.ndarray, tpr: np.ndarray, pi: float) -> tuple[np.ndarray, np.ndarray]:
    return tpr, pi * tpr / (pi * tpr + (1 - pi) * fpr)


def _baselines(axis: plt.Axes, pi: float) -> None:
    """What every PR plot shows: the prevalence and the minimum curve."""
    minimum = min_pr_curve(pi)
    axis.plot([0, 1], [pi, pi], color="0.5", linewidth=0.8, linestyle="--", label="always positive")
    axis.fill_between(minimum.recall, minimum.precision, color="0.85", linewidth=0, label="unachievable")
    axis.set(xlabel="recall", ylabel="precision")


TABLES: dict[str, str] = {}


FIGURES = {
    "running_example_curves": Figure(
        lambda study: curves_and_hull(*running_example()),
        "The running example of Flach & Kull 2015, figure 1, on counts reconstructed from its printed calibrated "
        "scores: ROC curve (left) and precision-recall curve (right) with non-dominated points and the ROC convex "
        "hull; dashed line: precision of the always-positive classifier, the prevalence; grey: below the minimum "
        "precision-recall curve.",
    ),
    "running_example_contours": Figure(
        lambda study: contours(*running_example()),
        "Flach & Kull 2015, figure 2: contours of F1 are hyperbolas in precision-recall space (left) and parallel "
        "straight lines in precision-recall-gain space (right); brown: the F1 of the always-positive classifier.",
    ),
    "running_example_hulls": Figure(
        lambda study: calibrated_hulls(*running_example()),
        "Flach & Kull 2015, figure 3: the ROC hull with probabilities calibrated for accuracy (left) and the PRG "
        "hull with scores calibrated for F_beta (right), as printed in the paper; blue dots are a regular grid "
        "of the other space.",
    ),
}
