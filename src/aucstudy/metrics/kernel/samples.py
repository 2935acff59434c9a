"""The rows of a ranking that are in a sample, and what a threshold that is set on them accepts of all rows.

A threshold lies half way between the lowest score that it accepts in the sample and the next lower one there.
"""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled, inlined
from aucstudy.metrics.kernel.orders import Order


class Selection(NamedTuple):
    """Room for the rows of a sample, each (n + 1,): see `select_rows`."""

    rows: np.ndarray
    ends_group: np.ndarray
    ranks: np.ndarray


@compiled
def room_for(n):
    """A `Selection` for samples of n rows."""
    return Selection(np.empty(n + 1, np.int32), np.empty(n + 1, np.bool_), np.empty(n + 1, np.int64))


@compiled
def select_rows(rows, ends_group, in_sample, selection):
    """The `rows` and `ends_group` of a model's `Order`, without the rows that are not `in_sample`; and their ranks.

    Ranks count from 0 in the order of all rows; their number stands behind the ranks.
    """
    size = 0
    ends_group_before = selection.ends_group  # an entry each row, after an idle one
    ends_group_before[0] = False
    for i in range(rows.size):
        # without branches: a row that is not in the sample is overwritten by the next one
        row, inside = rows[i], in_sample[rows[i]]
        selection.rows[size], selection.ranks[size] = row, i
        size += inside
        ends_group_before[size] = ends_group[i] | (ends_group_before[size] & (not inside))
    selection.ranks[size] = rows.size
    return selection.rows[:size], ends_group_before[1 : size + 1], selection.ranks[: size + 1]


def descending_scores(order: Order, scores: np.ndarray) -> np.ndarray:
    """The (n, m) scores of an order as (m, n), each model's from the highest down."""
    return np.take_along_axis(np.asarray(scores, dtype=float).T, order.rows, axis=1)


@inlined
def threshold_of(descending, ranks, n_accepted):
    """The threshold that accepts so many rows of the sample with these `ranks`; infinite for none."""
    if n_accepted == 0:
        return np.inf
    lowest, next_rank = descending[ranks[n_accepted - 1]], ranks[n_accepted]
    if next_rank == descending.size:
        return lowest
    half_way = lowest - (lowest - descending[next_rank]) / 2
    return half_way if np.isfinite(half_way) else lowest


@compiled
def rows_accepted(descending, ranks, n_accepted):
    """How many of all rows the threshold accepts that accepts `n_accepted` rows of the sample."""
    if n_accepted == 0:
        return 0
    threshold = threshold_of(descending, ranks, n_accepted)
    stop = ranks[n_accepted - 1] + 1
    while stop < descending.size and descending[stop] >= threshold:
        stop += 1
    return stop


@compiled
def class_totals(positive, weight):
    """How many positives and how many negatives there are, or the sums of their weights."""
    P = N = 0.0
    for i in range(positive.size):
        if positive[i]:
            P += weight[i]
        else:
            N += weight[i]
    return P, N
