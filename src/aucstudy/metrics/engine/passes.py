"""The one pass over each ranking: find its groups with a positive and add them up.

All scores are negated: ascending arrays start with the top of the ranking.
"""

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.engine.merging import negatives_above
from aucstudy.metrics.engine.sums import (
    BLOCK,
    LANES,
    LANES_HOLD,
    SUMS,
    add,
    add_groups,
    add_plain_block,
    block_is_plain,
    count_left,
    flush,
    totals_of,
)


@compiled
def sum_segments(pos, neg, layout, weights, options, above, out):
    """Fill `out` (n_groups, n_models, SUMS) from the sorted segments of two classes.

    `layout` (n_groups, 6): for each class the start of the first segment, the distance between the segments
    of two models, and the number of rows. `weights` (n_groups, 2): P and N. `options`: prevalence or 0, clip,
    a, b. `above` is scratch, longer than any segment of positives.
    """
    groups = np.empty((5, BLOCK))
    lanes = np.zeros((LANES, BLOCK))
    sums = np.empty((2, SUMS))
    for g in range(out.shape[0]):
        start, width, n_pos, neg_start, neg_width, n_neg = layout[g]
        if n_pos == 0 or n_neg == 0:
            out[g] = np.nan
            continue
        c = totals_of(weights[g, 0], weights[g, 1], options)
        for m in range(out.shape[1]):
            p, n = start + m * width, neg_start + m * neg_width
            sums[:] = 0.0
            _sum_ranking(pos[p : p + n_pos], neg[n : n + neg_width], n_neg, above, c, groups, lanes, sums)
            out[g, m] = sums[0] + sums[1]


@compiled
def _sum_ranking(pos, neg, n_neg, above, c, groups, lanes, sums):
    negatives_above(pos, neg, n_neg, above)
    i, n_pos, pending, pairs = 0, pos.size, 0, 0.0
    while i < n_pos:
        stop = min(i + BLOCK, n_pos)
        if block_is_plain(i, above, stop, c) and _untied(pos, neg, above, i, stop):
            pairs += c.N * (stop - i) - c.scale * add_plain_block(i, above, stop, c, lanes)
            i, pending = stop, pending + 1
            if pending == LANES_HOLD:
                flush(lanes, pairs, sums)
                pending, pairs = 0, 0.0
            continue
        size = 0
        while size < BLOCK and i < n_pos:
            score, first, j = pos[i], i, np.int64(above[i])
            while i < n_pos and pos[i] == score:
                i += 1
            while j < n_neg and neg[j] == score:
                j += 1
            groups[0, size], groups[1, size] = first, above[first]
            groups[2, size], groups[3, size] = i - first, j - np.int64(above[first])
            groups[4, size] = n_pos - i
            size += 1
        add_groups(groups, size, c, sums)
    if pending:
        flush(lanes, pairs, sums)


@compiled
def _untied(pos, neg, above, start, stop):
    """Whether each positive from start to stop is alone with its score."""
    if stop < pos.size and pos[stop - 1] == pos[stop]:
        return False
    alone, places, ties = pos[start:stop], above[start:stop], 0
    for i in range(alone.size - 1):
        ties += alone[i] == alone[i + 1]
    for i in range(alone.size):
        ties += neg[places[i]] == alone[i]
    return ties == 0


@compiled
def sum_weighted_segments(pos, neg, wpos, wneg, layout, weights, options, out):
    """As `sum_segments`, with the weights of rows in arrays laid out as the scores."""
    groups = np.empty((5, max(layout[:, 2].max(), 1)))
    sums = np.empty((2, SUMS))
    for g in range(out.shape[0]):
        start, width, n_pos, neg_start, neg_width, n_neg = layout[g]
        if not (weights[g, 0] > 0 and weights[g, 1] > 0):
            out[g] = np.nan
            continue
        c = totals_of(weights[g, 0], weights[g, 1], options)
        for m in range(out.shape[1]):
            p, n = start + m * width, neg_start + m * neg_width
            classes = (pos[p : p + n_pos], neg[n : n + n_neg], wpos[p : p + n_pos], wneg[n : n + n_neg])
            size = _weighted_groups(*classes, groups)
            sums[:] = 0.0
            add_groups(groups, size, c, sums)
            out[g, m] = sums[0] + sums[1]


@compiled
def _weighted_groups(pos, neg, wpos, wneg, groups):
    t, f, d, e, left = groups
    i = j = size = 0
    t0 = f0 = t_lost = f_lost = 0.0
    while i < pos.size:
        score = pos[i]
        while j < neg.size and neg[j] < score:
            f0, f_lost = add(f0, f_lost, wneg[j])
            j += 1
        t[size], f[size] = t0 + t_lost, f0 + f_lost
        in_group = 0.0
        while i < pos.size and pos[i] == score:
            in_group += wpos[i]
            i += 1
        d[size] = in_group
        t0, t_lost = add(t0, t_lost, in_group)
        in_group = 0.0
        while j < neg.size and neg[j] == score:
            in_group += wneg[j]
            j += 1
        e[size] = in_group
        f0, f_lost = add(f0, f_lost, in_group)
        size += 1
    count_left(d, size, left)
    return size


@compiled
def sum_bins(values, multiplicity, bins, weights, options, out):
    """Fill `out` (1, 1, SUMS) from the distinct scores of the positives and the rows between them.

    `bins` holds for each distinct score k the rows strictly before it (2k) and those that share it (2k + 1).
    """
    size = values.size
    groups = np.empty((5, size))
    t, f, d, e, left = groups
    t0 = f0 = 0.0
    for k in range(size):
        f0 += bins[2 * k]
        t[k], f[k], d[k], e[k] = t0, f0, multiplicity[k], bins[2 * k + 1] - multiplicity[k]
        t0 += d[k]
        f0 += e[k]
    count_left(d, size, left)
    sums = np.zeros((2, SUMS))
    add_groups(groups, size, totals_of(weights[0, 0], weights[0, 1], options), sums)
    out[0, 0] = sums[0] + sums[1]
