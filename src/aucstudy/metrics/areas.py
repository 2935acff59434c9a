"""Areas under ROC, precision-recall and precision-recall-gain curves, all from one pass over the scores."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.area_names import AREAS
from aucstudy.metrics import inputs
from aucstudy.metrics.engine.rankings import HoldsNaNError, many_rankings, one_ranking

AVERAGES = ("micro", "macro", "weighted", "samples", None)


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

    All functions of `aucstudy.metrics` share these arguments and these errors.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels, two values. Of a column, (n, 1), its values are taken.
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
        Compute what the same ROC curve would give at this share of positives, in [1e-100, 1). For `aupr` that is what
        Siblini et al. 2020, Master your metrics with calibration, call the calibrated area.
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
    options, asked = inputs.checked_options(recall_range, prevalence, negative_gains)
    scores = inputs.checked_scores(y_score)
    labels, n_positive = inputs.counted_labels(y_true, pos_label, scores.size, "y_score")
    exponent = 0
    if sample_weight is None:
        try:
            values, weights = one_ranking(labels, scores, n_positive, options)
        except HoldsNaNError:
            raise inputs.nan_error(scores, "y_score") from None
    else:
        inputs.refuse_nan(scores, "y_score")
        positive, codes = labels == 1, np.zeros(scores.size, dtype=np.int64)
        weight = inputs.checked_weights(sample_weight, scores.size)
        weight, (exponent,) = inputs.leveled_weights(weight, positive)
        values, weights = many_rankings(positive, scores[:, None], codes, 1, weight, options)
    if not weights.all():
        inputs.warn_one_class("y_true holds one class only: areas", stacklevel=3)
    P, N = weights[0].tolist()
    observed = P / (P + N) if P + N > 0 else np.nan
    weight, weight_positive = np.ldexp((P + N, P), exponent).tolist() if exponent else (P + N, P)
    return Areas(
        *values[0, 0].tolist(),
        n=scores.size,
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

    Other arguments and errors as for `areas`.

    Parameters
    ----------
    scores : array_like of shape (n_rows, n_models)
        One column a model.
    groups : array_like of shape (n_rows,), optional
        For instance the fold of each row.

    Returns
    -------
    AreasMany
        Named tuple with the fields of `Areas`. Without groups every field is an array of shape (n_models,);
        with groups of shape (n_groups, n_models), groups in the order of ``np.unique(groups)``. The fields that depend
        on the group only are broadcast to the same shape (read-only views). A group of one class has NaN areas; one
        warning a call says how many there are.

    Examples
    --------
    >>> y, fold = [1, 0, 1, 0, 1, 0, 0, 1], [0, 0, 0, 0, 1, 1, 1, 1]
    >>> scores = np.array([[8, 1], [7, 2], [6, 3], [5, 4], [4, 5], [3, 6], [2, 7], [1, 8]])
    >>> areas_many(y, scores).auroc.tolist()
    [0.5625, 0.4375]
    >>> areas_many(y, scores, groups=fold).auroc.tolist()
    [[0.75, 0.25], [0.5, 0.5]]
    """
    options, asked = inputs.checked_options(recall_range, prevalence, negative_gains)
    matrix = inputs.checked_scores(scores, "scores", ndim=2)
    labels, _ = inputs.counted_labels(y_true, pos_label, len(matrix), "scores")
    inputs.refuse_nan(matrix, "scores")
    positive, n_rows = labels == 1, matrix.shape[0]
    weight = inputs.checked_weights(sample_weight, n_rows)
    codes, n_groups = np.zeros(n_rows, dtype=np.int64), 1
    if groups is not None:
        codes, n_groups = inputs.checked_groups(groups, n_rows)
    weight, exponents = inputs.leveled_weights(weight, positive, codes, n_groups)
    values, weights = many_rankings(positive, matrix, codes, n_groups, weight, options)
    undefined = int((weights == 0).any(axis=1).sum())
    if undefined:
        where = "y_true holds" if groups is None else f"{undefined} of {n_groups} groups hold"
        inputs.warn_one_class(f"{where} one class only: areas", stacklevel=3)
    total, P = weights.sum(axis=1), weights[:, 0]
    with np.errstate(invalid="ignore"):
        observed = P / total
    n, n_positive = np.bincount(codes, minlength=n_groups), np.bincount(codes[positive], minlength=n_groups)
    reference = observed if asked is None else np.full(n_groups, asked)
    per_group = (n, n_positive, np.ldexp(total, exponents), np.ldexp(P, exponents), observed, reference)
    shape = values.shape[:2]
    fields = [*np.moveaxis(values, -1, 0), *(np.broadcast_to(field[:, None], shape) for field in per_group)]
    return AreasMany(*(fields if groups is not None else (field[0] for field in fields)))


def auroc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float | np.ndarray:
    """Area under the ROC curve: the probability that a positive scores above a negative, ties counting half.

    Other arguments and errors as for `areas`.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n,) or (n, n_labels)
        As for `areas`, or a multilabel indicator and its scores.
    average : {"micro", "macro", "weighted", "samples", None}, default "macro"
        How the labels of an indicator are averaged, as in scikit-learn; None returns one value a label.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        In [0, 1]; .5 for scores that say nothing.

    References
    ----------
    Hanley and McNeil 1982.

    Examples
    --------
    >>> round(auroc([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]), 6)
    0.75
    """
    return _one_area("auroc", y_true, y_score, average, sample_weight, pos_label)


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

    Arguments and errors as for `auroc` and `areas`.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        In [`aucpr_min`, 1]; about the prevalence for scores that say nothing. With
        `recall_range` (a, b) the integral from a to b, at most b - a.

    References
    ----------
    Davis and Goadrich 2006; Keilwagen, Grosse and Grau 2014; Boyd et al. 2012, Corollary 4 (recall range).

    Examples
    --------
    >>> round(aupr([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]), 6)
    0.797267
    """
    options = {"recall_range": recall_range, "prevalence": prevalence}
    return _one_area("aupr", y_true, y_score, average, sample_weight, pos_label, **options)


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

    Arguments and errors as for `auroc` and `areas`.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        At most 1; 0 for always-positive. Signed, it is at least (1 - 1/pi)/2, so means are ruled by single
        values; with ``negative_gains="clip"`` it is in [0, 1].

    References
    ----------
    Flach and Kull 2015, section 3.

    Examples
    --------
    >>> round(auprg([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]), 6)
    0.25
    """
    options = {"prevalence": prevalence, "negative_gains": negative_gains}
    return _one_area("auprg", y_true, y_score, average, sample_weight, pos_label, **options)


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

    Arguments and errors as for `auroc` and `areas`.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        In [0, 1]: (AUPR - MIN)/(MAX - MIN), over `recall_range` if given.

    References
    ----------
    Boyd et al. 2012, section 4.

    Examples
    --------
    >>> round(aucnpr([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]), 6)
    0.707519
    """
    options = {"recall_range": recall_range, "prevalence": prevalence}
    return _one_area("aucnpr", y_true, y_score, average, sample_weight, pos_label, **options)


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

    Arguments and errors as for `auroc` and `areas`.

    Returns
    -------
    float or ndarray of shape (n_labels,)
        In [0, 1]. Unlike scikit-learn's it is NaN where y_true holds one class.

    References
    ----------
    Manning, Raghavan and Schuetze 2008, section 8.4.

    Examples
    --------
    >>> round(average_precision([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]), 6)
    0.833333
    """
    return _one_area(
        "average_precision", y_true, y_score, average, sample_weight, pos_label, prevalence=prevalence
    )


def _one_area(field, y_true, y_score, average, sample_weight, pos_label, **options) -> float | np.ndarray:
    """One area of one ranking, or averaged over labels or rows by treating each as a group of one flat ranking."""
    if average not in AVERAGES:
        raise ValueError(f"average must be one of {', '.join(map(repr, AVERAGES))}, not {average!r}")
    y_true = inputs.plain_array(y_true, "y_true")
    if y_true.ndim != 2 or y_true.shape[1] == 1:
        return getattr(
            areas(y_true, y_score, sample_weight=sample_weight, pos_label=pos_label, **options), field
        )
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
    own = None if by_row else repeated
    grouped = areas_many(positive, scores.reshape(-1, 1), groups=group, sample_weight=own, **options)
    values = getattr(grouped, field)[:, 0]
    if average is None:
        return values
    share = None if average == "macro" else weight if by_row else grouped.weight_positive[:, 0]
    if share is None:
        return float(values.mean())
    if not share.any():
        return np.nan
    share = np.ldexp(share, -np.frexp(share.max())[1])  # else the sum of large weights is infinite
    return float(np.average(np.where(share == 0, 0.0, values), weights=share))


class FoldAreas(NamedTuple):
    """The areas of m models, each a (m,) array by name: pooled, and as the mean of the folds that have both classes.

    `n_rows` and `n_positive` are those of each fold, `usable` says which have both classes; the means are NaN where
    none has.
    """

    pooled: dict[str, np.ndarray]
    mean: dict[str, np.ndarray]
    n_rows: np.ndarray
    n_positive: np.ndarray
    usable: np.ndarray


def fold_areas(y_true: np.ndarray, scores: np.ndarray, folds: np.ndarray | None, **options) -> FoldAreas:
    """Every area of (n, m) scores, pooled and as the mean over the folds.

    `folds` (n,): numbers from 0; None for one fold, whose mean is the pooled area. `options` as for `areas_many`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `usable` says which folds have both classes
        pooled = areas_many(y_true, scores, **options)
        by_fold = None if folds is None else areas_many(y_true, scores, groups=folds, **options)
    whole = {area: getattr(pooled, area) for area in AREAS}
    if by_fold is None:
        folds = np.zeros(len(y_true), dtype=int)
    n_rows, n_positive = np.bincount(folds), np.bincount(folds, weights=y_true).astype(int)
    usable = (n_positive > 0) & (n_positive < n_rows)
    if by_fold is None:
        return FoldAreas(whole, whole, n_rows, n_positive, usable)
    undefined = np.full(scores.shape[1], np.nan)
    mean = {
        area: getattr(by_fold, area)[usable].mean(axis=0) if usable.any() else undefined for area in AREAS
    }
    return FoldAreas(whole, mean, n_rows, n_positive, usable)
