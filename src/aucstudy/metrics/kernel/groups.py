"""The first step of the kernel: the rows of a ranking as counts, with a column for each group of tied rows.

`groups` (4, k) are the groups of tied rows that hold a positive, from the highest score down: `t` positives and `f`
negatives lie above one, `d` positives and `e` negatives in it. Every area is an integral over recall or
recall gain, which do not change in a group without a positive. Such a group is not needed; its negatives are
above the groups that follow. A count is of rows, or a sum of their weights. The groups of tied rows have
nothing to do with the groups of rows that a user may name, as patients or folds.
"""

import numpy as np

from aucstudy.metrics.compiled import compiled, inlined
from aucstudy.metrics.kernel.orders import Order
from aucstudy.metrics.kernel.sums import add

AHEAD = 4  # the number of NaN before the scores of a class, of which `count_groups_of_classes` reads as many ahead


def groups_of(order: Order, model: int, weight: np.ndarray | None = None) -> np.ndarray:
    """The (4, k) `groups` of one model, each row counting once or by its `weight` (n,)."""
    n = len(order.positive)
    weight = np.ones(n, dtype=np.uint8) if weight is None else np.asarray(weight, dtype=float)
    groups = np.empty((4, np.count_nonzero(order.positive)))
    size = count_groups(order.rows[model], order.ends_group[model], order.positive, weight, groups)
    return groups[:, :size]


@compiled
def count_groups(rows, ends_group, positive, weight, groups):
    """Fill `groups` from rows in descending order of score, and return how many groups there are.

    `rows` and `ends_group` (n,) are a model's of an `Order`, or some of them; `positive` and `weight` have an entry for
    each row number. `groups` has room for as many groups as there are positive rows.
    """
    # This is a 0 of the same kind as the weights, a float or a whole number. Of short integers `+ 0` makes an
    # int64, which does not overflow. Sums of whole numbers are exact, so that `add` has nothing to keep.
    zero = weight.dtype.type(0) + 0
    size = 0
    t = f = d = e = zero
    t_rounding = f_rounding = d_rounding = e_rounding = zero
    for i in range(rows.size):
        row = np.uint32(rows[i])  # an index without a sign need not be tested for one
        if positive[row]:
            d, d_rounding = add(d, d_rounding, weight[row])
        else:
            e, e_rounding = add(e, e_rounding, weight[row])
        if ends_group[i]:
            d, e = d + d_rounding, e + e_rounding
            if d > 0:
                groups[0, size], groups[1, size], groups[2, size], groups[3, size] = (
                    t + t_rounding,
                    f + f_rounding,
                    d,
                    e,
                )
                size += 1
                t, t_rounding = add(t, t_rounding, d)
            f, f_rounding = add(f, f_rounding, e)
            d = e = d_rounding = e_rounding = zero
    return size


@compiled
def count_groups_of_classes(positives, negatives, t, f, groups):
    """Do the same as `count_groups` from the scores of each class, which need not be sorted together.

    The scores of a class are negated and ascending, after `AHEAD` NaN. Only the first `t` positives and `f` negatives
    are counted, from the last group up, until `groups` are full. This fills `groups` from the last column to the first,
    and returns the column that was filled last, and t and f of its group.
    """
    # Unless positives prevail, nobody can predict how many negatives lie between two positives. The last few of them
    # are counted without a branch. NaN are neither greater than a score nor equal to it.
    positives_prevail = positives.size > 4 * negatives.size
    start = groups.shape[1]
    while t > 0 and start > 0:
        score = positives[_before(t)]
        while negatives[np.uint64(f)] > score:
            f -= AHEAD
        if positives_prevail:
            while negatives[_before(f)] > score:
                f -= 1
        else:
            n_below = 0
            for i in range(1, AHEAD):
                n_below += negatives[np.uint64(f + i)] > score
            f -= n_below
        t_end, f_end = t, f
        t, f = _first_of(score, positives, t - 1), _first_of(score, negatives, f)
        start -= 1
        groups[0, start], groups[1, start], groups[2, start], groups[3, start] = t, f, t_end - t, f_end - f
    return start, t, f


@inlined
def _before(n):
    """Return the index of the last of the first n scores of a class, without a sign, as in `count_groups`."""
    return np.uint64(n + AHEAD - 1)


@inlined
def _first_of(score, scores, n):
    """Return n without the last of the first n scores that are equal to `score`."""
    if scores[_before(n)] == score:
        while scores[np.uint64(n)] == score:
            n -= AHEAD
        while scores[_before(n)] == score:
            n -= 1
    return n


@compiled
def count_groups_of_keys(keys, t, f, groups):
    """Do the same as `count_groups_of_classes` from the keys of all rows, which are ascending.

    The key of a row is twice the number of its score, and 1 more for a positive. Numbers order as their scores do.
    """
    start = groups.shape[1]
    t_end, f_end = t, f
    for i in range(keys.size - t - f, keys.size):
        is_positive = np.int64(keys[np.uint64(i)] & np.uint32(1))
        t -= is_positive
        f -= 1 - is_positive
        if i + 1 == keys.size or keys[np.uint64(i + 1)] ^ keys[np.uint64(i)] > np.uint32(1):
            # The group after one without a positive takes its column.
            column = np.uint64(start - 1)
            groups[0, column], groups[1, column], groups[2, column], groups[3, column] = (
                t,
                f,
                t_end - t,
                f_end - f,
            )
            start -= t < t_end
            t_end, f_end = t, f
            if start == 0:
                break
    return start, t, f


@compiled
def count_groups_of_subsets(rows, ends_group, codes, nested, groups, sizes):
    """Do the same as `count_groups` for several subsets of the rows at once, in which each row counts once.

    `codes` (n,) are twice the number of each row's subset, and 1 more for a positive. A number beyond all
    subsets means that the row is in none. Subsets are disjoint or, if `nested`, subset k also has the rows of
    those before it. This fills (n_subsets, 4, k) `groups` and (n_subsets,) `sizes`. One pass serves all
    subsets, because one for each would take most of the time of a study. `groups` has one column more than a
    subset has positives.
    """
    # Numbers without a sign, as in `count_groups`.
    one, n_subsets = np.uint64(1), np.uint64(len(groups))
    counts = np.zeros((len(groups), 4), dtype=np.int64)  # t, f, d, e of the next group of each subset
    sizes[:] = 0
    i = np.uint64(0)
    while i < rows.size:
        is_single = ends_group[i]
        while True:
            code = np.uint64(codes[np.uint32(rows[i])])
            k, is_positive = code >> one, code & one
            after = n_subsets if nested else min(k + one, n_subsets)
            while k < after:
                if not is_single:
                    counts[k, np.uint64(3) - is_positive] += 1
                elif is_positive:
                    counts[k, 2] = 1
                    _close_group(counts, groups, sizes, k)
                else:
                    counts[k, 1] += 1
                k += one
            i += one
            if ends_group[i - one]:
                break
        if not is_single:
            for k in range(n_subsets):
                _close_group(counts, groups, sizes, k)


@inlined
def _close_group(counts, groups, sizes, k):
    """Write down the group whose rows were added to subset k, if it has any, and begin the next one below it.

    A group without a positive does not count in `sizes`, so that the next one takes its column.
    """
    t, f, d, e = counts[k, 0], counts[k, 1], counts[k, 2], counts[k, 3]
    size = sizes[k]
    groups[k, 0, size], groups[k, 1, size], groups[k, 2, size], groups[k, 3, size] = t, f, d, e
    sizes[k] += d > 0
    counts[k, 0], counts[k, 1], counts[k, 2], counts[k, 3] = t + d, f + e, 0, 0
