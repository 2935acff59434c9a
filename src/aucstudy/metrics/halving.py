"""Models chosen on one half of the rows and judged on the other, both ways round, from one walk a split and model.

Each row falls into one of four quarters; the even ones make one half, the odd ones the other. One walk down a ranking
counts the groups of tied rows of all quarters and both halves, and each half serves twice: it chooses, and it judges.
"""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.choosing import (
    CLIPPED,
    CRITERIA,
    OBSERVED,
    UTILITIES,
    brier_score,
    fill_at_thresholds,
    fill_criteria,
    fill_on_judging_rows,
    fill_roc_hull,
)
from aucstudy.metrics.compiled import compiled, inlined
from aucstudy.metrics.engine.orders import Order
from aucstudy.metrics.engine.sums import gain_loss, pr_terms, totals_of

QUARTERS, HALVES = 4, 2
QUARTER_AREAS = ("aupr", "auprg", "auroc")


class BothWays(NamedTuple):
    """What `choose_on_halves` gives, by the half that chooses: the even quarters, then the odd ones.

    Attributes
    ----------
    criteria, utilities : (6, 2, splits, m) and (12, 2, splits, m), as `choosing.choose_and_judge` has them.
    quarters : (3, 2, 2, splits, m) `QUARTER_AREAS` on the first and the second quarter of the choosing half, NaN on one
        of one class.
    """

    criteria: np.ndarray
    utilities: np.ndarray
    quarters: np.ndarray


def choose_on_halves(order: Order, scores: np.ndarray, quarter: np.ndarray) -> BothWays:
    """Criteria on one half of the rows and utilities on the other, for each half, and the areas on quarters.

    Parameters
    ----------
    order : of the rows by the (n, m) scores.
    quarter : (splits, n) from 0 to 3; both halves have rows of both classes.

    Examples
    --------
    >>> from aucstudy.metrics.engine.walks import order_of
    >>> y, scores = np.array([True, False, True, False]), np.array([[0.9], [0.2], [0.8], [0.3]])
    >>> both = choose_on_halves(order_of(y, scores), scores, np.array([[0, 0, 1, 1]]))
    >>> both.criteria[:, 0, 0, 0].tolist(), both.quarters[0, :, :, 0, 0].tolist()
    ([1.0, 1.0, 1.0, 1.0, 1.0, 1.0], [[1.0, nan], [1.0, nan]])
    """
    shape = len(quarter), len(order.rows)
    both = BothWays(
        np.empty((len(CRITERIA), HALVES, *shape)),
        np.empty((len(UTILITIES), HALVES, *shape)),
        np.full((len(QUARTER_AREAS), HALVES, QUARTERS // HALVES, *shape), np.nan),
    )
    falling = np.take_along_axis(np.asarray(scores, dtype=float).T, order.rows, axis=1)
    # row by row of a split, however the quarters lie in memory
    codes = np.ascontiguousarray(2 * quarter + order.positive, dtype=np.uint8)
    most = np.count_nonzero(order.positive)
    _walk(order.rows, order.ends_group, codes, falling, most, *both)
    return both


@compiled
def _walk(rows, ends_group, codes, falling, most, criteria, utilities, quarters):
    n = rows.shape[1]
    groups, sizes = np.empty((QUARTERS + HALVES, 5, most + 1)), np.zeros(QUARTERS + HALVES, np.int64)
    place, above = np.empty((HALVES, n + 1), np.int64), np.zeros((HALVES, 2, n + 1), np.int32)
    hull = np.empty((2, most + 3))
    totals = np.empty((QUARTERS + HALVES, 2))
    for s in range(codes.shape[0]):
        _count_classes(codes[s], totals)
        first, second = totals[QUARTERS], totals[QUARTERS + 1]
        plain = totals_of(first[0], first[1], OBSERVED), totals_of(second[0], second[1], OBSERVED)
        clipped = totals_of(first[0], first[1], CLIPPED), totals_of(second[0], second[1], CLIPPED)
        for m in range(rows.shape[0]):
            _group(rows, m, ends_group, codes, s, groups, sizes, place, above)
            for k in range(QUARTERS + HALVES):
                for i in range(sizes[k]):
                    groups[k, 4, i] = totals[k, 0] - (groups[k, 0, i] + groups[k, 2, i])
            for way in range(HALVES):
                own, worth = QUARTERS + way, utilities[:, way, s, m]
                best = fill_criteria(groups[own], sizes[own], plain[way], criteria[:, way, s, m])
                fill_at_thresholds(falling[m], place[way], above[1 - way], best, plain[1 - way], worth)
                size = fill_roc_hull(groups[own], sizes[own], plain[way], hull)
                worth[10] = -brier_score(falling[m], place[way], above[1 - way], hull, size)
            for way in range(HALVES):
                # as a judge of what the other half chose
                own, worth = QUARTERS + way, utilities[:, 1 - way, s, m]
                fill_on_judging_rows(
                    groups[own], sizes[own], plain[way], clipped[way], criteria[:, way, s, m], worth
                )
            for k in range(QUARTERS):
                _fill_areas(groups[k], sizes[k], totals[k], quarters[:, k % HALVES, k // HALVES, s, m])


@compiled
def _count_classes(codes, totals):
    """Fill in the positives and the negatives of each quarter and half."""
    totals[:] = 0.0
    for code in codes:
        quarter, negative = code >> 1, 1 - (code & 1)
        totals[quarter, negative] += 1
        totals[QUARTERS + (quarter & 1), negative] += 1


@compiled
def _group(rows, m, ends_group, codes, s, groups, sizes, place, above):
    """Fill `groups` with those of each quarter and half that hold a positive, and `sizes` with how many there are.

    `place` takes the places of each half's rows in the ranking and the number of rows after the last; `above` the
    positives and negatives of each half among the first rows. No slice is made for a row: it would cost more than
    the row's work.
    """
    n = rows.shape[1]
    passed, counts = np.zeros(HALVES, np.int64), np.zeros((QUARTERS + HALVES, 4), np.int64)
    sizes[:] = 0
    for i in range(n):
        code = codes[s, rows[m, i]]
        quarter, positive = np.int64(code >> 1), np.int64(code & 1)
        half = quarter & 1
        own = QUARTERS + half
        place[half, passed[half]] = i
        passed[half] += 1
        if ends_group[m, i] and (i == 0 or ends_group[m, i - 1]):
            # alone with its score
            if positive:
                _append(groups, sizes, quarter, counts[quarter, 0], counts[quarter, 1], 1, 0)
                _append(groups, sizes, own, counts[own, 0], counts[own, 1], 1, 0)
            counts[quarter, 1 - positive] += 1
            counts[own, 1 - positive] += 1
        else:
            counts[quarter, 3 - positive] += 1
            counts[own, 3 - positive] += 1
            if ends_group[m, i]:
                for k in range(QUARTERS + HALVES):
                    t, f, d, e = counts[k, 0], counts[k, 1], counts[k, 2], counts[k, 3]
                    if d > 0:
                        _append(groups, sizes, k, t, f, d, e)
                    counts[k, 0], counts[k, 1], counts[k, 2], counts[k, 3] = t + d, f + e, 0, 0
        for k in range(HALVES):
            above[k, 0, i + 1] = counts[QUARTERS + k, 0] + counts[QUARTERS + k, 2]
            above[k, 1, i + 1] = counts[QUARTERS + k, 1] + counts[QUARTERS + k, 3]
    for k in range(HALVES):
        place[k, passed[k]] = n


@inlined
def _append(groups, sizes, k, t, f, d, e):
    i = sizes[k]
    groups[k, 0, i], groups[k, 1, i], groups[k, 2, i], groups[k, 3, i] = t, f, d, e
    sizes[k] += 1


@compiled
def _fill_areas(groups, size, totals, out):
    """Fill in AUPR, AUPRG and AUROC as `walks.resampled_areas` gives them."""
    P, N = totals
    if P <= 0 or N <= 0:
        return
    c = totals_of(P, N, OBSERVED)
    t, f, d, e, left = groups
    pairs = precision = loss = 0.0
    for i in range(size):
        pairs += d[i] * (N - f[i] - 0.5 * e[i])
        precision += pr_terms(t[i], f[i], d[i], e[i])[0]
        loss += gain_loss(t[i], f[i], d[i], e[i], left[i], c)
    out[0], out[1], out[2] = precision / P, 1 - loss, pairs / (P * N)
