"""How many negatives stand above each positive, from two sorted classes or from a table of the positives.

Scores are negated throughout, so that ascending arrays start with the top of the ranking.
"""

import numpy as np

from aucstudy.metrics.compiled import compiled

SKIP = 3  # a sparse merge passes 2^3 negatives at a time
PADDING = 1 << SKIP  # infinite entries that must follow the negatives
SPARSE = 3  # negatives per positive from which skipping is faster
U = np.uint64  # an unsigned index needs no test for wrapping around


class HoldsNaNError(Exception):
    """A score is NaN; who checks the input says which."""


@compiled
def negatives_above(pos, neg, n_neg, above):
    """Fill `above` with the number of negatives that come strictly before each positive.

    `pos` ascending, `neg` ascending and followed by PADDING infinities, `above` with one entry to spare.
    Where negatives abound, every eighth is merged first, and the place among the eight is searched for after.
    """
    if n_neg <= SPARSE * pos.size:
        _merge(pos, neg, n_neg, above)
        return
    _merge(pos, neg[PADDING - 1 :: PADDING], n_neg // PADDING, above)
    for i in range(pos.size):
        place = U(above[i]) << U(SKIP)
        for step in range(SKIP - 1, -1, -1):
            place += U(neg[place + (U(1) << U(step)) - U(1)] < pos[i]) << U(step)
        above[i] = place


@compiled
def _merge(pos, keys, n_keys, above):
    """Fill `above` with the number of keys before each positive; an infinite key follows the `n_keys`.

    Four stretches are merged in turns and without branches: a lone merge waits for each comparison, and a
    branch on it is mispredicted half the time.
    """
    n_pos = pos.size
    before = np.searchsorted(keys[:n_keys], pos[n_pos - 1])  # keys after the last positive change nothing
    length = (n_pos + before) // 4
    start1 = _positives_within(pos, keys, before, length)
    start2 = _positives_within(pos, keys, before, 2 * length)
    start3 = _positives_within(pos, keys, before, 3 * length)
    i0, i1, i2, i3 = U(0), U(start1), U(start2), U(start3)
    j0, j1, j2, j3 = U(0), U(length - start1), U(2 * length - start2), U(3 * length - start3)
    one = U(1)
    for _ in range(length):
        passed = U(keys[j0] < pos[i0])
        above[i0] = j0
        j0 += passed
        i0 += one - passed
        passed = U(keys[j1] < pos[i1])
        above[i1] = j1
        j1 += passed
        i1 += one - passed
        passed = U(keys[j2] < pos[i2])
        above[i2] = j2
        j2 += passed
        i2 += one - passed
        passed = U(keys[j3] < pos[i3])
        above[i3] = j3
        j3 += passed
        i3 += one - passed
    for _ in range(n_pos + before - 4 * length):
        passed = U(keys[j3] < pos[i3])
        above[i3] = j3
        j3 += passed
        i3 += one - passed
    for start in (start1, start2, start3):  # the stretch before may have written here last
        if start < n_pos:
            above[start] = np.searchsorted(keys[:n_keys], pos[start])


@compiled
def _positives_within(pos, keys, n_keys, total):
    """How many positives are among the first `total` of positives and keys in merged order."""
    low, high = max(0, total - n_keys), min(total, pos.size)
    while low < high:
        middle = (low + high) // 2
        if keys[total - 1 - middle] < pos[middle]:
            high = middle
        else:
            low = middle + 1
    return low
