"""Rankings that are sorted once: the order of the rows by each model, and its groups of tied rows."""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled


class Order(NamedTuple):
    """The order of one task's n rows by each of its m models.

    Attributes
    ----------
    rows : (m, n) int32, the rows by falling score.
    ends_group : (m, n) bool, True where the next row's score is lower, so that tied rows form one group.
    positive : (n,) bool
    """

    rows: np.ndarray
    ends_group: np.ndarray
    positive: np.ndarray


def order_of(y_true: np.ndarray, scores: np.ndarray) -> Order:
    """Sort the rows by each column of (n, m) scores, once; tied rows keep their order.

    >>> order_of(np.array([True, False, True]), np.array([[0.2], [0.9], [0.2]])).rows.tolist()
    [[1, 0, 2]]
    """
    falling = np.ascontiguousarray(-np.asarray(scores, dtype=float).T)
    rows, ends = np.empty(falling.shape, dtype=np.int32), np.empty(falling.shape, dtype=bool)
    # a stable sort would take four times as long
    _settle_ties(falling, np.argsort(falling, axis=1), rows, ends)
    return Order(rows, ends, np.asarray(y_true, dtype=bool))


@compiled
def _settle_ties(falling, by_score, rows, ends_group):
    """Fill `rows` with each model's rows, tied ones in the order of their numbers, and mark where groups end."""
    n = rows.shape[1]
    # of each row the place where its group begins, and of each group the place of its next row
    group, place = np.empty(n, dtype=np.int32), np.empty(n + 1, dtype=np.int32)
    for m in range(rows.shape[0]):
        start, tied = 0, False
        place[0] = 0
        for i in range(n):
            row = by_score[m, i]
            rows[m, i], group[row] = row, start
            ends = i + 1 == n or falling[m, by_score[m, i + 1]] != falling[m, row]
            ends_group[m, i] = ends
            tied |= not ends
            if ends:
                start = i + 1
                place[start] = start
        if tied:
            for row in range(n):
                rows[m, place[group[row]]] = row
                place[group[row]] += 1


@compiled
def tie_groups(rows, ends_group, positive, counts, groups):
    """Fill `groups` as `sums.add_groups` wants them from one model's order, and return how many there are.

    `groups` has one entry to spare: without branches on the class of a row, a group is written before it is known to
    hold a positive. The positives left below a group are exact where counts are whole numbers.
    """
    t, f, d, e, left = groups
    size = 0
    above = negatives_above = tied = negatives_tied = 0.0
    for i in range(rows.size):
        row = rows[i]
        count = np.float64(counts[row])
        of_positive = count if positive[row] else 0.0
        tied += of_positive
        negatives_tied += count - of_positive
        if ends_group[i]:
            t[size], f[size], d[size], e[size] = above, negatives_above, tied, negatives_tied
            size += tied > 0
            above += tied
            negatives_above += negatives_tied
            tied = negatives_tied = 0.0
    for i in range(size):
        left[i] = above - (t[i] + d[i])
    return size
