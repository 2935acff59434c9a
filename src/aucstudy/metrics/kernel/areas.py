"""The second step of the kernel: from counts by group to areas."""

from aucstudy.metrics.compiled import compiled, inlined
from aucstudy.metrics.kernel.sums import add
from aucstudy.metrics.kernel.terms import (
    lost_gain,
    ordered_pairs,
    precision_integrals,
    precision_integrals_in_range,
    step,
)

BLOCK = 256  # groups whose terms are added plainly, before what roundings lose is kept


@compiled
def areas_of_groups(groups, size, totals):
    """AUROC, AUPR, AUPRG, AUCNPR and average precision, in one pass over the first `size` of `groups`.

    `groups` (4, k) are as in `groups.py`, `totals` their `Totals`. The pass goes from the last group up, so that the
    positives below each can be summed. They have the exact digits of recall gain where nearly all rows are positive;
    elsewhere `lost_gain` does not read them, and they stay 0.
    """
    pairs = steps = inside = outside = lost = below = 0.0
    pairs_rest = steps_rest = inside_rest = outside_rest = lost_rest = below_rest = 0.0
    for stop in range(size, 0, -BLOCK):
        block_pairs = block_steps = block_inside = block_outside = block_lost = 0.0
        for i in range(stop - 1, max(stop - BLOCK, 0) - 1, -1):
            t, f, d, e = groups[0, i], groups[1, i] * totals.scale, groups[2, i], groups[3, i] * totals.scale
            block_pairs += ordered_pairs(f, d, e, totals)
            block_steps += step(t, f, d, e)
            if totals.all_recalls:
                precision, rest = precision_integrals(t, f, d, e)
            else:
                precision, rest = precision_integrals_in_range(t, f, d, e, totals)
            block_inside += precision
            block_outside += rest
            block_lost += lost_gain(t, f, d, e, below + below_rest, totals)
            if totals.mostly_positive:
                below, below_rest = add(below, below_rest, d)
        pairs, pairs_rest = add(pairs, pairs_rest, block_pairs)
        steps, steps_rest = add(steps, steps_rest, block_steps)
        inside, inside_rest = add(inside, inside_rest, block_inside)
        outside, outside_rest = add(outside, outside_rest, block_outside)
        lost, lost_rest = add(lost, lost_rest, block_lost)
    P, N = totals.P, totals.N
    aupr, aucnpr = _precision_areas((inside + inside_rest) / P, (outside + outside_rest) / P, totals)
    auprg = _auprg(lost + lost_rest, totals)
    return (pairs + pairs_rest) / (P * N), aupr, auprg, aucnpr, (steps + steps_rest) / P


@compiled
def auprg_of_groups(groups, size, totals):
    """AUPRG alone, of counts of rows, in a quarter of the time of `areas_of_groups`."""
    lost = 0.0
    for i in range(size):
        t, f, d, e = groups[0, i], groups[1, i] * totals.scale, groups[2, i], groups[3, i] * totals.scale
        # of whole numbers, P less those above is exact
        lost += lost_gain(t, f, d, e, totals.P - (t + d), totals)
    return _auprg(lost, totals)


@inlined
def _auprg(lost, totals):
    # a sum of clipped gains is below 0 by rounding alone
    return max(1 - lost, 0.0) if totals.clip else 1 - lost


@compiled
def _precision_areas(inside, outside, totals):
    """AUPR and AUCNPR from the areas under the curve and above it, of which the smaller one has the digits."""
    aupr = inside if 2 * inside < totals.recalls else totals.recalls - outside
    if 2 * outside < totals.room or totals.P > totals.N:
        aucnpr = 1 - outside / totals.room
    else:
        aucnpr = (inside - totals.minimum) / totals.room
    return aupr, min(max(aucnpr, 0.0), 1.0)
