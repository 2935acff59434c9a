"""The sums under every area, over the groups of a ranking that hold a positive.

A *group* holds all rows of one score. Where it holds positives of weight d and negatives of weight e, the
curve runs from (t, f) to (t + d, f + e) on a straight line in counts; groups without a positive change no
area. Every sum below has terms of one sign, so that nothing cancels; blocks of groups are added with
compensation, so that 1e-12 holds for ten million rows.
"""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled, inlined

BLOCK = 256  # groups that are added plainly before a compensated step; a power of two
SUMS = 5  # pairs in the right order, precision at steps, precision, 1 - precision, loss of precision gain
LANES = 4  # all but the first
LANES_HOLD = 16  # blocks that may be added up in one set of lanes before compensation
SERIES_FROM = 128.0  # rows above a single positive from which a series takes the place of the logarithm
LARGE = 1024.0  # growth of a group from which 1 - h would lose digits that 1 - precision needs
MOSTLY_POSITIVE = 64.0  # positives per negative from which P - t* would lose digits
SPLITTER = 2.0**27 + 1


class Totals(NamedTuple):
    """What all groups of one ranking share: P, N scaled to the prevalence asked for, and the options.

    Recall gain is 0 at `t_star` true positives, where `left_star` positives are still to come; `from_below`
    says that the latter must be used. The recall range begins at `low` + `low_rest` true positives (the
    product a P without rounding) and is `room` wide.
    """

    P: float
    N: float
    scale: float
    t_star: float
    left_star: float
    from_below: bool
    clip: bool
    whole: bool
    low: float
    low_rest: float
    room: float


@compiled
def mostly_positive(P, N):
    """Whether so few rows are negative that sums must run over what is left instead of what has come."""
    return P > MOSTLY_POSITIVE * N


@compiled
def totals_of(P, N, options):
    """Make the totals of a ranking with P and N; `options`: prevalence or 0, clip, recall range a, b."""
    scale = 1.0 if options[0] == 0 else P * (1 - options[0]) / (options[0] * N)
    a, b, scaled = options[2], options[3], N * scale
    t_star, left_star = P * P / (P + scaled), P * (scaled / (P + scaled))
    low, low_rest = exact_product(a, P)
    below, clip, whole = mostly_positive(P, scaled), options[1] > 0, a <= 0 and b >= 1
    return Totals(P, scaled, scale, t_star, left_star, below, clip, whole, low, low_rest, (b - a) * P)


@compiled
def exact_product(x, y):
    """The product of two numbers as its rounded value and the rest (Dekker 1971)."""
    product = x * y
    high = x * SPLITTER - (x * SPLITTER - x)
    other = y * SPLITTER - (y * SPLITTER - y)
    x_rest, y_rest = x - high, y - other
    return product, ((high * other - product) + high * y_rest + x_rest * other) + x_rest * y_rest


@inlined
def pr_terms(t, f, d, e):
    """Integrate precision, and 1 - precision, over the true positives of one group.

    With q = t + f, m = d + e, x = m/q and h = 1 - log1p(x)/x the two are (d/m)(d h + t x (1 - h)) and
    (d/m)(e h + f x (1 - h)): Keilwagen, Grosse and Grau 2014, in sums of positive terms.
    """
    q, m = t + f, d + e
    if q == 0:
        return d * (d / m), d * (e / m)
    x = m / q
    if x < 0.01:
        y = 1 / 5 - x * (1 / 6 - x * (1 / 7 - x * (1 / 8 - x * (1 / 9 - x / 10))))
        h = x * (1 / 2 - x * (1 / 3 - x * (1 / 4 - x * y)))
        log = x * (1 - h)
    else:
        log = np.log1p(x)
        h = 1 - log / x
        log = x * (1 - h) if x < LARGE else log
    share = d / m
    return share * (d * h + t * log), share * (e * h + f * log)


@inlined
def beyond_start(t, left, c):
    """How many positives a place lies beyond recall gain 0, t having come and `left` being still to come."""
    return c.left_star - left if c.from_below else t - c.t_star


@inlined
def gain_loss(t, f, d, e, left, c):
    """Integrate 1 - precision gain over the recall gains in [0, 1] of one group, `left` positives below it.

    Both gains are affine in 1/t on a group, so the trapezoid is exact.
    """
    t1, f1 = t + d, f + e
    beyond = beyond_start(t1, left, c)
    if beyond <= 0:
        return 0.0
    before = -beyond_start(t, left + d, c)
    if before > 0:
        f += e * (before / d)
        t, d = c.t_star, beyond
    return trapezoid(t, f, d, t1, f1, c.P / c.N, c.P, c.clip)


@inlined
def trapezoid(t, f, d, t1, f1, odds, P, clip):
    """Integrate 1 - precision gain over recall gains, from (t, f) to (t1, f1) with t1 = t + d."""
    width = odds * P * d / (t * t1)
    loss0, loss1 = odds * f / t, odds * f1 / t1
    if clip and (loss0 > 1 or loss1 > 1):
        above = max(1 - loss0, 1 - loss1)
        if above <= 0:
            return width
        return width * (1 - above * above / (2 * abs(loss1 - loss0)))
    return width * (0.5 * (loss0 + loss1))


@compiled
def cut_terms(t, f, d, e, c):
    """`pr_terms` of the part of a group whose true positives lie in the recall range."""
    first, last = (t - c.low) - c.low_rest, ((t + d) - c.low) - c.low_rest
    start, stop = max(first, 0.0), min(last, c.room)
    if stop <= start:
        return 0.0, 0.0
    inside = stop - start
    return pr_terms(max(t, c.low), f + e * ((start - first) / d), inside, e * (inside / d))


@compiled
def add(total, lost, value):
    """Neumaier's step: the new sum and the new sum of what rounding lost."""
    s = total + value
    if abs(total) >= abs(value):
        return s, lost + ((total - s) + value)
    return s, lost + ((value - s) + total)


@compiled
def count_left(d, size, left):
    """Fill in the positives below each group, added from the last one up: near it their sum is exact."""
    total = lost = 0.0
    for i in range(size - 1, -1, -1):
        left[i] = total + lost
        total, lost = add(total, lost, d[i])


@compiled
def add_groups(groups, size, c, sums):
    """Add groups to `sums` (2, SUMS): the totals and what rounding lost.

    `groups` (5, at least `size`): t, f, d, e, with negatives unscaled, and the positives left below.
    """
    t, f, d, e, left = groups
    for start in range(0, size, BLOCK):
        pairs = steps = inside = outside = loss = 0.0
        for i in range(start, min(start + BLOCK, size)):
            t0, f0, d0, e0 = t[i], f[i] * c.scale, d[i], e[i] * c.scale
            if d0 <= 0:
                continue
            pairs += d0 * (c.N - f0 - 0.5 * e0)
            steps += d0 * ((t0 + d0) / ((t0 + d0) + (f0 + e0)))
            a, b = pr_terms(t0, f0, d0, e0) if c.whole else cut_terms(t0, f0, d0, e0, c)
            inside += a
            outside += b
            loss += gain_loss(t0, f0, d0, e0, left[i], c)
        add_block(sums, pairs, steps, inside, outside, loss)


@compiled
def add_block(sums, pairs, steps, inside, outside, loss):
    """Add the sums of a block with compensation."""
    sums[0, 0], sums[1, 0] = add(sums[0, 0], sums[1, 0], pairs)
    sums[0, 1], sums[1, 1] = add(sums[0, 1], sums[1, 1], steps)
    sums[0, 2], sums[1, 2] = add(sums[0, 2], sums[1, 2], inside)
    sums[0, 3], sums[1, 3] = add(sums[0, 3], sums[1, 3], outside)
    sums[0, 4], sums[1, 4] = add(sums[0, 4], sums[1, 4], loss)


@compiled
def block_is_plain(t, above, stop, c):
    """Whether `add_plain_block` holds for the positives from t to stop: no option cuts into the block."""
    f0, f1 = above[t] * c.scale, above[stop - 1] * c.scale
    begins, ends = beyond_start(t, c.P - t, c), beyond_start(stop, c.P - stop, c)
    one_side = begins >= 0 or ends <= 0
    in_range = c.whole or ((t - c.low) - c.low_rest >= 0 and (stop - c.low) - c.low_rest <= c.room)
    no_clip = not c.clip or ends <= 0 or c.P * f1 <= c.N * t
    tame = c.N < 1e60  # products of four counts stay finite
    return t >= 1 and t + f0 >= SERIES_FROM and one_side and in_range and no_clip and tame


@compiled
def add_plain_block(t, above, stop, c, lanes):
    """Add the positives from t to stop, each a group of its own, to `lanes` (LANES, BLOCK), branch-free.

    Returns how many negatives stand above them, pair by pair; `lanes` takes the other sums.
    """
    k = c.P / c.N
    factor = 0.5 * k * k * c.P if beyond_start(t, c.P - t, c) >= 0 else 0.0
    block = above[t:stop]
    n_above = np.int64(0)
    for i in range(block.size):
        n_above += np.int64(block[i])
    for i in range(block.size):
        f = block[i] * c.scale
        t0 = np.float64(t + i)
        t1 = t0 + 1.0
        q, q1, square = t0 + f, t1 + f, t0 * t1
        shared = 1.0 / (q * q1 * square)  # one division for three
        x = q1 * square * shared
        y = 1 / 6 - x * (1 / 7 - x * (1 / 8 - x * (1 / 9 - x / 10)))
        h = x * (1 / 2 - x * (1 / 3 - x * (1 / 4 - x * (1 / 5 - x * y))))
        log = x * (1.0 - h)
        reciprocal = q * q1 * shared  # of the square
        lanes[0, i] += t1 * (q * square * shared)
        lanes[1, i] += h + t0 * log
        lanes[2, i] += f * log
        lanes[3, i] += factor * (f * (t0 + t1)) * (reciprocal * reciprocal)
    return n_above


@compiled
def flush(lanes, pairs, sums):
    """Add up the lanes pairwise, add them and `pairs` to the sums, and empty them."""
    size = BLOCK
    while size > 1:
        size //= 2
        for a in range(LANES):
            for i in range(size):
                lanes[a, i] += lanes[a, size + i]
    add_block(sums, pairs, lanes[0, 0], lanes[1, 0], lanes[2, 0], lanes[3, 0])
    lanes[:] = 0.0
