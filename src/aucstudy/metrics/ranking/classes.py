"""The areas of rankings by sorting each class, whose scores are negated: ascending arrays start with the top."""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled
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
from aucstudy.metrics.inputs import Rows
from aucstudy.metrics.ranking.ties import ONE, U, count_negatives_above, next_score, untied


def many_rankings(rows: Rows, options: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The areas (n_groups, n_models, 5) of each group in each column, and the groups' P and N (n_groups, 2)."""
    positive, scores, weight = rows.labels == 1, rows.scores.reshape(len(rows.labels), -1), rows.weight
    codes, n_groups, sides = rows.group_codes(), len(rows.exponents), []
    for mask, padding in ((positive, 0), (~positive, int(weight is None))):
        side = np.flatnonzero(mask)
        sides.append(sorted_segments(scores, side, codes[side], n_groups, weight, padding))
    pos, neg = sides
    layout = np.column_stack([pos.starts, pos.widths, pos.counts, neg.starts, neg.widths, neg.counts])
    layout = np.ascontiguousarray(layout, dtype=np.int64)
    areas = np.empty((n_groups, scores.shape[1], 5))
    if weight is None:
        class_totals = np.column_stack([pos.counts, neg.counts]).astype(float)
    else:
        class_totals = np.zeros((n_groups, 2))
        _add_weights(positive, codes, weight, class_totals)
    areas_of_segments(pos.scores, neg.scores, pos.weights, neg.weights, layout, class_totals, options, areas)
    return areas, class_totals


def sorted_areas(
    labels: np.ndarray, scores: np.ndarray, n_positive: int, class_totals: np.ndarray, options: np.ndarray
) -> np.ndarray:
    n_negative, areas = scores.size - n_positive, np.full((1, 1, 5), np.nan)
    if n_positive and n_negative:
        pos, neg = split_and_sort(labels, scores, n_positive)
        layout = np.array([[0, pos.size, n_positive, 0, neg.size, n_negative]])
        areas_of_segments(pos, neg, np.empty(0), np.empty(0), layout, class_totals, options, areas)
    return areas


def split_and_sort(labels: np.ndarray, scores: np.ndarray, n_positive: int) -> tuple[np.ndarray, np.ndarray]:
    """Ascending negated scores of positives (label 1) and of negatives, an infinity behind these."""
    both = np.empty(scores.size + 1)
    both[-1] = np.inf
    _split(labels, scores, n_positive, both)
    both[:n_positive].sort()
    both[n_positive : scores.size].sort()
    return both[:n_positive], both[n_positive:]


@compiled
def _split(labels, scores, n_positive, both):
    to_pos, to_neg = U(0), U(n_positive)
    for i in range(scores.size):
        positive = U(labels[i] == 1)
        both[to_pos if positive else to_neg] = -scores[i]
        to_pos += positive
        to_neg += ONE - positive


class Segments(NamedTuple):
    """Negated scores of one class; group g's model m has counts[g] rows from starts[g] + m * widths[g] on."""

    scores: np.ndarray
    weights: np.ndarray
    starts: np.ndarray
    widths: np.ndarray
    counts: np.ndarray


def sorted_segments(
    scores: np.ndarray,
    rows: np.ndarray,
    codes: np.ndarray,
    n_groups: int,
    weight: np.ndarray | None,
    padding: int = 0,
) -> Segments:
    """Sort the scores of `rows` within each model and group; at least `padding` infinities end a segment."""
    n_models = scores.shape[1]
    counts = np.bincount(codes, minlength=n_groups)
    size_class = np.frexp(counts.astype(float))[1]  # groups of about one size are sorted in one call
    widths, starts = np.zeros(n_groups, dtype=np.int64), np.zeros(n_groups, dtype=np.int64)
    blocks, end = [], 0
    for size in np.unique(size_class):
        members = np.flatnonzero(size_class == size)
        width = int(counts[members].max()) + padding
        widths[members] = width
        starts[members] = end + np.arange(members.size) * n_models * width
        blocks.append((end, members.size * n_models, width))
        end += members.size * n_models * width
    flat = np.full(end, np.inf)
    order = rows[np.argsort(codes, kind="stable")] if n_groups > 1 else rows
    _fill(scores, order, counts, starts, widths, -1.0, flat)
    weights = np.zeros(end if weight is not None else 0)
    if weight is not None:
        _fill(np.broadcast_to(weight[:, None], scores.shape), order, counts, starts, widths, 1.0, weights)
    for begin, n_segments, width in blocks:
        block = flat[begin : begin + n_segments * width].reshape(n_segments, width)
        if weight is None:
            block.sort(axis=-1)
        else:
            by_score = np.argsort(block, axis=-1)
            block[:] = np.take_along_axis(block, by_score, axis=-1)
            padded = weights[begin : begin + n_segments * width].reshape(n_segments, width)
            padded[:] = np.take_along_axis(padded, by_score, axis=-1)
    # padding has weight 0, wherever the sort puts it among scores of -inf
    return Segments(flat, weights, starts, widths, counts if weight is None else widths)


@compiled
def _fill(scores, order, counts, starts, widths, sign, flat):
    row = 0
    for g in range(counts.size):
        for i in range(counts[g]):
            for m in range(scores.shape[1]):
                flat[starts[g] + m * widths[g] + i] = sign * scores[order[row], m]
            row += 1


@compiled
def _add_weights(positive, codes, weight, class_totals):
    lost = np.zeros_like(class_totals)
    for i in range(codes.size):
        g, side = codes[i], 0 if positive[i] else 1
        class_totals[g, side], lost[g, side] = add(class_totals[g, side], lost[g, side], weight[i])
    class_totals += lost


@compiled
def areas_of_segments(pos, neg, wpos, wneg, layout, class_totals, options, areas):
    """Fill in the (n_groups, n_models, 5) areas from the sorted segments of two classes.

    `layout` (n_groups, 6): start, width and count of each class. `wpos` and `wneg` are empty where all weigh 1.
    """
    weighted = wpos.size > 0
    ties = np.empty((5, layout[:, 2].max() if weighted else BLOCK))
    lanes, sums = np.zeros((LANES, BLOCK)), np.empty((2, SUMS))
    negatives_above = np.empty(layout[:, 2].max() + 1, dtype=np.int64)
    out = np.full((*areas.shape[:2], SUMS), np.nan)
    for g in range(len(out)):
        start, width, n_pos, neg_start, neg_width, n_neg = layout[g]
        if not (class_totals[g, 0] > 0 and class_totals[g, 1] > 0):
            continue
        c = totals_of(class_totals[g, 0], class_totals[g, 1], options)
        for m in range(out.shape[1]):
            p, n = start + m * width, neg_start + m * neg_width
            scores = pos[p : p + n_pos], neg[n : n + neg_width]
            sums[:] = 0.0
            if weighted:
                _sum_weighted_ranking(*scores, wpos[p : p + n_pos], wneg[n : n + n_neg], c, ties, sums)
            else:
                _sum_ranking(*scores, n_neg, negatives_above, c, ties, lanes, sums)
            out[g, m] = sums[0] + sums[1]
    finish(out, class_totals, options, areas)


@compiled
def _sum_ranking(pos, neg, n_neg, negatives_above, c, ties, lanes, sums):
    count_negatives_above(pos, neg, n_neg, negatives_above)
    i, n_pos, pending, pairs, negatives = 0, pos.size, 0, 0.0, neg[:n_neg]
    while i < n_pos:
        stop = min(i + BLOCK, n_pos)
        if block_is_plain(i, negatives_above, stop, c) and untied(pos, neg, negatives_above, i, stop):
            pairs += c.N * (stop - i) - c.scale * add_plain_block(i, negatives_above, stop, c, lanes)
            i, pending = stop, pending + 1
            if pending == LANES_HOLD:
                flush(lanes, pairs, sums)
                pending, pairs = 0, 0.0
            continue
        size = 0
        while size < BLOCK and i < n_pos:
            t, f = i, negatives_above[i]
            _, i, j = next_score(pos, negatives, t, f)
            ties[0, size], ties[1, size], ties[2, size] = t, f, i - t
            ties[3, size], ties[4, size] = j - f, n_pos - i
            size += 1
        add_groups(ties, size, c, sums)
    if pending:
        flush(lanes, pairs, sums)


@compiled
def _sum_weighted_ranking(pos, neg, wpos, wneg, c, ties, sums):
    t, f, d, e, below = ties
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
    total = lost = 0.0
    for k in range(size - 1, -1, -1):  # from the last up: near it their sum is exact
        below[k] = total + lost
        total, lost = add(total, lost, d[k])
    add_groups(ties, size, c, sums)


@compiled
def _compensated_sum(weights):
    total = lost = 0.0
    for weight in weights:
        total, lost = add(total, lost, weight)
    return total + lost
