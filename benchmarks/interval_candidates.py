"""Candidates for 95 % intervals of a mean over tasks that come in source groups.

The intervals that the study itself uses are in `aucstudy.statistics.intervals`. As there, the candidates are
computed from each group's sum of values and from its size, both of shape (..., g).
"""

import numpy as np
from scipy.special import betaincinv, stdtrit

from aucstudy.statistics.intervals import (
    TAIL,
    Bounds,
    around,
    jackknife_of_z,
    jackknifed,
    residuals,
    weighted_mean,
)


def linearised_t(sums: np.ndarray, sizes: np.ndarray) -> Bounds:
    """Return Student's interval with the linearised variance of the ratio over groups.

    The variance is multiplied by g / (g - 1), and t has g - 1 degrees of freedom.

    >>> [round(float(end), 3) for end in linearised_t(np.array([1.0, 2.0, 6.0]), np.ones(3))]
    [-3.572, 9.572]
    """
    residual, _ = residuals(sums, sizes)
    g = np.shape(residual)[-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.sum(residual**2, axis=-1) * np.divide(g, g - 1.0)
    return around(weighted_mean(sums, sizes), variance, g - 1)


def jackknife_t(sums: np.ndarray, sizes: np.ndarray, fisher: bool = False) -> Bounds:
    """Return Student's interval from the spread of the means without each group in turn.

    It has g - 1 degrees of freedom.

    Parameters
    ----------
    fisher : for a mean of correlations, compute it on the scale of Fisher's z = artanh(r) and map it back.
    """
    total, size = np.sum(sums, axis=-1, keepdims=True), np.sum(sizes, axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        without, whole = (total - sums) / (size - sizes), (total / size)[..., 0]
    return jackknife_of_z(whole, without) if fisher else jackknifed(whole, without)


def resampled_means(sums: np.ndarray, sizes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the task-weighted means of the resamples, (resamples, ...)."""
    return _weighted(weights, sums) / _weighted(weights, np.broadcast_to(sizes, np.shape(sums)))


def _weighted(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.tensordot(weights, np.moveaxis(values, -1, 0), axes=1)


def percentile(sums: np.ndarray, sizes: np.ndarray, weights: np.ndarray) -> Bounds:
    """Return the percentile interval of a bootstrap over groups.

    Parameters
    ----------
    weights : (resamples, g), how often each resample contains each group.
    """
    means = resampled_means(sums, sizes, weights)
    return Bounds(*np.percentile(means, [100 * TAIL, 100 * (1 - TAIL)], axis=0))


def bootstrap_t(sums: np.ndarray, sizes: np.ndarray, weights: np.ndarray) -> Bounds:
    """Return the bootstrap-t interval: the mean of resampled groups in its linearised standard errors.

    Resamples whose standard error is 0 are left out. The interval is NaN where all are.

    Parameters
    ----------
    weights : as in `percentile`.
    """
    estimate, means = weighted_mean(sums, sizes), resampled_means(sums, sizes, weights)
    sizes = np.broadcast_to(sizes, np.shape(sums))
    squares = (
        _weighted(weights, sums**2)
        - 2 * means * _weighted(weights, sums * sizes)
        + means**2 * _weighted(weights, sizes**2)
    )
    total = _weighted(weights, sizes)
    # Where all resampled groups agree, rounding errors leave a tiny number instead of 0.
    squares = np.where(squares > 1e-12 * _weighted(weights, sizes**2), squares, np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        units = np.sort((means - estimate) / (np.sqrt(squares) / total), axis=0)
    low, high = _quantiles_of_sorted(units, (TAIL, 1 - TAIL))
    residual, _ = residuals(sums, sizes)
    error = np.sqrt(np.sum(residual**2, axis=-1))
    return Bounds(estimate - high * error, estimate - low * error)


def _quantiles_of_sorted(units: np.ndarray, levels: tuple[float, float]) -> list[np.ndarray]:
    """Return quantiles along the first axis of sorted values, in which NaN come last.

    NaN are left out. Where there is nothing else, the quantile is NaN.
    """
    known = np.isfinite(units).sum(axis=0)
    ends = []
    for level in levels:
        place = np.maximum(known - 1, 0) * level
        below = np.floor(place).astype(int)
        above = np.minimum(below + 1, np.maximum(known - 1, 0))
        first, second = (np.take_along_axis(units, rows[None], axis=0)[0] for rows in (below, above))
        ends.append(first + (place - below) * (second - first))
    return ends


def effective_exact(sums: np.ndarray, sizes: np.ndarray) -> Bounds:
    """Return Korn and Graubard's (1998) interval of a share.

    It is Clopper and Pearson's interval with the effective number of tasks. This number is p (1 - p) over the
    linearised variance, corrected for its degrees of freedom, and at most the number of tasks. Where all
    tasks agree, it is the number of groups.
    """
    share, n = weighted_mean(sums, sizes), np.broadcast_to(np.sum(sizes, axis=-1), np.shape(sums)[:-1])
    residual, _ = residuals(sums, sizes)
    g = np.shape(residual)[-1]
    variance = np.sum(residual**2, axis=-1) * np.divide(g, g - 1.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = (stdtrit(np.maximum(n - 1, 1), TAIL) / stdtrit(g - 1.0, TAIL)) ** 2
        effective = np.minimum(share * (1 - share) / variance * freedom, n)
    effective = np.where(share * (1 - share) > 1e-12, effective, g)
    positive, negative = effective * share, effective * (1 - share)
    low = np.where(share <= 1e-12, 0.0, betaincinv(np.maximum(positive, 1e-9), negative + 1, TAIL))
    high = np.where(share >= 1 - 1e-12, 1.0, betaincinv(positive + 1, np.maximum(negative, 1e-9), 1 - TAIL))
    return Bounds(low, high)


def exact_where_unanimous(bounds: Bounds, sums: np.ndarray, sizes: np.ndarray) -> Bounds:
    """Cut the interval of a share to [0, 1].

    Where all tasks agree on 0 or 1, its inner end is the exact bound of g binomial trials.
    """
    share = weighted_mean(sums, sizes)
    reach = 1 - TAIL ** (1 / np.shape(sums)[-1])
    low, high = (np.clip(end, 0, 1) for end in bounds)
    none, all_of = share <= 1e-12, share >= 1 - 1e-12
    low = np.where(none, 0.0, np.where(all_of, 1 - reach, low))
    return Bounds(low, np.where(none, reach, np.where(all_of, 1.0, high)))
