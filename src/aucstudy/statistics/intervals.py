"""Intervals over source groups, because data sets that share rows are not independent.

Means over tasks and ratios have the t interval of Bell and McCaffrey. Correlations have the jackknife of
Fisher's z. Quantiles have Woodruff's interval, because the jackknife of a median fails.
`benchmarks/interval_coverage.py` chose among seven methods by a rule that was fixed before, and shows how
often each covers the truth. All methods cover it less often where few groups hold most of the spread.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

LEVEL = 0.95
TAIL = (1 - LEVEL) / 2


class Bounds(NamedTuple):
    low: np.ndarray
    high: np.ndarray


def group_sums(values: np.ndarray, groups: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each source group's sum of values and its number of tasks, without the NaN values."""
    values = np.asarray(values, dtype=float)
    is_finite = np.isfinite(values)
    _, index = np.unique(_names_or_codes(groups)[is_finite], return_inverse=True)
    return np.bincount(index, values[is_finite]), np.bincount(index).astype(float)


def _names_or_codes(groups: np.ndarray) -> np.ndarray:
    """Return groups in a form that numpy sorts fast: whole numbers as they are, all else as text."""
    groups = np.asarray(groups)
    return groups if groups.dtype.kind in "iu" else groups.astype(str)


def weighted_mean(sums: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    return np.sum(sums, axis=-1) / np.sum(sizes, axis=-1)


def residuals(sums: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each group's contribution to the error of the mean, and its share of the tasks."""
    total = np.sum(sizes, axis=-1, keepdims=True)
    return (sums - sizes * weighted_mean(sums, sizes)[..., None]) / total, sizes / total


def around(estimate: np.ndarray, variance: np.ndarray, freedom: np.ndarray | float) -> Bounds:
    """Return Student's interval around an estimate, NaN without a degree of freedom."""
    # The import is here because it is slow and most jobs need no quantile.
    from scipy.special import stdtrit

    freedom = np.asarray(freedom, dtype=float)
    with np.errstate(invalid="ignore"):
        reach = np.where(
            freedom > 0, stdtrit(np.maximum(freedom, 1e-9), 1 - TAIL) * np.sqrt(variance), np.nan
        )
    return Bounds(estimate - reach, estimate + reach)


def satterthwaite_t(sums: np.ndarray, sizes: np.ndarray) -> Bounds:
    """Return the t interval of Bell and McCaffrey 2002 for the weighted mean of the groups.

    Its variance is CR2, which divides each group's squared residual by 1 minus its share of the tasks. Its
    degrees of freedom are Satterthwaite's.
    """
    residual, share = residuals(sums, sizes)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.sum(residual**2 / (1 - share), axis=-1)
        crossed = sizes * share / (1 - share)
        square = np.sum(sizes**2, axis=-1) + np.sum(crossed, axis=-1) ** 2 - np.sum(crossed**2, axis=-1)
        freedom = np.sum(sizes, axis=-1) ** 2 / square
    return around(weighted_mean(sums, sizes), variance, freedom)


def jackknife_of_z(estimate: np.ndarray, without: np.ndarray) -> Bounds:
    """Return jackknife intervals of correlations (...), computed on the scale of Fisher's z.

    `without` (..., g) are the correlations without each of the g groups in turn. The interval of a
    correlation of 1 or -1 has no width.
    """
    at_edge = np.abs(estimate) >= 1 - 1e-12
    with np.errstate(invalid="ignore", divide="ignore"):
        ends = np.tanh(jackknifed(np.arctanh(estimate), np.arctanh(without)))
    return Bounds(*(np.where(at_edge, estimate, end) for end in ends))


def jackknifed(estimate: np.ndarray, without: np.ndarray) -> Bounds:
    """The t interval whose variance (CR3) is the spread of the estimates without each group in turn."""
    g = np.shape(without)[-1]
    variance = (g - 1) / g * np.sum((without - without.mean(axis=-1, keepdims=True)) ** 2, axis=-1)
    return around(estimate, variance, g - 1)


# This bounds the memory of a jackknife.
GROUPS_AT_ONCE = 200
# Five groups have 32 ways to change their signs. All five signs are alike in 2 of them, more than 5 %.
FEWEST_GROUPS = 6


@dataclass(frozen=True)
class Estimate:
    estimate: float
    low: float
    high: float


def group_weights(groups: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Return (resamples, n) how often each task is drawn when source groups are drawn with replacement."""
    return _group_weights(tuple(np.asarray(groups, dtype=str).tolist()), resamples, seed)


# A table asks for the same tasks row after row. Only two results are kept, because each may be large.
@lru_cache(maxsize=2)
def _group_weights(groups: tuple[str, ...], resamples: int, seed: int) -> np.ndarray:
    names, index = np.unique(groups, return_inverse=True)
    rng = np.random.default_rng(seed)
    group_counts = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=resamples)
    weights = group_counts[:, index]
    weights.flags.writeable = False
    return weights


def percentile_interval(estimate: float, resampled: np.ndarray) -> Estimate:
    tail = 50 * (1 - LEVEL)
    defined_values = resampled[np.isfinite(resampled)]
    if not len(defined_values):
        return Estimate(float(estimate), np.nan, np.nan)
    low, high = np.percentile(defined_values, [tail, 100 - tail])
    return Estimate(float(estimate), float(low), float(high))


def mean_interval(values: np.ndarray, groups: np.ndarray, *, share: bool = False) -> Estimate:
    """Return the mean of (n,) values, one for each task, with its t interval over source groups.

    NaN values are left out. The interval of a share is cut off at 0 and 1. With one group the ends are NaN.
    Without any group the estimate is NaN, too.
    """
    return ratio_interval(values, np.ones(len(values)), groups, share=share)


def ratio_interval(
    numerators: np.ndarray, denominators: np.ndarray, groups: np.ndarray, *, share: bool = False
) -> Estimate:
    """Return the sum of numerators over the sum of denominators, with its t interval over source groups.

    Both are (n,) values, one for each task. Tasks with a NaN in either are left out. So are groups whose
    denominators add up to 0.
    """
    numerators, denominators = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    groups = np.asarray(groups)
    is_finite = np.isfinite(numerators) & np.isfinite(denominators)
    sums, sizes = (
        group_sums(values[is_finite], groups[is_finite])[0] for values in (numerators, denominators)
    )
    sums, sizes = sums[sizes != 0], sizes[sizes != 0]
    if not len(sizes):
        return Estimate(np.nan, np.nan, np.nan)
    low, high = satterthwaite_t(sums, sizes) if len(sizes) > 1 else (np.nan, np.nan)
    if share:
        low, high = np.clip((low, high), 0, 1)
    return Estimate(float(sums.sum() / sizes.sum()), float(low), float(high))


def contrast_interval(values: np.ndarray, in_first: np.ndarray, groups: np.ndarray) -> Estimate:
    """Return the mean over some tasks minus the mean over all others, with its t interval over source groups.

    `values` are (n,) numbers without NaN, one for each task, and `in_first` (n,) says which tasks belong to the
    first mean. A source group may have tasks of both kinds. The variance is CR2 of the regression on the two
    kinds, and the degrees of freedom are those of Bell and McCaffrey 2002. The ends are NaN if one kind has
    fewer than two source groups.

    >>> contrast = contrast_interval(np.array([1.0, 3.0, 0.0, 2.0]), np.array([1, 1, 0, 0]) > 0, np.arange(4))
    >>> contrast.estimate, round(contrast.low, 1), round(contrast.high, 1)
    (1.0, -5.1, 7.1)
    """
    kinds = np.stack([in_first, ~in_first])
    n_of_kind = kinds.sum(axis=1)
    if not n_of_kind.all():
        return Estimate(np.nan, np.nan, np.nan)
    means = kinds @ values / n_of_kind
    estimate = float(means[0] - means[1])
    _, index = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    counts, sums = (np.array([np.bincount(index, row) for row in kinds * x]) for x in (1.0, values))
    share = counts / n_of_kind[:, None]
    if (share == 1).any():
        return Estimate(estimate, np.nan, np.nan)
    # Rows of the two kinds are orthogonal in the regression, so each kind is adjusted by itself.
    adjusted = (sums - counts * means[:, None]) / n_of_kind[:, None] / np.sqrt(1 - share)
    variance = np.sum((adjusted[0] - adjusted[1]) ** 2)
    within = np.sum(counts / n_of_kind[:, None] ** 2, axis=0)
    a = counts / n_of_kind[:, None] / np.sqrt(1 - share)
    between = -np.einsum("kg,kh,k->gh", a, a, 1 / n_of_kind)
    np.fill_diagonal(between, within)
    freedom = within.sum() ** 2 / np.sum(between**2)
    low, high = around(np.float64(estimate), variance, freedom)
    return Estimate(estimate, float(low), float(high))


def weighted_quantile(values: np.ndarray, weights: np.ndarray, level: float) -> float:
    """Return the quantile of (n,) values under (n,) weights.

    With equal weights it is numpy's, and weights only count relative to each other (Akinshin 2023, Weighted
    quantile estimators, type 7).

    >>> weighted_quantile(np.array([4.0, 1.0, 2.0]), np.ones(3), 0.25)
    1.5
    >>> weighted_quantile(np.array([4.0, 1.0, 2.0]), np.array([1.0, 2.0, 1.0]), 0.5)
    1.5
    """
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weights[order])
    ends = np.concatenate([[0.0], ends / ends[-1]])
    n = weights.sum() ** 2 / np.sum(weights**2)
    start = level * (n - 1) / n
    return float(np.diff(np.clip((ends - start) * n, 0, 1)) @ values[order])


def quantile_interval(values: np.ndarray, weights: np.ndarray, groups: np.ndarray, level: float) -> Estimate:
    """Return a quantile of (n,) values under (n,) weights, with its interval over source groups.

    The interval is that of Woodruff 1952. The t interval of the share of values up to the quantile gives two
    levels, and the quantiles at these levels are the ends.
    """
    values, weights = np.asarray(values, dtype=float), np.asarray(weights, dtype=float)
    if not len(values):
        return Estimate(np.nan, np.nan, np.nan)
    estimate = weighted_quantile(values, weights, level)
    # A value at the quantile lies below it for the part of its weight that reaches the level.
    below, tied = values < estimate, values == estimate
    part = np.zeros(len(values))
    if tied.any():
        part[tied] = np.clip((level * weights.sum() - weights[below].sum()) / weights[tied].sum(), 0, 1)
    share = ratio_interval((below + part) * weights, weights, groups)
    if not np.isfinite(share.low):
        return Estimate(estimate, np.nan, np.nan)
    reach = share.high - share.estimate
    ends = np.clip([level - reach, level + reach], 0, 1)
    return Estimate(estimate, *(weighted_quantile(values, weights, float(end)) for end in ends))


def correlation_intervals(
    statistic: Callable[[np.ndarray], np.ndarray], tables: np.ndarray, groups: np.ndarray
) -> list[Estimate]:
    """Return s correlations over all tasks, with their intervals.

    `statistic` maps (k, ...) sums of the tasks' (n, ...) tables to (s, k) correlations. The ends are NaN if
    all tasks belong to one source group.
    """
    _, index = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    total = tables.sum(axis=0)
    group_totals = np.zeros((index.max() + 1, *total.shape))
    np.add.at(group_totals, index, tables)
    estimates = statistic(total[None])[:, 0]
    if len(group_totals) < 2:
        return [Estimate(float(estimate), np.nan, np.nan) for estimate in estimates]
    some_groups = np.array_split(group_totals, -(-len(group_totals) // GROUPS_AT_ONCE))
    left_out = np.concatenate([statistic(total - some) for some in some_groups], axis=1)
    ends = jackknife_of_z(estimates, left_out)
    return [Estimate(*map(float, numbers)) for numbers in zip(estimates, *ends, strict=True)]


def share_interval(
    values: np.ndarray, over: np.ndarray, groups: np.ndarray, *, exact: bool = False
) -> Estimate:
    """Return the `ratio_interval` of a share, which is cut off at 0 and 1.

    An `exact` interval comes from `unanimous`, and so does that of fewer than `FEWEST_GROUPS` source groups.

    >>> share_interval(np.ones(3), np.ones(3), np.array(["a", "a", "b"])).high
    1.0
    """
    share, n_groups = ratio_interval(values, over, groups, share=True), len(set(groups.tolist()))
    return unanimous(share, n_groups) if exact or n_groups < FEWEST_GROUPS else share


def unanimous(measured: Estimate, n_groups: int) -> Estimate:
    """Return `measured`, with an exact interval if it is a share of exactly 0 or 1.

    This interval ends at the exact 97.5 % bound of `n_groups` binomial trials.
    """
    if n_groups and measured.estimate in (0, 1):
        reach = 1 - ((1 - LEVEL) / 2) ** (1 / n_groups)
        low, high = (0.0, reach) if measured.estimate == 0 else (1 - reach, 1.0)
        return Estimate(measured.estimate, low, high)
    return measured


def statistic_interval(
    statistic: Callable[[np.ndarray], np.ndarray], groups: np.ndarray, resamples: int, seed: int
) -> Estimate:
    """Return a statistic of weighted tasks, with its percentile interval.

    `statistic` maps (k, n) weights of the n tasks to (k,) values. The ends are NaN if all tasks belong to one
    source group.
    """
    estimate = statistic(np.ones((1, len(groups))))[0]
    if len(set(np.asarray(groups).tolist())) < 2:
        return Estimate(float(estimate), np.nan, np.nan)
    return percentile_interval(estimate, statistic(group_weights(groups, resamples, seed)))


class Simultaneous(NamedTuple):
    estimate: np.ndarray
    low: np.ndarray
    high: np.ndarray


def simultaneous_intervals(values: np.ndarray, groups: np.ndarray, resamples: int, seed: int) -> Simultaneous:
    """Return the means of (n, k) values, one row for each task, with intervals that hold together.

    All k intervals hold in 95 % of samples of source groups. They come from a wild bootstrap of clusters
    (Cameron, Gelbach & Miller 2008). In a resample all deviations of a source group from the means keep their
    sign, or all change it. Each interval reaches as many standard errors as the 95 % quantile of the largest
    t over the k means. The standard errors are those of linearised ratios. Groups are not drawn with
    replacement: where few groups differ, this makes some standard errors nearly 0 and so would widen all
    intervals.

    NaN values are left out. A mean whose groups do not vary has an interval without width, and widens no
    other. With fewer than six groups the ends are NaN.

    >>> values = np.array([[1.0, 7.0], [2.0, 7.0], [4.0, 7.0], [3.0, 7.0], [4.0, 7.0], [0.0, 7.0]])
    >>> intervals = simultaneous_intervals(values, np.array(list("abcdef")), 200, 0)
    >>> intervals.low.round(2).tolist(), intervals.high.round(2).tolist()
    ([0.67, 7.0], [4.0, 7.0])
    """
    values = np.asarray(values, dtype=float)
    names, index = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    is_finite = np.isfinite(values)
    sums, counts = (np.zeros((len(names), values.shape[1])) for _ in range(2))
    np.add.at(sums, index, np.where(is_finite, values, 0.0))
    np.add.at(counts, index, is_finite)
    with np.errstate(invalid="ignore", divide="ignore"):
        estimate = sums.sum(axis=0) / counts.sum(axis=0)
        deviations = sums - estimate * counts
        deviations[np.abs(deviations) <= 1e-12 * np.abs(sums)] = 0.0
        _, error = _mean_and_error(np.ones((1, len(names))), deviations, counts)
        varies = error[0] > 0
        if len(names) < FEWEST_GROUPS or not varies.any():
            end = np.where(len(names) < FEWEST_GROUPS, np.nan, estimate)
            return Simultaneous(estimate, end, end)
        signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(resamples, len(names)))
        shift, errors = _mean_and_error(signs, deviations[:, varies], counts[:, varies])
        t = np.where(shift == 0, 0.0, np.abs(shift) / errors)
        standard_errors = np.quantile(t.max(axis=1), LEVEL, method="higher")
    reach = np.where(varies, standard_errors * error[0], 0.0)
    reach[np.isinf(reach)] = np.nan
    return Simultaneous(estimate, estimate - reach, estimate + reach)


def _mean_and_error(
    signs: np.ndarray, deviations: np.ndarray, counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return means of (groups, k) deviations with (resamples, groups) signs, and their standard errors."""
    groups, total = len(deviations), counts.sum(axis=0)
    mean = (signs @ deviations) / total
    total_square = (deviations**2).sum(axis=0)
    squares = total_square - 2 * mean * (signs @ (deviations * counts)) + mean**2 * (counts**2).sum(axis=0)
    squares[squares <= 1e-12 * total_square] = 0.0
    return mean, np.sqrt(squares * groups / (groups - 1)) / total


# The t of few source groups has longer tails. So the means are put into classes by their number of groups,
# with a quantile for each class. A new class begins at each of these numbers.
CLASSES = (30, 60)


def joint_limits(values: np.ndarray, resamples: int, seed: int) -> Simultaneous:
    """Return the means of (groups, k) values, and limits that hold for all k in 95 % of samples of groups.

    NaN values are left out. `results/benchmarks/joint_limits.csv` has the measurements by which the method was
    chosen for differences with long tails, and the commit of the program.
    """
    return limits(values, reach_of(values, resamples, seed))


def reach_of(values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Return how many standard errors the limits of (groups, k) values lie from the means, (k,)."""
    values = np.asarray(values, dtype=float)
    return largest_of_class(resampled_t(values, resamples, seed), np.isfinite(values).sum(axis=0))


def largest_of_class(
    t: np.ndarray, n: np.ndarray, classes: tuple[int, ...] = CLASSES, level: float = 1 - TAIL
) -> np.ndarray:
    """Return (k,) quantiles of the largest absolute `t` (resamples, k) among the means of a class.

    Means of a similar number `n` (k,) of groups form a class. A new class begins at each number of `classes`.
    The classes share the error 1 - `level` evenly. Skewed means err on one side, but it is not known on
    which. So the default `level` is 97.5 %, at which neither tail errs in more than 2.5 % of samples.
    """
    class_of_column, size = np.searchsorted(classes, n, side="right"), np.abs(t)
    class_level = 1 - (1 - level) / len(np.unique(class_of_column))
    reach = np.empty(t.shape[1])
    for number in np.unique(class_of_column):
        in_class = class_of_column == number
        reach[in_class] = np.quantile(size[:, in_class].max(axis=1), class_level, method="higher")
    return reach


def resampled_t(values: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Return (resamples, k) the mean of resampled groups minus that of all groups, in its standard errors."""
    is_finite = np.isfinite(values)
    deviations = np.where(is_finite, values - np.nanmean(values, axis=0), 0.0)
    n, rng = len(values), np.random.default_rng(seed)
    draws = rng.multinomial(n, np.full(n, 1 / n), size=resamples).astype(float)
    counts, sums, squares = draws @ is_finite, draws @ deviations, draws @ deviations**2
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = squares - sums**2 / counts
        t = sums / np.sqrt(spread * counts / (counts - 1))
    # A resample whose groups are all alike has no t.
    t[~np.isfinite(t) | (spread <= 1e-9 * squares)] = 0.0
    return t


def limits(values: np.ndarray, reach: np.ndarray) -> Simultaneous:
    """Return the means of (groups, k) values, and the limits that lie `reach` (k,) standard errors away.

    NaN values are left out.
    """
    values = np.asarray(values, dtype=float)
    n = np.isfinite(values).sum(axis=0)
    mean = np.nanmean(values, axis=0)
    error = np.nanstd(values, axis=0, ddof=1) / np.sqrt(n)
    return Simultaneous(mean, mean - reach * error, mean + reach * error)
