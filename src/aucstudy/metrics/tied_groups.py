"""Rankings that are sorted once, as their groups of tied rows: areas at any prevalence, of any part or resample.

Only the groups that hold a positive change an area, so that is all that is kept of a ranking, with the place of each
row among them. A walk over the groups is a tenth of one over the rows where a tenth of the rows is positive.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.engine.finishing import finish
from aucstudy.metrics.engine.sums import (
    BLOCK,
    LANES,
    SUMS,
    add_groups,
    add_plain_block,
    block_is_plain,
    flush,
    totals_of,
)

LANES_HOLD = 16  # blocks that may be added up in one set of lanes before compensation


class TiedGroups(NamedTuple):
    """One ranking of n rows as its k groups of tied rows that hold a positive, from the top down.

    Attributes
    ----------
    counts : (5, k): the positives and negatives above a group, those in it, and the positives below it.
    places : (n,) int32: 3 g of a negative between the groups g - 1 and g, 3 g + 1 of a negative tied with group g,
        3 g + 2 of a positive in it.
    P, N : positives and negatives.
    """

    counts: np.ndarray
    places: np.ndarray
    P: int
    N: int


def tied_groups(y_true: np.ndarray, scores: np.ndarray) -> TiedGroups:
    """Sort (n,) scores without NaN and find the groups.

    >>> groups = tied_groups(np.array([True, False, True]), np.array([0.2, 0.9, 0.2]))
    >>> groups.counts.ravel().tolist(), groups.places.tolist()
    ([0.0, 1.0, 2.0, 0.0, 0.0], [2, 0, 2])
    """
    positive = np.ascontiguousarray(y_true, dtype=bool)
    P = int(np.count_nonzero(positive))
    falling = np.negative(scores, dtype=float)
    # an unstable sort is twice as fast, and the order of tied rows says nothing
    order = np.argsort(falling)
    counts, places = np.empty((5, P)), np.empty(len(order), dtype=np.int32)
    size = _find_groups(order, falling, positive, P, counts, places)
    return TiedGroups(counts[:, :size].copy(), places, P, len(order) - P)


@compiled
def _find_groups(order, falling, positive, P, counts, places):
    t, f, d, e, left = counts
    size = start = 0
    above = negatives_above = 0
    while start < order.size:
        stop, tied, score = start, 0, falling[order[start]]
        while stop < order.size and falling[order[stop]] == score:
            tied += positive[order[stop]]
            stop += 1
        for i in range(start, stop):
            row = order[i]
            places[row] = 3 * size + ((2 if positive[row] else 1) if tied else 0)
        if tied:
            t[size], f[size], d[size], e[size] = above, negatives_above, tied, stop - start - tied
            left[size] = P - above - tied
            size += 1
        above += tied
        negatives_above += stop - start - tied
        start = stop
    return size


def areas_of_groups(
    rankings: Sequence[TiedGroups],
    weight: np.ndarray | None = None,
    prevalence: float | None = None,
    recall_range: tuple[float, float] = (0.0, 1.0),
    clip: bool = False,
) -> np.ndarray:
    """The five areas of every ranking, as `aucstudy.metrics.areas_many` gives them.

    Parameters
    ----------
    rankings : of the same rows, both classes among them.
    weight : (n,) weights of the rows, such as how often each stands in a resample; some above 0 in each class.
    prevalence, recall_range : as for `aucstudy.metrics.areas`; `clip`: negative precision gains count as 0.

    Returns
    -------
    (m, 5) AUROC, AUPR, AUPRG, AUCNPR, average precision.

    Examples
    --------
    >>> y, scores = np.array([True, False, True]), np.array([0.9, 0.5, 0.1])
    >>> areas_of_groups([tied_groups(y, scores)]).round(4).tolist()
    [[0.5, 0.7973, -0.25, 0.6309, 0.8333]]
    """
    options = np.array([prevalence or 0.0, clip, *recall_range])
    weight = None if weight is None else np.asarray(weight, dtype=float)
    sums, areas = np.zeros((1, len(rankings), SUMS)), np.empty((1, len(rankings), 5))
    totals = np.array([[rankings[0].P, rankings[0].N]], dtype=float)
    for m, ranking in enumerate(rankings):
        parts = np.zeros((2, SUMS))
        if weight is None:
            _add_whole(ranking.counts, ranking.P, totals_of(totals[0, 0], totals[0, 1], options), parts)
        else:
            groups = np.empty_like(ranking.counts)
            size, *totals[0] = _weighted_groups(ranking.places, weight, groups)
            add_groups(groups, size, totals_of(totals[0, 0], totals[0, 1], options), parts)
        sums[0, m] = parts[0] + parts[1]
    finish(sums, totals, options, areas)
    return areas[0]


@compiled
def _add_whole(counts, P, c, sums):
    """Add all groups to `sums`; blocks of single positives without a tie in one stretch."""
    t, f, d, e, left = counts
    above = np.empty(P)
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
            add_groups(counts[:, g : last + 1], last + 1 - g, c, sums)
        if pending == LANES_HOLD:
            flush(lanes, pairs, sums)
            pending, pairs = 0, 0.0
    flush(lanes, pairs, sums)


@compiled
def _weighted_groups(places, weight, groups):
    """Fill `groups` with those that hold a positive of weight; how many these are, and the weights of the classes."""
    t, f, d, e, left = groups
    k = t.size
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
