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
FEW = 32  # For fewer groups, the loops of `_terms` would take longer to begin than to compute.


class KernelAreas(NamedTuple):
    """The metrics that one pass over the groups computes, by their keys in `aucstudy.metrics.registry`."""

    auroc: float
    aupr: float
    auprg: float
    aucnpr: float
    average_precision: float


class Sums(NamedTuple):
    """The sums of the terms of groups, what these sums round off, and the positives below the groups above."""

    pairs: float
    steps: float
    inside: float
    outside: float
    lost: float
    below: float
    pairs_rounding: float
    steps_rounding: float
    inside_rounding: float
    outside_rounding: float
    lost_rounding: float
    below_rounding: float


NO_SUMS = Sums(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@compiled
def areas_of_groups(groups, size, totals):
    """Return the `KernelAreas`, from one pass over the first `size` of `groups`.

    `groups` (4, k) are as in `groups.py`, `totals` their `Totals`.
    """
    sums = NO_SUMS
    for stop in range(size, 0, -BLOCK):
        sums = with_terms(sums, groups, max(stop - BLOCK, 0), stop, totals)
    return areas_of_sums(sums, totals)


@compiled
def with_terms(sums, groups, start, stop, totals):
    """Return the sums with the terms of at most `BLOCK` more groups, from column `start` up to `stop`.

    The blocks come from the last one up, so that the positives below each group can be summed. They have the exact
    digits of recall gain where nearly all rows are positive; elsewhere `lost_gain` does not read them, and they stay 0.
    """
    # Many small terms added to a large sum lose digits. So the terms of the block are summed by themselves, and `add`
    # keeps what the sums of the blocks round off.
    below, below_rounding = sums.below, sums.below_rounding
    block_pairs = block_steps = block_inside = block_outside = block_lost = 0.0
    if stop - start < FEW:
        for i in range(stop - 1, start - 1, -1):
            t, f, d, e = groups[0, i], groups[1, i] * totals.scale, groups[2, i], groups[3, i] * totals.scale
            block_pairs += ordered_pairs(f, d, e, totals)
            block_steps += step(t, f, d, e)
            if totals.all_recalls:
                under, above = precision_integrals(t, f, d, e)
            else:
                under, above = precision_integrals_in_range(t, f, d, e, totals)
            block_inside += under
            block_outside += above
            block_lost += lost_gain(t, f, d, e, below + below_rounding, totals)
            if totals.mostly_positive:
                below, below_rounding = add(below, below_rounding, d)
    else:
        pairs, steps, inside, outside, lost, below, below_rounding = _terms(sums, groups, start, stop, totals)
        for i in range(stop - start - 1, -1, -1):
            block_pairs += pairs[i]
            block_steps += steps[i]
            block_inside += inside[i]
            block_outside += outside[i]
            block_lost += lost[i]
    pairs_sum, pairs_rounding = add(sums.pairs, sums.pairs_rounding, block_pairs)
    steps_sum, steps_rounding = add(sums.steps, sums.steps_rounding, block_steps)
    inside_sum, inside_rounding = add(sums.inside, sums.inside_rounding, block_inside)
    outside_sum, outside_rounding = add(sums.outside, sums.outside_rounding, block_outside)
    lost_sum, lost_rounding = add(sums.lost, sums.lost_rounding, block_lost)
    return Sums(
        pairs_sum,
        steps_sum,
        inside_sum,
        outside_sum,
        lost_sum,
        below,
        pairs_rounding,
        steps_rounding,
        inside_rounding,
        outside_rounding,
        lost_rounding,
        below_rounding,
    )


@compiled
def _terms(sums, groups, start, stop, totals):
    """Return the terms of many groups as five arrays, and the positives below the groups above with their rounding.

    A processor computes several groups at once in a loop that computes one term and calls no function. So there is a
    loop for each term, and large groups, which need a logarithm, have another one.
    """
    n = stop - start
    block = np.empty((8, n))
    pairs, steps, inside, outside, lost, below = block[0], block[1], block[2], block[3], block[4], block[5]
    t, f, d, e = groups[0][start:stop], block[6], groups[2][start:stop], block[7]
    for i in range(n):
        f[i], e[i] = groups[1, start + i] * totals.scale, groups[3, start + i] * totals.scale
    next_below, rounding = sums.below, sums.below_rounding
    for i in range(n - 1, -1, -1):
        below[i] = next_below + rounding
        if totals.mostly_positive:
            next_below, rounding = add(next_below, rounding, d[i])
    for i in range(n):
        pairs[i] = ordered_pairs(f[i], d[i], e[i], totals)
    for i in range(n):
        steps[i] = step(t[i], f[i], d[i], e[i])
    for i in range(n):
        lost[i] = lost_gain(t[i], f[i], d[i], e[i], below[i], totals)
    if not totals.all_recalls:
        for i in range(n):
            inside[i], outside[i] = precision_integrals_in_range(t[i], f[i], d[i], e[i], totals)
        return pairs, steps, inside, outside, lost, next_below, rounding
    n_small = 0
    for i in range(n):
        inside[i], outside[i] = precision_integrals_of_small(t[i], f[i], d[i], e[i])
        n_small += is_small(t[i], f[i], d[i], e[i])
    if n_small < n:
        for i in range(n):
            if not is_small(t[i], f[i], d[i], e[i]):
                inside[i], outside[i] = precision_integrals(t[i], f[i], d[i], e[i])
    return pairs, steps, inside, outside, lost, next_below, rounding


@compiled
def areas_of_sums(sums, totals):
    """Return the `KernelAreas` from the sums over all groups."""
    P, N = totals.P, totals.N
    inside, outside = sums.inside + sums.inside_rounding, sums.outside + sums.outside_rounding
    aupr, aucnpr = _precision_areas(inside / P, outside / P, totals)
    auprg = 1 - (sums.lost + sums.lost_rounding)
    if totals.clip:  # a sum of clipped gains is below 0 only by rounding
        auprg = max(auprg, 0.0)
    return KernelAreas(
        auroc=(sums.pairs + sums.pairs_rounding) / (P * N),
        aupr=aupr,
        auprg=auprg,
        aucnpr=aucnpr,
        average_precision=(sums.steps + sums.steps_rounding) / P,
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
