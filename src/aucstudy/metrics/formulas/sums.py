"""Compensated sums over the groups of a ranking, and the areas that they give.

`groups` (5, k): t, f, d, e and `below` of each group, see `formulas.terms`, negatives unscaled. `options` (4,): the
prevalence or 0 for the observed one, whether gains are clipped, the recall range a, b. `sums` (2, SUMS): sums and their
rounding errors. `c`: a `Totals`.
"""

import numpy as np

from aucstudy.metrics.compiled import compiled, inlined
from aucstudy.metrics.formulas.terms import (
    beyond_start,
    gain_loss,
    group_terms,
    minimum_and_room,
    mostly_positive,
    pr_terms,
)

SERIES_FROM = 128.0  # rows above a single positive from which a series takes the place of the logarithm
BLOCK = 256  # groups that are added plainly before a compensated step; a power of two
SUMS = 5  # pairs in the right order, precision at steps, precision, 1 - precision, loss of precision gain
LANES = 4  # all but the first
LANES_HOLD = 16  # blocks that may be added up in one set of lanes before compensation


@compiled
def add(total, lost, value):
    """Neumaier's step: the new sum and its rounding error."""
    s = total + value
    if abs(total) >= abs(value):
        return s, lost + ((total - s) + value)
    return s, lost + ((value - s) + total)


@compiled
def add_groups(groups, size, c, sums):
    t, f, d, e, below = groups
    for start in range(0, size, BLOCK):
        pairs = steps = inside = outside = loss = 0.0
        for i in range(start, min(start + BLOCK, size)):
            if d[i] <= 0:
                continue
            terms = group_terms(t[i], f[i], d[i], e[i], below[i], c)
            pairs += terms[0]
            steps += terms[1]
            inside += terms[2]
            outside += terms[3]
            loss += terms[4]
        add_block(sums, pairs, steps, inside, outside, loss)


@compiled
def add_block(sums, pairs, steps, inside, outside, loss):
    sums[0, 0], sums[1, 0] = add(sums[0, 0], sums[1, 0], pairs)
    sums[0, 1], sums[1, 1] = add(sums[0, 1], sums[1, 1], steps)
    sums[0, 2], sums[1, 2] = add(sums[0, 2], sums[1, 2], inside)
    sums[0, 3], sums[1, 3] = add(sums[0, 3], sums[1, 3], outside)
    sums[0, 4], sums[1, 4] = add(sums[0, 4], sums[1, 4], loss)


@compiled
def block_is_plain(t, negatives_above, stop, c):
    """Whether `add_plain_block` holds for the positives from t to stop."""
    f0, f1 = negatives_above[t] * c.scale, negatives_above[stop - 1] * c.scale
    begins, ends = beyond_start(t, c.P - t, c), beyond_start(stop, c.P - stop, c)
    one_side = begins >= 0 or ends <= 0
    in_range = c.full_range or ((t - c.low) - c.low_rest >= 0 and (stop - c.low) - c.low_rest <= c.room)
    no_clip = not c.clip or ends <= 0 or c.P * f1 <= c.N * t
    stays_finite = c.N < 1e60  # products of four counts stay finite
    return t >= 1 and t + f0 >= SERIES_FROM and one_side and in_range and no_clip and stays_finite


@compiled
def add_plain_block(t, negatives_above, stop, c, lanes):
    """Add the untied positives from t to stop to `lanes`, branch-free; return the sum of `negatives_above`."""
    k = c.P / c.N
    factor = 0.5 * k * k * c.P if beyond_start(t, c.P - t, c) >= 0 else 0.0
    block = negatives_above[t:stop]
    n_above = np.int64(0)
    for i in range(block.size):
        n_above += np.int64(block[i])
    for i in range(block.size):
        f = block[i] * c.scale
        t0 = np.float64(t + i)
        t1 = t0 + 1.0
        q, q1, square = t0 + f, t1 + f, t0 * t1
        inverse = 1.0 / (q * q1 * square)  # one division for three
        x = q1 * square * inverse
        y = 1 / 6 - x * (1 / 7 - x * (1 / 8 - x * (1 / 9 - x / 10)))
        h = x * (1 / 2 - x * (1 / 3 - x * (1 / 4 - x * (1 / 5 - x * y))))
        log = x * (1.0 - h)
        reciprocal = q * q1 * inverse  # of the square
        lanes[0, i] += t1 * (q * square * inverse)
        lanes[1, i] += h + t0 * log
        lanes[2, i] += f * log
        lanes[3, i] += factor * (f * (t0 + t1)) * (reciprocal * reciprocal)
    return n_above


@compiled
def flush(lanes, pairs, sums):
    """Move the lanes, added up pairwise, and `pairs` into the sums."""
    size = BLOCK
    while size > 1:
        size //= 2
        for a in range(LANES):
            for i in range(size):
                lanes[a, i] += lanes[a, size + i]
    add_block(sums, pairs, lanes[0, 0], lanes[1, 0], lanes[2, 0], lanes[3, 0])
    lanes[:] = 0.0


@inlined
def plain_areas(groups, size, c):
    """AUPR, AUPRG, AUROC and average precision without compensation, which only long rankings ask for."""
    t, f, d, e, below = groups
    pairs = precision = loss = steps = 0.0
    for i in range(size):
        pairs += d[i] * (c.N - f[i] - 0.5 * e[i])
        steps += d[i] * ((t[i] + d[i]) / (t[i] + d[i] + (f[i] + e[i])))
        precision += pr_terms(t[i], f[i], d[i], e[i])[0]
        loss += gain_loss(t[i], f[i], d[i], e[i], below[i], c)
    return precision / c.P, 1 - loss, pairs / (c.P * c.N), steps / c.P


@compiled
def finish(sums, class_totals, options, out):
    """Fill in the (n_groups, n_models, 5) areas from the sums of groups; a perfect ranking has exactly 1."""
    prevalence_wanted, a, b = options[0], options[2], options[3]
    for g in range(out.shape[0]):
        P, N = class_totals[g, 0], class_totals[g, 1]
        if prevalence_wanted > 0:
            N = P * (1 - prevalence_wanted) / prevalence_wanted
        prevalence = P / (P + N)
        # the prevalence itself has lost 1 - pi where nearly all are positive
        negatives = N / P if mostly_positive(P, N) else (1 - prevalence) / prevalence
        minimum, room = minimum_and_room(negatives, a, b)
        for m in range(out.shape[1]):
            inside, outside = sums[g, m, 2] / P, sums[g, m, 3] / P
            from_top = outside < 0.5 * room or P > N
            normalised = 1 - outside / room if from_top else (inside - minimum) / room
            out[g, m, 0] = sums[g, m, 0] / (P * N)
            out[g, m, 1] = inside if 2 * inside < b - a else (b - a) - outside
            out[g, m, 2] = 1 - sums[g, m, 4]
            out[g, m, 3] = normalised if np.isnan(normalised) else min(max(normalised, 0.0), 1.0)
            out[g, m, 4] = sums[g, m, 1] / P
