"""Convex hulls of ROC and precision-recall-gain curves and the calibrated scores that they give.

Arguments that are not explained are as for `areas`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics import inputs
from aucstudy.metrics.compiled import compiled, inlined
from aucstudy.metrics.curves import Counts, counts_from_zero_gain, gains_at, precision_at, ranking_counts


class RocHull(NamedTuple):
    """The upper convex hull of a ROC curve, with h vertices of which (0, 0) is the first.

    `probability` (h - 1,) is the share of positives in each segment. It falls from one segment to the next.
    """

    fpr: np.ndarray
    tpr: np.ndarray
    thresholds: np.ndarray
    probability: np.ndarray

    def calibrated(self, y_score: ArrayLike) -> np.ndarray:
        """Return the probability (n,) of the segment that each score of the same model falls into."""
        return _of_segment(self.thresholds, self.probability, y_score)


class PrgHull(NamedTuple):
    """The upper convex hull of a precision-recall-gain curve, with h vertices.

    A vertex has the highest F_beta of all thresholds where beta^2 lies from its `beta_squared_low` to its
    `beta_squared_high`. `d` (h - 1,) is 1/(1 + beta^2) of the beta for which the two ends of a segment are equally
    good. It falls from one segment to the next, and is 1 in the first one of a whole hull. The first vertex of a hull
    that is cut at recall gain 0 can be a point between two thresholds: it is not optimal for any beta then, whatever
    its range of beta^2 says.
    """

    recall_gain: np.ndarray
    precision_gain: np.ndarray
    recall: np.ndarray
    precision: np.ndarray
    thresholds: np.ndarray
    d: np.ndarray
    beta_squared_low: np.ndarray
    beta_squared_high: np.ndarray

    def calibrated(self, y_score: ArrayLike) -> np.ndarray:
        """Return the d (n,) of the segment that each score of the same model falls into."""
        return _of_segment(self.thresholds, self.d, y_score)


def roc_hull(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
) -> RocHull:
    """Return the ROC convex hull and the calibrated probability of each of its segments.

    The probabilities are those of isotonic regression (Flach and Kull 2015; Fawcett and Niculescu-Mizil 2007). Where
    one class has no weight, the rate of this class is NaN, with UndefinedMetricWarning.

    Examples
    --------
    >>> hull = roc_hull([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1])
    >>> hull.probability.tolist(), hull.calibrated([0.95, 0.5]).tolist()
    ([1.0, 0.5, 0.0], [1.0, 0.5])
    """
    counts = ranking_counts(y_true, y_score, sample_weight, pos_label, prevalence)
    hull = _hull_counts(counts)
    d, e = np.diff(hull.true_positives), np.diff(hull.false_positives)
    fpr = hull.false_positives / (counts.N or np.nan)
    return RocHull(fpr, hull.true_positives / (counts.P or np.nan), hull.thresholds, d / (d + e))


def prg_hull(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
    unit_square: bool = False,
) -> PrgHull:
    """Return the convex hull of the precision-recall-gain curve and the beta for which each vertex is optimal.

    The best threshold for F_beta minimises (f + beta^2 P) / t, the slope seen from (t, f) = (0, -beta^2 P), so the
    vertices are those of the ROC hull. Flach and Kull 2015, Theorem 4.

    Parameters
    ----------
    unit_square : bool, default False
        Cut the hull at recall gain 0, for drawing. Vertices that are cut off can be the best ones for beta < 1.

    Examples
    --------
    >>> hull = prg_hull([1, 1, 0, 0, 1, 0], [0.8, 0.8, 0.6, 0.4, 0.4, 0.2])
    >>> hull.d.round(6).tolist(), hull.precision_gain.round(6).tolist()
    ([1.0, 0.428571, 0.0], [1.0, 1.0, 0.333333, 0.0])
    """
    counts = ranking_counts(y_true, y_score, sample_weight, pos_label, prevalence)
    P, N = counts.P, counts.N
    hull = _hull_counts(counts)
    if unit_square and P and N:
        hull = counts_from_zero_gain(hull)
    t, f = hull.true_positives, hull.false_positives
    f_step, t_step = np.diff(f), np.diff(t)
    with np.errstate(divide="ignore", invalid="ignore"):
        beta_squared = (t[:-1] * (f_step / t_step) - f[:-1]) / (P or np.nan)
    beta_squared = np.where(t_step > 0, np.maximum(beta_squared, 0.0), np.inf)
    if not (P and N):
        beta_squared = np.full_like(beta_squared, np.nan)
    recall_gain, precision_gain = gains_at(hull, P, N)
    return PrgHull(
        recall_gain,
        precision_gain,
        t / (P or np.nan),
        precision_at(hull.true_positives, hull.false_positives),
        hull.thresholds,
        1 / (1 + beta_squared),
        np.concatenate([[0.0], beta_squared]),
        np.concatenate([beta_squared, [np.inf]]),
    )


def fbeta_calibration(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
    apply_to: ArrayLike | None = None,
) -> np.ndarray:
    """Return F-calibrated scores, for which 1/(1 + beta^2) is the best threshold for F_beta.

    The calibrated score is d, in [0, 1], of the segment of `prg_hull` that a score falls into: Flach and Kull 2015.
    With `apply_to`, other scores of the same model, for instance of a test set, are calibrated in place of `y_score`.

    Examples
    --------
    >>> y, s = [1, 1, 0, 0, 1, 0], [0.8, 0.8, 0.6, 0.4, 0.4, 0.2]
    >>> fbeta_calibration(y, s).round(3).tolist()
    [1.0, 1.0, 0.429, 0.429, 0.429, 0.0]
    """
    hull = prg_hull(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, prevalence=prevalence)
    return hull.calibrated(y_score if apply_to is None else apply_to)


def _of_segment(thresholds: np.ndarray, values: np.ndarray, y_score: ArrayLike) -> np.ndarray:
    """Return the value (n,) of the segment of a hull that each score falls into.

    The `thresholds` (h,) of the vertices fall from infinity. Segment number i of `values` (h - 1,) has the scores below
    threshold i, down to threshold i + 1. Scores below all thresholds get the value of the last segment. Integers that
    float64 would round are compared as they are.
    """
    scores = inputs.real_numbers(y_score, "y_score")
    inputs.refuse_nan(scores.astype(np.float64), "y_score")
    beyond_float = scores.dtype.kind in "iu" and inputs.needs_ranks(scores)
    dtype = object if beyond_float else np.result_type(scores, thresholds, np.float64)
    if values.size == 0:  # no row had weight, so that there is no segment
        return np.full(scores.shape, np.nan)
    rising_thresholds = thresholds[:0:-1].astype(dtype)
    n_above = rising_thresholds.size - np.searchsorted(rising_thresholds, scores.astype(dtype), side="right")
    return values[np.minimum(n_above, values.size - 1)]  # below the lowest threshold: the last segment


def _hull_counts(counts: Counts) -> Counts:
    vertices = np.empty(counts.thresholds.size, dtype=np.int64)
    size = _hull(counts.true_positives, counts.false_positives, vertices)
    return Counts(*(field[vertices[:size]] for field in counts))


@compiled
def hull_of_groups(groups, size, P, N, hull):
    """Fill `hull` (2, size + 2) with the true and false positives of the ROC hull's vertices; return how many.

    `groups` are those of `count_groups`: no vertex but the last lies at the end of a group without a positive.
    """
    hull[0, 0] = hull[1, 0] = 0.0
    n_vertices = 1
    for i in range(size):
        n_vertices = add_vertex(hull, n_vertices, groups[0, i] + groups[2, i], groups[1, i] + groups[3, i])
    return add_vertex(hull, n_vertices, P, N)


@compiled
def _hull(t, f, vertices):
    """Fill `vertices` with the indices of the points (t, f) on the ROC hull of the points in order; return how many."""
    hull, size = np.empty((2, t.size)), 0
    for i in range(t.size):
        size = add_vertex(hull, size, t[i], f[i])
        vertices[size - 1] = i
    return size


@inlined
def add_vertex(hull, size, t, f):
    """Add a point (t, f) to the hull (2, size) of the points before it, and return the new size."""
    while size > 1:
        last, before = size - 1, size - 2
        if (hull[0, last] - hull[0, before]) * (f - hull[1, last]) > (t - hull[0, last]) * (
            hull[1, last] - hull[1, before]
        ):
            break
        size -= 1
    hull[0, size], hull[1, size] = t, f
    return size + 1
