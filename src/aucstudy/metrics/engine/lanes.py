"""One walk down a ranking for many draws at once, each draw in a lane of its own.

What a row adds to the counts of a lane is one byte, so that a negative of eight lanes is counted by one addition of
whole numbers, and only positives are looked at lane by lane. A walk costs less than a nanosecond a row and draw where
a tenth of the rows is positive.
"""

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.engine.sums import mostly_positive, pr_terms, trapezoid

LANES = 32  # draws of one walk, in four words; up to eight draws take one
NONE = 127  # the code of a row in no part
FULL = 255  # rows that a byte can count
RUN = 64  # rows that are compared with one subset after the other: they stay in the first cache
# with more parts, a row is counted lane by lane
MOST_PARTS_IN_WORDS = 16
ONES, HIGHS, SEVEN = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080), np.uint64(7)


@compiled
def walk(rows, ends_group, positive, parts, totals, nested, factors, options, areas):
    """Fill `areas` (5, draws, n_parts, m), all but the fourth, and `totals`.

    `parts` (draws, n) uint8; `totals` (draws, n_parts, 2) positives and negatives of the subsets; `factors` as in
    `subsets`; `options`: the prevalence asked for or 0, and whether clipped gains are wanted.
    """
    draws, n = parts.shape
    n_parts = totals.shape[1]
    for start in range(0, draws, LANES):
        stop = min(draws, start + LANES)
        lanes, width = stop - start, 8 if stop - start <= 8 else LANES
        codes = np.full((n, width), NONE, dtype=np.uint8)
        _deal(parts[start:stop], codes)
        words, by_lane = codes.view(np.uint64), n_parts > MOST_PARTS_IN_WORDS and not nested
        of_block, totals_of_block = areas[:, start:stop], totals[start:stop]
        _count_classes(positive, codes, words, nested, by_lane, totals_of_block)
        facts = np.zeros((n_parts * width, 7))
        for lane in range(lanes):
            _fill_facts(totals_of_block[lane], options[0], facts[lane::width])
        _walk_block(
            rows, ends_group, positive, codes, words, totals_of_block, facts, nested, by_lane, factors,
            options, of_block,
        )  # fmt: skip


@compiled
def _deal(parts, codes):
    """Write the parts of each row in all draws side by side."""
    for i in range(parts.shape[1]):
        for lane in range(parts.shape[0]):
            codes[i, lane] = min(parts[lane, i], NONE)


@compiled
def _count_classes(positive, codes, words, nested, by_lane, totals):
    """Fill in the (lanes, n_parts, 2) positives and negatives of the subsets."""
    lanes, n_parts = totals.shape[:2]
    width = codes.shape[1]
    counts, waiting = (
        np.zeros(n_parts * width, dtype=np.int64),
        np.zeros(n_parts * width // 8, dtype=np.uint64),
    )
    for column in range(2):
        counts[:] = 0
        of_class = np.flatnonzero(positive != bool(column)).astype(np.int32)
        pending = _count(of_class, 0, of_class.size, codes, words, nested, by_lane, waiting, 0, counts)
        _empty(waiting, pending, counts)
        for k in range(n_parts):
            for lane in range(lanes):
                totals[lane, k, column] = counts[k * width + lane]


@compiled
def _fill_facts(totals, asked, facts):
    """Of each subset: P, N, a negative's weight, and with it t*, odds, odds^2 P, the positives that follow t*."""
    for k in range(len(totals)):
        P, N = totals[k]
        scale = P * (1 - asked) / (asked * N) if asked > 0 else 1.0
        odds = P / (N * scale)
        facts[k, 0], facts[k, 1], facts[k, 2] = P, N, scale
        facts[k, 3], facts[k, 4], facts[k, 5] = P * P / (P + N * scale), odds, odds * odds * P
        facts[k, 6] = P * (N * scale / (P + N * scale))


@compiled
def _walk_block(
    rows, ends_group, positive, codes, words, totals, facts, nested, by_lane, factors, options, areas
):
    """Walk up to LANES draws; what belongs to subset k in a lane stands at k * width + lane."""
    lanes, n_parts, size = totals.shape[0], totals.shape[1], facts.shape[0]
    t, f, d, e = np.zeros((4, size), dtype=np.int64)
    waiting = np.zeros(size // 8, dtype=np.uint64)
    of_bytes = waiting.view(np.uint8)
    first, f_first = np.zeros((2, size), dtype=np.int64)
    for j in range(size):
        P, N = facts[j, 0], facts[j, 1]
        # recall gain 0 lies at the first of these, or inside the one before
        first[j] = np.int64(P) - (np.int64(np.floor(facts[j, 6])) if P > 0 and N > 0 else -1)
    # of positives alone with their scores: pairs, precision, gain, clipped gain; and the sums of tied groups
    lone, tied = np.empty((size, 4)), np.empty((size, 4))
    for m in range(rows.shape[0]):
        t[:], f[:], f_first[:], lone[:], tied[:], waiting[:] = 0, 0, 0, 0.0, 0.0, 0
        start, n, pending = 0, rows.shape[1], 0
        while start < n:
            group, stop = _next_positive(rows[m], ends_group[m], positive, start)
            pending = _count(rows[m], start, group, codes, words, nested, by_lane, waiting, pending, f)
            if stop == group + 1:
                _add_lone(
                    codes[rows[m, group]], lanes, n_parts, nested, of_bytes, t, f, facts, first, f_first,
                    factors, options, lone,
                )  # fmt: skip
            elif stop > group:
                pending = _empty(waiting, pending, f)
                _count_group(rows[m, group:stop], positive, codes, words, nested, by_lane, waiting, d, e)
                _add_tied(d, e, facts, t, f, tied)
            start = stop
        _finish(lanes, facts, f_first, first, lone, tied, totals, m, areas)


@compiled
def _next_positive(rows, ends_group, positive, start):
    """Where the next group of tied rows with a positive begins and ends; both n where there is none."""
    group = start
    for i in range(start, rows.size):
        if positive[rows[i]]:
            while not ends_group[i]:
                i += 1
            return group, i + 1
        if ends_group[i]:
            group = i + 1
    return rows.size, rows.size


@compiled
def _count(rows, start, stop, codes, words, nested, by_lane, waiting, pending, counts):
    """Count some rows in all lanes; `waiting` holds the last `pending` of them, a byte a lane, which is returned."""
    if by_lane:
        width = np.int64(codes.shape[1])
        for i in range(start, stop):
            of_row = codes[np.uint32(rows[i])]
            for lane in range(width):
                if of_row[lane] < counts.size // width:
                    counts[of_row[lane] * width + lane] += 1
        return 0
    while start < stop:
        end = min(stop, start + min(FULL - pending, RUN))
        _add_words(rows[start:end], words, nested, waiting)
        pending += end - start
        start = end
        if pending == FULL:
            pending = _empty(waiting, FULL, counts)
    return pending


@compiled
def _add_words(rows, words, nested, waiting):
    """Add to the byte of each subset and lane the rows that fall into it; eight lanes are compared at once.

    A byte of `at` minus a code keeps its high bit where the code is that of the subset, or not above it if nested.
    """
    per_row = words.shape[1]
    for k in range(waiting.size // per_row):
        of_subset = np.uint64(k) * ONES
        at, other = (HIGHS + of_subset, np.uint64(0)) if nested else (HIGHS, of_subset)
        counts = waiting[k * per_row : (k + 1) * per_row]
        if per_row == 4:
            a, b, c, d = counts[0], counts[1], counts[2], counts[3]
            for row in rows:
                of_row = words[np.uint32(row)]
                a += ((at - (of_row[0] ^ other)) >> SEVEN) & ONES
                b += ((at - (of_row[1] ^ other)) >> SEVEN) & ONES
                c += ((at - (of_row[2] ^ other)) >> SEVEN) & ONES
                d += ((at - (of_row[3] ^ other)) >> SEVEN) & ONES
            counts[0], counts[1], counts[2], counts[3] = a, b, c, d
        else:
            for w in range(per_row):
                for row in rows:
                    counts[w] += ((at - (words[np.uint32(row), w] ^ other)) >> SEVEN) & ONES


@compiled
def _empty(waiting, pending, counts):
    """Add the bytes of `waiting` to the counts, and begin anew: 0."""
    if pending:
        of_bytes = waiting.view(np.uint8)
        for j in range(counts.size):
            counts[j] += of_bytes[j]
        waiting[:] = 0
    return 0


@compiled
def _count_group(group, positive, codes, words, nested, by_lane, waiting, d, e):
    """Count the positives and negatives of a group of tied rows."""
    d[:], e[:] = 0, 0
    of_class = np.empty(group.size, dtype=group.dtype)
    for wanted, counts in ((True, d), (False, e)):
        size = 0
        for row in group:
            of_class[size] = row
            size += positive[row] == wanted
        pending = _count(of_class, 0, size, codes, words, nested, by_lane, waiting, 0, counts)
        _empty(waiting, pending, counts)


@compiled
def _add_lone(codes, lanes, n_parts, nested, waiting, t, f, facts, first, f_first, factors, options, lone):
    """Add a positive that shares its score with no other row to what the areas lose."""
    logs, gains = factors
    asked, clip = options
    width = codes.size
    for lane in range(lanes):
        part = np.int64(codes[lane])
        if part >= n_parts:
            continue
        for k in range(part, n_parts if nested else part + 1):
            j = np.uint64(k * width + lane)
            place, above = t[j], f[j] + np.int64(waiting[j])
            t[j] = place + 1
            lone[j, 0] += above
            if asked == 0:
                lone[j, 1] += above * logs[np.uint64(place + above)]
            elif above > 0:
                scaled = facts[j, 2] * above
                lone[j, 1] += scaled * np.log1p(1 / (place + scaled))
            if place >= first[j]:
                lone[j, 2] += above * gains[np.uint64(place)]
                if clip and facts[j, 4] * facts[j, 2] * above > place:
                    x, y, odds, P = np.float64(place), facts[j, 2] * above, facts[j, 4], facts[j, 0]
                    clipped = trapezoid(x, y, 1.0, x + 1.0, y, odds, P, True)
                    lone[j, 3] += clipped - trapezoid(x, y, 1.0, x + 1.0, y, odds, P, False)
            elif place == first[j] - 1:
                f_first[j] = above


@compiled
def _add_tied(d, e, facts, t, f, tied):
    """Add a group of tied rows to what the areas lose: pairs in the wrong order, precision, precision gain."""
    for j in range(t.size):
        if d[j] > 0:
            scale = facts[j, 2]
            true, false = np.float64(t[j]), f[j] * scale
            more, among = np.float64(d[j]), e[j] * scale
            tied[j, 0] += d[j] * (f[j] + 0.5 * e[j])
            tied[j, 1] += pr_terms(true, false, more, among)[1]
            _add_gains(true, false, more, among, facts[j], tied[j])
        t[j] += d[j]
        f[j] += e[j]


@compiled
def _add_gains(t, f, d, e, facts, sums):
    """Add what a group loses of precision gain, signed and clipped, beyond recall gain 0."""
    t1, f1, t_star = t + d, f + e, facts[3]
    # where nearly all rows are positive, t - t* would lose digits
    beyond = facts[6] - (facts[0] - t1) if mostly_positive(facts[0], facts[1] * facts[2]) else t1 - t_star
    if beyond <= 0:
        return
    if beyond < d:
        f, t, d = f1 - e * (beyond / d), t_star, beyond
    sums[2] += trapezoid(t, f, d, t1, f1, facts[4], facts[0], False)
    sums[3] += trapezoid(t, f, d, t1, f1, facts[4], facts[0], True)


@compiled
def _finish(lanes, facts, f_first, first, lone, tied, totals, m, areas):
    """From the sums of one model to its areas; subsets of one class have none."""
    n_parts = totals.shape[1]
    width = first.size // n_parts
    for lane in range(lanes):
        for k in range(n_parts):
            P, N = totals[lane, k]
            if P <= 0 or N <= 0:
                continue
            j = k * width + lane
            sums, alone, of_subset = tied[j], lone[j], facts[j]
            if f_first[j] > 0:
                _add_gains(first[j] - 1.0, of_subset[2] * f_first[j], 1.0, 0.0, of_subset, sums)
            gain = alone[2] * (of_subset[5] * of_subset[2])
            areas[0, lane, k, m] = 1 - (sums[1] + alone[1]) / P
            areas[1, lane, k, m] = 1 - (sums[2] + gain)
            areas[2, lane, k, m] = 1 - (sums[0] + alone[0]) / (P * N)
            areas[4, lane, k, m] = 1 - (sums[3] + gain + alone[3])
