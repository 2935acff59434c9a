"""The definition of every area, from the numbers of positives and negatives with each score.

P positives and N negatives are ranked by their scores. Rows with equal scores form a group of tied rows. The groups are
taken in order from the highest score down. For each group, `t` positives and `f` negatives have higher scores, and the
group itself has `d` positives and `e` negatives. Within a group the curve is a straight line from (t, f) to
(t + d, f + e), because this is the average over all ways to break the ties. At a point of the curve with TP true and FP
false positives, precision is TP / (TP + FP), recall is TP / P and the false positive rate is FP / N.

| area | is the integral of | over |
|---|---|---|
| AUROC | 1 - false positive rate | recall |
| average precision | precision at the end of each group | recall |
| AUPR | precision | recall, or a range of it |
| AUPRG | precision gain, 1 - k FP / TP with k = P / N | recall gain, 1 + k - k P / TP, from 0 to 1 |

AUCNPR is (AUPR - MIN) / (MAX - MIN), where MIN is the AUPR of the worst ranking and MAX that of a perfect one, over the
same recalls.

Davis and Goadrich 2006; Keilwagen, Grosse and Grau 2014; Boyd et al. 2012; Flach and Kull 2015.

Each area has two functions. The first one returns what each group adds: an array with an entry for each group, or
several such arrays. The second one, `<area>_of`, returns the area from the sums of these arrays. The entries of
`aucstudy.metrics.registry` put the two together. Only groups with a positive are given, because every area is an
integral over recall or recall gain, which do not change in other groups.

The areas of rows are computed by the compiled `aucstudy.metrics.kernel`, which has closed forms of its own. Tests
compare it with the code below and with exact arithmetic. `aucstudy.metrics.counts`, the steps from AUPR to AUPRG and,
in part, the influence functions call the functions below.
"""

import math
from typing import NamedTuple

import numpy as np


class Totals(NamedTuple):
    """What all groups share: P positives and N negatives, and the options of the areas.

    At a requested prevalence, N is the number of negatives that gives it, and f and e are scaled in the same way.
    `recalls` are the lowest and the highest recall. `clip` says whether negative gains count as 0.
    """

    P: float
    N: float
    recalls: tuple[float, float] = (0.0, 1.0)
    clip: bool = False


def ordered_pairs(t, f, d, e, totals: Totals) -> np.ndarray:
    """Count the pairs of a positive of each group with a negative below it. A tied pair counts half."""
    return d * (totals.N - f - e / 2)


def auroc_of(totals: Totals, pairs: float) -> float:
    return pairs / (totals.P * totals.N)


def steps(t, f, d, e, totals: Totals) -> np.ndarray:
    """Return the precision at the end of each group, once for each positive of the group."""
    return d * ((t + d) / (t + d + (f + e)))


def average_precision_of(totals: Totals, steps: float) -> float:
    return steps / totals.P


def precision_parts(t, f, d, e, totals: Totals) -> tuple[np.ndarray, np.ndarray]:
    """Integrate precision, and 1 - precision, over the true positives of each group within the range of recall."""
    return precision_integrals(*within_recalls(t, f, d, e, totals.P, totals.recalls))


def aupr_of(totals: Totals, inside: float, outside: float) -> float:
    low, high = totals.recalls
    # Of two parts of a whole, the larger one is most exact if it is computed from the smaller one.
    return inside / totals.P if 2 * inside < (high - low) * totals.P else (high - low) - outside / totals.P


def aucnpr_of(totals: Totals, inside: float, outside: float) -> float:
    low, high = totals.recalls
    # the worst ranking has all negatives above the positives: Boyd et al. 2012, Theorem 2 and Corollary 4
    largest_outside = totals.N * math.log1p((high - low) * totals.P / (low * totals.P + totals.N))
    return min(max(1 - outside / largest_outside, 0.0), 1.0)


def lost_gains(t, f, d, e, totals: Totals) -> np.ndarray:
    """Integrate 1 - precision gain over the recall gains from 0 to 1 in each group."""
    return lost_gain(t, f, d, e, totals.P, totals.N, totals.clip)


def auprg_of(totals: Totals, lost: float) -> float:
    # a sum of clipped gains can only be below 0 by rounding
    return max(1 - lost, 0.0) if totals.clip else 1 - lost


def within_recalls(t, f, d, e, P: float, recalls: tuple[float, float]) -> tuple[np.ndarray, ...]:
    """Return t, f, d and e of the parts of the groups within a range of recall."""
    low, high = (recall * P for recall in recalls)
    start, end = np.clip(t, low, high), np.clip(t + d, low, high)
    inside = end > start
    t, f, d, e, start, end = (column[inside] for column in (t, f, d, e, start, end))
    return start, f + e * ((start - t) / d), end - start, e * ((end - start) / d)


def precision_integrals(t, f, d, e) -> tuple[np.ndarray, np.ndarray]:
    """Integrate precision, and 1 - precision, over the true positives of each group (d > 0).

    Davis and Goadrich's interpolation: after a share u of the group, precision is (t + d u) / (q + m u), with q = t + f
    and m = d + e. With x = m / q and h = 1 - log(1 + x) / x, the integrals are sums of positive terms (Keilwagen,
    Grosse and Grau 2014).
    """
    q, m = t + f, d + e
    # if no row has a higher score, precision is constant within the group: h = 1
    x = np.divide(m, q, out=np.ones(m.shape), where=q > 0)
    log = np.where(q > 0, np.log1p(x), 0.0)
    h = 1 - log / x
    return d / m * (d * h + t * log), d / m * (e * h + f * log)


def lost_gain(t, f, d, e, P: float, N: float, clip: bool = False) -> np.ndarray:
    """Integrate 1 - precision gain over the recall gains from 0 to 1 in each group. The sum over groups is 1 - AUPRG.

    With k = P / N, precision gain is 1 - k FP / TP and recall gain is 1 + k - k P / TP. Within a group both are linear
    in 1 / TP, so the integral is a trapezoid (Flach and Kull 2015). Recall gain is 0 at TP = P^2 / (P + N). A group
    that contains this point is cut there.
    """
    k = P / N
    t_star = P * P / (P + N)
    # The positives of each group before and beyond t_star. If positives are the more common class, t_star is close to
    # P, and t - t_star would lose digits. Both are then counted from P down.
    if P > N:
        before, beyond = (P - t) - P * (N / (P + N)), P * (N / (P + N)) - (P - (t + d))
    else:
        before, beyond = t_star - t, t + d - t_star
    reaches = beyond > 0
    t, f, d, e, before, beyond = (column[reaches] for column in (t, f, d, e, before, beyond))
    width = np.minimum(beyond, d)
    t0, f0 = np.maximum(t, t_star), f + e * (np.maximum(before, 0) / d)
    lost0, lost1 = k * f0 / t0, k * (f + e) / (t + d)
    lost = (lost0 + lost1) / 2
    if clip:
        # negative gains count as 0: if the line crosses 0, a triangle remains
        highest, lowest = 1 - np.minimum(lost0, lost1), 1 - np.maximum(lost0, lost1)
        crosses = (highest > 0) & (lowest < 0)
        triangle = np.divide(highest**2, 2 * (highest - lowest), out=np.zeros_like(lost), where=crosses)
        lost = np.where(lowest < 0, 1 - triangle, lost)
    return k * P * width / (t0 * (t + d)) * lost
