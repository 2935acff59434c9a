"""The rows of a ranking that are in a sample, and what a threshold that is set on them accepts of all rows.

A threshold lies half way between the lowest score that it accepts in the sample and the next lower one there.
"""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled, inlined
from aucstudy.metrics.kernel.orders import Order
from aucstudy.metrics.kernel.sums import add


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
def select_rows(rows, descending, in_sample, selection):
    """Return a model's rows of an `Order` in a sample, which of them end a group of ties, and their ranks.

    `descending` (n,) are the scores of `rows`. A rank is a row's place among all rows, from 0 on. The last
    entry of the ranks is the number of all rows.
    """
    size, ranks = 0, selection.ranks
    for rank in range(rows.size):
        # This needs no branch: the next row overwrites one that is not in the sample.
        ranks[size] = rank
        size += in_sample[rows[rank]]
    ranks[size] = rows.size
    for i in range(size):
        selection.rows[i] = rows[ranks[i]]
    for i in range(size - 1):
        selection.ends_group[i] = descending[ranks[i]] != descending[ranks[i + 1]]
    selection.ends_group[size - 1] = True
    return selection.rows[:size], selection.ends_group[:size], ranks[: size + 1]


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
    next_lower = descending[next_rank]
    half_way = lowest - (lowest - next_lower) / 2
    # Between two neighbouring floats the half-way point can round down to the lower one, which is not accepted.
    return half_way if np.isfinite(half_way) and half_way > next_lower else lowest


@compiled
def rows_accepted(descending, ranks, n_accepted):
    """Return how many of all rows that threshold accepts which accepts `n_accepted` rows of the sample."""
    if n_accepted == 0:
        return 0
    threshold = threshold_of(descending, ranks, n_accepted)
    stop = ranks[n_accepted - 1] + 1
    while stop < descending.size and descending[stop] >= threshold:
        stop += 1
    return stop


@compiled
def class_totals(positive, weight):
    """Return how many positives and how many negatives there are, or the sums of their weights."""
    P = N = P_rounding = N_rounding = weight.dtype.type(0) + 0
    for row in range(positive.size):
        positive_weight = weight[row] * positive[row]
        P, P_rounding = add(P, P_rounding, positive_weight)
        N, N_rounding = add(N, N_rounding, weight[row] - positive_weight)
    return float(P + P_rounding), float(N + N_rounding)
