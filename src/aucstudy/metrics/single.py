"""Each area under a name of its own, for one ranking or averaged over a multilabel indicator."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics import inputs
from aucstudy.metrics.areas import areas, areas_many

AVERAGES = ("micro", "macro", "weighted", "samples", None)


def auroc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float | np.ndarray:
    """Area under the ROC curve: the probability that a positive scores above a negative, ties counting half.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label
        As for `areas`. Both may be of shape (n, n_labels), with `y_true` a multilabel indicator.
    average : {"micro", "macro", "weighted", "samples", None}, default "macro"
        How the labels of an indicator are averaged, as in scikit-learn; None returns one value a label.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        In [0, 1]; .5 for scores that say nothing.

    Raises
    ------
    ValueError
        Input that is not right, as for `areas`.

    References
    ----------
    Hanley and McNeil 1982.

    Examples
    --------
    >>> round(auroc([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]), 6)
    0.75
    """
    options = {"sample_weight": sample_weight, "pos_label": pos_label}
    return _one_area("auroc", y_true, y_score, average, options)


def aupr(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    recall_range: tuple[float, float] | None = None,
    prevalence: float | None = None,
) -> float | np.ndarray:
    """Area under the precision-recall curve: the exact integral, with hyperbolas between points.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, recall_range, prevalence
        As for `areas`. Both may be of shape (n, n_labels), with `y_true` a multilabel indicator.
    average : {"micro", "macro", "weighted", "samples", None}, default "macro"
        How the labels of an indicator are averaged, as in scikit-learn; None returns one value a label.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        In [`aucpr_min`, 1]; about the prevalence for scores that say nothing. With
        `recall_range` (a, b) the integral from a to b, at most b - a.

    Raises
    ------
    ValueError
        Input that is not right, as for `areas`.

    References
    ----------
    Davis and Goadrich 2006; Keilwagen, Grosse and Grau 2014; Boyd et al. 2012, Corollary 4 (recall range).

    Examples
    --------
    >>> round(aupr([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]), 6)
    0.797267
    """
    options = {
        "sample_weight": sample_weight,
        "pos_label": pos_label,
        "recall_range": recall_range,
        "prevalence": prevalence,
    }
    return _one_area("aupr", y_true, y_score, average, options)


def auprg(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
    negative_gains: str = "signed",
) -> float | np.ndarray:
    """Area under the precision-recall-gain curve over recall gains in [0, 1].

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, prevalence, negative_gains
        As for `areas`. Both may be of shape (n, n_labels), with `y_true` a multilabel indicator.
    average : {"micro", "macro", "weighted", "samples", None}, default "macro"
        How the labels of an indicator are averaged, as in scikit-learn; None returns one value a label.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        At most 1; 0 for always-positive. Signed, it is at least (1 - 1/pi)/2, so means are ruled by single
        values; with ``negative_gains="clip"``, where negative precision gains count 0, it is in [0, 1].

    Raises
    ------
    ValueError
        Input that is not right, as for `areas`.

    References
    ----------
    Flach and Kull 2015, section 3.

    Examples
    --------
    >>> round(auprg([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]), 6)
    0.25
    """
    options = {
        "sample_weight": sample_weight,
        "pos_label": pos_label,
        "prevalence": prevalence,
        "negative_gains": negative_gains,
    }
    return _one_area("auprg", y_true, y_score, average, options)


def aucnpr(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    recall_range: tuple[float, float] | None = None,
    prevalence: float | None = None,
) -> float | np.ndarray:
    """Area under the precision-recall curve between its minimum (0) and its maximum (1).

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, recall_range, prevalence
        As for `areas`. Both may be of shape (n, n_labels), with `y_true` a multilabel indicator.
    average : {"micro", "macro", "weighted", "samples", None}, default "macro"
        How the labels of an indicator are averaged, as in scikit-learn; None returns one value a label.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        In [0, 1]: (AUPR - MIN)/(MAX - MIN), over `recall_range` if given.

    Raises
    ------
    ValueError
        Input that is not right, as for `areas`.

    References
    ----------
    Boyd et al. 2012, section 4.

    Examples
    --------
    >>> round(aucnpr([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]), 6)
    0.707519
    """
    options = {
        "sample_weight": sample_weight,
        "pos_label": pos_label,
        "recall_range": recall_range,
        "prevalence": prevalence,
    }
    return _one_area("aucnpr", y_true, y_score, average, options)


def average_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
) -> float | np.ndarray:
    """Average precision: precision at each step of recall, without interpolation, as scikit-learn has it.

    Parameters
    ----------
    y_true, y_score, sample_weight, pos_label, prevalence
        As for `areas`. Both may be of shape (n, n_labels), with `y_true` a multilabel indicator.
    average : {"micro", "macro", "weighted", "samples", None}, default "macro"
        How the labels of an indicator are averaged, as in scikit-learn; None returns one value a label.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        In [0, 1]. Unlike scikit-learn's it is NaN where y_true holds one class.

    Raises
    ------
    ValueError
        Input that is not right, as for `areas`.

    References
    ----------
    Manning, Raghavan and Schuetze 2008, section 8.4.

    Examples
    --------
    >>> round(average_precision([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]), 6)
    0.833333
    """
    options = {"sample_weight": sample_weight, "pos_label": pos_label, "prevalence": prevalence}
    return _one_area("average_precision", y_true, y_score, average, options)


def _one_area(field: str, y_true, y_score, average, options: dict[str, Any]) -> float | np.ndarray:
    if average not in AVERAGES:
        raise ValueError(f"average must be one of {', '.join(map(repr, AVERAGES))}, not {average!r}")
    y_true = inputs.plain_array(y_true, "y_true")
    if y_true.ndim == 2 and y_true.shape[1] > 1:
        return _averaged(field, y_true, y_score, average, **options)
    return getattr(areas(y_true, y_score, **options), field)


def _averaged(field, y_true, y_score, average, sample_weight=None, pos_label=None, **options):
    """Average over labels (or rows) by treating each as a group of one flat ranking."""
    n, n_labels = y_true.shape
    scores = inputs.checked_scores(y_score, ndim=2)
    if scores.shape != y_true.shape:
        raise ValueError(f"y_true has shape {y_true.shape} and y_score {scores.shape}; they must be the same")
    positive = inputs.checked_labels(y_true.ravel(), pos_label)
    weight = inputs.checked_weights(sample_weight, n)
    repeated = None if weight is None else np.repeat(weight, n_labels)
    if average == "micro":
        return getattr(areas(positive, scores.ravel(), sample_weight=repeated, **options), field)
    by_row = average == "samples"
    group = np.repeat(np.arange(n), n_labels) if by_row else np.tile(np.arange(n_labels), n)
    grouped = areas_many(
        positive,
        scores.reshape(-1, 1),
        groups=group,
        sample_weight=None if by_row else repeated,
        **options,
    )
    values = getattr(grouped, field)[:, 0]
    if average is None:
        return values
    if average == "macro":
        return float(values.mean())
    share = weight if by_row else grouped.weight_positive[:, 0]
    if share is None:
        return float(values.mean())
    if not share.any():
        return np.nan
    share = np.ldexp(share, -np.frexp(share.max())[1])  # else the sum of large weights is infinite
    return float(np.average(np.where(share == 0, 0.0, values), weights=share))
