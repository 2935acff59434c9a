"""The terms of one group of tied rows in each area, in closed form and of one sign.

Above a group lie `t` positives and `f` negatives, in it `d` and `e`, and `below` are the positives that follow. The
curve is straight in counts from (t, f) to (t + d, f + e).
"""

import math
from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled, inlined

LARGE = 1024.0  # growth of a group from which 1 - h would lose digits that 1 - precision needs
MOSTLY_POSITIVE = 64.0  # positives per negative from which P - t* would lose digits
SPLITTER = 2.0**27 + 1
OBSERVED = np.array([0.0, 0.0, 0.0, 1.0])  # options: observed prevalence, signed, whole recall range
CLIPPED = np.array([0.0, 1.0, 0.0, 1.0])  # as OBSERVED, with gains clipped


class Totals(NamedTuple):
    """P, N scaled to a prevalence, and the options.

    Recall gain is 0 at `t_star` true positives, with `left_star` below; `from_below` says to count these. The recall
    range begins at `low` + `low_rest` true positives and is `room` wide.
    """

    P: float
    N: float
    scale: float
    t_star: float
    left_star: float
    from_below: bool
    clip: bool
    full_range: bool
    low: float
    low_rest: float
    room: float


@compiled
def totals_of(P, N, options):
    scale = 1.0 if options[0] == 0 else P * (1 - options[0]) / (options[0] * N)
    a, b, scaled = options[2], options[3], N * scale
    t_star, left_star = P * P / (P + scaled), P * (scaled / (P + scaled))
    low, low_rest = exact_product(a, P)
    from_below, clip, full_range = mostly_positive(P, scaled), options[1] > 0, a <= 0 and b >= 1
    return Totals(
        P, scaled, scale, t_star, left_star, from_below, clip, full_range, low, low_rest, (b - a) * P
    )


@compiled
def mostly_positive(P, N):
    """Whether positives must be counted from below to keep their digits."""
    return P > MOSTLY_POSITIVE * N


@compiled
def exact_product(x, y):
    """The rounded product of two numbers and the rest (Dekker 1971)."""
    product = x * y
    high = x * SPLITTER - (x * SPLITTER - x)
    y_high = y * SPLITTER - (y * SPLITTER - y)
    x_rest, y_rest = x - high, y - y_high
    return product, ((high * y_high - product) + high * y_rest + x_rest * y_high) + x_rest * y_rest


@inlined
def group_terms(t, f, d, e, below, c):
    f, e = f * c.scale, e * c.scale
    inside, outside = pr_terms(t, f, d, e) if c.full_range else cut_terms(t, f, d, e, c)
    steps = d * ((t + d) / ((t + d) + (f + e)))
    return d * (c.N - f - 0.5 * e), steps, inside, outside, gain_loss(t, f, d, e, below, c)


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
    """1 - log1p(x)/x and log1p(x)."""
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
def gain_loss(t, f, d, e, below, c):
    """Integrate 1 - precision gain over the recall gains in [0, 1] of one group, both affine in 1/t."""
    t1, f1 = t + d, f + e
    beyond = beyond_start(t1, below, c)
    if beyond <= 0:
        return 0.0
    before = -beyond_start(t, below + d, c)
    if before > 0:
        f += e * (before / d)
        t, d = c.t_star, beyond
    return trapezoid(t, f, d, t1, f1, c.P / c.N, c.P, c.clip)


@inlined
def beyond_start(t, below, c):
    """Positives between recall gain 0 and a point."""
    return c.left_star - below if c.from_below else t - c.t_star


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
def minimum_and_room(negatives, a, b):
    """AUCPR_MIN on recalls [a, b] at so many negatives per positive, and its distance to the largest area."""
    return pr_terms(a, negatives, b - a, 0.0)
