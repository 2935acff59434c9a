"""Areas under ROC, precision-recall and precision-recall-gain curves, all from one pass over the scores.

`aucstudy.metrics.definition` defines them on a page.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics import inputs
from aucstudy.metrics.kernel import Options
from aucstudy.metrics.registry import N_COMPILED, further_metrics, index, keys
from aucstudy.metrics.rows import areas_of_rows

AVERAGES = ("micro", "macro", "weighted", "samples", None)


class _AreaFields(NamedTuple):
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


class Areas(_AreaFields):
    """All areas of one ranking, with its rows and weights.

    A metric of one's own, see `aucstudy.metrics.registry`, is a further attribute, with the metric's key for a name.
    """


class _AreaArrays(NamedTuple):
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


class AreasMany(_AreaArrays):
    """The fields of `Areas` as arrays."""


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

    Each is defined in `aucstudy.metrics.definition`. The other functions for labels and scores explain no argument that
    they share with this one: it means the same there and raises the same errors.

    Parameters
    ----------
    y_true : array_like of shape (n,) or (n, 1)
        Labels.
    y_score : array_like of shape (n,) or (n, 1)
        Scores, larger meaning more likely positive; infinities order as the largest and smallest.
    sample_weight : array_like of shape (n,), optional
        Weights, finite and not negative; their scale does not matter. The largest weights of the two classes must lie
        within a factor of 2^256 of each other.
    pos_label : label, optional
        The positive label; without it labels must be 0/1, -1/1 or False/True.
    recall_range : (float, float), optional
        Recalls to integrate `aupr` and `aucnpr` over, 0 <= a < b <= 1; the other areas stay whole.
    prevalence : float, optional
        Compute what the same ROC curve gives at this share of positives, in [1e-100, 1): for `aupr` the calibrated area
        of Siblini et al. 2020. At a share below the observed one, `aupr`, `aucnpr` and `average_precision` of few
        negatives are biased upwards.
    negative_gains : {"signed", "clip"}, default "signed"
        Whether negative precision gains count as negative area in `auprg`, or as 0.

    Returns
    -------
    Areas
        The areas; how many rows and positive rows there are, n and n_positive; the sums of their weights, weight and
        weight_positive; the observed (weighted) prevalence; and the reference_prevalence, which the areas are at. The
        areas are NaN, with UndefinedMetricWarning, where only one class has weight. They are exact to
        1e-12 max(1, |value|) for up to ten million rows; `aucnpr` of weighted rows over recalls (a, b) is exact to
        1e-15 / (b - a), if that is more.

    Raises
    ------
    ValueError
        A NaN score, labels not of two values or ambiguous, lengths that differ, no rows, more dimensions, weights or
        options out of range.

    Examples
    --------
    >>> result = areas([1, 1, 0, 0, 1, 0], [0.8, 0.8, 0.6, 0.4, 0.4, 0.2])
    >>> round(result.auroc, 6), round(result.aupr, 6), round(result.auprg, 6), round(result.aucnpr, 6)
    (0.833333, 0.875902, 0.708333, 0.820965)
    """
    options = _options(recall_range, prevalence, negative_gains)
    rows = inputs.checked_rows(y_true, y_score, sample_weight, pos_label)
    values, weights = _values_of(rows, options)
    P, N = weights[0].tolist()
    observed = P / (P + N) if P + N > 0 else np.nan
    weight, weight_positive = P + N, P
    if rows.weight is not None:
        weight, weight_positive = np.ldexp((P + N, P), rows.exponents).tolist()
    row = values[0, 0].tolist()
    result = Areas(
        *row[:N_COMPILED],
        n=rows.scores.size,
        n_positive=rows.n_positive,
        weight=weight,
        weight_positive=weight_positive,
        prevalence=observed,
        reference_prevalence=options.prevalence or observed,
    )
    for entry, value in zip(further_metrics(), row[N_COMPILED:], strict=True):
        setattr(result, entry.key, value)
    return result


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
    """Compute all areas of every column of `scores` (n_rows, n_models), separately in each group if `groups` are given.

    Fields have shape (n_models,), or with groups (n_groups, n_models), in the order of ``np.unique(groups)``. Fields
    that are the same for all models are read-only views.

    Examples
    --------
    >>> y, scores = [1, 0, 1, 1, 0, 0], np.array([[6, 1], [5, 2], [4, 3], [3, 4], [2, 5], [1, 6]])
    >>> areas_many(y, scores).auroc.round(3).tolist()
    [0.778, 0.222]
    >>> areas_many(y, scores, groups=[0, 0, 0, 1, 1, 1]).auroc.tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    options = _options(recall_range, prevalence, negative_gains)
    rows = inputs.checked_rows(y_true, scores, sample_weight, pos_label, groups, name="scores", ndim=2)
    values, weights = _values_of(rows, options)
    total, P = weights.sum(axis=1), weights[:, 0]
    with np.errstate(invalid="ignore"):
        observed = P / total
    codes = rows.group_codes()
    counts = [np.bincount(members, minlength=len(P)) for members in (codes, codes[rows.labels == 1])]
    sums = np.ldexp(total, rows.exponents), np.ldexp(P, rows.exponents)
    references = np.full(len(P), options.prevalence) if options.prevalence else observed
    per_group = (*counts, *sums, observed, references)
    per_model = (np.broadcast_to(field[:, None], values.shape[:2]) for field in per_group)
    by_metric = np.moveaxis(values, -1, 0)
    fields = [*by_metric[:N_COMPILED], *per_model, *by_metric[N_COMPILED:]]
    fields = fields if groups is not None else [field[0] for field in fields]
    n_fields = len(AreasMany._fields)
    result = AreasMany(*fields[:n_fields])
    for entry, field in zip(further_metrics(), fields[n_fields:], strict=True):
        setattr(result, entry.key, field)
    return result


def auroc(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
) -> float | np.ndarray:
    """Compute the area under the ROC curve, in [0, 1].

    It is the probability that a positive scores above a negative, where a tie counts half. Hanley and McNeil 1982.

    Parameters
    ----------
    y_true, y_score : array_like of shape (n,) or (n, n_labels)
        As for `areas`, or a multilabel indicator and its scores. This holds for every function of one area.
    average : {"macro", "micro", "weighted", "samples", None}, default "macro"
        How the labels of an indicator are averaged, as in scikit-learn; None returns (n_labels,) values. The mean is
        NaN where a label, or with "samples" a row, has one class only; "weighted" leaves out labels without positives.

    Examples
    --------
    >>> round(auroc([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]), 6)
    0.75
    """
    return one_area(y_true, y_score, "auroc", average, sample_weight, pos_label, stacklevel=6)


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
    """Compute the area under the precision-recall curve: the exact integral, with hyperbolas between points.

    It is in [`aucpr_min`, 1]; over a recall range (a, b) it is at most b - a. Davis and Goadrich 2006; Keilwagen,
    Grosse and Grau 2014; Boyd et al. 2012, Corollary 4.

    Examples
    --------
    >>> round(aupr([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]), 6)
    0.797267
    """
    options = {"recall_range": recall_range, "prevalence": prevalence}
    return one_area(y_true, y_score, "aupr", average, sample_weight, pos_label, stacklevel=6, **options)


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
    """Compute the area under the precision-recall-gain curve over recall gains in [0, 1].

    It is at most 1, and 0 where all scores are equal. Signed, it is at least (1 - 1/pi)/2, far below 0 at a small
    prevalence pi: one bad fold or data set can outweigh all others in a mean. Clipped, it is in [0, 1]. Flach and Kull
    2015, section 3; `aucstudy.metrics.definition` has the formula.

    Examples
    --------
    >>> round(auprg([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]), 6)
    0.25
    """
    options = {"prevalence": prevalence, "negative_gains": negative_gains}
    return one_area(y_true, y_score, "auprg", average, sample_weight, pos_label, stacklevel=6, **options)


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
    """Compute AUCNPR: the area under the precision-recall curve on a scale from its minimum (0) to its maximum (1).

    It is (AUPR - MIN)/(MAX - MIN) over the recall range, in [0, 1]: Boyd et al. 2012, section 4.

    Examples
    --------
    >>> round(aucnpr([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]), 6)
    0.707519
    """
    options = {"recall_range": recall_range, "prevalence": prevalence}
    return one_area(y_true, y_score, "aucnpr", average, sample_weight, pos_label, stacklevel=6, **options)


def average_precision(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    average: str | None = "macro",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
) -> float | np.ndarray:
    """Compute average precision: the mean precision over the steps of recall, without interpolation.

    It is in (0, 1], and of unweighted rows at least `ap_min`. Where `y_true` holds one class it is NaN, unlike
    scikit-learn's. Manning, Raghavan and Schuetze 2008, section 8.4.

    Examples
    --------
    >>> round(average_precision([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]), 6)
    0.833333
    """
    arguments = (y_true, y_score, "average_precision", average, sample_weight, pos_label)
    return one_area(*arguments, stacklevel=6, prevalence=prevalence)


def one_area(
    y_true: ArrayLike,
    y_score: ArrayLike,
    metric: str,
    average: str | None = "macro",
    sample_weight: ArrayLike | None = None,
    pos_label: Any = None,
    *,
    stacklevel: int = 5,
    **options,
) -> float | np.ndarray:
    """Compute the metric with this key, as `auroc` does for its own; options are as for `areas`."""
    if average not in AVERAGES:
        raise ValueError(f"average must be one of {', '.join(map(repr, AVERAGES))}, not {average!r}")
    checked_options = _options(**options)
    rows = inputs.checked_rows_of_labels(y_true, y_score, sample_weight, pos_label, average)
    all_values, weights = _values_of(rows, checked_options, stacklevel)
    values = all_values[:, 0, index(metric)]
    if rows.codes is None:
        return values[0].item()
    if average is None:
        return values
    if average == "macro" or (average == "samples" and sample_weight is None):
        return float(values.mean())
    share = np.ldexp(weights[:, 0], rows.exponents)
    if average == "samples":
        share = inputs.checked_weights(sample_weight, len(values))
    if not share.any():
        return np.nan
    share = np.ldexp(share, -np.frexp(share.max())[1])  # otherwise the sum of large weights is infinite
    return float(np.average(np.where(share == 0, 0.0, values), weights=share))


def _options(
    recall_range: tuple[float, float] | None = None,
    prevalence: float | None = None,
    negative_gains: str = "signed",
) -> Options:
    checked = inputs.checked_options(recall_range, prevalence, negative_gains)
    return Options(checked.prevalence or 0.0, checked.clip, *checked.recalls)


def _values_of(rows: inputs.Rows, options: Options, stacklevel: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Return all metrics (n_groups, n_models, n_metrics), and P and N (n_groups, 2); warn where one of them is 0."""
    values, weights = areas_of_rows(rows, options)
    if not weights.all():
        n_undefined = np.count_nonzero((weights == 0).any(axis=1))
        groups = "y_true holds" if rows.codes is None else f"{n_undefined} of {len(weights)} groups hold"
        inputs.warn_one_class(f"{groups} one class only: areas", stacklevel)
    return values, weights


def by_key(result: Areas | AreasMany) -> dict[str, Any]:
    """Return all metrics of a result by their keys, in the order of the registry."""
    return {key: getattr(result, key) for key in keys()}


class FoldAreas(NamedTuple):
    """All metrics (m,) of m models by key, once from all rows `pooled` and once as a `mean` over folds.

    The mean is over the folds that have both classes, which are `usable`. `n_rows`, `n_positive` and `usable`
    have an entry for each fold.
    """

    pooled: dict[str, np.ndarray]
    mean: dict[str, np.ndarray]
    n_rows: np.ndarray
    n_positive: np.ndarray
    usable: np.ndarray


def fold_areas(y_true: np.ndarray, scores: np.ndarray, folds: np.ndarray | None, **options) -> FoldAreas:
    """Compute every metric of (n, m) scores, once from all rows pooled and once as the mean over `folds`.

    `folds` (n,) are numbered from 0 without gaps. None stands for one fold, whose areas are the pooled ones.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `usable` says which folds have both classes
        pooled = areas_many(y_true, scores, **options)
        by_fold = None if folds is None else areas_many(y_true, scores, groups=folds, **options)
    folds = np.zeros(len(y_true), dtype=int) if folds is None else folds
    n_rows, n_positive = np.bincount(folds), np.bincount(folds, weights=y_true).astype(int)
    usable = (n_positive > 0) & (n_positive < n_rows)
    pooled_areas = by_key(pooled)
    mean, undefined_means = pooled_areas, np.full(scores.shape[1], np.nan)
    if by_fold is not None:
        mean = {
            key: values[usable].mean(axis=0) if usable.any() else undefined_means
            for key, values in by_key(by_fold).items()
        }
    return FoldAreas(pooled_areas, mean, n_rows, n_positive, usable)
