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
    UNITS_PER_ONE,
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
    slopes_above: np.ndarray
    # sum of w u; sum of w^2; the w^2-weighted mean of u; sum of w^2 (u - mean)^2. u is the influence but for a constant
    moments: np.ndarray
    # sums of w and w^2 of the negatives since the last score with a positive
    waiting: np.ndarray
    # negatives put on top and the steps of average precision below them, without others
    on_top: np.ndarray
    steps: np.ndarray


class Walks(NamedTuple):
    """The position in each group of rows, with the exact `sums` of its areas and its influences so far.

    `class_totals` (n_groups, 2) are weights; as `exact_totals` they are, like the `position`, (high, low) in `units`.
    """

    class_totals: np.ndarray
    units: np.ndarray
    exact_totals: np.ndarray
    position: np.ndarray
    sums: np.ndarray
    options: np.ndarray
    influences: Influences


def new_walks(totals: Sequence[tuple[int, int]], options: np.ndarray, influences: bool = False) -> Walks:
    """Walks at the top of groups with these (positives, negatives), in multiples of 2^-1074."""
    n, m = len(totals), len(totals) if influences else 0
    class_totals = np.array([[total / UNITS_PER_ONE for total in classes] for classes in totals])
    exponents = np.frexp(class_totals)[1]
    exact = [list(map(high_and_low, *pair)) for pair in zip(totals, exponents.tolist(), strict=True)]
    shapes = (m, 2, N_AREAS, 2), (m, 2, N_AREAS, 4), (m, 2), m, (m, 2)
    return Walks(
        class_totals,
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
                _walk_scores(amounts[:, :k], group, walks)
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
            _walk_scores(by_class[:, :1], group, walks)


@compiled
def _walk_scores(amounts, group, walks):
    """Walk one group on, down its next distinct scores.

    `amounts` (2, k): positives and negatives; (4, k) with what sums of weights lost to rounding; (6, k) with squares.
    """
    c = totals_of(walks.class_totals[group, 0], walks.class_totals[group, 1], walks.options)
    if walks.influences.on_top.size:
        _add_influences(amounts, group, c, walks)
    _add_terms(amounts, group, c, walks)


@compiled
def _add_terms(amounts, group, c, walks):
    position, total = walks.position[group], walks.exact_totals[group]
    units, sums = walks.units[group], walks.sums[group]
    terms, size, n = np.empty((SUMS, BLOCK)), 0, amounts.shape[1]
    for k in range(n):
        d = amounts[0, k]
        if d > 0:
            t = value_of(position[0, 0], position[0, 1], units[0])
            f = value_of(position[1, 0], position[1, 1], units[1])
            _pass_class(amounts, k, 0, position, units)
            below = value_of(total[0, 0] - position[0, 0], total[0, 1] - position[0, 1], units[0])
            score_terms = group_terms(t, f, d, amounts[1, k], max(below, 0.0), c)
            for a in range(SUMS):
                terms[a, size] = max(score_terms[a], 0.0)
            size += 1
        _pass_class(amounts, k, 1, position, units)
        if size == BLOCK or (size and k + 1 == n):
            for a in range(SUMS):
                add_exactly(terms[a, :size], sums[a])
            size = 0


@compiled
def _pass_class(amounts, k, side, position, units):
    move(position[side], amounts[side, k] / units[side])
    if amounts.shape[0] > 2:
        move(position[side], amounts[2 + side, k] / units[side])


@compiled
def _add_influences(amounts, group, c, walks):
    position, units = walks.position[group].copy(), walks.units[group]
    slopes_above, moments = walks.influences.slopes_above[group], walks.influences.moments[group]
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
            t = value_of(position[0, 0], position[0, 1], units[0])
            f = value_of(position[1, 0], position[1, 1], units[1])
            steps[0], steps[1] = add(steps[0], steps[1], d * ((t + d) / (t + d + on_top)))
            differentiate(t, f * c.scale, d, e * c.scale, c.P, c.N, False, slopes)
            for side in range(2):
                for a in range(N_AREAS):
                    total, lost = slopes_above[side, a]
                    slopes_above[side, a, 0], slopes_above[side, a, 1] = add(total, lost, slopes[a, side])
            _observe(d, squares[0, k], slopes[:, 2], slopes_above[0], moments[0])
            _observe(e, squares[1, k], slopes[:, 3], slopes_above[1], moments[1])
            _pass_class(amounts, k, 0, position, units)
        else:
            waiting[0] += e
            waiting[1] += squares[1, k]
        _pass_class(amounts, k, 1, position, units)


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


def finish_variances(walks: Walks, group: int, class_counts: np.ndarray) -> tuple[np.ndarray, float]:
    """(5,) variances of the areas, and the effective rows of the rarer class; closes the walk: call once."""
    slopes_above, moments, waiting = (column[group] for column in walks.influences[:3])
    _observe(*waiting, np.zeros(N_AREAS), slopes_above[1], moments[1])
    class_totals = walks.class_totals[group]
    c = totals_of(*class_totals, walks.options)
    means = moments[..., 0] / class_totals[:, None]
    squares = moments[..., 3] + moments[..., 1] * (moments[..., 2] - means) ** 2
    variances = (class_counts / (class_counts - 1) * (1, c.scale**2)) @ squares
    # AUCNPR is AUPR between fixed bounds
    variances[3] = variances[1] / minimum_and_room(c.N / c.P, 0.0, 1.0)[1] ** 2
    # of rows without spread the squares are 0 but for rounding
    return np.maximum(variances, 0.0), float(np.min(class_totals[:, None] ** 2 / moments[..., 1]))
