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
# parts from which on counts are kept lane by lane: a word of them a part would be more than that
MANY_PARTS = 16


@compiled
def count_classes(positive, parts, totals):
    """Add up the (draws, parts, 2) positives and negatives of the parts."""
    n_parts = totals.shape[1]
    for s in range(parts.shape[0]):
        for i in range(parts.shape[1]):
            if parts[s, i] < n_parts:
                totals[s, parts[s, i], 0 if positive[i] else 1] += 1.0


@compiled
def walk(rows, ends_group, positive, parts, totals, nested, logs, gains, asked, areas):
    """Fill `areas` (5, draws, n_parts, m), all but the fourth.

    `parts` (draws, n) uint8; `totals` (draws, n_parts, 2) positives and negatives of the subsets; `logs` and `gains` as
    in `subsets`; `asked` the prevalence or 0.
    """
    draws, n = parts.shape
    n_parts = totals.shape[1]
    by_lane = n_parts > MANY_PARTS and not nested
    facts = np.empty((n_parts, LANES, 7))
    for start in range(0, draws, LANES):
        lanes = min(LANES, draws - start)
        words = (lanes + 7) // 8
        codes = np.full((n, 8 * words), FULL, dtype=np.uint8)
        planes = np.zeros((1 if by_lane else n, n_parts * 8 * words), dtype=np.uint8)
        for lane in range(lanes):
            _deal(parts[start + lane], lane, n_parts, nested, by_lane, codes, planes)
            _fill_facts(totals[start + lane], asked, facts[:, lane])
        of_block = areas[:, start : start + lanes]
        # eight lanes of bytes in a word
        _walk_block(
            rows, ends_group, positive, codes, planes.view(np.uint64), totals[start : start + lanes], facts,
            nested, logs, gains, asked, of_block,
        )  # fmt: skip


@compiled
def _deal(parts, lane, n_parts, nested, by_lane, codes, planes):
    """Write the part of each row in one draw into a column of `codes`, and 1 for each subset that it falls into."""
    lanes = codes.shape[1]
    for i in range(parts.size):
        part = np.int64(parts[i])
        codes[i, lane] = parts[i]
        if part < n_parts and not by_lane:
            for k in range(part, n_parts if nested else part + 1):
                planes[i, k * lanes + lane] = 1


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
def _walk_block(rows, ends_group, positive, codes, planes, totals, facts, nested, logs, gains, asked, areas):
    n_parts, lanes = facts.shape[0], totals.shape[0]
    by_lane = planes.shape[0] < codes.shape[0]
    shape = (n_parts, codes.shape[1])
    t, f = np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int64)
    d, e = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    waiting = np.zeros(planes.shape[1], dtype=np.uint64)
    first, f_first = np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int64)
    for lane in range(lanes):
        for k in range(n_parts):
            both = totals[lane, k, 0] > 0 and totals[lane, k, 1] > 0
            # recall gain 0 lies at the first of these, or inside the one before
            behind = np.int64(np.floor(facts[k, lane, 6])) if both else np.int64(-1)
            first[k, lane] = np.int64(totals[lane, k, 0]) - behind
    # of positives alone with their scores: pairs, precision, gain, clipped gain; and the sums of tied groups
    lone, tied = np.empty((*shape, 4)), np.empty((*shape, 4))
    for m in range(rows.shape[0]):
        t[:], f[:], f_first[:], lone[:], tied[:], waiting[:] = 0, 0, 0, 0.0, 0.0, 0
        i, n, pending = 0, rows.shape[1], 0
        while i < n:
            row = rows[m, i]
            if not ends_group[m, i]:
                stop, P = _group(rows[m], ends_group[m], positive, i)
            else:
                stop, P = i + 1, np.int64(positive[row])
            if P == 0:
                for j in range(i, stop):
                    pending = _count(rows[m, j], codes, planes, lanes, by_lane, waiting, pending, f)
            else:
                pending = _empty(waiting, pending, f)
                if stop == i + 1:
                    _add_lone(
                        codes[row], lanes, nested, t, f, facts, first, f_first, logs, gains, asked, lone
                    )
                else:
                    _count_group(rows[m, i:stop], positive, codes, planes, lanes, by_lane, waiting, d, e)
                    _add_tied(d, e, lanes, facts, t, f, tied)
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
def _count(row, codes, planes, lanes, by_lane, waiting, pending, counts):
    """Count one row in all lanes; `waiting` holds the last `pending` of them, a byte a lane."""
    if by_lane:
        for lane in range(lanes):
            if codes[row, lane] < counts.shape[0]:
                counts[codes[row, lane], lane] += 1
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
        of_bytes, flat = waiting.view(np.uint8), counts.ravel()
        for j in range(flat.size):
            flat[j] += of_bytes[j]
        waiting[:] = 0
    return 0


@compiled
def _count_group(group, positive, codes, planes, lanes, by_lane, waiting, d, e):
    """Count the positives and negatives of a group of tied rows."""
    d[:], e[:] = 0, 0
    for wanted, counts in ((True, d), (False, e)):
        pending = 0
        for row in group:
            if positive[row] == wanted:
                pending = _count(row, codes, planes, lanes, by_lane, waiting, pending, counts)
        _empty(waiting, pending, counts)


@compiled
def _add_lone(codes, lanes, nested, t, f, facts, first, f_first, logs, gains, asked, lone):
    """Add a positive that shares its score with no other row to what the areas lose."""
    n_parts = t.shape[0]
    for lane in range(lanes):
        part = np.int64(codes[lane])
        if part >= n_parts:
            continue
        for k in range(part, n_parts if nested else part + 1):
            above, place, sums = f[k, lane], t[k, lane], lone[k, lane]
            t[k, lane] = place + 1
            if above == 0:
                continue
            sums[0] += above
            scale = facts[k, lane, 2]
            if asked > 0:
                sums[1] += scale * above * np.log1p(1 / (place + scale * above))
            else:
                sums[1] += above * logs[place + above]
            if place >= first[k, lane]:
                sums[2] += above * gains[place]
                odds, P = facts[k, lane, 4], facts[k, lane, 0]
                if odds * scale * above > place:
                    x, y = np.float64(place), scale * above
                    clipped = trapezoid(x, y, 1.0, x + 1.0, y, odds, P, True)
                    sums[3] += clipped - trapezoid(x, y, 1.0, x + 1.0, y, odds, P, False)
            elif place == first[k, lane] - 1:
                f_first[k, lane] = above


@compiled
def _add_tied(d, e, lanes, facts, t, f, tied):
    """Add a group of tied rows to what the areas lose: pairs in the wrong order, precision, precision gain."""
    for k in range(t.shape[0]):
        for lane in range(lanes):
            if d[k, lane] > 0:
                scale = facts[k, lane, 2]
                true, false = np.float64(t[k, lane]), f[k, lane] * scale
                more, among = np.float64(d[k, lane]), e[k, lane] * scale
                tied[k, lane, 0] += d[k, lane] * (f[k, lane] + 0.5 * e[k, lane])
                tied[k, lane, 1] += pr_terms(true, false, more, among)[1]
                _add_gains(true, false, more, among, facts[k, lane], tied[k, lane])
            t[k, lane] += d[k, lane]
            f[k, lane] += e[k, lane]


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
    for lane in range(lanes):
        for k in range(facts.shape[0]):
            P, N = totals[lane, k]
            if P <= 0 or N <= 0:
                continue
            sums, alone, of_subset = tied[k, lane], lone[k, lane], facts[k, lane]
            if f_first[k, lane] > 0:
                f = of_subset[2] * f_first[k, lane]
                _add_gains(first[k, lane] - 1.0, f, 1.0, 0.0, of_subset, sums)
            gain = alone[2] * (of_subset[5] * of_subset[2])
            areas[0, lane, k, m] = 1 - (sums[1] + alone[1]) / P
            areas[1, lane, k, m] = 1 - (sums[2] + gain)
            areas[2, lane, k, m] = 1 - (sums[0] + alone[0]) / (P * N)
            areas[4, lane, k, m] = 1 - (sums[3] + gain + alone[3])
