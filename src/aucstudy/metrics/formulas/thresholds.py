"""The best threshold of a ranking for each kind of want, and the rows of another sample that it accepts."""

import numpy as np

from aucstudy.metrics.compiled import compiled, inlined

F_BETA, RECALL, PRECISION, NET, COST, AUROC = range(6)


@inlined
def f_beta(t, f, P, beta_squared):
    return (1 + beta_squared) * t / (t + f + beta_squared * P)


@compiled
def best_threshold(groups, size, P, N, kind, x):
    """The worth of a want of this kind and number `x`, and the true and false positives of its best threshold."""
    # between groups with a positive recall stands still and false positives rise: no threshold there is better
    t, f, d, e, _ = groups
    best = true = false = 0.0
    if kind == COST and x * P > N:
        best, true, false = x * P - N, P, N
    for i in range(size):
        t1, f1 = t[i] + d[i], f[i] + e[i]
        if kind == PRECISION:
            inside = min((x - t[i] - f[i]) / (d[i] + e[i]), 1.0)
            if inside > 0:
                true = t[i] + inside * d[i]
                best, false = true / x, x - true
            continue
        if kind == AUROC:
            # what these positives add to the area left of x N, which may cut through their ties
            remaining = x * N - f[i]
            if remaining > 0:
                inside = remaining / max(e[i], remaining)
                best += d[i] * inside * (remaining - inside * e[i] / 2)
                true, false = t[i] + inside * d[i], x * N
            continue
        if kind == F_BETA:
            value = f_beta(t1, f1, P, x * x)
        elif kind == RECALL:
            value = t1 / P if t1 >= x * (t1 + f1) else 0.0
        elif kind == NET:
            value = (t1 - x * f1) / P
        else:
            value = x * t1 - f1
        if value > best:
            best, true, false = value, t1, f1
    if kind == COST:
        best = 1 - (x * P - best) / min(x * P, N)
    if kind == AUROC:
        best = 0.5 + 0.5 * (best / (x * N * P) - x / 2) / (1 - x / 2)
    return best, true, false


@inlined
def halfway(score, lower):
    """A threshold half way to the next lower score, the score itself where that is infinite."""
    middle = score - (score - lower) / 2
    return middle if np.isfinite(middle) else score


@compiled
def rows_accepted(descending, ranks, n_accepted):
    """How many rows a threshold accepts that accepts `n_accepted` rows of a sample.

    `descending`: the scores; `ranks`: those of the sample's rows, then the number of all rows.
    """
    if n_accepted == 0:
        return 0
    last, following = ranks[n_accepted - 1], ranks[n_accepted]
    threshold = descending[last]
    if following < descending.size:
        threshold = halfway(threshold, descending[following])
    stop = last + 1
    while stop < descending.size and descending[stop] >= threshold:
        stop += 1
    return stop
