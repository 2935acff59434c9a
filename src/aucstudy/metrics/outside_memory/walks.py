"""The walk down the sorted rows of each group, which adds up its areas and influences without rounding.

The influence of a row (see `uncertainty.influence`) is a sum over all groups less that over the groups above. The mean
of the class is taken off, so one walk gives areas and variances.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.formulas.derivatives import N_AREAS, differentiate
from aucstudy.metrics.formulas.sums import BLOCK, SUMS, add
from aucstudy.metrics.formulas.terms import group_terms, minimum_and_room, totals_of
from aucstudy.metrics.outside_memory.exact_sums import (
    HIGH,
    LIMBS,
    SMALLEST,
    add_exactly,
    exact_sum,
    high_and_low,
    move,
    value_of,
)
from aucstudy.metrics.ranking.ties import next_score

SCORES_AT_ONCE = 1 << 14  # distinct scores whose rows are added up before they are walked


class Influences(NamedTuple):
    """Moments of the influences of the rows so far, by group and class."""

    # the derivatives by t and by f of the terms so far, and what rounding lost
    above: np.ndarray
    # sum of w u, of an influence u up to a constant and a weight w; sum, mean and squares about it of weights w^2
    moments: np.ndarray
    # sums of w and w^2 of the negatives since the last score with a positive
    waiting: np.ndarray
    # negatives put on top and the steps of average precision below them, without others
    on_top: np.ndarray
    steps: np.ndarray


class Walks(NamedTuple):
    """The position in each group of rows, with the exact `sums` of its areas and its influences so far.

    `weights` (n_groups, 2) of the classes; the same as `totals`, and the part `above`, are (high, low) in `units`.
    """

    weights: np.ndarray
    units: np.ndarray
    totals: np.ndarray
    above: np.ndarray
    sums: np.ndarray
    options: np.ndarray
    influences: Influences


def new_walks(totals: Sequence[tuple[int, int]], options: np.ndarray, influences: bool = False) -> Walks:
    """Walks at the top of groups with these (positives, negatives), in multiples of 2^-1074."""
    n, m = len(totals), len(totals) if influences else 0
    weights = np.array([[total / SMALLEST for total in classes] for classes in totals])
    exponents = np.frexp(weights)[1]
    exact = [list(map(high_and_low, *pair)) for pair in zip(totals, exponents.tolist(), strict=True)]
    shapes = (m, 2, N_AREAS, 2), (m, 2, N_AREAS, 4), (m, 2), m, (m, 2)
    return Walks(
        weights,
        np.ldexp(1.0, exponents - HIGH),
        np.array(exact, dtype=np.int64),
        np.zeros((n, 2, 2), dtype=np.int64),
        np.zeros((n, SUMS, LIMBS), dtype=np.int64),
        options,
        Influences(*map(np.zeros, shapes)),
    )


@compiled
def walk_rows(keys, weights, ends, walks):
    n_amounts = 2 if not weights.size else 6 if walks.influences.on_top.size else 4
    amounts = np.empty((n_amounts, SCORES_AT_ONCE))
    first = 0
    for group in range(ends.size // 2):
        middle, last = ends[2 * group], ends[2 * group + 1]
        weighted = weights.size > 0
        w_neg = weights[first:middle] if weighted else weights
        w_pos = weights[middle:last] if weighted else weights
        pos, neg = keys[middle:last], keys[first:middle]
        i = j = k = 0
        while i < pos.size or j < neg.size:
            _, i_end, j_end = next_score(pos, neg, i, j)
            amounts[0, k], amounts[1, k] = i_end - i, j_end - j
            if n_amounts > 2:
                amounts[0, k], amounts[2, k] = exact_sum(w_pos[i:i_end], 1)
                amounts[1, k], amounts[3, k] = exact_sum(w_neg[j:j_end], 1)
            if n_amounts > 4:
                amounts[4, k] = exact_sum(w_pos[i:i_end], 2)[0]
                amounts[5, k] = exact_sum(w_neg[j:j_end], 2)[0]
            i, j, k = i_end, j_end, k + 1
            if k == SCORES_AT_ONCE or (i == pos.size and j == neg.size):
                walk_scores(amounts[:, :k], group, walks)
                k = 0
        first = last


@compiled
def walk_one_score(amounts, walks):
    n_groups, n_rows = amounts.shape[1] // 2, amounts.shape[0]
    by_class = np.zeros((2 * n_rows, 1))
    for group in range(n_groups):
        for row in range(n_rows):
            for side in range(2):
                by_class[2 * row + side, 0] = amounts[row, 2 * group + 1 - side]
        if by_class.any():
            walk_scores(by_class[:, :1], group, walks)


@compiled
def walk_scores(amounts, group, walks):
    """Walk one group on, down its next distinct scores.

    `amounts` (2, k): positives and negatives; (4, k) with what sums of weights lost to rounding; (6, k) with squares.
    """
    c = totals_of(walks.weights[group, 0], walks.weights[group, 1], walks.options)
    if walks.influences.on_top.size:
        _add_influences(amounts, group, c, walks)
    _add_terms(amounts, group, c, walks)


@compiled
def _add_terms(amounts, group, c, walks):
    above, total, units, sums = walks.above[group], walks.totals[group], walks.units[group], walks.sums[group]
    terms, size, n = np.empty((SUMS, BLOCK)), 0, amounts.shape[1]
    for k in range(n):
        d = amounts[0, k]
        if d > 0:
            t, f = value_of(above[0, 0], above[0, 1], units[0]), value_of(above[1, 0], above[1, 1], units[1])
            _pass_class(amounts, k, 0, above, units)
            below = value_of(total[0, 0] - above[0, 0], total[0, 1] - above[0, 1], units[0])
            score_terms = group_terms(t, f, d, amounts[1, k], max(below, 0.0), c)
            for a in range(SUMS):
                terms[a, size] = max(score_terms[a], 0.0)
            size += 1
        _pass_class(amounts, k, 1, above, units)
        if size == BLOCK or (size and k + 1 == n):
            for a in range(SUMS):
                add_exactly(terms[a, :size], sums[a])
            size = 0


@compiled
def _pass_class(amounts, k, side, above, units):
    move(above[side], amounts[side, k] / units[side])
    if amounts.shape[0] > 2:
        move(above[side], amounts[2 + side, k] / units[side])


@compiled
def _add_influences(amounts, group, c, walks):
    above, units = walks.above[group].copy(), walks.units[group]
    slopes_above, moments = walks.influences.above[group], walks.influences.moments[group]
    waiting, steps = walks.influences.waiting[group], walks.influences.steps[group]
    on_top = walks.influences.on_top[group]
    # where all weigh 1, the sums of squares are the counts
    squares = amounts[4:] if amounts.shape[0] > 2 else amounts
    slopes, no_slope = np.zeros((N_AREAS, 4)), np.zeros(N_AREAS)
    for k in range(amounts.shape[1]):
        d, e = amounts[0, k], amounts[1, k]
        if d > 0:
            _observe(waiting[0], waiting[1], no_slope, slopes_above[1], moments[1])
            waiting[:] = 0.0
            t, f = value_of(above[0, 0], above[0, 1], units[0]), value_of(above[1, 0], above[1, 1], units[1])
            steps[0], steps[1] = add(steps[0], steps[1], d * ((t + d) / (t + d + on_top)))
            differentiate(t, f * c.scale, d, e * c.scale, c.P, c.N, False, slopes)
            for side in range(2):
                for a in range(N_AREAS):
                    total, lost = slopes_above[side, a]
                    slopes_above[side, a, 0], slopes_above[side, a, 1] = add(total, lost, slopes[a, side])
            _observe(d, squares[0, k], slopes[:, 2], slopes_above[0], moments[0])
            _observe(e, squares[1, k], slopes[:, 3], slopes_above[1], moments[1])
            _pass_class(amounts, k, 0, above, units)
        else:
            waiting[0] += e
            waiting[1] += squares[1, k]
        _pass_class(amounts, k, 1, above, units)


@compiled
def _observe(weight, square, slopes, slopes_above, moments):
    if square == 0:
        return
    for a in range(slopes.size):
        u = slopes[a] - (slopes_above[a, 0] + slopes_above[a, 1])
        moments[a, 0] += weight * u
        moments[a, 1] += square
        distance = u - moments[a, 2]
        moments[a, 2] += distance * (square / moments[a, 1])
        moments[a, 3] += square * distance * (u - moments[a, 2])


def variance_of(walks: Walks, group: int, n: np.ndarray) -> tuple[np.ndarray, float]:
    """(5,) variances of the areas, and the effective rows of the rarer class; `n` are the rows of each class."""
    slopes_above, moments, waiting = (column[group] for column in walks.influences[:3])
    _observe(*waiting, np.zeros(N_AREAS), slopes_above[1], moments[1])
    weights = walks.weights[group]
    c = totals_of(*weights, walks.options)
    class_weights = weights[:, None]
    means = moments[..., 0] / class_weights
    squares = moments[..., 3] + moments[..., 1] * (moments[..., 2] - means) ** 2
    variances = (n / (n - 1) * (1, c.scale**2)) @ squares
    # AUCNPR is AUPR between fixed bounds
    variances[3] = variances[1] / minimum_and_room(c.N / c.P, 0.0, 1.0)[1] ** 2
    # of rows without spread the squares are 0 but for rounding
    return np.maximum(variances, 0.0), float(np.min(class_weights**2 / moments[..., 1]))
