"""The second step of the kernel: from counts by group to areas."""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.kernel.sums import add
from aucstudy.metrics.kernel.terms import (
    is_small,
    lost_gain,
    ordered_pairs,
    precision_integrals,
    precision_integrals_in_range,
    precision_integrals_of_small,
    step,
)

BLOCK = 256  # the number of groups whose terms are added plainly


class KernelAreas(NamedTuple):
    """The metrics that one pass over the groups computes, by their keys in `aucstudy.metrics.registry`."""

    auroc: float
    aupr: float
    auprg: float
    aucnpr: float
    average_precision: float


@compiled
def areas_of_groups(groups, size, totals):
    """Return the `KernelAreas`, from one pass over the first `size` of `groups`.

    `groups` (4, k) are as in `groups.py`, `totals` their `Totals`.
    """
    sums, roundings = no_sums()
    for stop in range(size, 0, -BLOCK):
        add_terms(groups, max(stop - BLOCK, 0), stop, totals, sums, roundings)
    return areas_of_sums(sums + roundings, totals)


@compiled
def no_sums():
    """Return the six sums of no groups, and what they round off."""
    return np.zeros(6), np.zeros(6)


@compiled
def add_terms(groups, start, stop, totals, sums, roundings):
    """Add the terms of at most `BLOCK` groups, from column `start` up to `stop`, to the sums.

    The blocks come from the last one up, so that the positives below each group can be summed. They have the exact
    digits of recall gain where nearly all rows are positive; elsewhere `lost_gain` does not read them, and they stay 0.
    """
    n = stop - start
    block = np.empty((8, BLOCK))
    pairs, steps, inside, outside, lost, below = block[0], block[1], block[2], block[3], block[4], block[5]
    t, f, d, e = groups[0][start:stop], block[6], groups[2][start:stop], block[7]
    for i in range(n):
        f[i], e[i] = groups[1, start + i] * totals.scale, groups[3, start + i] * totals.scale
    for i in range(n - 1, -1, -1):
        below[i] = sums[5] + roundings[5]
        if totals.mostly_positive:
            sums[5], roundings[5] = add(sums[5], roundings[5], d[i])
    # A processor computes several groups at once in a loop that computes one term and calls no function. So there is
    # a loop for each term, and large groups, which need a logarithm, have another one.
    for i in range(n):
        pairs[i] = ordered_pairs(f[i], d[i], e[i], totals)
    for i in range(n):
        steps[i] = step(t[i], f[i], d[i], e[i])
    for i in range(n):
        lost[i] = lost_gain(t[i], f[i], d[i], e[i], below[i], totals)
    n_small = 0
    for i in range(n):
        inside[i], outside[i] = precision_integrals_of_small(t[i], f[i], d[i], e[i])
        n_small += is_small(t[i], f[i], d[i], e[i])
    if not totals.all_recalls:
        for i in range(n):
            inside[i], outside[i] = precision_integrals_in_range(t[i], f[i], d[i], e[i], totals)
    elif n_small < n:
        for i in range(n):
            if not is_small(t[i], f[i], d[i], e[i]):
                inside[i], outside[i] = precision_integrals(t[i], f[i], d[i], e[i])
    # Many small terms added to a large sum lose digits. So the terms of the block are summed by themselves, and `add`
    # keeps what the sums of the blocks round off.
    block_pairs = block_steps = block_inside = block_outside = block_lost = 0.0
    for i in range(n - 1, -1, -1):
        block_pairs += pairs[i]
        block_steps += steps[i]
        block_inside += inside[i]
        block_outside += outside[i]
        block_lost += lost[i]
    for k, value in enumerate((block_pairs, block_steps, block_inside, block_outside, block_lost)):
        sums[k], roundings[k] = add(sums[k], roundings[k], value)


@compiled
def areas_of_sums(sums, totals):
    """Return the `KernelAreas` from the sums over all groups."""
    P, N = totals.P, totals.N
    aupr, aucnpr = _precision_areas(sums[2] / P, sums[3] / P, totals)
    auprg = 1 - sums[4]
    if totals.clip:  # a sum of clipped gains is below 0 only by rounding
        auprg = max(auprg, 0.0)
    return KernelAreas(
        auroc=sums[0] / (P * N),
        aupr=aupr,
        auprg=auprg,
        aucnpr=aucnpr,
        average_precision=sums[1] / P,
    )


@compiled
def _precision_areas(inside, outside, totals):
    """Return AUPR and AUCNPR from the areas under and above the curve, the smaller of which is more exact."""
    aupr = inside if 2 * inside < totals.recalls else totals.recalls - outside
    # 1 - outside / room has its digits where the area above is the smaller part. The other form subtracts the minimum,
    # which comes close to the area itself the more common positives are: the difference would have few digits there.
    if 2 * outside < totals.room or totals.P > totals.N:
        aucnpr = 1 - outside / totals.room
    else:
        aucnpr = (inside - totals.minimum) / totals.room
    return aupr, min(max(aucnpr, 0.0), 1.0)
