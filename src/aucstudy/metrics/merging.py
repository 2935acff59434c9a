"""How many negatives stand above each positive, from two sorted classes or from a table of the positives.

Scores are negated throughout, so that ascending arrays start with the top of the ranking.
"""

import numpy as np

from aucstudy.metrics.compiled import compiled

SKIP = 3  # a sparse merge passes 2^3 negatives at a time
PADDING = 1 << SKIP  # infinite entries that must follow the negatives
SPARSE = 3  # so many negatives per positive make skipping worth while
U = np.uint64  # an unsigned index needs no test for wrapping around


@compiled
def negatives_above(pos, neg, n_neg, above):
    """Fill `above` with the number of negatives that come strictly before each positive.

    `pos` ascending, `neg` ascending and followed by PADDING infinities, `above` with one entry to spare. The
    classes are merged as four interleaved stretches without branches: a lone merge waits for each comparison,
    and a branch on it is mispredicted half the time. Where negatives abound, whole blocks of them are merged
    first and the place inside the block is searched for after.
    """
    n_pos = pos.size
    shift = SKIP if n_neg > SPARSE * n_pos else 0
    # what comes after the last positive changes nothing
    before = np.searchsorted(neg[:n_neg], pos[n_pos - 1]) >> shift
    length = (n_pos + before) // 4
    one, s = U(1), U(shift)
    back = (one << s) - one
    start1 = _positives_within(pos, neg, shift, before, length)
    start2 = _positives_within(pos, neg, shift, before, 2 * length)
    start3 = _positives_within(pos, neg, shift, before, 3 * length)
    i0, i1, i2, i3 = U(0), U(start1), U(start2), U(start3)
    j0, j1, j2, j3 = U(0), U(length - start1), U(2 * length - start2), U(3 * length - start3)
    for _ in range(length):
        passed = U(neg[(j0 << s) + back] < pos[i0])
        above[i0] = j0
        j0 += passed
        i0 += one - passed
        passed = U(neg[(j1 << s) + back] < pos[i1])
        above[i1] = j1
        j1 += passed
        i1 += one - passed
        passed = U(neg[(j2 << s) + back] < pos[i2])
        above[i2] = j2
        j2 += passed
        i2 += one - passed
        passed = U(neg[(j3 << s) + back] < pos[i3])
        above[i3] = j3
        j3 += passed
        i3 += one - passed
    for _ in range(n_pos + before - 4 * length):
        passed = U(neg[(j3 << s) + back] < pos[i3])
        above[i3] = j3
        j3 += passed
        i3 += one - passed
    for start in (start1, start2, start3):  # the stretch before may have written here last
        if start < n_pos:
            above[start] = np.searchsorted(neg[:n_neg], pos[start]) >> shift
    if shift:
        for i in range(n_pos):
            place = U(above[i]) << s
            for step in range(SKIP - 1, -1, -1):
                place += U(neg[place + (one << U(step)) - one] < pos[i]) << U(step)
            above[i] = place


@compiled
def _positives_within(pos, neg, shift, n_blocks, total):
    """How many positives are among the first `total` of positives and blocks of negatives in merged order."""
    low, high = max(0, total - n_blocks), min(total, pos.size)
    while low < high:
        middle = (low + high) // 2
        if neg[((total - middle) << shift) - 1] < pos[middle]:
            high = middle
        else:
            low = middle + 1
    return low
