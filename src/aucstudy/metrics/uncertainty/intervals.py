"""Intervals of one model's metrics, and of the difference of two models.

An interval is made so that it covers the metric of the population in about 95 % of all samples. The argument
`sampling` says which numbers of rows are the same in all these samples.
`aucstudy.metrics.uncertainty.standard_errors` says how the intervals are made, and docs/intervals.md how often
they do cover it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.containers import columns_by_name
from aucstudy.metrics.inputs import checked_labels
from aucstudy.metrics.registry import index, keys
from aucstudy.metrics.registry import metric as metric_of
from aucstudy.metrics.target_metrics import target_of
from aucstudy.metrics.uncertainty.sample import Sample, checked_sample
from aucstudy.metrics.uncertainty.standard_errors import (
    HALVES,
    ROUNDING,
    Difference,
    Models,
    SamplingErrors,
    Seed,
    generator,
    sampling_errors,
)
from aucstudy.metrics.uncertainty.target_errors import target_errors

LEAST_P = 1e-15


class Interval(NamedTuple):
    """The value of a metric with the limits of its interval."""

    estimate: float
    low: float
    high: float


class Comparison(NamedTuple):
    """A difference of a metric with the limits of its interval, and its p-value.

    Without a margin p is two-sided: at level 1 - p one of the limits is 0. No p is given as less than 1e-15.
    """

    estimate: float
    low: float
    high: float
    p: float


class ModelComparison(NamedTuple):
    """The metric of the first model less that of the second, as in a `Comparison`.

    `p_adjusted` is adjusted for the number of pairs (Holm 1979); the limits and p are not.
    """

    first: str
    second: str
    estimate: float
    low: float
    high: float
    p: float
    p_adjusted: float


def limits_of_all(sample: Sample, level: float = 0.95, seed: Seed = 1) -> np.ndarray:
    """The limits (m, n_metrics, 2) that `interval` gives for every metric of every model."""
    errors = sampling_errors(sample, seed=seed)
    return np.stack([errors.limits(k, level).T for k in range(len(keys()))], axis=1)


def interval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    metric: str | None = None,
    level: float = 0.95,
    method: str | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    folds: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
    sampling: str = "classes",
    seed: int = 1,
) -> Interval | dict[str, Interval]:
    """Return a metric of one model's scores with the limits of its interval, or without `metric` all by their keys.

    Other arguments and errors are as for `areas`. Fewer than two rows, or groups, with a positive or with a negative
    are a ValueError, not NaN.

    Parameters
    ----------
    metric : str, optional
        The metric that the interval is for: a name of `aucstudy.metrics.registry`, such as "auroc", "aupr", "auprg",
        "aucnpr" and "average_precision" or "ap", or a target metric such as "f1" (`aucstudy.metrics.target_metrics`).
    level : float
        The level of confidence, in (0, 1).
    method : {"delong"}, optional
        "delong" gives normal limits from the rows that were seen, for `auroc` alone (DeLong et al. 1988). Where these
        rows have no variance, as those of a perfect ranking, the limits leave room for rows that were not seen. The
        default gives limits that always leave this room. Those of one model are normal, or Student's with fewer than
        ten rows or groups of a class; those of a difference are Student's. Their variance comes from random halves of
        the rows, or from influence functions where the rows of the rarer class times the prevalence are 100 or more.
        Target metrics have normal limits with the variance of random halves.
    groups : array_like of shape (n,), optional
        The patient, user or document of each row. Another sample has all rows of a group or none.
    folds : array_like of shape (n,), optional
        The fold of each row. Another sample has as many rows of each fold. The metric is of all rows together.
    sampling : {"classes", "rows"}
        What is the same in another sample: the number of rows of each class (within each fold), or of all
        rows. With `groups` it is the number of groups with a positive and of those without one, or of all
        groups. At a given `prevalence` both options are the same and keep the
        classes, because the metric no longer depends on the share of positives in the sample.
    seed : int
        The seed of the random halves.

    Returns
    -------
    Interval
        The estimate, and the limits low and high, which stay within the range of the metric.

    Examples
    --------
    >>> y, score = [1, 0, 1, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    >>> [round(value, 3) for value in interval(y, score, metric="auroc", method="delong")]
    [0.688, 0.252, 1.0]
    >>> list(interval(y, score))
    ['auroc', 'aupr', 'auprg', 'aucnpr', 'average_precision']
    """
    names = _checked(metric, level, method)
    sample = checked_sample(
        y_true, {"y_score": y_score}, sample_weight, groups, folds, pos_label, prevalence, sampling
    )
    intervals = {
        name: Interval(float(errors.values[0]), *errors.limits(level)[:, 0].tolist())
        for name, errors in _errors(sample, names, method, seed).items()
    }
    return intervals if metric is None else intervals[names[0]]


def compare(
    y_true: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    metric: str | None = None,
    level: float = 0.95,
    method: str | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    folds: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
    sampling: str = "classes",
    seed: int = 1,
    margin: float | None = None,
) -> Comparison | dict[str, Comparison]:
    """Return the metric of scores `a` less that of scores `b` of the same rows, with its interval and p-value.

    Without `metric` there is a comparison for each metric, by their keys. Other arguments and errors are as for
    `interval`.

    Parameters
    ----------
    a, b : array_like of shape (n,)
        The scores of the two models.
    margin : float, optional
        A margin of non-inferiority (Chen, Petrick and Sahiner 2012), above 0 and below the largest difference that two
        values of the metric can have at this prevalence, else ValueError. With a margin p is one-sided, of the
        hypothesis "`a` is worse by the margin or more": it is below .025 just where the limits at level .95 lie above
        -margin.

    Examples
    --------
    >>> y, a, b = [1, 0, 1, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1], [5, 1, 2, 8, 7, 3, 6, 4]
    >>> round(compare(y, a, b, metric="auroc", method="delong").p, 3)
    1.0
    """
    names = _checked(metric, level, method)
    sample = checked_sample(
        y_true, {"a": a, "b": b}, sample_weight, groups, folds, pos_label, prevalence, sampling
    )
    comparisons = {
        name: _compared(name, errors.difference(0, 1), level, margin)
        for name, errors in _errors(sample, names, method, seed).items()
    }
    return comparisons if metric is None else comparisons[names[0]]


def _compared(name: str, difference: Difference, level: float, margin: float | None) -> Comparison:
    if margin is not None and not 0 < margin < difference.widest:
        raise ValueError(
            f"margin must lie strictly between 0 and {difference.widest:.6g}, not {margin!r}: "
            f"at this prevalence no two values of {name} differ by more"
        )
    p = difference.p() if margin is None else difference.p_below(-margin)
    low, high = difference.limits(level).tolist()
    return Comparison(float(difference.estimate), low, high, max(float(p), LEAST_P))


def compare_models(
    y_true: ArrayLike,
    scores: Any,
    *,
    metric: str,
    against: str | None = None,
    level: float = 0.95,
    method: str | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    folds: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
    sampling: str = "classes",
    seed: int = 1,
) -> list[ModelComparison]:
    """Compare every two of several models, or the model `against` with each of the others.

    Other arguments and errors are as for `interval`.

    Parameters
    ----------
    scores : data frame, mapping or array_like of shape (n, m)
        The scores of two or more models. A mapping has the (n,) scores of each model by its name. The columns of an
        array are called model 1, model 2 and so on.
    against : str, optional
        The name of the model that is `first` in every pair, so that a positive estimate is in its favour.

    Examples
    --------
    >>> scores = {"a": [8, 7, 6, 5, 4, 3, 2, 1], "b": [5, 1, 2, 8, 7, 3, 6, 4], "c": [1, 2, 3, 4, 5, 6, 7, 8]}
    >>> for pair in compare_models([1, 0, 1, 1, 0, 0, 1, 0], scores, metric="auroc", method="delong", against="a"):
    ...     print(pair.first, pair.second, round(pair.estimate, 3), round(pair.p, 3), round(pair.p_adjusted, 3))
    a b 0.0 1.0 1.0
    a c 0.375 0.399 0.799
    """
    [name] = _checked(metric, level, method)
    scores = columns_by_name(scores, len(checked_labels(y_true, pos_label)))
    models = list(scores)
    if len(models) < 2:
        raise ValueError(f"scores must be of two or more models, not {models!r}")
    if against not in (None, *models):
        raise ValueError(f"against must be one of the models, not {against!r}")
    sample = checked_sample(y_true, scores, sample_weight, groups, folds, pos_label, prevalence, sampling)
    if against is None:
        first, second = np.triu_indices(len(models), 1)
    else:
        first = np.full(len(models) - 1, models.index(against))
        second = np.array([i for i, model in enumerate(models) if model != against])
    difference = _errors(sample, [name], method, seed)[name].difference(first, second)
    p = np.maximum(difference.p(), LEAST_P)
    columns = (difference.estimate, *difference.limits(level), p, holm(p))
    pairs = zip(first, second, zip(*(column.tolist() for column in columns), strict=True), strict=True)
    return [ModelComparison(models[i], models[j], *numbers) for i, j, numbers in pairs]


def holm(p: np.ndarray) -> np.ndarray:
    """Return the p-values adjusted for their number (Holm 1979)."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), 1.0)
    return adjusted


def _checked(name: str | None, level: float, method: str | None) -> list[str]:
    """Check the three arguments, and return the keys of the metrics, or the name of the target metric."""
    if not (isinstance(level, (int, float)) and 0 < level < 1):
        raise ValueError(f"level must lie strictly between 0 and 1, not {level!r}")
    if method not in (None, "delong"):
        raise ValueError(f"method must be 'delong' or None, not {method!r}")
    names = list(keys()) if name is None else [_known(name)]
    if method == "delong" and names != ["auroc"]:
        raise ValueError(f"method 'delong' is for metric 'auroc', not {name!r}")
    return names


def _known(name: str) -> str:
    """Return the key of a metric, or the name of a target metric; ValueError for an unknown name."""
    try:
        return metric_of(name).key
    except ValueError as unknown:
        try:
            return target_of(name).name
        except (TypeError, ValueError):
            raise ValueError(f"{unknown}, or a target metric such as f1") from None


class _OneMetric(NamedTuple):
    """The errors of one metric: its `values` (m,), its limits at a level, and its differences between models."""

    values: np.ndarray
    limits: Callable[[float], np.ndarray]
    difference: Callable[[Models, Models], Difference]


def _errors(sample: Sample, names: list[str], method: str | None, seed: Seed) -> dict[str, _OneMetric]:
    """Return the errors of metrics by their keys, or of one target metric by its name."""
    if names[0] not in keys():
        if sample.prevalence:
            weight = sample.weights_at_prevalence()
            sample = sample._replace(weight=weight, prevalence=None, sampling="classes")
        of_target = target_errors(names[0], sample, draws=HALVES, rng=generator(seed))
        return {names[0]: _OneMetric(of_target.values, of_target.limits, of_target.difference)}
    ks = [index(key) for key in names]
    errors = sampling_errors(sample, ks=ks, seed=seed) if method is None else _errors_of_delong(sample, ks[0])
    return {
        key: _OneMetric(errors.areas[:, k], partial(errors.limits, k), partial(errors.difference, k))
        for key, k in zip(names, ks, strict=True)
    }


def _errors_of_delong(sample: Sample, k: int) -> SamplingErrors:
    errors = sampling_errors(sample, ks=[k], by_influence=True)
    # Where there is no variance, as for a perfect ranking, the effects of unseen rows are kept.
    has_variance = errors.covariance[k].diagonal() > ROUNDING**2
    unseen = np.where(has_variance, 0.0, errors.unseen)
    return errors._replace(unseen=unseen, df=np.inf, towards_zero=0.0)
