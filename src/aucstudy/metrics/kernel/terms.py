"""What one group of tied rows adds to each area, in closed form.

Above a group lie `t` positives and `f` negatives, in it `d` > 0 and `e` (see `groups.py`). When ties are broken at
random, positives and negatives of a group come at one rate, so that the curve is straight in counts, from (t, f) to
(t + d, f + e). Where another prevalence is requested, `f` and `e` are already scaled to it. Where a difference of
nearly equal numbers would lose digits of an area, another form takes its place: a series for
1 - log(1 + x) / x, the integral of 1 - precision beside that of precision, positives counted from below.
"""

import math
from typing import NamedTuple

from aucstudy.metrics.compiled import compiled, inlined

# Positives per negative from which on positives are counted from below. t - t_star loses as many digits as this number
# has: up to 64 they can be spared, and the kernel need not sum a further number for every group.
MOSTLY_POSITIVE = 64.0
SPLITTER = 2.0**27 + 1
SMALL = 0.01  # A small group has less than this share of the rows above it.


class Options(NamedTuple):
    """The options of areas, with the recalls from `low` to `high`.

    `prevalence` is 0 for the observed one. `clip` says whether negative gains count as 0.
    """

    prevalence: float
    clip: bool
    low: float
    high: float


OBSERVED = Options(0.0, False, 0.0, 1.0)
CLIPPED = Options(0.0, True, 0.0, 1.0)


class Totals(NamedTuple):
    """What the terms of all groups share: P positives, and N negatives at the prevalence that is requested.

    N is already scaled: it is `scale` times the negatives that were counted, as f and e of a group have to be. Recall
    gain is 0 at `t_star` true positives, with `below_star` positives below. Where nearly all rows are positive,
    `mostly_positive`, true positives are counted from below to keep the digits of recall gain. The recall range begins
    at `low` + `low_rest` true positives and is `width` of them, or a share `recalls` of all, wide. Over it the area
    under the lowest curve is `minimum`, and `room` that between it and the highest (Boyd et al. 2012, Theorem 2,
    Corollary 4).
    """

    P: float
    N: float
    scale: float
    t_star: float
    below_star: float
    mostly_positive: bool
    clip: bool
    all_recalls: bool
    low: float
    low_rest: float
    recalls: float
    width: float
    minimum: float
    room: float


@compiled
def totals_of(positives, negatives, options):
    """The `Totals` of so many positives and negatives, both more than 0, or sums of their weights."""
    scale = 1.0
    if options.prevalence > 0:
        scale = positives * (1 - options.prevalence) / (options.prevalence * negatives)
    P, N = float(positives), float(negatives * scale)
    low, low_rest = _exact_product(options.low, P)
    recalls = options.high - options.low
    # In the worst ranking all negatives are above the positives.
    minimum, room = precision_integrals(options.low, N / P, recalls, 0.0)
    return Totals(
        P=P,
        N=N,
        scale=scale,
        t_star=P * (P / (P + N)),
        below_star=P * (N / (P + N)),
        mostly_positive=mostly_positive(P, N),
        clip=options.clip,
        all_recalls=options.low <= 0 and options.high >= 1,
        low=low,
        low_rest=low_rest,
        recalls=recalls,
        width=recalls * P,
        minimum=minimum,
        room=room,
    )


@compiled
def _exact_product(x, y):
    """Return the rounded product of two numbers and the rest that was rounded off (Dekker 1971).

    The rest is needed for ranges of recall that are as narrow as rounding.
    """
    product = x * y
    high = x * SPLITTER - (x * SPLITTER - x)
    y_high = y * SPLITTER - (y * SPLITTER - y)
    x_rest, y_rest = x - high, y - y_high
    return product, ((high * y_high - product) + high * y_rest + x_rest * y_high) + x_rest * y_rest


@compiled
def mostly_positive(P, N):
    """Return whether positives must be counted from below to keep the digits of recall gain."""
    return P > MOSTLY_POSITIVE * N


@inlined
def ordered_pairs(f, d, e, totals):
    """The number of pairs of a positive of the group with a negative below it, where a tie counts half.

    The sum over all groups is AUROC times P N.
    """
    return d * (totals.N - f - 0.5 * e)


@inlined
def step(t, f, d, e):
    """The precision at the group's end times its positives, which sums to average precision times P."""
    return d * ((t + d) / ((t + d) + (f + e)))


@inlined
def precision_integrals(t, f, d, e):
    """Integrate precision, and 1 - precision, over the true positives of the group: AUPR times P, and the area above.

    Precision is (t + d u) / (q + m u) at the share u of the group, with q = t + f and m = d + e: the interpolation of
    Davis and Goadrich 2006. With x = m / q and h = 1 - log(1 + x) / x the integrals are (d / m) (d h + t x (1 - h)) and
    (d / m) (e h + f x (1 - h)): Keilwagen, Grosse and Grau 2014, in sums of positive terms.
    """
    q, m = t + f, d + e
    if q == 0:  # a group with no row above has the same precision all through
        return d * (d / m), e * (d / m)
    if is_small(t, f, d, e):
        return precision_integrals_of_small(t, f, d, e)
    x = m / q
    log = math.log1p(x)  # not numpy's, which differs by processor
    return _precision_integrals(t, f, d, e, 1 - log / x, log)


@inlined
def is_small(t, f, d, e):
    """Return whether the group has less than `SMALL` times the rows above it."""
    return (d + e) / (t + f) < SMALL


@inlined
def precision_integrals_of_small(t, f, d, e):
    """`precision_integrals` of a group that `is_small`: from a series, as 1 - log(1 + x) / x would lose digits."""
    x = (d + e) / (t + f)
    y = 1 / 5 - x * (1 / 6 - x * (1 / 7 - x / 8))
    h = x * (1 / 2 - x * (1 / 3 - x * (1 / 4 - x * y)))
    return _precision_integrals(t, f, d, e, h, x * (1 - h))


@inlined
def _precision_integrals(t, f, d, e, h, log):
    share = d / (d + e)
    return share * (d * h + t * log), share * (e * h + f * log)


@inlined
def precision_integrals_in_range(t, f, d, e, totals):
    """`precision_integrals` of the part of the group within the recall range."""
    first, last = (t - totals.low) - totals.low_rest, ((t + d) - totals.low) - totals.low_rest
    start, stop = max(first, 0.0), min(last, totals.width)
    if stop <= start:
        return 0.0, 0.0
    inside = stop - start
    return precision_integrals(max(t, totals.low), f + e * ((start - first) / d), inside, e * (inside / d))


@inlined
def lost_gain(t, f, d, e, below, totals):
    """Integrate 1 - precision gain over the recall gains from 0 to 1 that the group spans: 1 - AUPRG in all.

    At TP true and FP false positives both gains, 1 - k FP / TP and 1 + k - k P / TP with k = P / N, are straight lines
    in 1 / TP within a group, so that the integral is a trapezoid: Flach and Kull 2015, section 3. `below` are the
    positives below the group. They are read only where `mostly_positive`; elsewhere any number will do.
    """
    t1, f1 = t + d, f + e
    # The positives of the group below and above the point of recall gain 0, if it lies inside.
    beyond, before = t1 - totals.t_star, totals.t_star - t
    if totals.mostly_positive:
        beyond, before = totals.below_star - below, below + d - totals.below_star
    if beyond <= 0:
        return 0.0
    if before > 0:
        f += e * (before / d)
        t, d = totals.t_star, beyond
    k, per_square = totals.P / totals.N, 1 / (t * t1)
    width = k * totals.P * d * per_square
    start, end = k * f * t1 * per_square, k * f1 * t * per_square
    if totals.clip and (start > 1 or end > 1):
        return width * _clipped(start, end)
    return width * (0.5 * (start + end))


@inlined
def _clipped(start, end):
    """The mean loss on a straight line from `start` to `end` where no loss counts as more than 1."""
    highest_gain = max(1 - start, 1 - end)
    if highest_gain <= 0:
        return 1.0
    return 1 - highest_gain * highest_gain / (2 * abs(end - start))
