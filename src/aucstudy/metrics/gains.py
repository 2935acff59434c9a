"""Precision gain, recall gain and F-gain of predicted labels, and the expected F-gain of a ranking.

A gain is a rate on the harmonic scale on which the prevalence pi has 0 and a rate of 1 has 1: Flach and Kull 2015,
equation 3. It is at most 1, -inf without true positives, and NaN with UndefinedMetricWarning where one class has no
weight. `y_pred` (n,) holds predicted labels of the same two values as `y_true`. Other arguments, and errors, are as for
`areas`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics import inputs
from aucstudy.metrics.areas import areas
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.curves import counts_from_zero_gain, ranking_counts

EPSILONS = 4 * np.finfo(float).eps  # the relative size of a difference that is 0 but for rounding


def precision_gain(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: Any = None
) -> float:
    """The precision gain of predicted labels, (prec - pi) / ((1 - pi) prec).

    It is also NaN, with UndefinedMetricWarning, where no row is predicted positive.

    Examples
    --------
    >>> precision_gain([1, 1, 0, 0], [1, 1, 1, 0])
    0.5
    """
    return _gains(y_true, y_pred, sample_weight, pos_label, warn_nothing_predicted=True)[0]


def recall_gain(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None, pos_label: Any = None
) -> float:
    """The recall gain of predicted labels, (rec - pi) / ((1 - pi) rec).

    Examples
    --------
    >>> recall_gain([1, 1, 1, 0], [1, 1, 0, 0])
    -0.5
    """
    return _gains(y_true, y_pred, sample_weight, pos_label)[1]


def f_gain(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    beta: float = 1.0,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float:
    """The F_beta of predicted labels on the harmonic scale. Unlike F_beta itself, it may be averaged.

    It is (precision gain + beta^2 recall gain) / (1 + beta^2): Flach and Kull 2015, Theorem 2. `beta` is finite and at
    least 0, else ValueError; at 0 this is the precision gain.

    Examples
    --------
    >>> f_gain([1, 1, 0, 0], [1, 1, 1, 0])
    0.75
    """
    if not 0 <= beta < np.inf:
        raise ValueError(f"beta must be finite and not negative, not {beta!r}")
    precision, recall = _gains(y_true, y_pred, sample_weight, pos_label, warn_nothing_predicted=beta == 0)
    if beta == 0:
        return precision
    if recall == -np.inf:
        return -np.inf
    return (precision + beta**2 * recall) / (1 + beta**2)


def expected_f_gain(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
) -> float:
    """The expected F1-gain of a ranking over the operating points of Flach and Kull 2015, Theorem 3.

    It is (AUPRG/2 + 1/4 - pi (1 - y0^2)/4) / (1 - pi (1 - y0)), with the signed area and y0 the precision gain at
    recall gain 0. As y0 enters, it can rank models otherwise than AUPRG does.

    It is NaN (0/0) where all negatives score above the point of recall gain 0, as in the worst ranking; and, with
    UndefinedMetricWarning, where one class has no weight.

    Examples
    --------
    >>> round(expected_f_gain([1, 1, 0, 0, 1, 0], [0.8, 0.8, 0.6, 0.4, 0.4, 0.2]), 6)
    0.604167
    """
    counts = ranking_counts(y_true, y_score, sample_weight, pos_label, prevalence)
    P, N, pi = counts.P, counts.N, counts.prevalence
    if not (P and N):
        return np.nan
    start = counts_from_zero_gain(counts)
    y0 = 1 - P / N * start.false_positives[0] / start.true_positives[0]
    options = {"sample_weight": sample_weight, "pos_label": pos_label, "prevalence": prevalence}
    return float(f_gain_of_area(areas(y_true, y_score, **options).auprg, y0, pi))


@compiled
def f_gain_of_area(auprg, y0, prevalence):
    """Return `expected_f_gain` for this AUPRG, and for the precision gain `y0` where recall gain is 0."""
    room = 1 - prevalence * (1 - y0)
    if room <= EPSILONS * (1 + abs(y0)):
        return np.nan
    return (auprg / 2 + 0.25 - prevalence * (1 - y0 * y0) / 4) / room


def _gains(y_true, y_pred, sample_weight, pos_label, warn_nothing_predicted=False) -> tuple[float, float]:
    inputs.same_order(y_true, {"y_pred": y_pred, "sample_weight": sample_weight})
    is_positive = inputs.checked_labels(y_true, pos_label)
    is_predicted = inputs.checked_labels(y_pred, pos_label, "y_pred")
    inputs.same_length(is_positive.size, is_predicted.size, "y_pred")
    weight, _ = inputs.leveled_weights(inputs.checked_weights(sample_weight, is_positive.size), is_positive)
    cells = 2 * is_positive.astype(np.int64) + is_predicted
    tn, fp, fn, tp = np.bincount(cells, weights=weight, minlength=4).astype(float)
    P, N = tp + fn, tn + fp
    if not (P > 0 and N > 0):
        inputs.warn_one_class("y_true holds one class only: gains")
        return np.nan, np.nan
    if tp + fp == 0 and warn_nothing_predicted:
        inputs.warn_one_class("y_pred holds no positive: precision gains")
    if tp == 0:
        return (-np.inf if fp > 0 else np.nan), -np.inf
    return float(1 - P / N * (fp / tp)), float(1 - P / N * (fn / tp))
