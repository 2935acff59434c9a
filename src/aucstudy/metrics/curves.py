"""Vertices of ROC, precision-recall and precision-recall-gain curves, with thresholds in descending order.

The first threshold, infinity, stands for one above all scores. Rows without weight have no vertex. Arguments that are
not explained are as for `areas`. Where one class has no weight, what is not defined is NaN, with
UndefinedMetricWarning.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics import inputs
from aucstudy.metrics.bounds import min_precision
from aucstudy.metrics.kernel import mostly_positive, order_of, running_sum


class RocCurve(NamedTuple):
    """Vertices from (0, 0) to (1, 1)."""

    fpr: np.ndarray
    tpr: np.ndarray
    thresholds: np.ndarray


class PrecisionRecallCurve(NamedTuple):
    """Points from recall 0 to recall 1, where precision is the prevalence."""

    precision: np.ndarray
    recall: np.ndarray
    thresholds: np.ndarray


class PrecisionRecallGainCurve(NamedTuple):
    """Vertices from recall gain -inf, or 0 if it was cut there, to recall gain 1, where precision gain is 0."""

    precision_gain: np.ndarray
    recall_gain: np.ndarray
    thresholds: np.ndarray


class MinimumCurve(NamedTuple):
    """Points from recall 0 to recall 1, where precision is the prevalence."""

    precision: np.ndarray
    recall: np.ndarray


def roc_curve(
    y_true: ArrayLike, y_score: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: Any = None
) -> RocCurve:
    """Return the vertices of the ROC curve: (0, 0), and one for each distinct score.

    Examples
    --------
    >>> curve = roc_curve([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1])
    >>> curve.tpr.tolist(), curve.fpr.tolist()
    ([0.0, 0.5, 0.5, 1.0, 1.0], [0.0, 0.0, 0.5, 0.5, 1.0])
    """
    counts = ranking_counts(y_true, y_score, sample_weight, pos_label)
    fpr, tpr = counts.false_positives / (counts.N or np.nan), counts.true_positives / (counts.P or np.nan)
    return RocCurve(fpr, tpr, counts.thresholds)


def pr_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
    points_per_segment: int = 0,
) -> PrecisionRecallCurve:
    """Return the vertices of the precision-recall curve, and points of the hyperbolas between them.

    The fields precision, recall and thresholds are in scikit-learn's order, but go from recall 0 to recall 1.

    The first point, at recall 0, has the precision among the rows of the highest score. Davis and Goadrich 2006;
    Keilwagen, Grosse and Grau 2014.

    Parameters
    ----------
    points_per_segment : int, default 0
        Points to add inside each segment along which recall rises, with the threshold of its end.

    Examples
    --------
    >>> curve = pr_curve([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1])
    >>> curve.recall.tolist(), curve.precision.round(3).tolist()
    ([0.0, 0.5, 0.5, 1.0, 1.0], [1.0, 1.0, 0.5, 0.667, 0.5])
    """
    if points_per_segment != int(points_per_segment) or points_per_segment < 0:
        raise ValueError(f"points_per_segment must be a whole number, at least 0, not {points_per_segment!r}")
    counts = ranking_counts(y_true, y_score, sample_weight, pos_label, prevalence)
    points = with_hyperbolas(counts, np.full(counts.thresholds.size - 1, points_per_segment))
    recall = points.true_positives / (counts.P or np.nan)
    precision = precision_at(points.true_positives, points.false_positives)
    return PrecisionRecallCurve(precision, recall, points.thresholds)


def prg_curve(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
    from_zero: bool = False,
) -> PrecisionRecallGainCurve:
    """Return the vertices of the precision-recall-gain curve, which is straight between them.

    Recall gain is -inf without true positives. Flach and Kull 2015, section 3.

    Parameters
    ----------
    from_zero : bool, default False
        Start where the curve crosses recall gain 0, which is the left side of the unit square.

    Examples
    --------
    >>> curve = prg_curve([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1])
    >>> curve.recall_gain.tolist(), curve.precision_gain.tolist()
    ([-inf, 0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.5, 0.0])
    """
    counts = ranking_counts(y_true, y_score, sample_weight, pos_label, prevalence)
    P, N = counts.P, counts.N
    from_gain_zero = counts_from_zero_gain(counts) if from_zero and P and N else counts
    recall_gain, precision_gain = gains_at(from_gain_zero, P, N)
    return PrecisionRecallGainCurve(precision_gain, recall_gain, from_gain_zero.thresholds)


def min_pr_curve(prevalence: float, n_points: int = 201) -> MinimumCurve:
    """Return the lowest precision-recall curve that any ranking can have: Boyd et al. 2012, Theorem 1.

    The `n_points`, at least 2, have equally spaced recalls from 0 to 1.

    Examples
    --------
    >>> min_pr_curve(0.5, n_points=3).precision.round(3).tolist()
    [0.0, 0.333, 0.5]
    """
    if n_points < 2:
        raise ValueError(f"n_points must be at least 2, not {n_points!r}")
    recall = np.linspace(0, 1, n_points)
    return MinimumCurve(np.asarray(min_precision(recall, prevalence)), recall)


class Counts(NamedTuple):
    """Weighted counts of the rows that score at least each threshold, from infinity down.

    At another prevalence the false positives are scaled. Thresholds are long doubles or Python integers (dtype object)
    where float64 would tie scores.
    """

    thresholds: np.ndarray
    true_positives: np.ndarray
    false_positives: np.ndarray
    positives_below: np.ndarray

    @property
    def P(self) -> float:
        return float(self.true_positives[-1])

    @property
    def N(self) -> float:
        return float(self.false_positives[-1])

    @property
    def prevalence(self) -> float:
        return self.P / (self.P + self.N) if self.P + self.N > 0 else np.nan


def ranking_counts(
    y_true: ArrayLike,
    y_score: ArrayLike,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
) -> Counts:
    """Return the `Counts` of the rows with a weight above 0. The first entry accepts no row.

    Arguments and errors are as for `areas`. Where one class has no weight, UndefinedMetricWarning is given and the
    counts stay at the observed prevalence.
    """
    prevalence = inputs.checked_prevalence(prevalence)
    inputs.same_order(y_true, {"y_score": y_score})
    given_scores = inputs.real_numbers(y_score, "y_score")
    checked = inputs.checked_rows(y_true, given_scores, sample_weight, pos_label)
    positive, scores, weight = checked.labels == 1, checked.scores, checked.weight
    if weight is None:
        weight = np.ones(scores.size)
    else:
        has_weight = weight > 0
        positive, scores, weight = positive[has_weight], scores[has_weight], weight[has_weight]
    order = order_of(positive, scores[:, None])
    rows = order.rows[0]
    of_positives, of_negatives = (np.append(0.0, (weight * side)[rows]) for side in (positive, ~positive))
    ends = np.append(0, np.flatnonzero(order.ends_group[0]) + 1)
    thresholds = np.append(np.inf, scores[rows])[ends]
    tp, fp = (running_sum(weights, 0.0, 0.0)[0][ends] for weights in (of_positives, of_negatives))
    # They are summed from the lowest score up: P less those above would lose the digits of recall gain.
    below = np.append(running_sum(of_positives[::-1], 0.0, 0.0)[0][::-1], 0.0)[ends + 1]
    if inputs.needs_ranks(given_scores):
        is_float = given_scores.dtype.kind == "f"
        exact = given_scores if is_float else given_scores.astype(object)
        distinct = np.append(np.unique(exact), np.array([np.inf], dtype=exact.dtype))
        thresholds = distinct[np.append(-1, thresholds[1:].astype(np.int64))]
    if not (tp[-1] > 0 and fp[-1] > 0):
        inputs.warn_one_class("y_true holds one class only: gains and rates", stacklevel=4)
    elif prevalence is not None:
        fp = fp * (tp[-1] * (1 - prevalence) / (prevalence * fp[-1]))
    return Counts(thresholds, tp, fp, below)


def precision_at(true_positives: np.ndarray, false_positives: np.ndarray) -> np.ndarray:
    """Return the precision at each entry of `Counts`. Before the first row it is that of the first group."""
    q = true_positives + false_positives
    with np.errstate(invalid="ignore"):
        precision = true_positives / q
    if q[0] == 0 and q.size > 1:  # where no row has weight, there is no first group
        precision[0] = precision[1]
    return precision


def gains_at(counts: Counts, P: float, N: float) -> tuple[np.ndarray, np.ndarray]:
    """Return recall gain and precision gain at each entry. Precision gain starts as `precision_at` does."""
    t, f = counts.true_positives, counts.false_positives
    if not (P and N):
        return np.full(t.shape, np.nan), np.full(t.shape, np.nan)
    k = P / N
    with np.errstate(divide="ignore", invalid="ignore"):
        recall_gain, precision_gain = 1 - k * counts.positives_below / t, 1 - k * f / t
    if t[0] == f[0] == 0:
        precision_gain[0] = precision_gain[1]
    return recall_gain, precision_gain


def counts_from_zero_gain(counts: Counts) -> Counts:
    """Replace what lies before recall gain 0 by the point interpolated there.

    Where the curve drops vertically at recall gain 0, this is the top of the drop.
    """
    t, f, below = counts.true_positives, counts.false_positives, counts.positives_below
    start = counts.prevalence * counts.P
    # The first entry that reaches it but for rounding is taken, because the point may be a vertex.
    slack = 4 * np.finfo(float).eps
    if mostly_positive(counts.P, counts.N):
        start_below = counts.P * (counts.N / (counts.P + counts.N))
        i = int(np.searchsorted(-below, -start_below * (1 + slack)))
        share = (below[i - 1] - start_below) / (below[i - 1] - below[i])
    else:
        start_below = counts.P - start
        i = int(np.searchsorted(t, start * (1 - slack)))
        share = (start - t[i - 1]) / (t[i] - t[i - 1])
    share = min(max(share, 0.0), 1.0)
    crossing = (counts.thresholds[i], start, f[i - 1] + share * (f[i] - f[i - 1]), start_below)
    later = i + 1 if share == 1.0 else i
    starts = zip(crossing, counts, strict=True)
    return Counts(*(np.concatenate([[value], field[later:]]) for value, field in starts))


def with_hyperbolas(counts: Counts, n_points: np.ndarray) -> Counts:
    """Add `n_points` equally spaced points inside each segment along which true positives rise."""
    t, f = counts.true_positives, counts.false_positives
    pieces = np.where(np.diff(t) > 0, n_points + 1, 1).astype(np.int64)
    ends = np.repeat(np.arange(1, t.size), pieces)
    step = np.arange(ends.size) - np.repeat(np.cumsum(pieces) - pieces, pieces) + 1
    short = (pieces[ends - 1] - step) / pieces[ends - 1]  # the share left of the segment
    points = (
        counts.thresholds[ends],
        t[ends] - short * np.diff(t)[ends - 1],
        f[ends] - short * np.diff(f)[ends - 1],
        counts.positives_below[ends] + short * np.diff(t)[ends - 1],
    )
    return Counts(*(np.concatenate([field[:1], new]) for field, new in zip(counts, points, strict=True)))
