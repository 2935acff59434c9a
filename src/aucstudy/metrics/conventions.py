"""The rules by which widely used tools compute the area under the precision-recall curve."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.curves import precision_at
from aucstudy.metrics.inputs import checked_rows, real_numbers, warn_one_class
from aucstudy.metrics.kernel import (
    OBSERVED,
    KernelAreas,
    Order,
    areas_of_groups,
    groups_of,
    order_of,
    totals_of,
)

MANY = 100_000  # vertices; to leave some out of shorter curves saves nothing


class Curve:
    """One ranking of sorted rows. What only some rules need is computed when the first of them asks for it.

    The `scores` (n,) are those of P positives and N negatives. `true_positives` and `false_positives` are the counts of
    accepted rows at the vertices, from none to all.
    """

    def __init__(self, order: Order, model: int, scores: np.ndarray) -> None:
        self._order, self._model, self._scores = order, model, scores
        self._rows, self._ends = order.rows[model], np.flatnonzero(order.ends_group[model])
        self._accepted = np.cumsum(order.positive[self._rows])[self._ends]
        self.P = float(self._accepted[-1])
        self.N = float(len(scores) - self.P)
        t = np.append(0.0, self._accepted)
        f = np.append(0.0, self._ends + 1) - t
        if t.size > MANY:
            is_corner = _is_corner(t)
            t, f = t[is_corner], f[is_corner]
        self.true_positives, self.false_positives = t, f
        self.recall, self.precision = t / self.P, precision_at(t, f)

    @cached_property
    def areas(self) -> KernelAreas:
        return self._areas_of(groups_of(self._order, self._model))

    def _areas_of(self, groups: np.ndarray) -> KernelAreas:
        return areas_of_groups(groups, groups.shape[1], totals_of(self.P, self.N, OBSERVED))

    @cached_property
    def positive_by_row(self) -> np.ndarray:
        """Which rows are positive from the highest score down. Tied rows are in the order given."""
        ends_group, n = self._order.ends_group[self._model], len(self._rows)
        first_key_of_group = (np.cumsum(ends_group) - ends_group) * n
        keys = first_key_of_group + self._rows
        keys.sort()  # This is several times as fast as a stable sort of the scores.
        return self._order.positive[keys - first_key_of_group]

    def binned_areas(self, thresholds: np.ndarray) -> KernelAreas:
        """Return the areas if only the `thresholds`, which ascend, tell scores apart.

        A score must be above a threshold to be accepted by it.
        """
        distinct = self._scores[self._rows[self._ends]]
        # Other scores are taken for logits, as the tool does with `from_logits=True`.
        if distinct.min() < 0 or distinct.max() > 1:
            with np.errstate(over="ignore"):
                distinct = 1 / (1 + np.exp(-distinct))
        bin_from_top = thresholds.size - np.searchsorted(thresholds, distinct, side="left")
        positives = np.diff(self._accepted, prepend=0)
        negatives = np.diff(self._ends, prepend=-1) - positives
        d, e = np.bincount(bin_from_top, positives), np.bincount(bin_from_top, negatives)
        groups = np.stack([np.cumsum(d) - d, np.cumsum(e) - e, d, e])
        return self._areas_of(np.ascontiguousarray(groups[:, d > 0]))


def _is_corner(true_positives: np.ndarray) -> np.ndarray:
    """Return whether each vertex is needed. Between two others of the same recall no rule integrates anything."""
    t = true_positives
    is_corner = np.ones(t.size, dtype=bool)
    is_corner[2:-1] = (t[1:-2] != t[2:-1]) | (t[2:-1] != t[3:])
    return is_corner


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
    rows = checked_rows(y_true, y_score)
    if rows.n_positive in (0, len(rows.labels)):
        warn_one_class("y_true holds one class only: areas", stacklevel=3)
        return dict.fromkeys(CONVENTIONS, np.nan)
    scores = real_numbers(y_score, "y_score").astype(float).ravel()
    return conventions_of_order(order_of(rows.labels, rows.scores[:, None]), 0, scores)


def conventions_of_order(
    order: Order, model: int, scores: np.ndarray, rules: Iterable[str] | None = None
) -> dict[str, float]:
    """Return what `aupr_conventions` does for one model of sorted rows of both classes with `scores` (n,).

    Without `rules` the areas are those of all rules.
    """
    curve = Curve(order, model, scores)
    return {rule: CONVENTIONS[rule].area(curve) for rule in (CONVENTIONS if rules is None else rules)}


def _trapezoid(recall: np.ndarray, precision: np.ndarray) -> float:
    return float(np.trapezoid(precision, recall))


def _at_recalls(curve: Curve, true_positives: np.ndarray) -> float:
    """Integrate by trapezoids over the vertices and over points of the hyperbolas at the `true_positives`."""
    t, f = curve.true_positives, curve.false_positives
    ends = np.searchsorted(t, true_positives)
    inside = t[ends] != true_positives
    ends, new = ends[inside], true_positives[inside]
    share = (new - t[ends - 1]) / (t[ends] - t[ends - 1])
    new_false_positives = f[ends - 1] + share * (f[ends] - f[ends - 1])
    t, f = np.insert(t, ends, new), np.insert(f, ends, new_false_positives)
    return _trapezoid(t / curve.P, precision_at(t, f))


def _binned(curve: Curve, thresholds: int = 200) -> float:
    """Return the exact integral if all thresholds are equally spaced in [0, 1]."""
    # the outermost thresholds lie just outside [0, 1]
    return curve.binned_areas(np.arange(1, thresholds - 1) / (thresholds - 1)).aupr


def _row_by_row(curve: Curve) -> float:
    """Integrate along straight lines between the points after each row."""
    true_positives = np.cumsum(curve.positive_by_row)
    return _trapezoid(true_positives / curve.P, true_positives / np.arange(1, true_positives.size + 1))


def _envelope(curve: Curve) -> float:
    """Return the mean, over the positives, of the best precision at the recall of each or at a higher one."""
    return float(_best_precisions(curve)[1:].mean())


def _envelope_at(curve: Curve, n_recalls: int) -> float:
    """Return the mean, over equally spaced recalls from 0 to 1, of the best precision there or beyond."""
    P = int(curve.P)
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
    t, first = np.unique(curve.true_positives, return_index=True)
    f = curve.false_positives[first]
    with np.errstate(invalid="ignore"):
        recall, precision = (t / curve.P).tolist(), (t / (t + f)).tolist()
    precision[0] = 1.0
    for i in np.flatnonzero(np.diff(t) > 2):
        x = np.arange(1, t[i + 1] - t[i] + 1)
        slope = (f[i + 1] - f[i]) / (t[i + 1] - t[i])
        recall[i + 1 : i + 1] = ((x + t[i]) / curve.P).tolist()
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
        lambda curve: _at_recalls(curve, np.arange(1, curve.P)),
        "unit steps with straight lines",
        "PRROC, Davis-Goadrich",
    ),
    # Straight lines connect points of the hyperbolas at recalls of 1/1000. Where scores tie, precrec's value
    # is the same to 1e-5.
    "grid_1000": Convention(
        lambda curve: _at_recalls(curve, np.arange(1, 1000) / 1000 * curve.P),
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
