"""Rankings that are sorted once, as their groups of tied rows: areas at any prevalence, of any part or resample.

Only the groups that hold a positive change an area, so that is all that is kept of a ranking, with the place of each
row among them. A walk over the groups is a tenth of one over the rows where a tenth of the rows is positive.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.engine.finishing import finish
from aucstudy.metrics.engine.sums import (
    BLOCK,
    LANES,
    LANES_HOLD,
    SUMS,
    add_groups,
    add_plain_block,
    block_is_plain,
    flush,
    totals_of,
)


class TiedGroups(NamedTuple):
    """The rankings of n rows by m models as their groups of tied rows that hold a positive, from the top down.

    Attributes
    ----------
    counts : (5, k): the positives and negatives above a group, those in it, and the positives below it; the groups of
        one model after those of another.
    ends : (m + 1,) where in `counts` the groups of each model begin and those of the last end.
    places : (m, n) int32: 3 g of a negative between the groups g - 1 and g of the model, 3 g + 1 of a negative tied
        with group g, 3 g + 2 of a positive in it.
    P, N : positives and negatives.
    """

    counts: np.ndarray
    ends: np.ndarray
    places: np.ndarray
    P: int
    N: int

    def of_model(self, model: int) -> np.ndarray:
        """(5, k) counts of one model."""
        return self.counts[:, self.ends[model] : self.ends[model + 1]]

    def of(self, model: int) -> "TiedGroups":
        """The ranking by one model alone."""
        counts = np.ascontiguousarray(self.of_model(model))
        ends = np.array([0, counts.shape[1]])
        return TiedGroups(counts, ends, self.places[model : model + 1], self.P, self.N)


def tied_groups(y_true: np.ndarray, scores: np.ndarray, of_each: Callable = map) -> TiedGroups:
    """Sort each column of (n, m) scores without NaN, and find the groups.

    Parameters
    ----------
    of_each : as `map`, perhaps in threads.

    Examples
    --------
    >>> groups = tied_groups(np.array([True, False, True]), np.array([[0.2], [0.9], [0.2]]))
    >>> groups.counts.ravel().tolist(), groups.places.tolist()
    ([0.0, 1.0, 2.0, 0.0, 0.0], [[2, 0, 2]])
    """
    positive = np.ascontiguousarray(y_true, dtype=bool)
    P = int(np.count_nonzero(positive))
    places = np.empty(scores.shape[::-1], dtype=np.int32)

    def found(model: int) -> np.ndarray:
        falling = np.negative(scores[:, model], dtype=float)
        # an unstable sort is twice as fast, and the order of tied rows says nothing
        order, counts = np.argsort(falling), np.empty((5, P))
        size = _find_groups(order, falling[order], positive[order], P, counts, places[model])
        return counts[:, :size].copy()

    counts = list(of_each(found, range(len(places))))
    ends = np.cumsum([0, *(of_model.shape[1] for of_model in counts)])
    return TiedGroups(np.concatenate(counts, axis=1), ends, places, P, len(positive) - P)


@compiled
def _find_groups(order, falling, positive, P, counts, places):
    """Fill `counts` and `places` of one model and return how many groups there are."""
    t, f, d, e, left = counts
    size = start = above = negatives_above = tied = 0
    for i in range(order.size):
        tied += positive[i]
        if i + 1 < order.size and falling[i + 1] == falling[i]:
            continue
        stop = i + 1
        for j in range(start, stop):
            places[order[j]] = 3 * size + ((1 + positive[j]) if tied else 0)
        if tied:
            t[size], f[size], d[size], e[size] = above, negatives_above, tied, stop - start - tied
            left[size] = P - above - tied
            size += 1
        above += tied
        negatives_above += stop - start - tied
        start, tied = stop, 0
    return size


def areas_of_groups(
    rankings: TiedGroups,
    weight: np.ndarray | None = None,
    prevalence: float | None = None,
    recall_range: tuple[float, float] = (0.0, 1.0),
    clip: bool = False,
) -> np.ndarray:
    """The five areas of every ranking, as `aucstudy.metrics.areas_many` gives them.

    Parameters
    ----------
    rankings : both classes among the rows.
    weight : (n,) weights of the rows, such as how often each stands in a resample; some above 0 in each class.
    prevalence, recall_range : as for `aucstudy.metrics.areas`; `clip`: negative precision gains count as 0.

    Returns
    -------
    (m, 5) AUROC, AUPR, AUPRG, AUCNPR, average precision.

    Examples
    --------
    >>> y, scores = np.array([True, False, True]), np.array([[0.9], [0.5], [0.1]])
    >>> areas_of_groups(tied_groups(y, scores)).round(4).tolist()
    [[0.5, 0.7973, -0.25, 0.6309, 0.8333]]
    """
    options = np.array([prevalence or 0.0, clip, *recall_range])
    m = len(rankings.ends) - 1
    sums, areas = np.empty((1, m, SUMS)), np.empty((1, m, 5))
    totals = np.array([[rankings.P, rankings.N]], dtype=float)
    if weight is None:
        _sum_whole(rankings.counts, rankings.ends, totals[0], options, sums[0])
    else:
        weight = np.asarray(weight, dtype=float)
        _sum_weighted(rankings.places, rankings.ends, weight, options, totals[0], sums[0])
    finish(sums, totals, options, areas)
    return areas[0]


@compiled
def _sum_whole(counts, ends, totals, options, out):
    t, f, d, e, left = counts
    c = totals_of(totals[0], totals[1], options)
    for m in range(out.shape[0]):
        sums, a, b = np.zeros((2, SUMS)), ends[m], ends[m + 1]
        _add_whole((t[a:b], f[a:b], d[a:b], e[a:b], left[a:b]), c, sums)
        out[m] = sums[0] + sums[1]


@compiled
def _sum_weighted(places, ends, weight, options, totals, out):
    """Fill `out` and the weights of the classes, `totals`."""
    groups = np.empty((5, np.diff(ends).max() + 1))  # an entry to spare: it is written first
    for m in range(out.shape[0]):
        sums = np.zeros((2, SUMS))
        size, totals[0], totals[1] = _weighted_groups(places[m], ends[m + 1] - ends[m], weight, groups)
        add_groups(groups, size, totals_of(totals[0], totals[1], options), sums)
        out[m] = sums[0] + sums[1]


@compiled
def _add_whole(groups, c, sums):
    """Add all groups to `sums`; blocks of single positives without a tie in one stretch."""
    t, f, d, e, left = groups
    above = np.empty(np.int64(c.P))
    for g in range(t.size):
        above[np.int64(t[g]) : np.int64(t[g] + d[g])] = f[g]
    lanes = np.zeros((LANES, BLOCK))
    pending, pairs = 0, 0.0
    for g in range(0, t.size, BLOCK):
        last = min(g + BLOCK, t.size) - 1
        first, stop = np.int64(t[g]), np.int64(t[last] + d[last])
        single = stop - first == last + 1 - g and e[g : last + 1].sum() == 0
        if single and block_is_plain(first, above, stop, c):
            pairs += c.N * (stop - first) - c.scale * add_plain_block(first, above, stop, c, lanes)
            pending += 1
        else:
            stop = last + 1
            block = (t[g:stop], f[g:stop], d[g:stop], e[g:stop], left[g:stop])
            add_groups(block, stop - g, c, sums)
        if pending == LANES_HOLD:
            flush(lanes, pairs, sums)
            pending, pairs = 0, 0.0
    flush(lanes, pairs, sums)


@compiled
def _weighted_groups(places, k, weight, groups):
    """Fill `groups` with those that hold a positive of weight; how many these are, and the weights of the classes."""
    t, f, d, e, left = groups
    at = np.zeros(3 * k + 1)
    for i in range(places.size):
        at[places[i]] += weight[i]
    size = 0
    above = negatives_above = 0.0
    for g in range(k):
        negatives_above += at[3 * g]
        tied, negatives_tied = at[3 * g + 2], at[3 * g + 1]
        t[size], f[size], d[size], e[size] = above, negatives_above, tied, negatives_tied
        size += tied > 0
        above += tied
        negatives_above += negatives_tied
    for g in range(size):
        left[g] = above - (t[g] + d[g])
    return size, above, negatives_above + at[3 * k]
