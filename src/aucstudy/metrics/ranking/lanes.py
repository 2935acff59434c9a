"""One walk down a ranking for many draws of subsets at once, each draw in a lane of its own.

A byte holds the subset of a row in a draw; negatives are counted a word of eight draws at a time. Subset k of a lane
stands at k * width + lane of an array.
"""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled, inlined
from aucstudy.metrics.formulas.terms import minimum_and_room, mostly_positive, pr_terms, trapezoid
from aucstudy.metrics.ranking.ties import next_positive_group

LANES = 40  # draws of one walk, in five words; up to eight draws take one
NONE = 127  # the code of a row in no subset
FULL = 255  # rows that a byte can count
RUN = 64  # rows that are compared with one subset after the other: they stay in the first cache
ONES, HIGHS, SEVEN = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080), np.uint64(7)
MOST_SUBSETS_IN_WORDS = 16  # of more subsets, a row is counted lane by lane
# counts of each subset: positives and negatives above the next group and in it, negatives above the positive inside
# which recall gain 0 lies, and the first positive beyond it
T, F, D, E, F_FIRST, FIRST = range(6)


class Lanes(NamedTuple):
    """The subsets of each row as `codes` and `words`, `counts` of them, and rows `waiting` to be counted."""

    codes: np.ndarray
    words: np.ndarray
    counts: np.ndarray
    waiting: np.ndarray
    waiting_bytes: np.ndarray
    nested: bool
    lane_by_lane: bool


@compiled
def walk(order, subsets, totals, nested, factors, options, areas):
    """Fill `areas` (6, draws, n_subsets, m) and `totals` (draws, n_subsets, 2), the positives and negatives.

    `options`: the prevalence or 0 for the observed one, whether to clip gains, the prevalence of the sixth area or 0.
    """
    draws, n = subsets.shape
    n_subsets = totals.shape[1]
    for start in range(0, draws, LANES):
        stop = min(draws, start + LANES)
        n_lanes = stop - start
        width = 8 if n_lanes <= 8 else LANES
        codes = np.full((n, width), NONE, dtype=np.uint8)
        _deal(subsets[start:stop], codes)
        waiting = np.zeros(n_subsets * width // 8, dtype=np.uint64)
        counts = np.zeros((6, n_subsets * width), dtype=np.int64)
        lane_by_lane = n_subsets > MOST_SUBSETS_IN_WORDS and not nested
        lanes = Lanes(
            codes, codes.view(np.uint64), counts, waiting, waiting.view(np.uint8), nested, lane_by_lane
        )
        _count_classes(order.positive, lanes, totals[start:stop])
        facts = np.zeros((n_subsets * width, 9))
        for lane in range(n_lanes):
            _fill_facts(totals[start + lane], options[0], options[2], facts[lane::width])
        _walk_block(order, lanes, totals[start:stop], facts, factors, options, areas[:, start:stop])


@compiled
def _deal(subsets, codes):
    for i in range(subsets.shape[1]):
        for lane in range(subsets.shape[0]):
            codes[i, lane] = min(subsets[lane, i], NONE)


@compiled
def _count_classes(positive, lanes, totals):
    n_lanes, n_subsets = totals.shape[:2]
    width = lanes.codes.shape[1]
    for column in range(2):
        lanes.counts[T] = 0
        rows = np.flatnonzero(positive != bool(column)).astype(np.int32).reshape(1, -1)
        pending = count_rows(rows, 0, 0, rows.size, lanes, 0, T)
        empty(lanes, pending, T)
        for k in range(n_subsets):
            for lane in range(n_lanes):
                totals[lane, k, column] = lanes.counts[T, k * width + lane]


@inlined
def count_rows(rows, m, start, stop, lanes, pending, kind):
    """Count rows of a ranking in all lanes; return how many of them still wait."""
    if lanes.lane_by_lane:
        width = lanes.codes.shape[1]
        for i in range(start, stop):
            for lane in range(width):
                k = np.int64(lanes.codes[rows[m, i], lane])
                if k < lanes.counts.shape[1] // width:
                    lanes.counts[kind, k * width + lane] += 1
        return 0
    while start < stop:
        end = min(stop, start + min(FULL - pending, RUN))
        _add_words(rows, m, start, end, lanes.words, lanes.nested, lanes.waiting)
        pending += end - start
        start = end
        if pending == FULL:
            pending = empty(lanes, FULL, kind)
    return pending


@inlined
def _add_words(rows, m, start, stop, words, nested, waiting):
    per_row = words.shape[1]
    for k in range(waiting.size // per_row):
        repeated, first = np.uint64(k) * ONES, k * per_row
        # a byte of `ceiling` minus a code keeps its high bit where that is the subset's code, or if nested not above it
        ceiling, flips = (HIGHS + repeated, np.uint64(0)) if nested else (HIGHS, repeated)
        a = b = c = d = e = np.uint64(0)
        if per_row == 1:
            for i in range(start, stop):
                a += _matches(words[np.uint32(rows[m, i]), 0], ceiling, flips)
        else:
            for i in range(start, stop):
                row = np.uint32(rows[m, i])
                a += _matches(words[row, 0], ceiling, flips)
                b += _matches(words[row, 1], ceiling, flips)
                c += _matches(words[row, 2], ceiling, flips)
                d += _matches(words[row, 3], ceiling, flips)
                e += _matches(words[row, 4], ceiling, flips)
            waiting[first + 1] += b
            waiting[first + 2] += c
            waiting[first + 3] += d
            waiting[first + 4] += e
        waiting[first] += a


@inlined
def _matches(word, ceiling, flips):
    return ((ceiling - (word ^ flips)) >> SEVEN) & ONES


@inlined
def empty(lanes, pending, kind):
    """Add the waiting bytes to the counts, and return how many rows still wait: 0."""
    if pending:
        for j in range(lanes.waiting_bytes.size):
            lanes.counts[kind, j] += lanes.waiting_bytes[j]
            lanes.waiting_bytes[j] = 0
    return 0


@compiled
def _fill_facts(totals, prevalence, aupr_at, facts):
    """P, N, a negative's weight, with it t*, odds, odds^2 P, positives after t*; weight at `aupr_at`; least AUPR."""
    for k in range(len(totals)):
        P, N = totals[k]
        share = prevalence if prevalence > 0 else P / (P + N)
        facts[k, 8] = minimum_and_room((1 - share) / share, 0.0, 1.0)[0]
        scale = P * (1 - prevalence) / (prevalence * N) if prevalence > 0 else 1.0
        facts[k, 7] = P * (1 - aupr_at) / (aupr_at * N) if aupr_at > 0 else 0.0
        odds = P / (N * scale)
        facts[k, 0], facts[k, 1], facts[k, 2] = P, N, scale
        facts[k, 3], facts[k, 4], facts[k, 5] = P * P / (P + N * scale), odds, odds * odds * P
        facts[k, 6] = P * (N * scale / (P + N * scale))


@compiled
def _walk_block(order, lanes, totals, facts, factors, options, areas):
    rows, size, counts = order.rows, facts.shape[0], lanes.counts
    n = rows.shape[1]
    rows_of_class = np.empty((1, n), dtype=np.int32)
    for j in range(size):
        P, N = facts[j, 0], facts[j, 1]
        counts[FIRST, j] = np.int64(P) - (np.int64(np.floor(facts[j, 6])) if P > 0 and N > 0 else -1)
    # of positives alone with their scores: pairs, precision, gain, clipped gain, precision at the other prevalence; and
    # the sums of tied groups
    lone, tied = np.empty((5, size)), np.empty((size, 5))
    for m in range(rows.shape[0]):
        counts[:FIRST], lone[:], tied[:], lanes.waiting_bytes[:] = 0, 0.0, 0.0, 0
        start = pending = 0
        while start < n:
            group, stop = next_positive_group(rows[m], order.ends_group[m], order.positive, start)
            pending = count_rows(rows, m, start, group, lanes, pending, F)
            if stop == group + 1:
                _add_lone(rows[m, group], lanes, totals.shape, facts, factors, options, lone)
            elif stop > group:
                pending = empty(lanes, pending, F)
                _count_group(rows, m, group, stop, order.positive, rows_of_class, lanes)
                _add_tied(counts, facts, tied)
            start = stop
        _finish(counts, facts, lone, tied, totals, m, areas)


@inlined
def _add_lone(row, lanes, shape, facts, factors, options, lone):
    prevalence, clip, aupr_at = options
    counts, n_subsets = lanes.counts, shape[1]
    for lane in range(shape[0]):
        subset = np.int64(lanes.codes[row, lane])
        if subset >= n_subsets:
            continue
        for k in range(subset, n_subsets if lanes.nested else subset + 1):
            # without a sign, so that it cannot count from the end
            j = np.uint64(k * lanes.codes.shape[1] + lane)
            rank, above = counts[T, j], counts[F, j] + np.int64(lanes.waiting_bytes[j])
            counts[T, j] = rank + 1
            lone[0, j] += above
            if prevalence == 0:
                lone[1, j] += above * factors[0, np.uint64(rank + above)]
            elif above > 0:
                scaled_above = facts[j, 2] * above
                lone[1, j] += scaled_above * np.log1p(1 / (rank + scaled_above))
            if aupr_at > 0 and above > 0:
                scaled_above = facts[j, 7] * above
                lone[4, j] += scaled_above * np.log1p(1 / (rank + scaled_above))
            if rank >= counts[FIRST, j]:
                lone[2, j] += above * factors[1, np.uint64(rank)]
                if clip and facts[j, 4] * facts[j, 2] * above > rank:
                    x, y, odds, P = np.float64(rank), facts[j, 2] * above, facts[j, 4], facts[j, 0]
                    clipped = trapezoid(x, y, 1.0, x + 1.0, y, odds, P, True)
                    lone[3, j] += clipped - trapezoid(x, y, 1.0, x + 1.0, y, odds, P, False)
            elif rank == counts[FIRST, j] - 1:
                counts[F_FIRST, j] = above


@compiled
def _count_group(rows, m, start, stop, positive, rows_of_class, lanes):
    lanes.counts[D:F_FIRST] = 0
    for kind in (D, E):
        size = 0
        for i in range(start, stop):
            rows_of_class[0, size] = rows[m, i]
            size += positive[rows[m, i]] == (kind == D)
        pending = count_rows(rows_of_class, 0, 0, size, lanes, 0, kind)
        empty(lanes, pending, kind)


@compiled
def _add_tied(counts, facts, tied):
    for j in range(counts.shape[1]):
        d, e = counts[D, j], counts[E, j]
        if d > 0:
            scale = facts[j, 2]
            t, f = np.float64(counts[T, j]), counts[F, j] * scale
            tied[j, 0] += d * (counts[F, j] + 0.5 * e)
            tied[j, 1] += pr_terms(t, f, np.float64(d), e * scale)[1]
            if facts[j, 7] > 0:
                tied[j, 4] += pr_terms(t, counts[F, j] * facts[j, 7], np.float64(d), e * facts[j, 7])[1]
            _add_gains(t, f, np.float64(d), e * scale, facts, j, tied)
        counts[T, j] += d
        counts[F, j] += e


@compiled
def _add_gains(t, f, d, e, facts, j, tied):
    t1, f1 = t + d, f + e
    P, N, scale, t_star, odds = facts[j, 0], facts[j, 1], facts[j, 2], facts[j, 3], facts[j, 4]
    # where nearly all rows are positive, t - t* would lose digits
    beyond = facts[j, 6] - (P - t1) if mostly_positive(P, N * scale) else t1 - t_star
    if beyond <= 0:
        return
    if beyond < d:
        f, t, d = f1 - e * (beyond / d), t_star, beyond
    tied[j, 2] += trapezoid(t, f, d, t1, f1, odds, P, False)
    tied[j, 3] += trapezoid(t, f, d, t1, f1, odds, P, True)


@compiled
def _finish(counts, facts, lone, tied, totals, m, areas):
    n_lanes, n_subsets = totals.shape[:2]
    width = facts.shape[0] // n_subsets
    for lane in range(n_lanes):
        for k in range(n_subsets):
            P, N = totals[lane, k]
            if P <= 0 or N <= 0:
                continue
            j = k * width + lane
            f_first = counts[F_FIRST, j]
            if f_first > 0:
                _add_gains(counts[FIRST, j] - 1.0, facts[j, 2] * f_first, 1.0, 0.0, facts, j, tied)
            gain = lone[2, j] * (facts[j, 5] * facts[j, 2])
            aupr = 1 - (tied[j, 1] + lone[1, j]) / P
            areas[0, lane, k, m] = aupr
            areas[1, lane, k, m] = 1 - (tied[j, 2] + gain)
            areas[2, lane, k, m] = 1 - (tied[j, 0] + lone[0, j]) / (P * N)
            areas[3, lane, k, m] = (aupr - facts[j, 8]) / (1 - facts[j, 8])
            areas[4, lane, k, m] = 1 - (tied[j, 3] + gain + lone[3, j])
            areas[5, lane, k, m] = 1 - (tied[j, 4] + lone[4, j]) / P
