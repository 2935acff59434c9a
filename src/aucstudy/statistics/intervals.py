"""Intervals over source groups, because data sets that share rows are not independent.

Means over tasks, and ratios of such means, have the t interval of Bell and McCaffrey with Satterthwaite's degrees of
freedom; correlations the jackknife of Fisher's z; medians, whose jackknife fails, the percentiles of a bootstrap. They
were chosen among seven by a rule fixed before (benchmarks/interval_coverage.py, which says what they cover).
With 38 to 9 groups like the study's, in 4,000 simulations: shares 94 to 95 %, differences 92 to 94 %, correlations
95 to 96 %, where percentiles cover 91 to 93 % with 38 groups and 84 to 92 % with 9. Where few groups hold most of the
spread all cover less: differences in 9 groups that are drawn whole from the study 80 %, percentiles 71 %.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from aucstudy.statistics.cluster_intervals import LEVEL, group_sums, jackknife_of_z, satterthwaite_t

# bounds the memory of a jackknife
GROUPS_AT_ONCE = 200


@dataclass(frozen=True)
class Interval:
    """An estimate and its 95 % interval."""

    estimate: float
    low: float
    high: float


def group_weights(groups: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """How often each source group is drawn in each resample.

    Parameters
    ----------
    groups : (n,) labels; the g distinct ones are resampled whole, with replacement.

    Returns
    -------
    (resamples, n) integers: the weight of each of the n items in each resample.
    """
    return _group_weights(tuple(np.asarray(groups, dtype=str).tolist()), resamples, seed)


# a table asks for the same tasks row after row; two, because each may be a weight for many tasks and resamples
@lru_cache(maxsize=2)
def _group_weights(groups: tuple[str, ...], resamples: int, seed: int) -> np.ndarray:
    names, index = np.unique(groups, return_inverse=True)
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=resamples)
    weights = drawn[:, index]
    weights.flags.writeable = False
    return weights


def interval(estimate: float, resampled: np.ndarray) -> Interval:
    """The percentile interval of resampled estimates; those that are not defined (NaN) are left out."""
    tail = 50 * (1 - LEVEL)
    defined = resampled[np.isfinite(resampled)]
    if not len(defined):
        return Interval(float(estimate), np.nan, np.nan)
    low, high = np.percentile(defined, [tail, 100 - tail])
    return Interval(float(estimate), float(low), float(high))


def mean_interval(values: np.ndarray, groups: np.ndarray, *, share: bool = False) -> Interval:
    """The mean of (n,) values, one a task, with its t interval over the tasks' source groups.

    Values that are NaN are left out of the mean.

    Parameters
    ----------
    share : whether the interval is cut off at 0 and 1.

    Returns
    -------
    The interval; its ends are NaN where there is but one group, and so is the estimate where there is none.

    Examples
    --------
    >>> mean_interval(np.ones(4), np.array(["a", "a", "b", "c"]))
    Interval(estimate=1.0, low=1.0, high=1.0)
    """
    values, groups = np.asarray(values, dtype=float), np.asarray(groups)
    known = np.isfinite(values)
    return ratio_interval(values[known], np.ones(known.sum()), groups[known], share=share)


def ratio_interval(
    above: np.ndarray, below: np.ndarray, groups: np.ndarray, *, share: bool = False
) -> Interval:
    """The sum of (n,) values above over that of values below, with its t interval over source groups.

    Parameters
    ----------
    below : groups in which its sum is 0 are left out; one of a sign of its own counts as any other.
    share : as in `mean_interval`.
    """
    sums, sizes = group_sums(above, groups)[0], group_sums(below, groups)[0]
    sums, sizes = sums[sizes != 0], sizes[sizes != 0]
    if not len(sizes):
        return Interval(np.nan, np.nan, np.nan)
    low, high = satterthwaite_t(sums, sizes) if len(sizes) > 1 else (np.nan, np.nan)
    if share:
        low, high = np.clip((low, high), 0, 1)
    return Interval(float(sums.sum() / sizes.sum()), float(low), float(high))


def correlation_intervals(
    statistic: Callable[[np.ndarray], np.ndarray], tables: np.ndarray, groups: np.ndarray
) -> list[Interval]:
    """The intervals of correlations over all tasks, by the jackknife of Fisher's z over source groups.

    Parameters
    ----------
    statistic : maps (k, ...) sums of tables to (s, k), s correlations of each.
    tables : (n, ...), what the tasks have to add.
    groups : (n,) the source group of each task.
    """
    _, index = np.unique(np.asarray(groups, dtype=str), return_inverse=True)
    whole = tables.sum(axis=0)
    of_groups = np.zeros((index.max() + 1, *whole.shape))
    np.add.at(of_groups, index, tables)
    some_groups = np.array_split(of_groups, -(-len(of_groups) // GROUPS_AT_ONCE))
    without = np.concatenate([statistic(whole - some) for some in some_groups], axis=1)
    estimates = statistic(whole[None])[:, 0]
    ends = jackknife_of_z(estimates, without)
    return [Interval(*map(float, numbers)) for numbers in zip(estimates, *ends, strict=True)]


def over_tasks(
    values: np.ndarray,
    groups: np.ndarray,
    *,
    name: str = "estimate",
    exact: bool = False,
    share: bool = False,
) -> dict[str, float]:
    """The mean of (n,) values, one a task, as the columns of a table's row.

    Parameters
    ----------
    groups : (n,) the source group of each task.
    name : of the column with the mean.
    exact : for a share: exact bounds where all tasks agree, see `unanimous`.
    share : whether the interval is cut off at 0 and 1; `exact` says so too.

    Returns
    -------
    `name`, low and high (its 95 % interval over source groups), n_tasks, n_groups.

    Examples
    --------
    >>> over_tasks(np.ones(3), np.array(["a", "a", "b"]), name="share")
    {'share': 1.0, 'low': 1.0, 'high': 1.0, 'n_tasks': 3, 'n_groups': 2}
    """
    values, groups = np.asarray(values, dtype=float), np.asarray(groups)
    n_groups = len(set(groups.tolist()))
    mean = mean_interval(values, groups, share=share or exact)
    if exact:
        mean = unanimous(mean, n_groups)
    return {
        name: mean.estimate,
        "low": mean.low,
        "high": mean.high,
        "n_tasks": len(values),
        "n_groups": n_groups,
    }


def unanimous(found: Interval, n_groups: int) -> Interval:
    """The interval of a share that is 0 or 1 in all groups, one or more: resampling says too little of it.

    Parameters
    ----------
    found : the interval of a share in [0, 1].
    n_groups : the number of independent groups behind it.

    Returns
    -------
    `found`, but a share of 0 (or 1) in all groups has the exact 97.5 % bound of a binomial share as its other end.

    Examples
    --------
    >>> round(unanimous(Interval(0.0, 0.0, 0.0), 14).high, 3)
    0.232
    >>> unanimous(Interval(0.2, 0.1, 0.3), 14)
    Interval(estimate=0.2, low=0.1, high=0.3)
    """
    if n_groups and found.estimate in (0, 1):
        reach = 1 - ((1 - LEVEL) / 2) ** (1 / n_groups)
        low, high = (0.0, reach) if found.estimate == 0 else (1 - reach, 1.0)
        return Interval(found.estimate, low, high)
    return found


def statistic_interval(
    statistic: Callable[[np.ndarray], np.ndarray], groups: np.ndarray, resamples: int, seed: int
) -> Interval:
    """The interval of a statistic of weighted tasks, by the percentiles of a bootstrap over source groups.

    Tasks of one source group have none (NaN).

    Parameters
    ----------
    statistic : maps (k, n) weights of the n tasks to (k,) values.
    """
    whole = statistic(np.ones((1, len(groups))))[0]
    if len(set(np.asarray(groups).tolist())) < 2:
        return Interval(float(whole), np.nan, np.nan)
    return interval(whole, statistic(group_weights(groups, resamples, seed)))
