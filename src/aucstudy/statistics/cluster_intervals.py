"""95 % intervals of a mean over tasks that come in source groups, which take the group as the unit.

They estimate the task-weighted mean, the sum of all values over the number of tasks, from each group's sum of values
and size. Arrays may hold many data sets at once: `sums` and `sizes` are (..., g), what comes back is (...).
`benchmarks/interval_coverage.py` compares their coverage with that of others.
"""

from typing import NamedTuple

import numpy as np

LEVEL = 0.95
TAIL = (1 - LEVEL) / 2


class Bounds(NamedTuple):
    """The two ends of an interval."""

    low: np.ndarray
    high: np.ndarray


def group_sums(values: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each source group's sum of values and number of tasks, values that are NaN left out.

    >>> [part.tolist() for part in group_sums(np.array([1.0, 2.0, np.nan, 4.0]), np.array(["a", "a", "a", "b"]))]
    [[3.0, 4.0], [2.0, 1.0]]
    """
    values = np.asarray(values, dtype=float)
    known = np.isfinite(values)
    _, index = np.unique(np.asarray(groups, dtype=str)[known], return_inverse=True)
    return np.bincount(index, values[known]), np.bincount(index).astype(float)


def weighted_mean(sums: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The task-weighted mean."""
    return np.sum(sums, axis=-1) / np.sum(sizes, axis=-1)


def residuals(sums: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What each group adds to the error of the mean, and its share of the tasks."""
    total = np.sum(sizes, axis=-1, keepdims=True)
    return (sums - sizes * weighted_mean(sums, sizes)[..., None]) / total, sizes / total


def around(estimate: np.ndarray, variance: np.ndarray, freedom: np.ndarray | float) -> Bounds:
    """The t interval; without a degree of freedom nothing is known."""
    # imported here: scipy.stats takes most of a second, and most jobs need no quantile
    from scipy.special import stdtrit

    freedom = np.asarray(freedom, dtype=float)
    with np.errstate(invalid="ignore"):
        reach = np.where(
            freedom > 0, stdtrit(np.maximum(freedom, 1e-9), 1 - TAIL) * np.sqrt(variance), np.nan
        )
    return Bounds(estimate - reach, estimate + reach)


def satterthwaite_t(sums: np.ndarray, sizes: np.ndarray) -> Bounds:
    """The t interval of Bell and McCaffrey 2002: variance CR2, degrees of freedom by Satterthwaite.

    CR2 divides each group's squared residual by 1 minus its share of the tasks; the degrees of freedom are those of
    a scaled chi-square with the same two moments where tasks are independent and alike. Groups of one size have g - 1,
    and CR2 is the linearised variance times g / (g - 1); a group that holds much of the tasks costs degrees of freedom.

    >>> [round(float(end), 3) for end in satterthwaite_t(np.array([1.0, 2.0, 6.0]), np.ones(3))]
    [-3.572, 9.572]
    """
    residual, share = residuals(sums, sizes)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.sum(residual**2 / (1 - share), axis=-1)
        crossed = sizes * share / (1 - share)
        square = np.sum(sizes**2, axis=-1) + np.sum(crossed, axis=-1) ** 2 - np.sum(crossed**2, axis=-1)
        freedom = np.sum(sizes, axis=-1) ** 2 / square
    return around(weighted_mean(sums, sizes), variance, freedom)


def jackknife_of_z(whole: np.ndarray, without: np.ndarray) -> Bounds:
    """The jackknife on the scale of Fisher's z of correlations (...), and (..., g) without each group; and back.

    A correlation of exactly 1 or -1 throughout has itself for an interval.
    """
    edge = np.abs(whole) >= 1 - 1e-12
    with np.errstate(invalid="ignore", divide="ignore"):
        ends = np.tanh(jackknifed(np.arctanh(whole), np.arctanh(without)))
    return Bounds(*(np.where(edge, whole, end) for end in ends))


def jackknifed(whole: np.ndarray, without: np.ndarray) -> Bounds:
    """The t interval whose variance (CR3) is the spread of the estimates without each group in turn."""
    g = np.shape(without)[-1]
    variance = (g - 1) / g * np.sum((without - without.mean(axis=-1, keepdims=True)) ** 2, axis=-1)
    return around(whole, variance, g - 1)
