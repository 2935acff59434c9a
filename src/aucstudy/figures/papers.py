"""The figures that the two papers draw without data."""

from collections.abc import Iterable

import numpy as np

from aucstudy.experiments.inputs import Study
from aucstudy.experiments.papers import (
    F1_LEVEL,
    FIGURE_4_PREVALENCE,
    Points,
    at_modified_f1,
    f1_contour,
    figure_4_points,
    largest_recall_above_chance,
    running_example,
)
from aucstudy.figures import charts
from aucstudy.metrics.bounds import aucpr_min, min_precision
from aucstudy.metrics.curves import min_pr_curve, pr_curve, prg_curve, roc_curve
from aucstudy.metrics.hulls import prg_hull, roc_hull

RECALL = np.linspace(0, 1, 401)
RECALL_RANGES = ((0.0, 1.0), (0.5, 1.0), (0.8, 1.0))
CURVE, RANDOM, HULL = charts.SERIES_COLOURS[:3]
UNACHIEVABLE = {"color": "0.85", "linewidth": 0}
CLEAR = 1.5  # points between a number and the centre of a dot


def running_example_curves(study: Study):
    y_true, scores = running_example()
    pi = y_true.mean()
    roc, hull = roc_curve(y_true, scores), roc_hull(y_true, scores)
    kept = _non_dominated(roc.fpr, roc.tpr)
    non_dominated = roc.fpr[kept], roc.tpr[kept]
    curve = pr_curve(y_true, scores, points_per_segment=8)
    # The segments of a hull are curved in PR space. The first one is vertical and is left out.
    steps = np.arange(1, len(hull.fpr) - 1, 1 / 30)
    fpr, tpr = (np.interp(steps, np.arange(len(rates)), rates) for rates in (hull.fpr, hull.tpr))
    figure, (left_axis, right_axis) = charts.panels(1, 2, height=3.6)
    left_axis.plot(roc.fpr, roc.tpr, color=CURVE, label="curve")
    left_axis.plot(*non_dominated, "o", color=HULL, markersize=2.5, label="non-dominated")
    left_axis.plot(hull.fpr, hull.tpr, ":", color=HULL, label="convex hull of ROC")
    left_axis.plot([0, 1], [0, 1], color="0.7", linewidth=0.7, label="random")
    right_axis.plot(curve.recall, curve.precision, color=CURVE)
    right_axis.plot(*_pr_of_rates(*non_dominated, pi), "o", color=HULL, markersize=2.5)
    right_axis.plot(*_pr_of_rates(fpr, tpr, pi), ":", color=HULL)
    _baselines(right_axis, pi)
    left_axis.set(xlabel="false positive rate", ylabel="true positive rate")
    for axis in (left_axis, right_axis):
        axis.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02), aspect="equal")
    labelled = [handle for axis in (left_axis, right_axis) for handle in axis.get_legend_handles_labels()[0]]
    charts.legend_above(figure, labelled)
    return figure


def _non_dominated(fpr: np.ndarray, tpr: np.ndarray) -> np.ndarray:
    """Return whether each point of a ROC curve is non-dominated: no other point is better in both rates.

    The point (0, 0) is dominated, and so has no point in PR space, if the first row is a positive.
    """
    highest = np.maximum.accumulate(np.concatenate([[-1.0], tpr[:-1]]))
    beaten_by_next = np.append((tpr[1:] > tpr[:-1]) & (fpr[1:] == fpr[:-1]), False)
    return (tpr > highest) & ~beaten_by_next


def _pr_of_rates(fpr: np.ndarray, tpr: np.ndarray, pi: float) -> Points:
    return tpr, pi * tpr / (pi * tpr + (1 - pi) * fpr)


def _baselines(axis, pi: float) -> None:
    minimum = min_pr_curve(pi)
    axis.plot([0, 1], [pi, pi], color="0.5", linewidth=0.8, linestyle="--", label="always positive")
    axis.fill_between(minimum.recall, minimum.precision, label="unachievable", **UNACHIEVABLE)
    axis.set(xlabel="recall", ylabel="precision")


def running_example_contours(study: Study):
    y_true, scores = running_example()
    pi = y_true.mean()
    curve = pr_curve(y_true, scores, points_per_segment=8)
    gain = prg_curve(y_true, scores, from_zero=True)
    figure, (left_axis, right_axis) = charts.panels(1, 2, height=3.3)
    left_axis.plot(curve.recall, curve.precision, color=CURVE, label="curve")
    right_axis.plot(gain.recall_gain, gain.precision_gain, color=CURVE)
    always = 2 * pi / (1 + pi)
    for f1 in (always, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        look = (
            {"color": HULL, "linewidth": 1.2} if f1 == always else {"color": charts.MUTED, "linewidth": 0.7}
        )
        label = {"s": f"{f1:.2g}", "fontsize": charts.NOTE, "va": "center", "color": look["color"]}
        recall = np.linspace(f1 / (2 - f1), 1, 200)
        left_axis.plot(recall, f1 * recall / (2 * recall - f1), **look)
        left_axis.text(1.01, f1 / (2 - f1), **label)
        f_gain = (f1 - pi) / ((1 - pi) * f1)
        x = np.array([max(0.0, 2 * f_gain - 1), min(1.0, 2 * f_gain)])
        right_axis.plot(x, 2 * f_gain - x, **look)
        if f1 <= 0.6:  # Further up the lines are too close for labels.
            right_axis.text(x[1] + 0.01, 2 * f_gain - x[1] + (0.02 if f1 == always else 0), **label)
    _baselines(left_axis, pi)
    right_axis.set(xlabel="recall gain", ylabel="precision gain")
    for axis in (left_axis, right_axis):
        axis.set(xlim=(0, 1.08), ylim=(0, 1.02), aspect="equal")
    handles = left_axis.get_legend_handles_labels()[0]
    handles.append(charts.line("contour of F$_1$", color=charts.MUTED, linewidth=0.7))
    handles.append(charts.line("F$_1$ of always positive", color=HULL, linewidth=1.2))
    charts.legend_above(figure, handles)
    return figure


def running_example_hulls(study: Study):
    y_true, scores = running_example()
    pi = y_true.mean()
    roc, hull_of_roc = roc_curve(y_true, scores), roc_hull(y_true, scores)
    gain, hull_of_prg = prg_curve(y_true, scores, from_zero=True), prg_hull(y_true, scores, unit_square=True)
    grid = np.stack(np.meshgrid(np.linspace(0.1, 1, 10), np.linspace(0.1, 1, 10))).reshape(2, -1)
    recall, precision = pi / (1 - (1 - pi) * grid)
    fpr, tpr = grid[0] - 0.1, grid[1]
    dots = {"linestyle": "none", "marker": ".", "color": "0.7", "markersize": 2, "zorder": 0}
    figure, (left_axis, right_axis) = charts.panels(1, 2, height=3.5)
    prg_points = recall * pi * (1 - precision) / ((1 - pi) * precision), recall
    (left_dots,) = left_axis.plot(*prg_points, label="regular grid of the other space", **dots)
    left_axis.plot(roc.fpr, roc.tpr, color=CURVE, linewidth=0.8, label="curve")
    left_numbers = _labelled(left_axis, hull_of_roc.fpr, hull_of_roc.tpr, hull_of_roc.probability, 1)
    (right_dots,) = right_axis.plot(1 - pi / (1 - pi) * (1 - tpr) / tpr, 1 - fpr / tpr, **dots)
    right_axis.plot(gain.recall_gain, gain.precision_gain, color=CURVE, linewidth=0.8)
    right_numbers = _labelled(
        right_axis, hull_of_prg.recall_gain, hull_of_prg.precision_gain, hull_of_prg.d, -1
    )
    left_axis.set(xlabel="false positive rate", ylabel="true positive rate")
    right_axis.set(xlabel="recall gain", ylabel="precision gain")
    for axis in (left_axis, right_axis):
        axis.set(xlim=(-0.02, 1.02), ylim=(-0.05, 1.04), aspect="equal")
    charts.legend_above(figure, axis=left_axis)
    figure.draw_without_rendering()  # The numbers have their final places only after this.
    _remove_dots_below(left_dots, left_numbers)
    _remove_dots_below(right_dots, right_numbers)
    return figure


def _labelled(axis, x: np.ndarray, y: np.ndarray, values: np.ndarray, side: int) -> list:
    """Draw a hull, write the calibrated score of each segment beside it, and return these texts.

    The scores are to the right of the line if `side` is 1, and to its left if it is -1.
    """
    axis.plot(x, y, "o-", color=HULL, markersize=2.5, linewidth=1.2, label="convex hull")
    look = {"fontsize": charts.NOTE, "va": "center", "color": HULL, "textcoords": "offset points"}
    numbers = []
    for k, value in enumerate(values):
        dx, dy = x[k + 1] - x[k], y[k + 1] - y[k]
        across, up = side * np.array([dy, -dx]) / np.hypot(dx, dy)
        middle = (x[k] + x[k + 1]) / 2, (y[k] + y[k + 1]) / 2
        side_of_line = "left" if across > 0.3 else "center"
        numbers.append(axis.annotate(f"{value:.2g}", middle, (7 * across, 12 * up), ha=side_of_line, **look))
    return numbers


def _remove_dots_below(dots, texts: Iterable) -> None:
    """Remove the dots that a text covers in part or whole, so that none looks like a part of a number."""
    places = dots.get_transform().transform(dots.get_xydata())
    covered = np.zeros(len(places), dtype=bool)
    for text in texts:
        box = text.get_window_extent().padded(CLEAR * text.figure.dpi / 72)
        covered |= ((places > box.min) & (places < box.max)).all(axis=1)
    dots.set_data(*dots.get_xydata()[~covered].T)


def minimum_curve(study: Study):
    pi = 1 / 3
    figure, axis = charts.panels(height=3.2, width=charts.COLUMN)
    _minimum(axis, pi)
    axis.text(0.97, 0.02, f"area {aucpr_min(pi):.3f}", ha="right", va="bottom", fontsize=charts.NOTE)
    axis.legend(loc="upper right")
    return figure


def _minimum(axis, pi: float) -> None:
    axis.fill_between(RECALL, 0, min_precision(RECALL, pi), label="unachievable", **UNACHIEVABLE)
    axis.plot(RECALL, min_precision(RECALL, pi), color=CURVE, label="minimum curve")
    axis.axhline(pi, color=RANDOM, linestyle="--", linewidth=1, label="random guessing")
    axis.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1), aspect="equal")


def minimum_curves(study: Study):
    prevalences = (0.9, 0.75, 0.5, 1 / 3, 0.1, 0.01)
    colours = charts.pyplot().get_cmap("viridis")(np.linspace(0, 0.8, len(prevalences)))
    figure, axis = charts.panels(height=3.2, width=charts.COLUMN)
    beside = {"xytext": (4, 0), "textcoords": "offset points", "va": "center", "annotation_clip": False}
    for pi, colour in zip(prevalences, colours, strict=True):
        axis.plot(RECALL, min_precision(RECALL, pi), color=colour)
        axis.annotate(f"π = {pi:.2g}", (1, pi), color=colour, **beside)
    axis.set(xlabel="recall", ylabel="precision", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    return figure


def minimum_area(study: Study):
    prevalence = np.logspace(-2, np.log10(0.999), 300)
    figure, (left_axis, right_axis) = charts.panels(1, 2, height=2.8)
    for recall_range, colour, style in zip(
        RECALL_RANGES, (CURVE, RANDOM, HULL), ("-", "--", "-."), strict=True
    ):
        low, high = recall_range
        area = aucpr_min(prevalence, recall_range)
        left_axis.plot(prevalence, area, style, color=colour, label=f"recall in [{low:g}, {high:g}]")
        right_axis.plot(prevalence, area / (high - low), style, color=colour)
    left_axis.set(ylabel="minimum AUCPR")
    right_axis.set(ylabel="minimum / largest AUCPR")
    for axis in (left_axis, right_axis):
        axis.set(xscale="log", xlabel="prevalence π", xlim=(0.01, 1), ylim=(0, 1))
        axis.set_xticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
        axis.grid(True)
    charts.legend_above(figure, axis=left_axis)
    return figure


def f1_contours(study: Study):
    pi = FIGURE_4_PREVALENCE
    figure, axes = charts.panels(1, 2, height=3.6)
    beside = {"xytext": (2, 0), "textcoords": "offset points", "va": "center", "annotation_clip": False}
    for level in np.arange(0.1, 1, 0.1):
        recall, precision = _contour(level)
        for axis, shown in zip(axes, (precision, at_modified_f1(precision, pi)), strict=True):
            axis.plot(recall, shown, color=charts.MUTED, linewidth=0.7)
            axis.annotate(f"{level:.1f}", (1, shown[-1]), fontsize=charts.NOTE, color="0.35", **beside)
    axes[0].plot(*_contour(F1_LEVEL), color=HULL, label=f"F$_1$ = {F1_LEVEL}")
    chance = largest_recall_above_chance(F1_LEVEL, pi), pi
    offsets = {"A": (3, -10), "B": (-3, -11), "B'": (-4, 5), "C": (5, 4)}
    for axis, title in zip(axes, ("F$_1$", "modified F$_1$"), strict=True):
        _minimum(axis, pi)
        axis.set_title(title)
        for name, point in {**figure_4_points(), "B'": chance}.items():
            axis.plot(*point, "o", color="black", markersize=4, zorder=5)
            axis.annotate(name, point, offsets[name], textcoords="offset points", weight="bold")
    charts.legend_above(figure, axis=axes[0])
    return figure


def _contour(f1: float) -> Points:
    """Return recall and precision along a contour of F1 from precision 1 on.

    The points are dense where the contour is steep.
    """
    recall = f1 / (2 - f1) + (1 - f1 / (2 - f1)) * RECALL**3
    return recall, np.fmin(f1_contour(f1, recall * (1 + 1e-12)), 1)
