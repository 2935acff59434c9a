"""One walk down a ranking for many draws at once, each draw in a lane of its own.

What a row adds to the counts of a lane is one byte, so that a negative of eight lanes is counted by one addition of
whole numbers, and only positives are looked at lane by lane. A walk costs less than a nanosecond a row and draw where
a tenth of the rows is positive.
"""

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.engine.sums import mostly_positive, pr_terms, trapezoid

LANES = 32  # draws of one walk; a multiple of 8, the lanes of a word
FULL = 255  # rows that a byte can count
# for each draw; where many parts or few draws would need more, counts are kept lane by lane
MOST_BYTES = 16


@compiled
def count_classes(positive, parts, totals):
    """Add up the (draws, parts, 2) positives and negatives of the parts."""
    n_parts = totals.shape[1]
    for s in range(parts.shape[0]):
        for i in range(parts.shape[1]):
            if parts[s, i] < n_parts:
                totals[s, parts[s, i], 0 if positive[i] else 1] += 1.0


@compiled
def walk(rows, ends_group, positive, parts, totals, nested, factors, options, areas):
    """Fill `areas` (5, draws, n_parts, m), all but the fourth.

    `parts` (draws, n) uint8; `totals` (draws, n_parts, 2) positives and negatives of the subsets; `factors` as in
    `subsets`; `options`: the prevalence asked for or 0, and whether clipped gains are wanted.
    """
    draws, n = parts.shape
    n_parts = totals.shape[1]
    for start in range(0, draws, LANES):
        lanes = min(LANES, draws - start)
        width = (lanes + 7) // 8 * 8
        by_lane = n_parts * width > MOST_BYTES * lanes and not nested
        codes = np.full((n, width), FULL, dtype=np.uint8)
        bytes_of = np.zeros((1 if by_lane else n, n_parts * width), dtype=np.uint8)
        facts = np.zeros((n_parts * width, 7))
        for lane in range(lanes):
            _deal(parts[start + lane], lane, n_parts, nested, by_lane, codes, bytes_of)
            _fill_facts(totals[start + lane], options[0], facts[lane::width])
        of_block, totals_of_block = areas[:, start : start + lanes], totals[start : start + lanes]
        planes = bytes_of.view(np.uint64)
        _walk_block(
            rows, ends_group, positive, codes, planes, totals_of_block, facts, nested, by_lane, factors,
            options, of_block,
        )  # fmt: skip


@compiled
def _deal(parts, lane, n_parts, nested, by_lane, codes, bytes_of):
    """Write the part of each row in one draw into a column of `codes`, and 1 for each subset that it falls into."""
    width = codes.shape[1]
    for i in range(parts.size):
        part = np.int64(parts[i])
        codes[i, lane] = parts[i]
        if part < n_parts and not by_lane:
            for k in range(part, n_parts if nested else part + 1):
                bytes_of[i, k * width + lane] = 1


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
    rows, ends_group, positive, codes, planes, totals, facts, nested, by_lane, factors, options, areas
):
    """Walk up to LANES draws; what belongs to subset k in a lane stands at k * width + lane."""
    lanes, n_parts, size = totals.shape[0], totals.shape[1], facts.shape[0]
    t, f, d, e = np.zeros((4, size), dtype=np.int64)
    waiting = np.zeros(planes.shape[1], dtype=np.uint64)
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
        i, n, pending = 0, rows.shape[1], 0
        while i < n:
            row, stop = rows[m, i], i + 1
            P = np.int64(positive[row])
            if not ends_group[m, i]:
                stop, P = _group(rows[m], ends_group[m], positive, i)
            if P == 0:
                for at in range(i, stop):
                    pending = _count(rows[m, at], codes, planes, lanes, by_lane, n_parts, waiting, pending, f)
            elif stop == i + 1:
                _add_lone(
                    codes[row], lanes, n_parts, nested, of_bytes, t, f, facts, first, f_first, factors,
                    options, lone,
                )  # fmt: skip
            else:
                pending = _empty(waiting, pending, f)
                _count_group(rows[m, i:stop], positive, codes, planes, lanes, by_lane, n_parts, waiting, d, e)
                _add_tied(d, e, facts, t, f, tied)
            i = stop
        _finish(lanes, facts, f_first, first, lone, tied, totals, m, areas)


@compiled
def _group(rows, ends_group, positive, start):
    """Where the next group of tied rows begins, and how many positives are in this one."""
    i, P = start, np.int64(positive[rows[start]])
    while not ends_group[i]:
        i += 1
        P += positive[rows[i]]
    return i + 1, P


@compiled
def _count(row, codes, planes, lanes, by_lane, n_parts, waiting, pending, counts):
    """Count one row in all lanes; `waiting` holds the last `pending` of them, a byte a lane."""
    if by_lane:
        for lane in range(lanes):
            if codes[row, lane] < n_parts:
                counts[codes[row, lane] * codes.shape[1] + lane] += 1
        return 0
    for w in range(waiting.size):
        waiting[w] += planes[row, w]
    if pending + 1 == FULL:
        return _empty(waiting, FULL, counts)
    return pending + 1


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
def _count_group(group, positive, codes, planes, lanes, by_lane, n_parts, waiting, d, e):
    """Count the positives and negatives of a group of tied rows."""
    d[:], e[:] = 0, 0
    for wanted, counts in ((True, d), (False, e)):
        pending = 0
        for row in group:
            if positive[row] == wanted:
                pending = _count(row, codes, planes, lanes, by_lane, n_parts, waiting, pending, counts)
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
            j = k * width + lane
            place, above = t[j], f[j] + np.int64(waiting[j])
            t[j] = place + 1
            lone[j, 0] += above
            if asked == 0:
                lone[j, 1] += above * logs[place + above]
            elif above > 0:
                scaled = facts[j, 2] * above
                lone[j, 1] += scaled * np.log1p(1 / (place + scaled))
            if place >= first[j]:
                lone[j, 2] += above * gains[place]
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
