"""Walks down rankings that are sorted once: what the rest of the project may ask of the compiled engine.

A resample is a count for each row (0 or 1 for a half of the rows, 0, 1, 2, ... for a bootstrap). A walk down the known
order adds the counts up to the groups of tied rows that hold a positive; every quantity is a sum over these groups. So
a resample costs one pass over the rows, and nothing is sorted again.
"""

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.engine.finishing import finish
from aucstudy.metrics.engine.orders import Order, order_of, tie_groups
from aucstudy.metrics.engine.subsets import SUBSET_AREAS, areas_of_subsets, false_positives_of_subsets
from aucstudy.metrics.engine.sums import SUMS, add_groups, gain_loss, pr_terms, totals_of
from aucstudy.metrics.engine.vertices import add_vertex

RESAMPLED_AREAS = ("aupr", "auprg", "auroc")
# options of `totals_of`: observed prevalence, signed, whole recall range
_PLAIN = np.array([0.0, 0.0, 0.0, 1.0])

__all__ = [
    "RESAMPLED_AREAS",
    "SUBSET_AREAS",
    "Order",
    "add_vertex",
    "all_areas",
    "areas_from_aupr_to_auprg",
    "areas_of_subsets",
    "false_positives_of_subsets",
    "order_of",
    "resampled_areas",
    "to_next_positive",
]


def all_areas(order: Order, counts: np.ndarray | None = None, prevalence: float | None = None) -> np.ndarray:
    """The five areas of every model, as `aucstudy.metrics.areas_many` gives them for the repeated rows.

    Parameters
    ----------
    order : as `order_of` gives it.
    counts : (n,), how often each row stands in the resample, None for once each; some of each class.
    prevalence : the one to compute at, None for the observed one.

    Returns
    -------
    (m, 5) AUROC, AUPR, AUPRG, AUCNPR, average precision.

    Examples
    --------
    >>> order = order_of(np.array([True, False, True]), np.array([[0.9], [0.5], [0.1]]))
    >>> all_areas(order).round(4).tolist()
    [[0.5, 0.7973, -0.25, 0.6309, 0.8333]]
    """
    counts = np.ones(len(order.positive)) if counts is None else np.asarray(counts, dtype=float)
    totals = np.array([[counts[order.positive].sum(), counts[~order.positive].sum()]])
    options = _PLAIN.copy()
    options[0] = prevalence or 0.0
    sums, areas = np.empty((1, len(order.rows), SUMS)), np.empty((1, len(order.rows), 5))
    _sum_areas(*order, counts, totals_of(totals[0, 0], totals[0, 1], options), sums[0])
    finish(sums, totals, options, areas)
    return areas[0]


@compiled
def _sum_areas(rows, ends_group, positive, counts, c, out):
    groups = np.empty((5, rows.shape[1] + 1))
    for m in range(rows.shape[0]):
        sums = np.zeros((2, SUMS))
        add_groups(groups, tie_groups(rows[m], ends_group[m], positive, counts, groups), c, sums)
        out[m] = sums[0] + sums[1]


def resampled_areas(order: Order, counts: np.ndarray) -> np.ndarray:
    """AUPR, AUPRG and AUROC of every model in every resample.

    Parameters
    ----------
    order : as `order_of` gives it.
    counts : (resamples, n), how often each row stands in each resample; any real number >= 0.

    Returns
    -------
    (3, resamples, m) areas in the order of `RESAMPLED_AREAS`, NaN where a resample has rows of one class only. Equal
    to `areas(y_true[rows], scores[rows])` of the repeated rows, definitions as there.

    Examples
    --------
    >>> order = order_of(np.array([True, False, True]), np.array([[0.9], [0.5], [0.1]]))
    >>> resampled_areas(order, np.array([[1, 1, 1], [1, 2, 0]]))[2].tolist()
    [[0.5], [1.0]]
    """
    counts = np.ascontiguousarray(counts)
    areas = np.full((len(RESAMPLED_AREAS), len(counts), len(order.rows)), np.nan)
    positives, negatives = (counts @ mask.astype(float) for mask in (order.positive, ~order.positive))
    _resample(*order, counts, positives, negatives, _PLAIN, areas)
    return areas


@compiled
def _resample(rows, ends_group, positive, counts, positives, negatives, options, areas):
    """Fill `areas`; the sums are plain ones, without the compensation that long rankings ask for."""
    groups = np.empty((5, rows.shape[1] + 1))
    t, f, d, e, left = groups
    for s in range(counts.shape[0]):
        P, N = positives[s], negatives[s]
        if P <= 0 or N <= 0:
            continue
        c = totals_of(P, N, options)
        for m in range(rows.shape[0]):
            pairs = precision = loss = 0.0
            for i in range(tie_groups(rows[m], ends_group[m], positive, counts[s], groups)):
                pairs += d[i] * (N - f[i] - 0.5 * e[i])
                precision += pr_terms(t[i], f[i], d[i], e[i])[0]
                loss += gain_loss(t[i], f[i], d[i], e[i], left[i], c)
            areas[0, s, m], areas[1, s, m], areas[2, s, m] = precision / P, 1 - loss, pairs / (P * N)


def areas_from_aupr_to_auprg(order: Order) -> tuple[np.ndarray, np.ndarray]:
    """The sums under `aucstudy.experiments.decomposition`.

    Returns
    -------
    areas : (m, 5) AUPR; the same measured from the baseline; that over recall >= pi only; that with recall on the
        gain scale; AUPRG. NaN where the rows are of one class.
    tied : (m,) share of the positives whose score some negative has too.
    """
    P = float(order.positive.sum())
    N = len(order.positive) - P
    areas, tied = np.full((len(order.rows), 5), np.nan), np.full(len(order.rows), np.nan)
    if P and N:
        c = totals_of(P, N, _PLAIN)._replace(t_star=P / (P + N) * P)  # where the third area starts too
        _path(*order, np.ones(len(order.positive), dtype=np.uint8), c, areas, tied)
    return areas, tied


@compiled
def _path(rows, ends_group, positive, counts, c, areas, tied):
    prevalence, odds = c.P / (c.P + c.N), c.P / c.N
    groups = np.empty((5, rows.shape[1] + 1))
    for m in range(rows.shape[0]):
        whole = above = weighted = loss = shared = 0.0
        for i in range(tie_groups(rows[m], ends_group[m], positive, counts, groups)):
            t, f, d, e = groups[0, i], groups[1, i], groups[2, i], groups[3, i]
            whole += pr_terms(t, f, d, e)[0]
            loss += gain_loss(t, f, d, e, groups[4, i], c)
            t0 = max(t, c.t_star)  # the part of the group at recalls of at least pi
            inside = t + d - t0
            if inside > 0:
                f0, negatives = f + e * ((t0 - t) / d), e * (inside / d)
                above += pr_terms(t0, f0, inside, negatives)[0]
                weighted += _gain_weighted(t0, f0, inside, negatives)
            shared += d if e > 0 else 0.0
        areas[m, 0] = whole / c.P
        areas[m, 1] = (whole / c.P - prevalence) / (1 - prevalence)
        areas[m, 2] = (above / (c.P - c.t_star) - prevalence) / (1 - prevalence)
        areas[m, 3] = (odds * c.P * weighted - prevalence) / (1 - prevalence)
        areas[m, 4] = 1 - loss
        tied[m] = shared / c.P


@compiled
def _gain_weighted(t0, f0, d, e):
    """Integrate precision / t^2 over the true positives of one group: d / (t0 q1) log1p(z)/z, q = t + f.

    Precision over t^2 is 1 / (t q) with q linear in t, so the integral is a log of cross ratios; z -> 0 where
    precision stands still.
    """
    q0, q1 = t0 + f0, t0 + f0 + d + e
    z = (d * q0 - t0 * (d + e)) / (t0 * q1)
    ratio = 1 - z / 2 + z * z / 3 if abs(z) < 1e-6 else np.log1p(z) / z
    return d / (t0 * q1) * ratio


@compiled
def to_next_positive(rows, ends_group, positive, sampled, n_sampled, places, above, tied, below):
    """Move every model on to its next positive, in all draws at once, and fill in the negatives that rank below it.

    Parameters
    ----------
    rows, ends_group, positive : an `Order`.
    sampled : (n, draws) uint8, 1 for the negatives of each sample, 0 for all other rows.
    n_sampled : N', negatives in every sample.
    places : (m, 3) int64, zeros at first: each model's next row, the positives of its group and those passed.
    above, tied : (m, draws) int32, zeros at first: negatives above the group and in it.
    below : (m, draws), to be filled; within a group of tied scores the negatives fall evenly from positive to positive.

    Examples
    --------
    >>> order = order_of(np.array([True, False, True]), np.array([[0.2], [0.9], [0.2]]))
    >>> places, above, tied, below = np.zeros((1, 3), int), *np.zeros((2, 1, 1), np.int32), np.empty((1, 1))
    >>> to_next_positive(*order, np.array([[0], [1], [0]], np.uint8), 1, places, above, tied, below)
    >>> below.tolist()
    [[0.0]]
    """
    for m in range(rows.shape[0]):
        start, d, g = places[m]
        while g == d:
            if d > 0:
                for draw in range(below.shape[1]):
                    above[m, draw] += tied[m, draw]
                    tied[m, draw] = 0
            stop, d, g = start, 0, 0
            while stop == start or not ends_group[m, stop - 1]:
                d += positive[rows[m, stop]]
                stop += 1
            into = tied if d > 0 else above
            for place in range(start, stop):
                row = rows[m, place]
                if not positive[row]:
                    for draw in range(below.shape[1]):
                        into[m, draw] += sampled[row, draw]
            start = stop
        for draw in range(below.shape[1]):
            below[m, draw] = n_sampled - above[m, draw] - tied[m, draw] * (g + 0.5) / d
        places[m, 0], places[m, 1], places[m, 2] = start, d, g + 1
