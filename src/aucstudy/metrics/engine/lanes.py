"""One walk down a ranking for many draws at once, each draw in a lane of its own.

A byte holds the subset of a row in a draw. Negatives are counted a word of eight draws at a time, positives lane by
lane. Subset k of a lane stands at k * width + lane of an array. What is called for every positive gets whole arrays and
places in them: a slice would cost more than its work.
"""

import numpy as np

from aucstudy.metrics.compiled import compiled, inlined
from aucstudy.metrics.engine.sums import minimum_and_room, mostly_positive, pr_terms, trapezoid

LANES = 40  # draws of one walk, in five words; up to 24 draws take three, up to eight one
NONE = 127  # the code of a row in no subset
FULL = 255  # rows that a byte can count
RUN = 64  # rows that are compared with one subset after the other: they stay in the first cache
ONES, HIGHS, SEVEN = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080), np.uint64(7)
MOST_PARTS_IN_WORDS = 16  # of more subsets, a row is counted lane by lane
# what is counted of each subset: positives and negatives above the next group, positives and negatives of a tied group,
# the negatives above the positive inside which recall gain 0 lies, and the first positive beyond it
T, F, D, E, F_FIRST, FIRST = range(6)


@compiled
def walk(rows, ends_group, positive, parts, totals, nested, factors, options, areas):
    """Fill `areas` (6, draws, n_parts, m) and `totals` (draws, n_parts, 2), the positives and negatives of the subsets.

    `options`: the prevalence asked for or 0, whether to clip gains, and the prevalence of the sixth area or 0.
    """
    draws, n = parts.shape
    n_parts = totals.shape[1]
    for start in range(0, draws, LANES):
        stop = min(draws, start + LANES)
        lanes = stop - start
        width = 8 if lanes <= 8 else 24 if lanes <= 24 else LANES
        codes = np.full((n, width), NONE, dtype=np.uint8)
        _deal(parts[start:stop], codes)
        words, by_lane = codes.view(np.uint64), n_parts > MOST_PARTS_IN_WORDS and not nested
        of_block, totals_of_block = areas[:, start:stop], totals[start:stop]
        _count_classes(positive, codes, words, nested, by_lane, totals_of_block)
        facts = np.zeros((n_parts * width, 9))
        for lane in range(lanes):
            _fill_facts(totals_of_block[lane], options[0], options[2], facts[lane::width])
        _walk_block(
            rows, ends_group, positive, codes, words, totals_of_block, facts, nested, by_lane, factors,
            options, of_block,
        )  # fmt: skip


@compiled
def _deal(parts, codes):
    for i in range(parts.shape[1]):
        for lane in range(parts.shape[0]):
            codes[i, lane] = min(parts[lane, i], NONE)


@compiled
def _count_classes(positive, codes, words, nested, by_lane, totals):
    lanes, n_parts = totals.shape[:2]
    width = codes.shape[1]
    counts = np.empty((1, n_parts * width), dtype=np.int64)
    waiting = np.zeros(n_parts * width // 8, dtype=np.uint64)
    of_bytes = waiting.view(np.uint8)
    for column in range(2):
        counts[:] = 0
        of_class = np.flatnonzero(positive != bool(column)).astype(np.int32).reshape(1, -1)
        pending = count_rows(
            of_class, 0, 0, of_class.size, codes, words, nested, by_lane, waiting, of_bytes, 0, counts, 0
        )
        empty(of_bytes, pending, counts, 0)
        for k in range(n_parts):
            for lane in range(lanes):
                totals[lane, k, column] = counts[0, k * width + lane]


@inlined
def count_rows(rows, m, start, stop, codes, words, nested, by_lane, waiting, of_bytes, pending, counts, into):
    """Count rows of a ranking in all lanes; `waiting` holds the last `pending` of them, which is returned."""
    if by_lane:
        width = codes.shape[1]
        for i in range(start, stop):
            for lane in range(width):
                k = np.int64(codes[rows[m, i], lane])
                if k < counts.shape[1] // width:
                    counts[into, k * width + lane] += 1
        return 0
    while start < stop:
        end = min(stop, start + min(FULL - pending, RUN))
        _add_words(rows, m, start, end, words, nested, waiting)
        pending += end - start
        start = end
        if pending == FULL:
            pending = empty(of_bytes, FULL, counts, into)
    return pending


@inlined
def _add_words(rows, m, start, stop, words, nested, waiting):
    per_row = words.shape[1]
    for k in range(waiting.size // per_row):
        of_subset, place = np.uint64(k) * ONES, k * per_row
        # a byte of `at` minus a code keeps its high bit where the code is that of the subset, or not above it if nested
        at, other = (HIGHS + of_subset, np.uint64(0)) if nested else (HIGHS, of_subset)
        a = b = c = d = e = np.uint64(0)
        if per_row == 1:
            for i in range(start, stop):
                a += _matches(words[np.uint32(rows[m, i]), 0], at, other)
        else:
            for i in range(start, stop):
                row = np.uint32(rows[m, i])
                a += _matches(words[row, 0], at, other)
                b += _matches(words[row, 1], at, other)
                c += _matches(words[row, 2], at, other)
            waiting[place + 1] += b
            waiting[place + 2] += c
        waiting[place] += a
        if per_row == 5:
            for i in range(start, stop):
                row = np.uint32(rows[m, i])
                d += _matches(words[row, 3], at, other)
                e += _matches(words[row, 4], at, other)
            waiting[place + 3] += d
            waiting[place + 4] += e


@inlined
def _matches(word, at, other):
    return ((at - (word ^ other)) >> SEVEN) & ONES


@inlined
def empty(of_bytes, pending, counts, into):
    """Add the waiting bytes to the counts, and return how many rows still wait: 0."""
    if pending:
        for j in range(of_bytes.size):
            counts[into, j] += of_bytes[j]
            of_bytes[j] = 0
    return 0


@compiled
def _fill_facts(totals, asked, moved, facts):
    """P, N, a negative's weight, with it t*, odds, odds^2 P, positives after t*; its weight at `moved`; least AUPR."""
    for k in range(len(totals)):
        P, N = totals[k]
        share = asked if asked > 0 else P / (P + N)
        facts[k, 8] = minimum_and_room((1 - share) / share, 0.0, 1.0)[0]
        scale = P * (1 - asked) / (asked * N) if asked > 0 else 1.0
        facts[k, 7] = P * (1 - moved) / (moved * N) if moved > 0 else 0.0
        odds = P / (N * scale)
        facts[k, 0], facts[k, 1], facts[k, 2] = P, N, scale
        facts[k, 3], facts[k, 4], facts[k, 5] = P * P / (P + N * scale), odds, odds * odds * P
        facts[k, 6] = P * (N * scale / (P + N * scale))


@compiled
def _walk_block(
    rows, ends_group, positive, codes, words, totals, facts, nested, by_lane, factors, options, areas
):
    lanes, n_parts, size = totals.shape[0], totals.shape[1], facts.shape[0]
    counts, waiting = np.zeros((6, size), dtype=np.int64), np.zeros(size // 8, dtype=np.uint64)
    of_bytes, n = waiting.view(np.uint8), rows.shape[1]
    of_class = np.empty((1, n), dtype=np.int32)
    for j in range(size):
        P, N = facts[j, 0], facts[j, 1]
        counts[FIRST, j] = np.int64(P) - (np.int64(np.floor(facts[j, 6])) if P > 0 and N > 0 else -1)
    # of positives alone with their scores: pairs, precision, gain, clipped gain, precision at the other prevalence; and
    # the sums of tied groups
    lone, tied = np.empty((5, size)), np.empty((size, 5))
    for m in range(rows.shape[0]):
        counts[:FIRST], lone[:], tied[:], of_bytes[:] = 0, 0.0, 0.0, 0
        start = pending = 0
        while start < n:
            group, stop = _next_positive(rows, m, ends_group, positive, start)
            pending = count_rows(
                rows, m, start, group, codes, words, nested, by_lane, waiting, of_bytes, pending, counts, F
            )
            if stop == group + 1:
                _add_lone(
                    rows[m, group], codes, lanes, n_parts, nested, of_bytes, counts, facts, factors, options, lone
                )  # fmt: skip
            elif stop > group:
                pending = empty(of_bytes, pending, counts, F)
                _count_group(
                    rows, m, group, stop, positive, of_class, codes, words, nested, by_lane, waiting, of_bytes,
                    counts,
                )  # fmt: skip
                _add_tied(counts, facts, tied)
            start = stop
        _finish(lanes, facts, counts, lone, tied, totals, m, areas)


@inlined
def _next_positive(rows, m, ends_group, positive, start):
    """Where the next group of tied rows with a positive begins and ends, else n."""
    n, group = rows.shape[1], start
    for i in range(start, n):
        if positive[rows[m, i]]:
            while not ends_group[m, i]:
                i += 1
            return group, i + 1
        if ends_group[m, i]:
            group = i + 1
    return n, n


@inlined
def _add_lone(row, codes, lanes, n_parts, nested, of_bytes, counts, facts, factors, options, lone):
    """Add a positive that shares its score with no other row to what the areas lose."""
    asked, clip, moved = options
    for lane in range(lanes):
        own = np.int64(codes[row, lane])
        if own >= n_parts:
            continue
        for k in range(own, n_parts if nested else own + 1):
            # without a sign, so that it cannot count from the end
            j = np.uint64(k * codes.shape[1] + lane)
            place, above = counts[T, j], counts[F, j] + np.int64(of_bytes[j])
            counts[T, j] = place + 1
            lone[0, j] += above
            if asked == 0:
                lone[1, j] += above * factors[0, np.uint64(place + above)]
            elif above > 0:
                scaled = facts[j, 2] * above
                lone[1, j] += scaled * np.log1p(1 / (place + scaled))
            if moved > 0 and above > 0:
                scaled = facts[j, 7] * above
                lone[4, j] += scaled * np.log1p(1 / (place + scaled))
            if place >= counts[FIRST, j]:
                lone[2, j] += above * factors[1, np.uint64(place)]
                if clip and facts[j, 4] * facts[j, 2] * above > place:
                    x, y, odds, P = np.float64(place), facts[j, 2] * above, facts[j, 4], facts[j, 0]
                    clipped = trapezoid(x, y, 1.0, x + 1.0, y, odds, P, True)
                    lone[3, j] += clipped - trapezoid(x, y, 1.0, x + 1.0, y, odds, P, False)
            elif place == counts[FIRST, j] - 1:
                counts[F_FIRST, j] = above


@compiled
def _count_group(
    rows, m, start, stop, positive, of_class, codes, words, nested, by_lane, waiting, of_bytes, counts
):
    counts[D:F_FIRST] = 0
    for into in (D, E):
        size = 0
        for i in range(start, stop):
            of_class[0, size] = rows[m, i]
            size += positive[rows[m, i]] == (into == D)
        pending = count_rows(
            of_class, 0, 0, size, codes, words, nested, by_lane, waiting, of_bytes, 0, counts, into
        )
        empty(of_bytes, pending, counts, into)


@compiled
def _add_tied(counts, facts, tied):
    for j in range(counts.shape[1]):
        d, e = counts[D, j], counts[E, j]
        if d > 0:
            scale = facts[j, 2]
            true, false = np.float64(counts[T, j]), counts[F, j] * scale
            more, among = np.float64(d), e * scale
            tied[j, 0] += d * (counts[F, j] + 0.5 * e)
            tied[j, 1] += pr_terms(true, false, more, among)[1]
            if facts[j, 7] > 0:
                tied[j, 4] += pr_terms(true, counts[F, j] * facts[j, 7], more, e * facts[j, 7])[1]
            _add_gains(true, false, more, among, facts, j, tied)
        counts[T, j] += d
        counts[F, j] += e


@compiled
def _add_gains(t, f, d, e, facts, j, tied):
    """Add what a group loses of precision gain, signed and clipped, beyond recall gain 0."""
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
def _finish(lanes, facts, counts, lone, tied, totals, m, areas):
    n_parts = totals.shape[1]
    width = facts.shape[0] // n_parts
    for lane in range(lanes):
        for k in range(n_parts):
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
