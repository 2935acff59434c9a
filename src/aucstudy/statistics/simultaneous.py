"""Intervals that hold for many means at once: the largest t over sign changes of source groups."""

from typing import NamedTuple

import numpy as np

from aucstudy.statistics.intervals import LEVEL

FEWEST_GROUPS = 6


class Simultaneous(NamedTuple):
    """(k,) means, and the ends of their intervals."""

    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray


def simultaneous_intervals(values: np.ndarray, groups: np.ndarray, resamples: int, seed: int) -> Simultaneous:
    """Means of (n, k) values, one row a task, with intervals that all hold together in 95 % of samples of groups.

    Each mean is a ratio of sums over source groups, its standard error that of the linearised ratio. In a resample
    every group's deviation from the means changes its sign or keeps it, whole; the resample has its own means and
    standard errors, and the 95 % quantile of the largest t over the k means is how many standard errors each interval
    reaches (a wild bootstrap of clusters: Cameron, Gelbach & Miller 2008). Drawing groups with replacement instead
    makes some standard errors next to none where few groups differ, so that one such mean widens all intervals.

    72 means of normal, skewed or heavy-tailed groups held together in 93 to 96 % of 200 simulated samples of 38 groups
    and in 93 to 98 % of 150 samples of 14; with groups drawn again in 95 to 100 and in 98 to 100 %.

    A value that is NaN is left out of its mean. A mean whose groups do not vary has an interval of no width and is not
    among the k. Fewer than six groups have fewer than 1 / .05 ways to change signs, and give no interval (NaN).

    Examples
    --------
    >>> values = np.array([[1.0, 7.0], [2.0, 7.0], [4.0, 7.0], [3.0, 7.0], [4.0, 7.0], [0.0, 7.0]])
    >>> made = simultaneous_intervals(values, np.array(["a", "b", "c", "d", "e", "f"]), 200, 0)
    >>> made.low.round(2).tolist(), made.high.round(2).tolist()
    ([0.67, 7.0], [4.0, 7.0])
    """
    values = np.asarray(values, dtype=float)
    names, index = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    known = np.isfinite(values)
    sums, counts = (np.zeros((len(names), values.shape[1])) for _ in range(2))
    np.add.at(sums, index, np.where(known, values, 0.0))
    np.add.at(counts, index, known)
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate = sums.sum(axis=0) / counts.sum(axis=0)
        rest = sums - estimate * counts
        rest[np.abs(rest) <= 1e-12 * np.abs(sums)] = 0.0
        _, error = _mean_and_error(np.ones((1, len(names))), rest, counts)
        varies = error[0] > 0
        if len(names) < FEWEST_GROUPS or not varies.any():
            end = np.where(len(names) < FEWEST_GROUPS, np.nan, estimate)
            return Simultaneous(estimate, end, end)
        signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(resamples, len(names)))
        shift, errors = _mean_and_error(signs, rest[:, varies], counts[:, varies])
        t = np.where(shift == 0, 0.0, np.abs(shift) / errors)
        standard_errors = np.quantile(t.max(axis=1), LEVEL, method="higher")
    reach = np.where(varies, standard_errors * error[0], 0.0)
    reach[np.isinf(reach)] = np.nan
    return Simultaneous(estimate, estimate - reach, estimate + reach)


def _mean_and_error(signs: np.ndarray, rest: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The means of (groups, k) deviations with (resamples, groups) signs, and their standard errors."""
    groups, total = len(rest), counts.sum(axis=0)
    mean = (signs @ rest) / total
    whole = (rest**2).sum(axis=0)
    squares = whole - 2 * mean * (signs @ (rest * counts)) + mean**2 * (counts**2).sum(axis=0)
    squares[squares <= 1e-12 * whole] = 0.0
    return mean, np.sqrt(squares * groups / (groups - 1)) / total
