"""Intervals of one model's area, and of the difference of two.

An interval is made so that it covers the area of the population in about 95 % of all samples. The argument
`sampling` says which numbers of rows are the same in all these samples.
`aucstudy.metrics.uncertainty.standard_errors` says how the intervals are made, and docs/metrics.md how often
they do cover it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics.containers import columns_by_name
from aucstudy.metrics.inputs import checked_labels
from aucstudy.metrics.registry import keys
from aucstudy.metrics.uncertainty.sample import Sample, checked_sample
from aucstudy.metrics.uncertainty.standard_errors import ROUNDING, SamplingErrors, Seed, sampling_errors

LEAST_P = 1e-15


class Interval(NamedTuple):
    """An area with the limits of its interval."""

    estimate: float
    low: float
    high: float


class Comparison(NamedTuple):
    """A difference of areas with the limits of its interval, and its p-value.

    Without a margin p is two-sided: at level 1 - p one of the limits is 0. No p is given as less than 1e-15.
    """

    estimate: float
    low: float
    high: float
    p: float


class ModelComparison(NamedTuple):
    """The area of the first model less that of the second, as in a `Comparison`.

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
    area: str,
    level: float = 0.95,
    method: str | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    folds: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
    sampling: str = "classes",
    seed: int = 1,
) -> Interval:
    """Return the area of one model's scores with the limits of its interval.

    Other arguments and errors are as for `areas`. Fewer than two rows, or groups, with a positive or with a negative
    are a ValueError, not NaN.

    Parameters
    ----------
    area : {"auroc", "aupr", "auprg", "aucnpr", "average_precision"}
        The area that the interval is for.
    level : float
        The level of confidence, in (0, 1).
    method : {"delong"}, optional
        "delong" gives normal limits from the rows that were seen, for `auroc` alone (DeLong et al. 1988). Where these
        rows have no variance, as those of a perfect ranking, the limits leave room for rows that were not seen. The
        default gives Student's limits, which always leave this room. Their variance comes from random halves of the
        rows, or from influence functions where the rows of the rarer class times the prevalence are 100 or more.
    groups : array_like of shape (n,), optional
        The patient, user or document of each row. Another sample has all rows of a group or none.
    folds : array_like of shape (n,), optional
        The fold of each row. Another sample has as many rows of each fold. The area is of all rows together.
    sampling : {"classes", "rows"}
        What is the same in another sample: the number of rows of each class (within each fold), or of all
        rows. With `groups` it is the number of groups with a positive and of those without one, or of all
        groups. At a given `prevalence` both options are the same and keep the
        classes, because the area no longer depends on the share of positives in the sample.
    seed : int
        The seed of the random halves.

    Returns
    -------
    Interval
        The estimate, and the limits low and high, which stay within the range of the area.

    Examples
    --------
    >>> y, score = [1, 0, 1, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    >>> [round(value, 3) for value in interval(y, score, area="auroc", method="delong")]
    [0.688, 0.252, 1.0]
    """
    k = _checked(area, level, method)
    sample = checked_sample(
        y_true, {"y_score": y_score}, sample_weight, groups, folds, pos_label, prevalence, sampling
    )
    errors = _errors(sample, k, method, seed)
    return Interval(float(errors.areas[0, k]), *errors.limits(k, level)[:, 0].tolist())


def compare(
    y_true: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    area: str,
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
) -> Comparison:
    """Return the area of scores `a` less that of scores `b` of the same rows, with its interval and p-value.

    Other arguments and errors are as for `interval`.

    Parameters
    ----------
    a, b : array_like of shape (n,)
        The scores of the two models.
    margin : float, optional
        A margin of non-inferiority (Chen, Petrick and Sahiner 2012), above 0 and below the largest difference that two
        values of the area can have at this prevalence, else ValueError. With a margin p is one-sided, of the hypothesis
        "`a` is worse by the margin or more": it is below .025 just where the limits at level .95 lie above -margin.

    Examples
    --------
    >>> y, a, b = [1, 0, 1, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1], [5, 1, 2, 8, 7, 3, 6, 4]
    >>> round(compare(y, a, b, area="auroc", method="delong").p, 3)
    1.0
    """
    k = _checked(area, level, method)
    sample = checked_sample(
        y_true, {"a": a, "b": b}, sample_weight, groups, folds, pos_label, prevalence, sampling
    )
    difference = _errors(sample, k, method, seed).difference(k, 0, 1)
    if margin is not None and not 0 < margin < difference.widest:
        raise ValueError(
            f"margin must lie strictly between 0 and {difference.widest:.6g}, not {margin!r}: "
            f"at this prevalence no two values of {area} differ by more"
        )
    p = difference.p() if margin is None else difference.p_below(-margin)
    low, high = difference.limits(level).tolist()
    return Comparison(float(difference.estimate), low, high, max(float(p), LEAST_P))


def compare_models(
    y_true: ArrayLike,
    scores: Any,
    *,
    area: str,
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
    >>> for pair in compare_models([1, 0, 1, 1, 0, 0, 1, 0], scores, area="auroc", method="delong", against="a"):
    ...     print(pair.first, pair.second, round(pair.estimate, 3), round(pair.p, 3), round(pair.p_adjusted, 3))
    a b 0.0 1.0 1.0
    a c 0.375 0.399 0.799
    """
    k = _checked(area, level, method)
    scores = columns_by_name(scores, len(checked_labels(y_true, pos_label)))
    names = list(scores)
    if len(names) < 2:
        raise ValueError(f"scores must be of two or more models, not {names!r}")
    if against not in (None, *names):
        raise ValueError(f"against must be one of the models, not {against!r}")
    sample = checked_sample(y_true, scores, sample_weight, groups, folds, pos_label, prevalence, sampling)
    errors = _errors(sample, k, method, seed)
    if against is None:
        first, second = np.triu_indices(len(names), 1)
    else:
        first = np.full(len(names) - 1, names.index(against))
        second = np.array([i for i, name in enumerate(names) if name != against])
    difference = errors.difference(k, first, second)
    p = np.maximum(difference.p(), LEAST_P)
    columns = (difference.estimate, *difference.limits(level), p, holm(p))
    pairs = zip(first, second, zip(*(column.tolist() for column in columns), strict=True), strict=True)
    return [ModelComparison(names[i], names[j], *numbers) for i, j, numbers in pairs]


def holm(p: np.ndarray) -> np.ndarray:
    """Return the p-values adjusted for their number (Holm 1979)."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), 1.0)
    return adjusted


def _checked(area: str, level: float, method: str | None) -> int:
    """Check the three arguments, and return the index of the area in `keys`."""
    if area not in keys():
        raise ValueError(f"area must be one of {', '.join(map(repr, keys()))}, not {area!r}")
    if not (isinstance(level, (int, float)) and 0 < level < 1):
        raise ValueError(f"level must lie strictly between 0 and 1, not {level!r}")
    if method not in (None, "delong"):
        raise ValueError(f"method must be 'delong' or None, not {method!r}")
    if method == "delong" and area != "auroc":
        raise ValueError(f"method 'delong' is for area 'auroc', not {area!r}")
    return keys().index(area)


def _errors(sample: Sample, k: int, method: str | None, seed: Seed) -> SamplingErrors:
    if method is None:
        return sampling_errors(sample, ks=[k], seed=seed)
    errors = sampling_errors(sample, ks=[k], by_influence=True)
    # Where there is no variance, as for a perfect ranking, the effects of unseen rows are kept.
    has_variance = errors.covariance[k].diagonal() > ROUNDING**2
    return errors._replace(unseen=np.where(has_variance, 0.0, errors.unseen), df=np.inf)
