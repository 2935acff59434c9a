"""Limits of means over source groups that all hold at once, for differences of long tails.

A few source groups carry most of such a mean, so that Student's limits and sign flips err in a third to two thirds of
samples where they should in 5 %. `benchmarks/joint_limits.py` compared candidates by a rule fixed before.
"""

import numpy as np

from aucstudy.statistics.intervals import TAIL, Simultaneous

# the t of few source groups has longer tails: each class of numbers of groups has its own, and its share of the 5 %
CLASSES = (30, 60)


def joint_limits(values: np.ndarray, resamples: int, seed: int) -> Simultaneous:
    """Means of (groups, k) values and limits that hold for all k in 95 % of samples of groups; NaN are left out."""
    return limits(values, reach_of(values, resamples, seed))


def reach_of(values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """(k,) standard errors from each mean of (groups, k) values to its limits."""
    values = np.asarray(values, dtype=float)
    return largest_of_class(resampled_t(values, resamples, seed), np.isfinite(values).sum(axis=0))


def largest_of_class(
    t: np.ndarray, n: np.ndarray, classes: tuple[int, ...] = CLASSES, level: float = 1 - TAIL
) -> np.ndarray:
    """(k,) quantiles of the largest absolute t of (resamples, k), each over the means of a similar number of groups.

    Skewed means err on one side, which is not known: at 97.5 % neither tail errs in more than 2.5 %. `n` (k,) groups of
    each mean; a new class begins at each number of `classes`.
    """
    of_column, size = np.searchsorted(classes, n, side="right"), np.abs(t)
    each = 1 - (1 - level) / len(np.unique(of_column))
    reach = np.empty(t.shape[1])
    for number in np.unique(of_column):
        inside = of_column == number
        reach[inside] = np.quantile(size[:, inside].max(axis=1), each, method="higher")
    return reach


def resampled_t(values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """(resamples, k) t statistics: the mean of resampled groups less that of all, in its standard errors."""
    known = np.isfinite(values)
    deviations = np.where(known, values - np.nanmean(values, axis=0), 0.0)
    n = len(values)
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples).astype(float)
    counts, sums, squares = drawn @ known, drawn @ deviations, drawn @ deviations**2
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = squares - sums**2 / counts
        t = sums / np.sqrt(spread * counts / (counts - 1))
    # a resample of groups that are alike has no t
    t[~np.isfinite(t) | (spread <= 1e-9 * squares)] = 0.0
    return t


def limits(values: np.ndarray, reach: np.ndarray) -> Simultaneous:
    """Means of (groups, k) values and limits so many standard errors away; NaN are left out."""
    values = np.asarray(values, dtype=float)
    n = np.isfinite(values).sum(axis=0)
    mean = np.nanmean(values, axis=0)
    error = np.nanstd(values, axis=0, ddof=1) / np.sqrt(n)
    return Simultaneous(mean, mean - reach * error, mean + reach * error)
