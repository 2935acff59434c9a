"""Areas under ROC, precision-recall and precision-recall-gain curves, all from one pass over the scores."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics import inputs
from aucstudy.metrics.engine.finishing import finish
from aucstudy.metrics.engine.merging import HoldsNaNError
from aucstudy.metrics.engine.rankings import many_rankings, one_ranking
from aucstudy.metrics.options import checked_negative_gains, checked_prevalence, checked_recall_range


class Areas(NamedTuple):
    """All areas of one ranking; see `areas`."""

    auroc: float
    aupr: float
    auprg: float
    aucnpr: float
    average_precision: float
    n: int
    n_positive: int
    weight: float
    weight_positive: float
    prevalence: float
    reference_prevalence: float


class AreasMany(NamedTuple):
    """All areas of many rankings, the fields of `Areas` as arrays; see `areas_many`."""

    auroc: np.ndarray
    aupr: np.ndarray
    auprg: np.ndarray
    aucnpr: np.ndarray
    average_precision: np.ndarray
    n: np.ndarray
    n_positive: np.ndarray
    weight: np.ndarray
    weight_positive: np.ndarray
    prevalence: np.ndarray
    reference_prevalence: np.ndarray


def areas(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    recall_range: tuple[float, float] | None = None,
    prevalence: float | None = None,
    negative_gains: str = "signed",
) -> Areas:
    """Compute AUROC, AUPR, AUPRG, AUCNPR and average precision of one ranking in one pass.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels, two values. Of a column, (n, 1), its values are taken, here and below.
    y_score : array_like of shape (n,)
        Scores, larger meaning more likely positive; infinities are allowed, they order.
    sample_weight : array_like of shape (n,), optional
        Weights of the rows, finite and not negative; areas do not change if all are multiplied by a number.
        The largest weights of the two classes must lie within a factor of 2^256 of each other.
    pos_label : label, optional
        The positive label; without it labels must be 0/1, -1/1 or False/True.
    recall_range : (float, float), optional
        Recalls to integrate `aupr` and `aucnpr` over, 0 <= a < b <= 1; the other areas stay whole.
    prevalence : float, optional
        Give the areas that the same ROC curve would have at this share of positives, in [1e-100, 1). For `aupr`
        that is what Siblini et al. 2020, Master your metrics with calibration, call the calibrated area.
    negative_gains : {"signed", "clip"}, default "signed"
        Whether negative precision gains count as negative area in `auprg`, or as 0.

    Returns
    -------
    Areas
        Named tuple: auroc, aupr, auprg, aucnpr, average_precision; n and n_positive as counts of rows, weight
        and weight_positive as sums of weights; prevalence as observed (weighted) and reference_prevalence,
        the one asked for or the same. Areas are NaN, with UndefinedMetricWarning (a kind of scikit-learn's), where only
        one class has weight. Exact to 1e-12 max(1, |value|) for up to ten million rows.

    Raises
    ------
    ValueError
        A NaN score, labels that are not two values or are ambiguous, lengths that differ, no rows, arrays
        that are not one-dimensional, weights or options out of range.

    References
    ----------
    Davis and Goadrich 2006; Keilwagen, Grosse and Grau 2014 (aupr); Boyd et al. 2012 (aucnpr); Flach and Kull
    2015 (auprg).

    Examples
    --------
    >>> result = areas([1, 1, 0, 0, 1, 0], [0.8, 0.8, 0.6, 0.4, 0.4, 0.2])
    >>> round(result.auroc, 6), round(result.aupr, 6), round(result.auprg, 6), round(result.aucnpr, 6)
    (0.833333, 0.875902, 0.708333, 0.820965)
    >>> result.n, result.n_positive, result.prevalence
    (6, 3, 0.5)
    """
    options, asked = _checked_options(recall_range, prevalence, negative_gains)
    scores = inputs.checked_scores(y_score)
    labels, n_positive = inputs.counted_labels(y_true, pos_label, scores.size, "y_score")
    if sample_weight is None:
        exponents: tuple[int, ...] | np.ndarray = (0,)
        try:
            sums, weights = one_ranking(labels, scores, n_positive, options)
        except HoldsNaNError:
            raise inputs.nan_error(scores, "y_score") from None
    else:
        inputs.refuse_nan(scores, "y_score")
        weight = inputs.checked_weights(sample_weight, scores.size)
        codes, positive = np.zeros(scores.size, dtype=np.int64), labels == 1
        weight, exponents = inputs.leveled_weights(weight, positive, codes, 1)
        sums, weights = many_rankings(positive, scores[:, None], codes, 1, weight, options)
    if not weights.all():
        inputs.warn_one_class("y_true holds one class only: areas", stacklevel=3)
    values = np.empty((1, 1, 5))
    finish(sums, weights, options, values)
    (P, N), n = weights[0].tolist(), scores.size
    observed = P / (P + N) if P + N > 0 else np.nan
    weight, weight_positive = np.ldexp((P + N, P), exponents[0]).tolist() if exponents[0] else (P + N, P)
    return Areas(
        *values[0, 0].tolist(),
        n=n,
        n_positive=n_positive,
        weight=weight,
        weight_positive=weight_positive,
        prevalence=observed,
        reference_prevalence=asked or observed,
    )


def areas_many(
    y_true: ArrayLike,
    scores: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    recall_range: tuple[float, float] | None = None,
    prevalence: float | None = None,
    negative_gains: str = "signed",
) -> AreasMany:
    """Compute all areas of every column of `scores`, within each group of rows if `groups` is given.

    Parameters
    ----------
    y_true : array_like of shape (n_rows,)
        Labels, two values.
    scores : array_like of shape (n_rows, n_models)
        One column a model; larger means more likely positive.
    groups : array_like of shape (n_rows,), optional
        For instance the fold of each row.
    sample_weight, pos_label, recall_range, prevalence, negative_gains
        As in `areas`.

    Returns
    -------
    AreasMany
        Named tuple with the fields of `Areas`. Without groups every field is an array of shape (n_models,);
        with groups of shape (n_groups, n_models), groups in the order of ``np.unique(groups)``. The fields
        n, n_positive, weight, weight_positive, prevalence and reference_prevalence depend on the group only;
        they are broadcast to the same shape (read-only views). A group of one class has NaN areas; one
        warning a call says how many there are.

    Raises
    ------
    ValueError
        As `areas`.

    Examples
    --------
    >>> y, fold = [1, 0, 1, 0, 1, 0, 0, 1], [0, 0, 0, 0, 1, 1, 1, 1]
    >>> scores = np.array([[8, 1], [7, 2], [6, 3], [5, 4], [4, 5], [3, 6], [2, 7], [1, 8]])
    >>> areas_many(y, scores).auroc.tolist()
    [0.5625, 0.4375]
    >>> areas_many(y, scores, groups=fold).auroc.tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    options, asked = _checked_options(recall_range, prevalence, negative_gains)
    matrix = inputs.checked_scores(scores, "scores", ndim=2)
    labels, _ = inputs.counted_labels(y_true, pos_label, len(matrix), "scores")
    inputs.refuse_nan(matrix, "scores")
    positive, n_rows = labels == 1, matrix.shape[0]
    weight = inputs.checked_weights(sample_weight, n_rows)
    codes, n_groups = np.zeros(n_rows, dtype=np.int64), 1
    if groups is not None:
        codes, n_groups = inputs.checked_groups(groups, n_rows)
    exponents = np.zeros(n_groups, dtype=np.int64)
    if weight is not None:
        weight, exponents = inputs.leveled_weights(weight, positive, codes, n_groups)
    sums, weights = many_rankings(positive, matrix, codes, n_groups, weight, options)
    undefined = int((weights == 0).any(axis=1).sum())
    if undefined:
        where = "y_true holds" if groups is None else f"{undefined} of {n_groups} groups hold"
        inputs.warn_one_class(f"{where} one class only: areas", stacklevel=3)
    values = np.empty((n_groups, matrix.shape[1], 5))
    finish(sums, weights, options, values)
    total, P = weights.sum(axis=1), weights[:, 0]
    with np.errstate(invalid="ignore"):
        observed = P / total
    n, n_positive = np.bincount(codes, minlength=n_groups), np.bincount(codes[positive], minlength=n_groups)
    reference = observed if asked is None else np.full(n_groups, asked)
    per_group = (n, n_positive, np.ldexp(total, exponents), np.ldexp(P, exponents), observed, reference)
    shape = values.shape[:2]
    fields = [*np.moveaxis(values, -1, 0), *(np.broadcast_to(field[:, None], shape) for field in per_group)]
    return AreasMany(*(fields if groups is not None else (field[0] for field in fields)))


def _checked_options(recall_range, prevalence, negative_gains) -> tuple[np.ndarray, float | None]:
    """Check the options and pack them for the compiled pass: prevalence or 0, clip, a, b."""
    clip = checked_negative_gains(negative_gains)
    a, b = checked_recall_range(recall_range)
    asked = checked_prevalence(prevalence)
    return np.array([asked or 0.0, clip, a, b]), asked
