"""The first step of every number: the rows of a ranking as counts, one column a group of tied rows.

`groups` (4, k) are the groups that hold a positive, from the highest score down: `t` positives and `f` negatives lie above
one, `d` positives and `e` negatives in it. Where a group has no positive recall stands still, so that no area needs it; its
negatives are above the groups that follow. A count is of rows, or a sum of their weights.
"""

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.kernel.orders import Order
from aucstudy.metrics.kernel.sums import add


def groups_of(order: Order, model: int, weight: np.ndarray | None = None) -> np.ndarray:
    """The (4, k) `groups` of one model, each row counting once or by its `weight` (n,)."""
    n = len(order.positive)
    weight = np.ones(n, dtype=np.uint8) if weight is None else np.asarray(weight, dtype=float)
    groups = np.empty((4, np.count_nonzero(order.positive) + 1))
    size = count_groups(order.rows[model], order.ends_group[model], order.positive, weight, groups)
    return groups[:, :size]


@compiled
def count_groups(rows, ends_group, positive, weight, groups):
    """Fill `groups` from rows in descending order of score, and return how many groups there are.

    `rows` and `ends_group` (n,) are a model's of an `Order`, or some of them; `positive` and `weight` have an entry for
    each row number. `groups` needs one column to spare: a group is written before it is known to hold a positive.
    """
    size = 0
    t = f = t_lost = f_lost = 0.0
    d = e = d_lost = e_lost = 0.0
    for i in range(rows.size):
        row = rows[i]
        if positive[row]:
            d, d_lost = add(d, d_lost, weight[row])
        else:
            e, e_lost = add(e, e_lost, weight[row])
        if ends_group[i]:
            d, e = d + d_lost, e + e_lost
            groups[0, size], groups[1, size], groups[2, size], groups[3, size] = t + t_lost, f + f_lost, d, e
            size += d > 0
            t, t_lost = add(t, t_lost, d)
            f, f_lost = add(f, f_lost, e)
            d = e = d_lost = e_lost = 0.0
    return size


@compiled
def count_groups_of_classes(positives, negatives, groups):
    """As `count_groups`, from the scores of each class, negated and ascending: nothing has to be sorted together."""
    size = t = f = 0
    while t < positives.size:
        score = positives[t]
        while f < negatives.size and negatives[f] < score:
            f += 1
        t_end, f_end = t, f
        while t_end < positives.size and positives[t_end] == score:
            t_end += 1
        while f_end < negatives.size and negatives[f_end] == score:
            f_end += 1
        groups[0, size], groups[1, size], groups[2, size], groups[3, size] = t, f, t_end - t, f_end - f
        size += 1
        t, f = t_end, f_end
    return size
