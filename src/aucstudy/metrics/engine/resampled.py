"""Areas of resampled rows by counting: the order of the scores is found once, no resample sorts again.

A resample is a count for each row (0 or 1 for a half of the rows, 0, 1, 2, ... for a bootstrap). Walking down the
known order and adding the counts gives the counts at every threshold, so a resample costs one pass over the rows.
"""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.engine.compiled import compiled
from aucstudy.metrics.engine.sums import gain_loss, pr_terms, totals_of

COUNTED_AREAS = ("aupr", "auprg", "auroc")


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
    """Sort the rows by each column of (n, m) scores, once.

    >>> order_of(np.array([True, False, True]), np.array([[0.2], [0.9], [0.2]])).rows.tolist()
    [[1, 0, 2]]
    """
    falling = -np.asarray(scores, dtype=float).T
    rows = np.argsort(falling, axis=1, kind="stable")
    ordered = np.take_along_axis(falling, rows, axis=1)
    ends = np.ones(rows.shape, dtype=bool)
    ends[:, :-1] = ordered[:, 1:] != ordered[:, :-1]
    return Order(rows.astype(np.int32), ends, np.asarray(y_true, dtype=bool))


def counted_areas(order: Order, counts: np.ndarray) -> np.ndarray:
    """AUPR, AUPRG and AUROC of every model in every resample.

    Parameters
    ----------
    order : as `order_of` gives it.
    counts : (resamples, n), how often each row stands in each resample; any real number >= 0.

    Returns
    -------
    (3, resamples, m) areas in the order of `COUNTED_AREAS`, NaN where a resample has rows of one class only. Equal
    to `areas(y_true[rows], scores[rows])` of the repeated rows, definitions as there.

    Examples
    --------
    >>> order = order_of(np.array([True, False, True]), np.array([[0.9], [0.5], [0.1]]))
    >>> counted_areas(order, np.array([[1, 1, 1], [1, 2, 0]]))[2].tolist()
    [[0.5], [1.0]]
    """
    counts = np.ascontiguousarray(counts)
    areas = np.empty((len(COUNTED_AREAS), len(counts), len(order.rows)))
    positives, negatives = (counts @ mask.astype(float) for mask in (order.positive, ~order.positive))
    _walk(order.rows, order.ends_group, order.positive, counts, positives, negatives, areas)
    return areas


@compiled
def _walk(rows, ends_group, positive, counts, positives, negatives, areas):
    options = np.array([0.0, 0.0, 0.0, 1.0])
    for s in range(counts.shape[0]):
        P, N = positives[s], negatives[s]
        if P <= 0 or N <= 0:
            areas[:, s, :] = np.nan
            continue
        c = totals_of(P, N, options)
        for m in range(rows.shape[0]):
            pairs = precision = loss = t = f = d = e = 0.0
            for i in range(rows.shape[1]):
                row = rows[m, i]
                if positive[row]:
                    d += counts[s, row]
                else:
                    e += counts[s, row]
                if ends_group[m, i]:
                    if d > 0:
                        pairs += d * (N - f - 0.5 * e)
                        precision += pr_terms(t, f, d, e)[0]
                        loss += gain_loss(t, f, d, e, P - (t + d), c)
                        t += d
                    f += e
                    d = e = 0.0
            areas[0, s, m], areas[1, s, m], areas[2, s, m] = precision / P, 1 - loss, pairs / (P * N)
