"""The areas of rankings whose classes are sorted or binned: of one ranking, or of many models by group of rows.

Scores are negated, so that ascending arrays start with the top of the ranking.
"""

import numpy as np

from aucstudy.metrics.compiled import brief, compiled
from aucstudy.metrics.formulas.sums import (
    BLOCK,
    LANES,
    LANES_HOLD,
    SUMS,
    add,
    add_groups,
    add_plain_block,
    block_is_plain,
    finish,
    flush,
)
from aucstudy.metrics.formulas.terms import totals_of
from aucstudy.metrics.ranking.sorting import (
    HoldsNaNError,
    bin_counts,
    positives_table,
    sorted_segments,
    split_and_sort,
    worth_binning,
)
from aucstudy.metrics.ranking.ties import count_below, group_cells, negatives_above, next_score


def one_ranking(
    labels: np.ndarray, scores: np.ndarray, n_positive: int, options: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The areas (1, 1, 5) of one unweighted ranking, and its P and N (1, 2); may raise HoldsNaNError."""
    n_negative = scores.size - n_positive
    weights = np.array([[n_positive, n_negative]], dtype=float)
    areas = np.full((1, 1, 5), np.nan)
    table = positives_table(labels, scores) if worth_binning(scores.size, n_positive) else None
    if table is not None:
        areas_of_bins(table.multiplicity, bin_counts(scores, table), weights, options, areas)
    elif n_positive and n_negative:
        pos, neg = split_and_sort(labels, scores, n_positive)
        layout = np.array([[0, pos.size, n_positive, 0, neg.size, n_negative]])
        areas_of_segments(pos, neg, layout, weights, options, _empty_above(n_positive, n_negative), areas)
    elif np.isnan(scores).any():
        raise HoldsNaNError
    return areas, weights


def _empty_above(n_positive: int, n_negative: int) -> np.ndarray:
    return np.empty(n_positive + 1, dtype=np.uint32 if n_negative < 2**32 else np.int64)


def many_rankings(
    positive: np.ndarray,
    scores: np.ndarray,
    codes: np.ndarray,
    n_groups: int,
    weight: np.ndarray | None,
    options: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The areas (n_groups, n_models, 5) of each group in each column, and the groups' P and N (n_groups, 2)."""
    sides = []
    for mask, padding in ((positive, 0), (~positive, int(weight is None))):
        rows = np.flatnonzero(mask)
        sides.append(sorted_segments(scores, rows, codes[rows], n_groups, weight, padding))
    pos, neg = sides
    layout = np.column_stack([pos.starts, pos.widths, pos.counts, neg.starts, neg.widths, neg.counts])
    layout = np.ascontiguousarray(layout, dtype=np.int64)
    areas = np.empty((n_groups, scores.shape[1], 5))
    if weight is None:
        weights = np.column_stack([pos.counts, neg.counts]).astype(float)
        above = _empty_above(int(pos.counts.max()), int(neg.counts.max()))
        areas_of_segments(pos.scores, neg.scores, layout, weights, options, above, areas)
    else:
        weights = np.zeros((n_groups, 2))
        _add_weights(positive, codes, weight, weights)
        classes = pos.scores, neg.scores, pos.weights, neg.weights
        areas_of_weighted_segments(*classes, layout, weights, options, areas)
    return areas, weights


@compiled
def _add_weights(positive, codes, weight, weights):
    lost = np.zeros_like(weights)
    for i in range(codes.size):
        g, side = codes[i], 0 if positive[i] else 1
        weights[g, side], lost[g, side] = add(weights[g, side], lost[g, side], weight[i])
    weights += lost


@brief
def areas_of_segments(pos, neg, layout, weights, options, above, areas):
    """Fill `areas` (n_groups, n_models, 5) from the sorted segments of two classes, NaN for a group of one class.

    `layout` (n_groups, 6): for each class the start of the first segment, the distance to the next model's, and the
    number of rows. `weights` (n_groups, 2): P and N. `above`: scratch.
    """
    groups, lanes, sums = np.empty((5, BLOCK)), np.zeros((LANES, BLOCK)), np.empty((2, SUMS))
    out = np.full((*areas.shape[:2], SUMS), np.nan)
    for g in range(len(out)):
        start, width, n_pos, neg_start, neg_width, n_neg = layout[g]
        if n_pos == 0 or n_neg == 0:
            continue
        c = totals_of(weights[g, 0], weights[g, 1], options)
        for m in range(out.shape[1]):
            p, n = start + m * width, neg_start + m * neg_width
            sums[:] = 0.0
            _sum_ranking(pos[p : p + n_pos], neg[n : n + neg_width], n_neg, above, c, groups, lanes, sums)
            out[g, m] = sums[0] + sums[1]
    finish(out, weights, options, areas)


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
    if stop < pos.size and pos[stop - 1] == pos[stop]:
        return False
    scores, next_negatives, ties = pos[start:stop], above[start:stop], 0
    for i in range(scores.size - 1):
        ties += scores[i] == scores[i + 1]
    for i in range(scores.size):
        ties += neg[next_negatives[i]] == scores[i]
    return ties == 0


@compiled
def areas_of_weighted_segments(pos, neg, wpos, wneg, layout, weights, options, areas):
    """As `areas_of_segments`, with weights laid out as the scores."""
    groups, sums = np.empty((5, layout[:, 2].max())), np.empty((2, SUMS))
    out = np.full((*areas.shape[:2], SUMS), np.nan)
    for g in range(len(out)):
        start, width, n_pos, neg_start, neg_width, n_neg = layout[g]
        if not (weights[g, 0] > 0 and weights[g, 1] > 0):
            continue
        c = totals_of(weights[g, 0], weights[g, 1], options)
        for m in range(out.shape[1]):
            p, n = start + m * width, neg_start + m * neg_width
            sums[:] = 0.0
            classes = pos[p : p + n_pos], neg[n : n + n_neg], wpos[p : p + n_pos], wneg[n : n + n_neg]
            _sum_weighted_ranking(*classes, c, groups, sums)
            out[g, m] = sums[0] + sums[1]
    finish(out, weights, options, areas)


@compiled
def _sum_weighted_ranking(pos, neg, wpos, wneg, c, groups, sums):
    t, f, d, e, below = groups
    size = i = j = 0
    t0 = f0 = t_lost = f_lost = 0.0
    while i < pos.size:
        _, i_end, j_end = next_score(pos, neg, i, j)
        if i_end > i:
            t[size], f[size] = t0 + t_lost, f0 + f_lost
            d[size], e[size] = _compensated_sum(wpos[i:i_end]), _compensated_sum(wneg[j:j_end])
            t0, t_lost = add(t0, t_lost, d[size])
            f0, f_lost = add(f0, f_lost, e[size])
            size += 1
        else:
            for row in range(j, j_end):
                f0, f_lost = add(f0, f_lost, wneg[row])
        i, j = i_end, j_end
    count_below(d[:size], below)
    add_groups(groups, size, c, sums)


@compiled
def _compensated_sum(weights):
    total = lost = 0.0
    for weight in weights:
        total, lost = add(total, lost, weight)
    return total + lost


@brief
def areas_of_bins(multiplicity, bins, weights, options, areas):
    """Fill `areas` (1, 1, 5) from the positives at each of their distinct scores, and the `bins` of `bin_counts`."""
    size = multiplicity.size
    cells, groups = np.zeros(3 * size + 1), np.empty((5, size + 1))
    for k in range(size):
        tied = multiplicity[k]
        cells[3 * k], cells[3 * k + 1], cells[3 * k + 2] = bins[2 * k], bins[2 * k + 1] - tied, tied
    group_cells(cells, groups)
    sums = np.zeros((2, SUMS))
    add_groups(groups, size, totals_of(weights[0, 0], weights[0, 1], options), sums)
    finish((sums[0] + sums[1]).reshape(1, 1, SUMS), weights, options, areas)
