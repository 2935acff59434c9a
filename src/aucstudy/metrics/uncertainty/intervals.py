"""Intervals of one model's area, and of the difference of two, at the observed class counts.

`aucstudy.metrics.uncertainty.spread` says how they are made, docs/metrics.md what they cover.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.area_names import AREAS
from aucstudy.metrics.tied_groups import tied_groups
from aucstudy.metrics.uncertainty.sample import Sample, checked_sample
from aucstudy.metrics.uncertainty.spread import (
    Models,
    Seed,
    Spreads,
    extremes,
    spread,
)

METHODS = ("delong", "influence", "padded", "halves", "larger")
# influence functions do as well where the rarer class has so many rows, and these times the prevalence are so many
MANY_OF_MINORITY, BELOW_GAIN_ZERO = 1000, 100
LEAST_P = 1e-15
PAIRS_AT_ONCE = 20_000


class Interval(NamedTuple):
    """An area with the limits of its interval."""

    estimate: float
    low: float
    high: float


class Comparison(NamedTuple):
    """A difference of areas with the limits of its interval, and p, at least 1e-15: at level 1 - p a limit is 0."""

    estimate: float
    low: float
    high: float
    p: float


class ModelComparison(NamedTuple):
    """The first area less the second, as a `Comparison`; `p_adjusted`, not the limits, for all pairs (Holm 1979)."""

    first: str
    second: str
    estimate: float
    low: float
    high: float
    p: float
    p_adjusted: float


def source_of(sample: Sample, area: str, method: str | None, of_difference: bool) -> str:
    if method is not None:
        return method
    if influence_will_do(sample.n_minority(), sample.reference_prevalence()):
        return "influence"
    # benchmarks/area_intervals_edges.py
    return "larger" if not of_difference or area == "auroc" else "halves"


def influence_will_do(n_minority: float, prevalence: float) -> bool:
    return n_minority >= MANY_OF_MINORITY and n_minority * prevalence >= BELOW_GAIN_ZERO


def interval_of_model(sample: Sample, spreads: Spreads, k: int, model: int, level: float) -> Interval:
    limits = spreads.limits(k, model, level) or extremes(sample.of([model]), level)[:, 0, k]
    return Interval(*map(float, (spreads.areas[model, k], *limits)))


def limits_of_all(sample: Sample, level: float = 0.95, seed: Seed = 1) -> np.ndarray:
    """(m, 5, 2) the limits of `interval` of every area."""
    # of one model alone the source is that of any area
    spreads = spread(sample, source_of(sample, "aupr", None, False), seed)
    limits = [
        [interval_of_model(sample, spreads, k, model, level)[1:] for k in range(len(AREAS))]
        for model in range(len(spreads.areas))
    ]
    return np.array(limits)


def compare_pairs(
    sample: Sample,
    spreads: Spreads,
    k: int,
    first: np.ndarray,
    second: np.ndarray,
    level: float,
) -> Comparison:
    """One `Comparison` whose fields are arrays of shape (pairs,)."""
    if first.size > PAIRS_AT_ONCE:
        pieces = (np.array_split(models, first.size // PAIRS_AT_ONCE + 1) for models in (first, second))
        compared = [compare_pairs(sample, spreads, k, a, b, level) for a, b in zip(*pieces, strict=True)]
        return Comparison(*map(np.concatenate, zip(*compared, strict=True)))
    estimate = spreads.areas[first, k] - spreads.areas[second, k]
    if spreads.n_minority > 1:
        low, high = spreads.limits_of_difference(k, first, second, level)
        p = np.where(estimate == 0, 1.0, spreads.p_of_difference(k, first, second))
    else:
        low, high, p = (np.full(first.shape, number) for number in (np.nan, np.nan, 1.0))
    bare = np.flatnonzero(np.isnan(low))  # of any spread
    if bare.size:
        low[bare], high[bare] = _limits_by_extremes(extremes(sample, level), k, first[bare], second[bare])
    for i in bare[(estimate[bare] != 0) & (spreads.n_minority > 1)]:
        p[i] = _p_by_extremes(sample.of([first[i], second[i]]), k)
    return Comparison(estimate, low, high, np.maximum(p, LEAST_P))


def _limits_by_extremes(ends: np.ndarray, k: int, first: Models, second: Models) -> np.ndarray:
    lowest, highest = ends[..., k]
    return np.stack([lowest[first] - highest[second], highest[first] - lowest[second]])


def _p_by_extremes(pair: Sample, k: int) -> float:
    rankings = tied_groups(pair.y_true, pair.scores)

    def leaves_out_0(level: float) -> bool:
        low, high = _limits_by_extremes(extremes(pair, level, rankings=rankings), k, 0, 1)
        return low > 0 or high < 0

    return 1 - _highest_level(leaves_out_0, 1.0)


def _highest_level(holds: Callable[[float], bool], below: float) -> float:
    level = 0.0
    while level < (middle := (level + below) / 2) < below:
        level, below = (middle, below) if holds(middle) else (level, middle)
    return level


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
    """An interval of one model's area.

    Other arguments and errors as for `areas`, and ValueError where only one row, or group, is positive or negative.

    Parameters
    ----------
    area : {"auroc", "aupr", "auprg", "aucnpr", "average_precision"}
    level : float
        In (0, 1).
    method : {"delong", "influence", "padded", "halves", "larger"}, optional
        Where the spread comes from: influence functions, those of a sample padded with four rows, random halves, or
        the larger of the last two; "delong" has normal limits, for `auroc` alone (DeLong et al. 1988). Default:
        influence functions where the rarer class has n >= 1,000 rows and n times the prevalence is at least 100; else
        what covered best in simulations.
    groups : array_like of shape (n,), optional
        Patients, users or documents, whose rows stand or fall together.
    folds : array_like of shape (n,), optional
        Each keeps its numbers of positives and negatives; the area is of all rows.
    sampling : {"classes", "rows"}
        What another sample has as many of: rows of each class, or rows.
    seed : int
        Of the random halves.

    Returns
    -------
    Interval
        estimate, low, high.

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
    spreads = spread(sample, source_of(sample, area, method, False), seed, ks=[k])
    return interval_of_model(sample, spreads, k, 0, level)


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
    """The area of scores `a` less that of scores `b` of the same rows, with an interval and a p-value.

    Other arguments and errors as for `interval`.

    Parameters
    ----------
    a, b : array_like of shape (n,)
    margin : float, optional
        In (0, 1). Then p is one-sided, of "`a` is worse by the margin or more", and below .025 just where the 95 %
        interval lies above -margin (non-inferiority; Chen, Petrick and Sahiner 2012).

    Examples
    --------
    >>> y, a, b = [1, 0, 1, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1], [5, 1, 2, 8, 7, 3, 6, 4]
    >>> round(compare(y, a, b, area="auroc", method="delong").p, 3)
    1.0
    """
    k = _checked(area, level, method)
    if margin is not None and not 0 < margin < 1:
        raise ValueError(f"margin must lie strictly between 0 and 1, not {margin!r}")
    sample = checked_sample(
        y_true, {"a": a, "b": b}, sample_weight, groups, folds, pos_label, prevalence, sampling
    )
    spreads = spread(sample, source_of(sample, area, method, True), seed, ks=[k])

    def limits(level: float) -> Comparison:
        pair = compare_pairs(sample, spreads, k, np.array([0]), np.array([1]), level)
        return Comparison(*(float(column[0]) for column in pair))

    compared = limits(level)
    return compared if margin is None else compared._replace(p=_p_worse(limits, margin))


def _p_worse(limits: Callable[[float], Comparison], margin: float) -> float:
    """The one-sided p-value of a difference of -margin or less."""
    better = limits(0.5).estimate > -margin

    def excludes_margin(level: float) -> bool:
        return limits(level).low > -margin if better else limits(level).high < -margin

    tail = max((1 - _highest_level(excludes_margin, 1 - LEAST_P)) / 2, LEAST_P)
    return tail if better else 1 - tail


def compare_models(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike],
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
    """Every two of several models compared, or every one with the model `against`.

    Other arguments and errors as for `interval`.

    Parameters
    ----------
    scores : the (n,) scores by the name of their model, or the columns of a data frame, two or more.
    against : the model that is `first` in every pair, so that a positive estimate is in its favour.

    Examples
    --------
    >>> scores = {"a": [8, 7, 6, 5, 4, 3, 2, 1], "b": [5, 1, 2, 8, 7, 3, 6, 4], "c": [1, 2, 3, 4, 5, 6, 7, 8]}
    >>> for pair in compare_models([1, 0, 1, 1, 0, 0, 1, 0], scores, area="auroc", method="delong", against="a"):
    ...     print(pair.first, pair.second, round(pair.estimate, 3), round(pair.p, 3), round(pair.p_adjusted, 3))
    a b 0.0 1.0 1.0
    a c 0.375 0.399 0.799
    """
    k, names = _checked(area, level, method), list(scores)
    if len(names) < 2:
        raise ValueError(f"scores must be of two or more models, not {names!r}")
    if against not in (None, *names):
        raise ValueError(f"against must be one of the models, not {against!r}")
    sample = checked_sample(y_true, scores, sample_weight, groups, folds, pos_label, prevalence, sampling)
    spreads = spread(sample, source_of(sample, area, method, True), seed, ks=[k])
    if against is None:
        first, second = np.triu_indices(len(names), 1)
    else:
        first = np.full(len(names) - 1, names.index(against))
        second = np.array([i for i, name in enumerate(names) if name != against])
    compared = compare_pairs(sample, spreads, k, first, second, level)
    columns = (*compared, holm(compared.p))
    pairs = zip(first, second, zip(*(column.tolist() for column in columns), strict=True), strict=True)
    return [ModelComparison(names[i], names[j], *numbers) for i, j, numbers in pairs]


def holm(p: np.ndarray) -> np.ndarray:
    """p-values adjusted for how many they are (Holm 1979)."""
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), 1.0)
    return adjusted


def _checked(area: str, level: float, method: str | None) -> int:
    """The number of the area."""
    if area not in AREAS:
        raise ValueError(f"area must be one of {', '.join(map(repr, AREAS))}, not {area!r}")
    if not (isinstance(level, (int, float)) and 0 < level < 1):
        raise ValueError(f"level must lie strictly between 0 and 1, not {level!r}")
    if method is not None and method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}, not {method!r}")
    if method == "delong" and area != "auroc":
        raise ValueError(f"method 'delong' is for area 'auroc', not {area!r}")
    return AREAS.index(area)
