"""The groups of tied rows of a ranking: from two sorted classes, a sorted order under weights, or counts of cells.

`groups` (5, k) of those with a positive: positives and negatives above (t, f) and in it (d, e), and positives below.
Scores of classes are negated.
"""

import numpy as np

from aucstudy.metrics.compiled import compiled, inlined

U = np.uint64  # an unsigned index needs no test for wrapping around
ONE = U(1)


@compiled
def settle_ties(negated_scores, sorted_rows, rows, ends_group):
    """Fill `rows` and `ends_group` (m, n) of an `Order` from rows in any order within their score."""
    n = rows.shape[1]
    # where the group of each row begins, and where the next row of each group goes
    group, vacant = np.empty(n, dtype=np.int32), np.empty(n + 1, dtype=np.int32)
    for m in range(rows.shape[0]):
        start, has_ties = 0, False
        vacant[0] = 0
        for i in range(n):
            row = sorted_rows[m, i]
            rows[m, i], group[row] = row, start
            ends = i + 1 == n or negated_scores[m, sorted_rows[m, i + 1]] != negated_scores[m, row]
            ends_group[m, i] = ends
            has_ties |= not ends
            if ends:
                start = i + 1
                vacant[start] = start
        if has_ties:
            for row in range(n):
                rows[m, vacant[group[row]]] = row
                vacant[group[row]] += 1


@inlined
def next_positive_group(rows, ends_group, positive, start):
    """Where the next group with a positive begins and ends, from the row `start` of an `Order` on."""
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
def group_rows(rows, ends_group, positive, counts, groups):
    """Fill `groups` of one model, rows counting `counts` times, and return how many there are."""
    # an entry is to spare: a group is written before it is known to hold a positive
    t, f, d, e, below = groups
    size = 0
    positives_above = negatives_above = positives_tied = negatives_tied = 0.0
    for i in range(rows.size):
        row = rows[i]
        count = np.float64(counts[row])
        positives = count if positive[row] else 0.0
        positives_tied += positives
        negatives_tied += count - positives
        if ends_group[i]:
            t[size], f[size], d[size], e[size] = (
                positives_above,
                negatives_above,
                positives_tied,
                negatives_tied,
            )
            size += positives_tied > 0
            positives_above += positives_tied
            negatives_above += negatives_tied
            positives_tied = negatives_tied = 0.0
    for i in range(size):
        below[i] = positives_above - (t[i] + d[i])
    return size


@compiled
def number_cells(order, negated_scores, positive, cells):
    """Fill in the cell of each row, and return the number of groups with a positive."""
    size = start = positives_tied = 0
    for i in range(order.size):
        positives_tied += positive[i]
        if i + 1 < order.size and negated_scores[i + 1] == negated_scores[i]:
            continue
        for j in range(start, i + 1):
            cells[order[j]] = 3 * size + ((1 + positive[j]) if positives_tied else 0)
        size += positives_tied > 0
        start, positives_tied = i + 1, 0
    return size


@compiled
def group_cells(amounts, groups):
    """Fill `groups` from the rows, or weight, in each cell; return their number and the weights of the classes.

    Cell 3 g holds the negatives between the groups g - 1 and g, 3 g + 1 those tied with group g, 3 g + 2 its positives.
    """
    # an entry of `groups` is to spare, as in `group_rows`
    t, f, d, e, below = groups
    size, n_cells = 0, amounts.size // 3
    positives_above = negatives_above = 0.0
    for g in range(n_cells):
        negatives_above += amounts[3 * g]
        positives_tied, negatives_tied = amounts[3 * g + 2], amounts[3 * g + 1]
        t[size], f[size], d[size], e[size] = positives_above, negatives_above, positives_tied, negatives_tied
        size += positives_tied > 0
        positives_above += positives_tied
        negatives_above += negatives_tied
    for g in range(size):
        below[g] = positives_above - (t[g] + d[g])
    return size, positives_above, negatives_above + amounts[3 * n_cells]


@inlined
def next_score(positives, negatives, i, j):
    """The next distinct score of two ascending classes from their rows i and j on, and where its rows end."""
    first = j == negatives.size or (i < positives.size and positives[i] < negatives[j])
    score = positives[i] if first else negatives[j]
    while i < positives.size and positives[i] == score:
        i += 1
    while j < negatives.size and negatives[j] == score:
        j += 1
    return score, i, j


@compiled
def count_negatives_above(pos, neg, n_neg, negatives_above):
    """Fill `negatives_above`, which has an entry to spare, with those strictly before each positive."""
    # An infinity follows the negatives. Four stretches are merged in turns and without branches: a lone merge waits for
    # each comparison, and a branch on it is mispredicted half the time
    n_pos = pos.size
    # negatives after the last positive change nothing
    n_before_last = np.searchsorted(neg[:n_neg], pos[n_pos - 1])
    length = (n_pos + n_before_last) // 4
    start1 = _positives_within(pos, neg, n_before_last, length)
    start2 = _positives_within(pos, neg, n_before_last, 2 * length)
    start3 = _positives_within(pos, neg, n_before_last, 3 * length)
    i0, i1, i2, i3 = U(0), U(start1), U(start2), U(start3)
    j0, j1, j2, j3 = U(0), U(length - start1), U(2 * length - start2), U(3 * length - start3)
    for _ in range(length):
        passed = U(neg[j0] < pos[i0])
        negatives_above[i0] = j0
        j0 += passed
        i0 += ONE - passed
        passed = U(neg[j1] < pos[i1])
        negatives_above[i1] = j1
        j1 += passed
        i1 += ONE - passed
        passed = U(neg[j2] < pos[i2])
        negatives_above[i2] = j2
        j2 += passed
        i2 += ONE - passed
        passed = U(neg[j3] < pos[i3])
        negatives_above[i3] = j3
        j3 += passed
        i3 += ONE - passed
    for _ in range(n_pos + n_before_last - 4 * length):
        passed = U(neg[j3] < pos[i3])
        negatives_above[i3] = j3
        j3 += passed
        i3 += ONE - passed
    for start in (start1, start2, start3):  # the stretch before may have written here last
        if start < n_pos:
            negatives_above[start] = np.searchsorted(neg[:n_neg], pos[start])


@compiled
def _positives_within(pos, neg, n_neg, total):
    low, high = max(0, total - n_neg), min(total, pos.size)
    while low < high:
        middle = (low + high) // 2
        if neg[total - 1 - middle] < pos[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def untied(pos, neg, negatives_above, start, stop):
    """Whether none of the positives from start to stop ties with another row."""
    if stop < pos.size and pos[stop - 1] == pos[stop]:
        return False
    scores, next_negatives, ties = pos[start:stop], negatives_above[start:stop], 0
    for i in range(scores.size - 1):
        ties += scores[i] == scores[i + 1]
    for i in range(scores.size):
        ties += neg[next_negatives[i]] == scores[i]
    return ties == 0
