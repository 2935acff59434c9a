"""Intervals: a bootstrap over source groups, because data sets that share rows are not independent."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

LEVEL = 0.95


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


def mean_interval(values: np.ndarray, groups: np.ndarray, resamples: int, seed: int) -> Interval:
    """The mean of (n,) values, one a task, with the interval of a bootstrap over the tasks' source groups.

    Values that are NaN are left out of the mean.

    >>> mean_interval(np.ones(4), np.array(["a", "a", "b", "c"]), 100, 0)
    Interval(estimate=1.0, low=1.0, high=1.0)
    """
    return statistic_interval(lambda w: _weighted_mean(values, w), groups, resamples, seed)


def over_tasks(
    values: np.ndarray,
    groups: np.ndarray,
    resamples: int,
    seed: int,
    *,
    name: str = "estimate",
    exact: bool = False,
) -> dict[str, float]:
    """The mean of (n,) values, one a task, as the columns of a table's row.

    Parameters
    ----------
    groups : (n,) the source group of each task.
    name : of the column with the mean.
    exact : for a share: exact bounds where all tasks agree, see `unanimous`.

    Returns
    -------
    `name`, low and high (its 95 % interval over source groups), n_tasks, n_groups.

    Examples
    --------
    >>> over_tasks(np.ones(3), np.array(["a", "a", "b"]), 100, 0, name="share")
    {'share': 1.0, 'low': 1.0, 'high': 1.0, 'n_tasks': 3, 'n_groups': 2}
    """
    values, groups = np.asarray(values, dtype=float), np.asarray(groups)
    n_groups = len(set(groups.tolist()))
    mean = mean_interval(values, groups, resamples, seed)
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
    """The interval of a share that is 0 or 1 in all groups: resampling them finds nothing else, so it says too little.

    Parameters
    ----------
    found : the interval of a share in [0, 1].
    n_groups : the number of independent groups behind it.

    Returns
    -------
    `found`, but where both its ends are 0 (or 1) the upper (lower) one is the exact 97.5 % bound of a binomial share.

    Examples
    --------
    >>> round(unanimous(Interval(0.0, 0.0, 0.0), 14).high, 3)
    0.232
    >>> unanimous(Interval(0.2, 0.1, 0.3), 14)
    Interval(estimate=0.2, low=0.1, high=0.3)
    """
    if n_groups and found.low == found.high and found.low in (0, 1):
        reach = 1 - ((1 - LEVEL) / 2) ** (1 / n_groups)
        low, high = (0.0, reach) if found.low == 0 else (1 - reach, 1.0)
        return Interval(found.estimate, low, high)
    return found


def statistic_interval(
    statistic: Callable[[np.ndarray], np.ndarray], groups: np.ndarray, resamples: int, seed: int
) -> Interval:
    """The interval of a statistic of weighted tasks.

    Parameters
    ----------
    statistic : maps (k, n) weights of the n tasks to (k,) values.
    """
    whole = statistic(np.ones((1, len(groups))))[0]
    return interval(whole, statistic(group_weights(groups, resamples, seed)))


def _weighted_mean(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    values = np.asarray(values, dtype=float)
    known = np.isfinite(values)
    total = weights[:, known].sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return weights[:, known] @ values[known] / total
