"""From sorted scores to areas: negatives above each positive, sums over groups of tied rows, and what these give.

Scores are negated, so that ascending arrays start with the top of the ranking. A *group* holds all rows of one score:
where positives weigh d in it and negatives e, the curve runs from (t, f) to (t + d, f + e), straight in counts. Groups
without a positive change no area. Sums have terms of one sign, so that nothing cancels, and blocks of groups are added
with compensation: 1e-12 holds for ten million rows.

`groups` (5, k): t, f, d, e, negatives unscaled, and the positives below each group. `options` (4,): the prevalence
asked for or 0, whether gains are clipped, the recall range a, b. `sums` (2, SUMS): sums, and what rounding lost. `c`: a
`Totals`.
"""

import math
from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import brief, compiled, inlined

SKIP = 3  # a sparse merge passes 2^3 negatives at a time
PADDING = 1 << SKIP  # infinite entries that must follow the negatives
SPARSE = 3  # negatives per positive from which skipping is faster
U = np.uint64  # an unsigned index needs no test for wrapping around
BLOCK = 256  # groups that are added plainly before a compensated step; a power of two
SUMS = 5  # pairs in the right order, precision at steps, precision, 1 - precision, loss of precision gain
LANES = 4  # all but the first
LANES_HOLD = 16  # blocks that may be added up in one set of lanes before compensation
SERIES_FROM = 128.0  # rows above a single positive from which a series takes the place of the logarithm
LARGE = 1024.0  # growth of a group from which 1 - h would lose digits that 1 - precision needs
MOSTLY_POSITIVE = 64.0  # positives per negative from which P - t* would lose digits
SPLITTER = 2.0**27 + 1


class Totals(NamedTuple):
    """P, N scaled to the prevalence asked for, and the options.

    Recall gain is 0 at `t_star` true positives, where `left_star` are to come; `from_below` says to use these. The
    recall range begins at `low` + `low_rest` true positives, a P without rounding, and is `room` wide.
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
def totals_of(P, N, options):
    scale = 1.0 if options[0] == 0 else P * (1 - options[0]) / (options[0] * N)
    a, b, scaled = options[2], options[3], N * scale
    t_star, left_star = P * P / (P + scaled), P * (scaled / (P + scaled))
    low, low_rest = exact_product(a, P)
    below, clip, whole = mostly_positive(P, scaled), options[1] > 0, a <= 0 and b >= 1
    return Totals(P, scaled, scale, t_star, left_star, below, clip, whole, low, low_rest, (b - a) * P)


@compiled
def mostly_positive(P, N):
    """Whether sums must run over what is left instead of what has come."""
    return P > MOSTLY_POSITIVE * N


@compiled
def exact_product(x, y):
    """The product of two numbers as its rounded value and the rest (Dekker 1971)."""
    product = x * y
    high = x * SPLITTER - (x * SPLITTER - x)
    other = y * SPLITTER - (y * SPLITTER - y)
    x_rest, y_rest = x - high, y - other
    return product, ((high * other - product) + high * y_rest + x_rest * other) + x_rest * y_rest


@brief
def areas_of_segments(pos, neg, layout, weights, options, above, areas):
    """Fill `areas` (n_groups, n_models, 5) from the sorted segments of two classes, NaN for a group of one class.

    `layout` (n_groups, 6): for each class the start of the first segment, the distance to the next model's, and the
    number of rows. `weights` (n_groups, 2): P and N. `above`: scratch.
    """
    groups, lanes, sums = np.empty((5, BLOCK)), np.zeros((LANES, BLOCK)), np.empty((2, SUMS))
    out = np.full((*areas.shape[:2], SUMS), np.nan)
    for g in range(len(out)):
        start, width, n_pos, neg_start, neg_width, n_neg = layout[g]
        if n_pos == 0 or n_neg == 0:
            continue
        c = totals_of(weights[g, 0], weights[g, 1], options)
        for m in range(out.shape[1]):
            p, n = start + m * width, neg_start + m * neg_width
            sums[:] = 0.0
            _sum_ranking(pos[p : p + n_pos], neg[n : n + neg_width], n_neg, above, c, groups, lanes, sums)
            out[g, m] = sums[0] + sums[1]
    finish(out, weights, options, areas)


@compiled
def _sum_ranking(pos, neg, n_neg, above, c, groups, lanes, sums):
    negatives_above(pos, neg, n_neg, above)
    i, n_pos, pending, pairs = 0, pos.size, 0, 0.0
    while i < n_pos:
        stop = min(i + BLOCK, n_pos)
        if block_is_plain(i, above, stop, c) and _untied(pos, neg, above, i, stop):
            pairs += c.N * (stop - i) - c.scale * add_plain_block(i, above, stop, c, lanes)
            i, pending = stop, pending + 1
            if pending == LANES_HOLD:
                flush(lanes, pairs, sums)
                pending, pairs = 0, 0.0
            continue
        size = 0
        while size < BLOCK and i < n_pos:
            score, first, j = pos[i], i, np.int64(above[i])
            while i < n_pos and pos[i] == score:
                i += 1
            while j < n_neg and neg[j] == score:
                j += 1
            groups[0, size], groups[1, size] = first, above[first]
            groups[2, size], groups[3, size] = i - first, j - np.int64(above[first])
            groups[4, size] = n_pos - i
            size += 1
        add_groups(groups, size, c, sums)
    if pending:
        flush(lanes, pairs, sums)


@compiled
def _untied(pos, neg, above, start, stop):
    if stop < pos.size and pos[stop - 1] == pos[stop]:
        return False
    alone, places, ties = pos[start:stop], above[start:stop], 0
    for i in range(alone.size - 1):
        ties += alone[i] == alone[i + 1]
    for i in range(alone.size):
        ties += neg[places[i]] == alone[i]
    return ties == 0


@compiled
def negatives_above(pos, neg, n_neg, above):
    """Fill `above`, which has an entry to spare, with the negatives strictly before each positive.

    PADDING infinities follow `neg`. Where negatives abound, every eighth is merged, and the place among eight searched.
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
    # an infinite key follows the last. Four stretches are merged in turns and without branches: a lone merge waits for
    # each comparison, and a branch on it is mispredicted half the time
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
    low, high = max(0, total - n_keys), min(total, pos.size)
    while low < high:
        middle = (low + high) // 2
        if keys[total - 1 - middle] < pos[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def areas_of_weighted_segments(pos, neg, wpos, wneg, layout, weights, options, areas):
    """As `areas_of_segments`, with the weights of rows laid out as the scores."""
    groups, sums = np.empty((5, layout[:, 2].max())), np.empty((2, SUMS))
    out = np.full((*areas.shape[:2], SUMS), np.nan)
    for g in range(len(out)):
        start, width, n_pos, neg_start, neg_width, n_neg = layout[g]
        if not (weights[g, 0] > 0 and weights[g, 1] > 0):
            continue
        c = totals_of(weights[g, 0], weights[g, 1], options)
        for m in range(out.shape[1]):
            p, n = start + m * width, neg_start + m * neg_width
            sums[:] = 0.0
            classes = pos[p : p + n_pos], neg[n : n + n_neg], wpos[p : p + n_pos], wneg[n : n + n_neg]
            _sum_weighted_ranking(*classes, c, groups, sums)
            out[g, m] = sums[0] + sums[1]
    finish(out, weights, options, areas)


@compiled
def _sum_weighted_ranking(pos, neg, wpos, wneg, c, groups, sums):
    t, f, d, e, left = groups
    i = j = size = 0
    t0 = f0 = t_lost = f_lost = 0.0
    while i < pos.size:
        score = pos[i]
        while j < neg.size and neg[j] < score:
            f0, f_lost = add(f0, f_lost, wneg[j])
            j += 1
        t[size], f[size] = t0 + t_lost, f0 + f_lost
        in_group, lost = wpos[i], 0.0
        i += 1
        while i < pos.size and pos[i] == score:
            in_group, lost = add(in_group, lost, wpos[i])
            i += 1
        d[size] = in_group + lost
        t0, t_lost = add(t0, t_lost, d[size])
        in_group = lost = 0.0
        while j < neg.size and neg[j] == score:
            in_group, lost = add(in_group, lost, wneg[j])
            j += 1
        e[size] = in_group + lost
        f0, f_lost = add(f0, f_lost, e[size])
        size += 1
    count_left(d, size, left)
    add_groups(groups, size, c, sums)


@brief
def areas_of_bins(values, multiplicity, bins, weights, options, areas):
    """Fill `areas` (1, 1, 5) from the distinct scores of the positives, the rows before (2k) and at each (2k + 1)."""
    size = values.size
    groups = np.empty((5, size))
    t, f, d, e, left = groups
    t0 = f0 = 0.0
    for k in range(size):
        f0 += bins[2 * k]
        t[k], f[k], d[k], e[k] = t0, f0, multiplicity[k], bins[2 * k + 1] - multiplicity[k]
        t0 += d[k]
        f0 += e[k]
    count_left(d, size, left)
    sums = np.zeros((2, SUMS))
    add_groups(groups, size, totals_of(weights[0, 0], weights[0, 1], options), sums)
    finish((sums[0] + sums[1]).reshape(1, 1, SUMS), weights, options, areas)


@compiled
def count_left(d, size, left):
    """Fill in the positives below each group, from the last up: near it their sum is exact."""
    total = lost = 0.0
    for i in range(size - 1, -1, -1):
        left[i] = total + lost
        total, lost = add(total, lost, d[i])


@compiled
def block_is_plain(t, above, stop, c):
    """Whether `add_plain_block` holds for the positives from t to stop."""
    f0, f1 = above[t] * c.scale, above[stop - 1] * c.scale
    begins, ends = beyond_start(t, c.P - t, c), beyond_start(stop, c.P - stop, c)
    one_side = begins >= 0 or ends <= 0
    in_range = c.whole or ((t - c.low) - c.low_rest >= 0 and (stop - c.low) - c.low_rest <= c.room)
    no_clip = not c.clip or ends <= 0 or c.P * f1 <= c.N * t
    tame = c.N < 1e60  # products of four counts stay finite
    return t >= 1 and t + f0 >= SERIES_FROM and one_side and in_range and no_clip and tame


@compiled
def add_plain_block(t, above, stop, c, lanes):
    """Add the positives from t to stop, each a group, to `lanes`, branch-free; return the negatives above, summed."""
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
    """Add the lanes, added up pairwise, and `pairs` to the sums, and empty the lanes."""
    size = BLOCK
    while size > 1:
        size //= 2
        for a in range(LANES):
            for i in range(size):
                lanes[a, i] += lanes[a, size + i]
    add_block(sums, pairs, lanes[0, 0], lanes[1, 0], lanes[2, 0], lanes[3, 0])
    lanes[:] = 0.0


@compiled
def add_groups(groups, size, c, sums):
    t, f, d, e, left = groups
    for start in range(0, size, BLOCK):
        pairs = steps = inside = outside = loss = 0.0
        for i in range(start, min(start + BLOCK, size)):
            if d[i] <= 0:
                continue
            of_group = group_terms(t[i], f[i], d[i], e[i], left[i], c)
            pairs += of_group[0]
            steps += of_group[1]
            inside += of_group[2]
            outside += of_group[3]
            loss += of_group[4]
        add_block(sums, pairs, steps, inside, outside, loss)


@inlined
def group_terms(t, f, d, e, left, c):
    """What one group adds to each of the sums; the areas rest on these five terms alone."""
    f, e = f * c.scale, e * c.scale
    inside, outside = pr_terms(t, f, d, e) if c.whole else cut_terms(t, f, d, e, c)
    steps = d * ((t + d) / ((t + d) + (f + e)))
    return d * (c.N - f - 0.5 * e), steps, inside, outside, gain_loss(t, f, d, e, left, c)


@compiled
def add_block(sums, pairs, steps, inside, outside, loss):
    sums[0, 0], sums[1, 0] = add(sums[0, 0], sums[1, 0], pairs)
    sums[0, 1], sums[1, 1] = add(sums[0, 1], sums[1, 1], steps)
    sums[0, 2], sums[1, 2] = add(sums[0, 2], sums[1, 2], inside)
    sums[0, 3], sums[1, 3] = add(sums[0, 3], sums[1, 3], outside)
    sums[0, 4], sums[1, 4] = add(sums[0, 4], sums[1, 4], loss)


@compiled
def add(total, lost, value):
    """Neumaier's step: the new sum and what rounding lost."""
    s = total + value
    if abs(total) >= abs(value):
        return s, lost + ((total - s) + value)
    return s, lost + ((value - s) + total)


@inlined
def pr_terms(t, f, d, e):
    """Integrate precision, and 1 - precision, over the true positives of one group.

    With q = t + f, m = d + e, x = m/q and h = 1 - log1p(x)/x these are (d/m)(d h + t x (1 - h)) and
    (d/m)(e h + f x (1 - h)): Keilwagen, Grosse and Grau 2014, in sums of positive terms.
    """
    q, m = t + f, d + e
    if q == 0:
        return d * (d / m), d * (e / m)
    h, log = growth_terms(m / q)
    share = d / m
    return share * (d * h + t * log), share * (e * h + f * log)


@inlined
def growth_terms(x):
    """1 - log1p(x)/x and log1p(x), of the growth of a ranking by one group."""
    if x < 0.01:
        y = 1 / 5 - x * (1 / 6 - x * (1 / 7 - x * (1 / 8 - x * (1 / 9 - x / 10))))
        h = x * (1 / 2 - x * (1 / 3 - x * (1 / 4 - x * y)))
        log = x * (1 - h)
    else:
        log = math.log1p(x)  # not numpy's, which differs by processor
        h = 1 - log / x
        log = x * (1 - h) if x < LARGE else log
    return h, log


@compiled
def cut_terms(t, f, d, e, c):
    """`pr_terms` within the recall range."""
    first, last = (t - c.low) - c.low_rest, ((t + d) - c.low) - c.low_rest
    start, stop = max(first, 0.0), min(last, c.room)
    if stop <= start:
        return 0.0, 0.0
    inside = stop - start
    return pr_terms(max(t, c.low), f + e * ((start - first) / d), inside, e * (inside / d))


@inlined
def gain_loss(t, f, d, e, left, c):
    """Integrate 1 - precision gain over the recall gains in [0, 1] of one group, both affine in 1/t."""
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
def beyond_start(t, left, c):
    """How many positives a place with `left` below it lies beyond recall gain 0."""
    return c.left_star - left if c.from_below else t - c.t_star


@inlined
def trapezoid(t, f, d, t1, f1, odds, P, clip):
    """Integrate 1 - precision gain over recall gains, from (t, f) to (t1, f1)."""
    width = odds * P * d / (t * t1)
    loss0, loss1 = odds * f / t, odds * f1 / t1
    if clip and (loss0 > 1 or loss1 > 1):
        above = max(1 - loss0, 1 - loss1)
        if above <= 0:
            return width
        return width * (1 - above * above / (2 * abs(loss1 - loss0)))
    return width * (0.5 * (loss0 + loss1))


@compiled
def finish(sums, weights, options, out):
    """Fill `out` (n_groups, n_models, 5), AUROC, AUPR, AUPRG, AUCNPR, average precision, from the sums of groups.

    Where an area is near its top it is taken from what is missing, so that a perfect ranking has areas of exactly 1.
    """
    asked, a, b = options[0], options[2], options[3]
    for g in range(out.shape[0]):
        P, N = weights[g, 0], weights[g, 1]
        if asked > 0:
            N = P * (1 - asked) / asked
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


@compiled
def minimum_and_room(negatives, a, b):
    """AUCPR_MIN on the recall range [a, b], and how far the largest area lies above it (Boyd et al. 2012, Theorem 2).

    In the worst ranking all positives come after all negatives, (1 - pi)/pi of them per positive.
    """
    return pr_terms(a, negatives, b - a, 0.0)
