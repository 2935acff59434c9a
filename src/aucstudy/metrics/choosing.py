"""Models chosen on some rows and judged on others, by every criterion and utility, from rankings sorted once.

>>> from aucstudy.metrics.ranking import order_of
>>> y, scores = np.array([True, False, True, False]), np.array([[0.9], [0.2], [0.8], [0.3]])
>>> both = choose_on_halves(order_of(y, scores), scores, np.array([[0, 0, 1, 1]]))
>>> both.criteria[:, 0, 0, 0].tolist(), both.utilities[UTILITIES.index("f1"), 0, 0, 0].tolist()
([1.0, 1.0, 1.0, 1.0, 1.0, 1.0], 1.0)
"""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled, inlined
from aucstudy.metrics.formulas.sums import plain_areas
from aucstudy.metrics.formulas.terms import CLIPPED, OBSERVED, gain_loss, totals_of
from aucstudy.metrics.formulas.thresholds import F_BETA, NET, best_threshold, f_beta, rows_accepted
from aucstudy.metrics.hulls import add_vertex
from aucstudy.metrics.ranking.orders import Order

CRITERIA = ("aupr", "auprg", "auroc", "average_precision", "f1", "accuracy")
UTILITIES = (
    "auroc", "aupr", "average_precision", "auprg_clipped", "expected_fg1", "f05", "f1", "f2", "precision_at_p",
    "recall_at_90", "minus_cost", "accuracy",
)  # fmt: skip
QUARTER_AREAS = ("aupr", "auprg", "auroc")
QUARTERS, HALVES = 4, 2
LEFT_OUT = QUARTERS
_BETAS = (0.5, 1.0, 2.0)
_EPSILON = np.finfo(float).eps


def choose_and_judge(
    order: Order, scores: np.ndarray, choosing: np.ndarray, judging: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The criteria of each model on the choosing rows, and its utilities on the judging rows, of each split.

    `order` sorts the (n, m) scores; `choosing` and `judging` (splits, n) bool have no row in common, and each both
    classes.

    Returns
    -------
    criteria : (6, splits, m), `CRITERIA`: areas, and F1 and accuracy at the threshold that is best for them.
    utilities : (12, splits, m), `UTILITIES`, more is better. `expected_fg1`: Flach & Kull 2015, Theorem 3, NaN for the
        worst ranking. `f05`, `f1`, `f2`, `accuracy`: at the choosing rows' best threshold, the highest of several, half
        way to the next lower score. `minus_cost`: minus the Brier score of isotonic regression on the choosing rows,
        the expected cost when the two mistakes cost 2c and 2(1 - c), c uniform and known (Hernandez-Orallo, Flach &
        Ferri 2012). `precision_at_p` and `recall_at_90` are wants.
    """
    both = choose_on_halves(order, scores, np.select([choosing, judging], [0, 1], LEFT_OUT))
    return both.criteria[:, 0], both.utilities[:, 0]


@compiled
def _fill_criteria(groups, size, c, out):
    """Fill in the criteria; return the rows accepted at the best thresholds of F_beta and accuracy."""
    out[0], out[1], out[2], out[3] = plain_areas(groups, size, c)
    accepted = np.zeros(4, np.int64)
    for b in range(3):
        worth, true, false = best_threshold(groups, size, c.P, c.N, F_BETA, _BETAS[b])
        accepted[b] = int(true + false)
        if b == 1:
            out[4] = worth
    _, true, false = best_threshold(groups, size, c.P, c.N, NET, 1.0)
    accepted[3], out[5] = int(true + false), (true + c.N - false) / (c.P + c.N)
    return accepted


@compiled
def _fill_at_thresholds(descending, ranks, above, accepted, judges, out):
    for b in range(4):
        stop = rows_accepted(descending, ranks, accepted[b])
        tp, fp = above[0, stop], above[1, stop]
        if b < 3:
            out[5 + b] = f_beta(tp, fp, judges.P, _BETAS[b] * _BETAS[b])
        else:
            out[11] = (tp + judges.N - fp) / (judges.P + judges.N)


@compiled
def _fill_roc_hull(groups, size, c, hull):
    hull[:, 0] = 0.0
    n = 1
    for i in range(size + 1):
        if i < size:
            t, f = groups[0, i] + groups[2, i], groups[1, i] + groups[3, i]
        else:
            t, f = c.P, c.N
        if t == hull[0, n - 1] and f == hull[1, n - 1]:
            continue
        n = add_vertex(hull, n, t, f)
    return n


@compiled
def _brier_score(descending, ranks, above, hull, size):
    total = 0.0
    previous_stop = 0
    for k in range(1, size):
        d, e = hull[0, k] - hull[0, k - 1], hull[1, k] - hull[1, k - 1]
        stop = (
            rows_accepted(descending, ranks, int(hull[0, k] + hull[1, k]))
            if k < size - 1
            else descending.size
        )
        probability = d / (d + e)
        total += (above[0, stop] - above[0, previous_stop]) * (1 - probability) ** 2
        total += (above[1, stop] - above[1, previous_stop]) * probability**2
        previous_stop = stop
    return total / (above[0, previous_stop] + above[1, previous_stop])


@compiled
def _fill_on_judging_rows(groups, size, c, clipped, criteria, out):
    """Fill in the utilities that need no threshold; `criteria` are those of the judging rows."""
    t, f, d, e, below = groups
    clipped_loss = hits = recall = 0.0
    crossing = -1.0
    for i in range(size):
        clipped_loss += gain_loss(t[i], f[i], d[i], e[i], below[i], clipped)
        t1, f1, q = t[i] + d[i], f[i] + e[i], t[i] + f[i]
        if q < c.P:
            hits = t[i] + d[i] * min((c.P - q) / (d[i] + e[i]), 1.0)
        if 10 * t1 >= 9 * (t1 + f1):
            recall = t1
        # the recall of a group's end may be the prevalence but for rounding
        if crossing < 0 and t1 >= c.t_star * (1 - 4 * _EPSILON):
            crossing = f[i] + e[i] * min(max((c.t_star - t[i]) / d[i], 0.0), 1.0)
    out[0], out[1], out[2] = criteria[2], criteria[0], criteria[3]
    out[3], out[4] = 1 - clipped_loss, _expected_f_gain(criteria[1], crossing, c)
    out[8], out[9] = hits / c.P, recall / c.P


@compiled
def _expected_f_gain(area, crossing, c):
    """Flach & Kull 2015, Theorem 3, with `crossing` false positives at recall gain 0."""
    prevalence = c.P / (c.P + c.N)
    y0 = 1 - c.P / c.N * crossing / c.t_star
    room = 1 - prevalence * (1 - y0)
    if room <= 4 * _EPSILON * (1 + abs(y0)):
        return np.nan
    return (area / 2 + 0.25 - prevalence * (1 - y0 * y0) / 4) / room


class BothWays(NamedTuple):
    """`criteria` and `utilities` (_, 2, splits, m) when the even quarters choose, then the odd ones.

    `quarters` (3, 2, 2, splits, m) are `QUARTER_AREAS` on the two quarters of the choosing half, NaN on one class.
    """

    criteria: np.ndarray
    utilities: np.ndarray
    quarters: np.ndarray


def choose_on_halves(order: Order, scores: np.ndarray, quarter: np.ndarray) -> BothWays:
    """Criteria on each half of the rows, utilities on the other, and areas on quarters.

    `quarter` (splits, n) is 0 to 3, of which the even ones make one half, or `LEFT_OUT`.
    """
    shape = len(quarter), len(order.rows)
    both = BothWays(
        np.empty((len(CRITERIA), HALVES, *shape)),
        np.empty((len(UTILITIES), HALVES, *shape)),
        np.full((len(QUARTER_AREAS), HALVES, QUARTERS // HALVES, *shape), np.nan),
    )
    descending = np.take_along_axis(np.asarray(scores, dtype=float).T, order.rows, axis=1)
    # row by row of a split, however the quarters lie in memory
    codes = np.ascontiguousarray(2 * quarter + order.positive, dtype=np.uint8)
    n_positive = np.count_nonzero(order.positive)
    _walk_both_ways(order, codes, descending, n_positive, *both)
    return both


class Halves(NamedTuple):
    """Work space of one split and model: `groups` (6, 5, k) and `sizes` by quarter and half, the others by half."""

    groups: np.ndarray
    sizes: np.ndarray
    ranks: np.ndarray
    above: np.ndarray


@compiled
def _walk_both_ways(order, codes, descending, n_positive, criteria, utilities, quarters):
    n = order.rows.shape[1]
    groups, sizes = np.empty((QUARTERS + HALVES, 5, n_positive + 1)), np.zeros(QUARTERS + HALVES, np.int64)
    ranks, above = np.empty((HALVES, n + 1), np.int64), np.zeros((HALVES, 2, n + 1), np.int32)
    halves, hull = Halves(groups, sizes, ranks, above), np.empty((2, n_positive + 3))
    totals = np.empty((QUARTERS + HALVES, 2))
    for s in range(codes.shape[0]):
        _count_quarters(codes[s], totals)
        first, second = totals[QUARTERS], totals[QUARTERS + 1]
        plain = totals_of(first[0], first[1], OBSERVED), totals_of(second[0], second[1], OBSERVED)
        clipped = totals_of(first[0], first[1], CLIPPED), totals_of(second[0], second[1], CLIPPED)
        for m in range(order.rows.shape[0]):
            _group_halves(order.rows, order.ends_group, m, codes, s, halves)
            for k in range(QUARTERS + HALVES):
                for i in range(sizes[k]):
                    groups[k, 4, i] = totals[k, 0] - (groups[k, 0, i] + groups[k, 2, i])
            for way in range(HALVES):
                half, worth = QUARTERS + way, utilities[:, way, s, m]
                accepted = _fill_criteria(groups[half], sizes[half], plain[way], criteria[:, way, s, m])
                _fill_at_thresholds(
                    descending[m], ranks[way], above[1 - way], accepted, plain[1 - way], worth
                )
                size = _fill_roc_hull(groups[half], sizes[half], plain[way], hull)
                worth[10] = -_brier_score(descending[m], ranks[way], above[1 - way], hull, size)
            for way in range(HALVES):
                # as a judge of what the other half chose
                half, worth = QUARTERS + way, utilities[:, 1 - way, s, m]
                _fill_on_judging_rows(
                    groups[half], sizes[half], plain[way], clipped[way], criteria[:, way, s, m], worth
                )
            for k in range(QUARTERS):
                if totals[k, 0] > 0 and totals[k, 1] > 0:
                    c = totals_of(totals[k, 0], totals[k, 1], OBSERVED)
                    out = quarters[:, k % HALVES, k // HALVES, s, m]
                    out[0], out[1], out[2], _ = plain_areas(groups[k], sizes[k], c)


@compiled
def _count_quarters(codes, totals):
    totals[:] = 0.0
    for code in codes:
        quarter, negative = code >> 1, 1 - (code & 1)
        if quarter == LEFT_OUT:
            continue
        totals[quarter, negative] += 1
        totals[QUARTERS + (quarter & 1), negative] += 1


@compiled
def _group_halves(rows, ends_group, m, codes, s, halves):
    groups, sizes, ranks, above = halves
    # no slice is made for a row: it would cost more than the row's work
    n = rows.shape[1]
    n_passed, counts = np.zeros(HALVES, np.int64), np.zeros((QUARTERS + HALVES, 4), np.int64)
    sizes[:] = 0
    for i in range(n):
        code = codes[s, rows[m, i]]
        quarter, positive = np.int64(code >> 1), np.int64(code & 1)
        half = quarter & 1
        in_half = QUARTERS + half
        alone_with_its_score = ends_group[m, i] and (i == 0 or ends_group[m, i - 1])
        if quarter != LEFT_OUT:
            ranks[half, n_passed[half]] = i
            n_passed[half] += 1
            if alone_with_its_score and positive:
                _append(groups, sizes, quarter, counts[quarter, 0], counts[quarter, 1], 1, 0)
                _append(groups, sizes, in_half, counts[in_half, 0], counts[in_half, 1], 1, 0)
            column = (1 if alone_with_its_score else 3) - positive
            counts[quarter, column] += 1
            counts[in_half, column] += 1
        if ends_group[m, i] and not alone_with_its_score:
            for k in range(QUARTERS + HALVES):
                t, f, d, e = counts[k, 0], counts[k, 1], counts[k, 2], counts[k, 3]
                if d > 0:
                    _append(groups, sizes, k, t, f, d, e)
                counts[k, 0], counts[k, 1], counts[k, 2], counts[k, 3] = t + d, f + e, 0, 0
        for k in range(HALVES):
            above[k, 0, i + 1] = counts[QUARTERS + k, 0] + counts[QUARTERS + k, 2]
            above[k, 1, i + 1] = counts[QUARTERS + k, 1] + counts[QUARTERS + k, 3]
    for k in range(HALVES):
        ranks[k, n_passed[k]] = n


@inlined
def _append(groups, sizes, k, t, f, d, e):
    i = sizes[k]
    groups[k, 0, i], groups[k, 1, i], groups[k, 2, i], groups[k, 3, i] = t, f, d, e
    sizes[k] += 1
