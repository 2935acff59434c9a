"""The second step of the kernel: from counts by group to areas."""

from typing import NamedTuple

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.kernel.sums import add
from aucstudy.metrics.kernel.terms import (
    lost_gain,
    ordered_pairs,
    precision_integrals,
    precision_integrals_in_range,
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

    `groups` (4, k) are as in `groups.py`, `totals` their `Totals`. The pass goes from the last group up, so that the
    positives below each can be summed. They have the exact digits of recall gain where nearly all rows are positive;
    elsewhere `lost_gain` does not read them, and they stay 0.
    """
    # Plainly, `for i in range(size)` would add each term to its sum. Many small terms added to a large sum lose digits:
    # so each BLOCK of terms is summed by itself, and of the sums of the blocks `add` keeps the `rounding`.
    pairs = steps = inside = outside = lost = below = 0.0
    pairs_rounding = steps_rounding = inside_rounding = 0.0
    outside_rounding = lost_rounding = below_rounding = 0.0
    for stop in range(size, 0, -BLOCK):
        block_pairs = block_steps = block_inside = block_outside = block_lost = 0.0
        for i in range(stop - 1, max(stop - BLOCK, 0) - 1, -1):
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
        pairs, pairs_rounding = add(pairs, pairs_rounding, block_pairs)
        steps, steps_rounding = add(steps, steps_rounding, block_steps)
        inside, inside_rounding = add(inside, inside_rounding, block_inside)
        outside, outside_rounding = add(outside, outside_rounding, block_outside)
        lost, lost_rounding = add(lost, lost_rounding, block_lost)
    P, N = totals.P, totals.N
    aupr, aucnpr = _precision_areas((inside + inside_rounding) / P, (outside + outside_rounding) / P, totals)
    auprg = 1 - (lost + lost_rounding)
    if totals.clip:  # a sum of clipped gains is below 0 only by rounding
        auprg = max(auprg, 0.0)
    return KernelAreas(
        auroc=(pairs + pairs_rounding) / (P * N),
        aupr=aupr,
        auprg=auprg,
        aucnpr=aucnpr,
        average_precision=(steps + steps_rounding) / P,
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
