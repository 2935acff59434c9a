"""The best threshold of a ranking for each kind of target metric.

A threshold accepts all rows of a group of tied ones or none of them. The first rows of a ranking, and the area up to a
false positive rate, need no threshold and may end within a group, in which positives and negatives come at one rate.
Numbers are compared by `exceeds`, or by the same padding: sums of weights are rounded, and what is equal but for that
must not decide between two thresholds, or between two models.
"""

import math

from aucstudy.metrics.compiled import compiled, inlined

F_BETA, RECALL, PRECISION, NET, COST, AUROC, MCC = range(7)
TOLERANCE = 1e-12


@inlined
def padded(number):
    """The largest number that a number of at least 0 may be but for rounding."""
    return number * (1 + TOLERANCE)


@inlined
def exceeds(value, other):
    """Return whether a number is larger than another one of at least 0, by more than rounding."""
    return value > padded(other)


@inlined
def gain_and_loss(t, f, P, N, kind, number):
    """Return what t true positives gain for a target metric with a threshold, and what f false positives cost.

    The value is (gain - loss) / `largest_gain`. Costs are compared with accepting no row, or every row where that
    costs less.
    """
    if kind == F_BETA:
        beta_squared = number * number
        return (1 + beta_squared) * t / (t + f + beta_squared * P), 0.0
    if kind == RECALL:
        return (0.0 if exceeds(number * (t + f), t) else t), 0.0
    if kind == NET:
        return t, number * f
    if kind == MCC:
        # Truth and prediction are uncorrelated where t / P and f / N are equal.
        scale = math.sqrt((t + f) * (P + N - t - f) * P * N)
        return (t * N / scale, f * P / scale) if scale > 0 else (0.0, 0.0)
    # COST: a missed positive costs `number`, so that to accept no row costs number * P, and every row N.
    if exceeds(number * P, N):
        # Compared with accepting every row: what the rejected negatives save, and what the missed positives cost.
        return N - f, number * (P - t)
    # Compared with accepting no row: what the found positives save, and what the false positives cost.
    return number * t, f


@inlined
def largest_gain(P, N, kind, number):
    """The gain of a perfect ranking, see `gain_and_loss`."""
    if kind in (F_BETA, MCC):
        return 1.0
    return min(number * P, N) if kind == COST else P


@compiled
def value_at(t, f, P, N, kind, number):
    """The value of a target metric at so many true and false positives; 0 where gain and loss are equal."""
    gain, loss = gain_and_loss(t, f, P, N, kind, number)
    if exceeds(gain, loss) or exceeds(loss, gain):
        return (gain - loss) / largest_gain(P, N, kind, number)
    return 0.0


@compiled
def best_threshold(groups, size, totals, kind, number):
    """The value of a target metric of this kind and number, and the true and false positives behind it.

    They are those of the best threshold, of several equally good ones the highest, or of the first rows that the
    target metric looks at. For a cost, accepting every row is preferred to equally good thresholds where it costs less
    than accepting none. `groups`, with false positives that count `totals.scale` times, are those of `count_groups`.
    """
    if kind == PRECISION:
        return _precision_of_first_rows(groups, size, totals, number)
    if kind == AUROC:
        return _auroc_up_to(groups, size, totals, number)
    P, N = totals.P, totals.N
    lead = padded_lead = true_positives = false_positives = 0.0
    if kind == COST and exceeds(number * P, N):
        true_positives, false_positives = P, N / totals.scale
    for i in range(size):
        # Between groups with a positive, recall stays and false positives rise: no threshold there is better.
        t, f = groups[0, i] + groups[2, i], groups[1, i] + groups[3, i]
        gain, loss = gain_and_loss(t, f * totals.scale, P, N, kind, number)
        # This is `if exceeds(gain, loss + lead)`. Because both sides are padded apart, the left one does not
        # wait for the lead of an earlier group, and the right one is computed only where the lead changes.
        if gain - padded(loss) > padded_lead:
            lead, true_positives, false_positives = gain - loss, t, f
            padded_lead = padded(lead)
    return lead / largest_gain(P, N, kind, number), true_positives, false_positives


@compiled
def _precision_of_first_rows(groups, size, totals, n_rows):
    """The precision among the first rows, which is the expected one for tied rows in random order."""
    true_positives = 0.0
    for i in range(size):
        t, f, d, e = groups[0, i], groups[1, i] * totals.scale, groups[2, i], groups[3, i] * totals.scale
        if not exceeds(n_rows, t + f):
            break
        true_positives = t + d * min((n_rows - t - f) / (d + e), 1.0)
    return true_positives / n_rows, true_positives, (n_rows - true_positives) / totals.scale


@compiled
def _auroc_up_to(groups, size, totals, rate):
    """The area under the ROC curve up to a false positive rate, such that chance is .5 and perfect 1: McClish 1989."""
    area = true_positives = 0.0
    false_positives = rate * totals.N / totals.scale
    for i in range(size):
        t, f, d, e = groups[0, i], groups[1, i], groups[2, i], groups[3, i]
        if not exceeds(false_positives, f):
            break
        # The rate may cut through the ties of these positives.
        remaining = false_positives - f
        share = remaining / max(e, remaining)
        area += share * d * (remaining - share * e / 2)
        true_positives = t + share * d
    area /= totals.P * false_positives
    return 0.5 + 0.5 * (area - rate / 2) / (1 - rate / 2), true_positives, false_positives
