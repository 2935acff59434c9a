"""The rules by which widely used tools compute the area under the precision-recall curve."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.areas import Areas, areas
from aucstudy.metrics.curves import Counts, precision_at, ranking_counts
from aucstudy.metrics.inputs import checked_labels, real_numbers

MANY = 100_000  # vertices; to leave some out of shorter curves saves nothing


class Curve(NamedTuple):
    """One ranking, its rows in the order given, and which rows are positive from the highest score down.

    Tied rows of `positive_by_row` are in the order given.
    """

    areas: Areas
    counts: Counts
    recall: np.ndarray
    precision: np.ndarray
    positive: np.ndarray
    scores: np.ndarray
    positive_by_row: np.ndarray


class Convention(NamedTuple):
    """One rule for the area: a function of the curve, a description, the tools that use it, and their field."""

    area: Callable[[Curve], float]
    rule: str
    tool: str
    field: str = "classification"


def aupr_conventions(y_true: ArrayLike, y_score: ArrayLike) -> dict[str, float]:
    """Return the "area under the precision-recall curve" of one ranking by each tool's rule.

    Arguments and errors are as for `areas`, and all values are NaN where `areas` are. Labels must be 0/1, -1/1 or
    False/True.

    Examples
    --------
    >>> values = aupr_conventions([1] * 3 + [0] * 7, [0.5] * 10)
    >>> round(values["exact"], 6), round(values["trapezoid"], 6), values["left_dropped"]
    (0.3, 0.65, 0.0)
    """
    exact_areas = areas(y_true, y_score)
    if np.isnan(exact_areas.aupr):
        return dict.fromkeys(CONVENTIONS, np.nan)
    counts = ranking_counts(y_true, y_score)
    positive, scores = checked_labels(y_true), real_numbers(y_score, "y_score").astype(float).ravel()
    by_row = positive[np.argsort(-scores, kind="stable")]  # once for the four rules that count row by row
    if counts.thresholds.size > MANY:
        counts = _corners(counts)
    recall, precision = counts.true_positives / counts.P, precision_at(counts)
    curve = Curve(exact_areas, counts, recall, precision, positive, scores, by_row)
    return {name: convention.area(curve) for name, convention in CONVENTIONS.items()}


def _corners(counts: Counts) -> Counts:
    """Leave out vertices between two others of the same recall, where no rule integrates anything."""
    t = counts.true_positives
    is_corner = np.ones(t.size, dtype=bool)
    is_corner[2:-1] = (t[1:-2] != t[2:-1]) | (t[2:-1] != t[3:])
    return Counts(*(field[is_corner] for field in counts))


def _trapezoid(recall: np.ndarray, precision: np.ndarray) -> float:
    return float(np.trapezoid(precision, recall))


def _at_recalls(counts: Counts, true_positives: np.ndarray) -> float:
    """Integrate by trapezoids over the vertices and over points of the hyperbolas at the `true_positives`."""
    t, f = counts.true_positives, counts.false_positives
    ends = np.searchsorted(t, true_positives)
    inside = t[ends] != true_positives
    ends, new = ends[inside], true_positives[inside]
    share = (new - t[ends - 1]) / (t[ends] - t[ends - 1])
    new_points = [counts.thresholds[ends], new, f[ends - 1] + share * (f[ends] - f[ends - 1]), counts.P - new]
    finer = Counts(
        *(np.insert(field, ends, values) for field, values in zip(counts, new_points, strict=True))
    )
    return _trapezoid(finer.true_positives / counts.P, precision_at(finer))


def _binned(curve: Curve, thresholds: int = 200) -> float:
    """Return the exact integral if all thresholds are equally spaced in [0, 1].

    A score must be above a threshold to be accepted by it.
    """
    scores = curve.scores
    if scores.min() < 0 or scores.max() > 1:  # taken for logits, as the tool does with `from_logits=True`
        with np.errstate(over="ignore"):
            scores = 1 / (1 + np.exp(-scores))
    # the outermost thresholds lie just outside [0, 1]
    inner = np.arange(1, thresholds - 1) / (thresholds - 1)
    return areas(curve.positive, np.searchsorted(inner, scores, side="left")).aupr


def _row_by_row(curve: Curve) -> float:
    """Integrate along straight lines between the points after each row."""
    true_positives = np.cumsum(curve.positive_by_row)
    return _trapezoid(true_positives / curve.counts.P, true_positives / np.arange(1, true_positives.size + 1))


def _envelope(curve: Curve) -> float:
    """Return the mean, over the positives, of the best precision at the recall of each or at a higher one."""
    return float(_best_precisions(curve)[1:].mean())


def _envelope_at(curve: Curve, n_recalls: int) -> float:
    """Return the mean, over equally spaced recalls from 0 to 1, of the best precision there or beyond."""
    P = int(curve.counts.P)
    # Whole numbers are used because k / 100 of the positives is often one, which a float would miss.
    needed = -(-np.arange(n_recalls) * P // (n_recalls - 1))
    return float(_best_precisions(curve)[needed].mean())


def _best_precisions(curve: Curve) -> np.ndarray:
    """Return (P + 1,) the highest precision among first rows with at least 0, 1, ..., P positives."""
    rows_needed = 1 + np.flatnonzero(curve.positive_by_row)
    precision = np.arange(1, rows_needed.size + 1) / rows_needed
    best = np.maximum.accumulate(precision[::-1])[::-1]
    return np.append(best[0], best)


def _fewest_false_positives(curve: Curve) -> float:
    """Integrate along straight lines from (0, 1) through the best point of each recall.

    Gaps of more than two positives are filled with points.

    The tool inserts the points of a gap at the index that the gap had before any points were inserted. This is right
    for the first gap. The points of a later gap come too early in the list by as many places as were inserted before,
    so that recall there goes forth and back: with gaps behind the points 0 and 1, the second gap's points are put
    behind the first one of the first gap's. The rule is repeated here as it is.
    """
    t, first = np.unique(curve.counts.true_positives, return_index=True)
    f = curve.counts.false_positives[first]
    with np.errstate(invalid="ignore"):
        recall, precision = (t / curve.counts.P).tolist(), (t / (t + f)).tolist()
    precision[0] = 1.0
    for i in np.flatnonzero(np.diff(t) > 2):
        x = np.arange(1, t[i + 1] - t[i] + 1)
        slope = (f[i + 1] - f[i]) / (t[i + 1] - t[i])
        recall[i + 1 : i + 1] = ((x + t[i]) / curve.counts.P).tolist()
        precision[i + 1 : i + 1] = ((x + t[i]) / (t[i] + f[i] + x + slope * x)).tolist()
    return _trapezoid(np.array(recall), np.array(precision))


# Each rule was checked against the documentation or the source of its tools.
CONVENTIONS = {
    # This is the integral of the hyperbolas between points. PRROC's auc.integral is the same.
    "exact": Convention(lambda curve: curve.areas.aupr, "exact integral", "this project"),
    # Weka's getPRCArea, TorchEval's binary_auprc, torchmetrics and polars-ds have the same rule.
    "average_precision": Convention(
        lambda curve: curve.areas.average_precision, "average precision", "scikit-learn, Weka, TorchEval"
    ),
    # This is yardstick's pr_auc, over the points of scikit-learn. It overestimates where scores tie.
    "trapezoid": Convention(
        lambda curve: _trapezoid(curve.recall, np.concatenate([[1.0], curve.precision[1:]])),
        "trapezoid from (0, 1)",
        "yardstick",
    ),
    # Straight lines connect points that are one true positive apart.
    "davis_goadrich_unit": Convention(
        lambda curve: _at_recalls(curve.counts, np.arange(1, curve.counts.P)),
        "unit steps with straight lines",
        "PRROC, Davis-Goadrich",
    ),
    # Straight lines connect points of the hyperbolas at recalls of 1/1000. Where scores tie, precrec's value
    # is the same to 1e-5.
    "grid_1000": Convention(
        lambda curve: _at_recalls(curve.counts, np.arange(1, 1000) / 1000 * curve.counts.P),
        "grid of 1/1000",
        "precrec",
    ),
    # The curve begins at (0, precision of the first group).
    "trapezoid_first_point": Convention(
        lambda curve: _trapezoid(curve.recall, curve.precision), "trapezoid from the first point", "classeval"
    ),
    # The part left of the first threshold is left out.
    "left_dropped": Convention(
        lambda curve: _trapezoid(curve.recall[1:], curve.precision[1:]),
        "trapezoid, left part dropped",
        "MLmetrics, MLeval",
    ),
    # This is tf.keras.metrics.AUC(curve="PR") with its default of 200 thresholds.
    "thresholds_200": Convention(_binned, "integral over 200 thresholds", "TensorFlow, Keras"),
    # This is PerfMeas' AUPRC. MLeval does the same, except that it counts tied scores together.
    "row_by_row": Convention(_row_by_row, "row by row, left part dropped", "PerfMeas"),
    # This is ROCR's performance(..., "aucpr").
    "fewest_false_positives": Convention(_fewest_false_positives, "best point of each recall", "ROCR"),
    # This is the AP of computer vision. Precision is raised to the best at any higher recall, so that the
    # curve never rises. Tied detections are taken in the order given. PASCAL VOC uses it since 2010;
    # scikit-learn#4577 requests it.
    "envelope": Convention(_envelope, "envelope of precision", "PASCAL VOC 2010", "computer vision"),
    # PASCAL VOC used this until 2009.
    "envelope_11": Convention(
        lambda curve: _envelope_at(curve, 11), "envelope at 11 recalls", "PASCAL VOC 2007", "computer vision"
    ),
    # This is the rule of pycocotools. Its recalls are floats, so that it misses some by one positive.
    "envelope_101": Convention(
        lambda curve: _envelope_at(curve, 101), "envelope at 101 recalls", "COCO", "computer vision"
    ),
}
