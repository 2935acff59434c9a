"""Choose models on some rows by every criterion, and judge them on other rows by every utility.

>>> from aucstudy.metrics.kernel import order_of
>>> y, scores = np.array([True, False, True, False]), np.array([[0.9], [0.2], [0.8], [0.3]])
>>> both = choose_on_halves(order_of(y, scores), scores, np.array([[0, 0, 1, 1]]))
>>> both.criteria[:, 0, 0, 0].tolist(), both.utilities[UTILITIES.index("f1"), 0, 0, 0].tolist()
([1.0, 1.0, 1.0, 1.0, 1.0, 1.0], 1.0)
"""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled, inlined
from aucstudy.metrics.gains import EPSILONS, f_gain_of_area
from aucstudy.metrics.hulls import hull_of_groups
from aucstudy.metrics.kernel import (
    CLIPPED,
    F_BETA,
    NET,
    OBSERVED,
    PRECISION,
    RECALL,
    KernelAreas,
    Order,
    Selection,
    Totals,
    areas_of_groups,
    best_threshold,
    class_totals,
    count_groups,
    descending_scores,
    room_for,
    rows_accepted,
    select_rows,
    totals_of,
    value_at,
)
from aucstudy.metrics.subsets import auprg_of_groups

CRITERIA = ("aupr", "auprg", "auroc", "average_precision", "f1", "accuracy")
UTILITIES = (
    "auroc", "aupr", "average_precision", "auprg_clipped", "expected_fg1", "f05", "f1", "f2", "precision_at_p",
    "recall_at_90", "minus_cost", "accuracy",
)  # fmt: skip
# The indices of the criteria and of the utilities.
C_AUPR, C_AUPRG, C_AUROC, C_AVERAGE_PRECISION, C_F1, C_ACCURACY = range(len(CRITERIA))
(
    U_AUROC, U_AUPR, U_AVERAGE_PRECISION, U_AUPRG_CLIPPED, U_EXPECTED_FG1, U_F05, U_F1, U_F2, U_PRECISION_AT_P,
    U_RECALL_AT_90, U_MINUS_COST, U_ACCURACY,
) = range(len(UTILITIES))  # fmt: skip
QUARTER_AREAS = ("aupr", "auprg", "auroc")
QUARTERS, HALVES = 4, 2
LEFT_OUT = QUARTERS
_BETAS = (0.5, 1.0, 2.0)
_WITH_THRESHOLD = 4  # utilities: F_beta at the three betas, and accuracy


def choose_and_judge(
    order: Order, scores: np.ndarray, choosing: np.ndarray, judging: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Compute, per split, each model's criteria on the choosing rows and its utilities on the judging rows.

    `order` sorts the (n, m) scores. `choosing` and `judging` (splits, n) bool have no row in common. Each has
    both classes.

    Returns
    -------
    criteria : (6, splits, m) in the order of `CRITERIA`: areas, and F1 and accuracy at the threshold that is
        best for them.
    utilities : (12, splits, m) in the order of `UTILITIES`. More is better. `expected_fg1`: Flach & Kull
        2015, Theorem 3, NaN where all negatives score above the point of recall gain 0. `f05`, `f1`, `f2`,
        `accuracy`: at the threshold that is best on the choosing rows. If several are best, it is the highest
        of them. It lies half way to the next lower score. `precision_at_p`: precision of as many of the
        highest scores as there are positives. `recall_at_90`: the largest recall at a precision of .9 or
        more. `minus_cost`: minus the Brier score of isotonic regression on the choosing rows. This score is
        the expected cost when the two mistakes cost 2c and 2(1 - c), c uniform and known (Hernandez-Orallo,
        Flach & Ferri 2012).
    """
    both = choose_on_halves(order, scores, np.select([choosing, judging], [0, 1], LEFT_OUT))
    return both.criteria[:, 0], both.utilities[:, 0]


class BothWays(NamedTuple):
    """What `choose_on_halves` computes when the even quarters choose, and then when the odd ones do.

    These are the `criteria` (6, 2, splits, m) and the `utilities` (12, 2, splits, m). `quarters` (3, 2, 2,
    splits, m) are the `QUARTER_AREAS` on the two quarters of the choosing half. They are NaN on a quarter of
    one class.
    """

    criteria: np.ndarray
    utilities: np.ndarray
    quarters: np.ndarray


def choose_on_halves(order: Order, scores: np.ndarray, quarter: np.ndarray) -> BothWays:
    """Compute the criteria on each half of the rows, the utilities on the other half, and areas on quarters.

    `quarter` (splits, n) is the number of each row's quarter, from 0 to 3, or `LEFT_OUT`. The even quarters
    make one half, and the odd ones the other.
    """
    shape = len(quarter), len(order.rows)
    both = BothWays(
        np.empty((len(CRITERIA), HALVES, *shape)),
        np.empty((len(UTILITIES), HALVES, *shape)),
        np.full((len(QUARTER_AREAS), HALVES, QUARTERS // HALVES, *shape), np.nan),
    )
    # The compiled code goes along the rows of each split, so that they must be neighbours in memory.
    quarter = np.ascontiguousarray(quarter, dtype=np.uint8)
    _choose_both_ways(order, descending_scores(order, scores), quarter, *both)
    return both


class HalfRows(NamedTuple):
    """Which rows are `in_half`, their totals with signed and with clipped gains, and room for one model's ranking."""

    in_half: np.ndarray
    totals: Totals
    clipped: Totals
    selection: Selection
    groups: np.ndarray
    positives_above: np.ndarray


class Half(NamedTuple):
    """One model's ranking of half of the rows.

    `rows`, `ends_group` and `ranks` are those of `select_rows`. `positives_above` says how many positives are above
    each row, and at its end how many there are. `groups` (4, size) give the `areas`.
    """

    rows: np.ndarray
    ends_group: np.ndarray
    ranks: np.ndarray
    positives_above: np.ndarray
    groups: np.ndarray
    totals: Totals
    clipped: Totals
    areas: KernelAreas


@compiled
def _choose_both_ways(order, descending, quarter, criteria, utilities, quarters):
    n_models, n = order.rows.shape
    in_quarter, groups = np.empty((QUARTERS, n), np.uint8), np.empty((4, n + 1))
    for s in range(len(quarter)):
        for k in range(QUARTERS):
            for i in range(n):
                in_quarter[k, i] = quarter[s, i] == k
        first_rows = _half_rows(order.positive, in_quarter[0] | in_quarter[2])
        second_rows = _half_rows(order.positive, in_quarter[1] | in_quarter[3])
        quarter_totals = (
            _totals(order.positive, in_quarter[0], OBSERVED),
            _totals(order.positive, in_quarter[1], OBSERVED),
            _totals(order.positive, in_quarter[2], OBSERVED),
            _totals(order.positive, in_quarter[3], OBSERVED),
        )
        for m in range(n_models):
            first = _rank_half(order, descending, m, first_rows)
            second = _rank_half(order, descending, m, second_rows)
            for way in range(HALVES):
                chooses, judges = (first, second) if way == 0 else (second, first)
                accepted = _fill_criteria(chooses, criteria[:, way, s, m])
                _fill_at_thresholds(chooses, judges, accepted, descending[m], utilities[:, way, s, m])
                _fill_on_judging_rows(judges, utilities[:, way, s, m])
            for k in range(QUARTERS):
                half, totals = first if k % HALVES == 0 else second, quarter_totals[k]
                if totals.P > 0 and totals.N > 0:
                    size = count_groups(half.rows, half.ends_group, order.positive, in_quarter[k], groups)
                    areas = areas_of_groups(groups, size, totals)
                    quarters[:, k % HALVES, k // HALVES, s, m] = areas.aupr, areas.auprg, areas.auroc


@compiled
def _totals(positive, in_sample, options):
    P, N = class_totals(positive, in_sample)
    return totals_of(P, N, options)


@compiled
def _half_rows(positive, in_half):
    n = positive.size
    totals, clipped = _totals(positive, in_half, OBSERVED), _totals(positive, in_half, CLIPPED)
    groups, positives_above = np.empty((4, int(totals.P) + 1)), np.zeros(n + 1, np.int64)
    return HalfRows(in_half, totals, clipped, room_for(n), groups, positives_above)


@compiled
def _rank_half(order, descending, m, half):
    rows, ends_group, ranks = select_rows(order.rows[m], descending[m], half.in_half, half.selection)
    size = count_groups(rows, ends_group, order.positive, half.in_half, half.groups)
    above = half.positives_above
    for i in range(rows.size):
        above[i + 1] = above[i] + order.positive[rows[i]]
    areas = areas_of_groups(half.groups, size, half.totals)
    return Half(rows, ends_group, ranks, above, half.groups[:, :size], half.totals, half.clipped, areas)


@compiled
def _fill_criteria(half, out):
    """Fill in the `CRITERIA`; return how many rows the best thresholds of F_beta and of accuracy accept."""
    groups, totals = half.groups, half.totals
    accepted = np.zeros(_WITH_THRESHOLD, np.int64)
    for b in range(len(_BETAS)):
        value, true, false = best_threshold(groups, groups.shape[1], totals, F_BETA, _BETAS[b])
        accepted[b] = int(true + false)
        if _BETAS[b] == 1:
            out[C_F1] = value
    # Accuracy is highest where true less false positives are: it is (TP + N - FP) / (P + N).
    _, true, false = best_threshold(groups, groups.shape[1], totals, NET, 1.0)
    accepted[_WITH_THRESHOLD - 1] = int(true + false)
    out[C_AUROC], out[C_AUPR], out[C_AUPRG] = half.areas.auroc, half.areas.aupr, half.areas.auprg
    out[C_AVERAGE_PRECISION] = half.areas.average_precision
    out[C_ACCURACY] = _accuracy(true, false, totals)
    return accepted


@inlined
def _accuracy(true, false, totals):
    return (true + totals.N - false) / (totals.P + totals.N)


@compiled
def _fill_at_thresholds(chooses, judges, accepted, descending, out):
    """Fill in the utilities at thresholds set on the choosing rows, and the cost of their calibrated scores."""
    P, N = judges.totals.P, judges.totals.N
    for b in range(_WITH_THRESHOLD):
        stop = rows_accepted(descending, chooses.ranks, accepted[b])
        true, false = _classes_above(judges, stop)
        if b < len(_BETAS):
            out[U_F05 + b] = value_at(true, false, P, N, F_BETA, _BETAS[b])
        else:
            out[U_ACCURACY] = _accuracy(true, false, judges.totals)
    out[U_MINUS_COST] = -_brier_score(chooses, judges, descending)


@compiled
def _brier_score(chooses, judges, descending):
    """The Brier score of isotonic regression, which gives scores the probability of their segment of the ROC hull."""
    groups, totals, n = chooses.groups, chooses.totals, descending.size
    hull = np.empty((2, groups.shape[1] + 2))
    size = hull_of_groups(groups, groups.shape[1], totals.P, totals.N, hull)
    total = true_above = false_above = 0.0
    for k in range(1, size):
        d, e = hull[0, k] - hull[0, k - 1], hull[1, k] - hull[1, k - 1]
        stop = n if k == size - 1 else rows_accepted(descending, chooses.ranks, int(hull[0, k] + hull[1, k]))
        probability = d / (d + e)
        true, false = _classes_above(judges, stop)
        total += (true - true_above) * (1 - probability) ** 2 + (false - false_above) * probability**2
        true_above, false_above = true, false
    return total / (true_above + false_above)


@compiled
def _classes_above(half, stop):
    """Return how many positives and negatives of a half are among the first `stop` of all rows."""
    n_rows = np.searchsorted(half.ranks[:-1], stop)
    true = half.positives_above[n_rows]
    return float(true), float(n_rows - true)


@compiled
def _fill_on_judging_rows(half, out):
    """Fill in the utilities that need no threshold."""
    groups, size, P = half.groups, half.groups.shape[1], half.totals.P
    out[U_AUROC], out[U_AUPR] = half.areas.auroc, half.areas.aupr
    out[U_AVERAGE_PRECISION] = half.areas.average_precision
    out[U_AUPRG_CLIPPED] = auprg_of_groups(groups, size, half.clipped)
    out[U_EXPECTED_FG1] = f_gain_of_area(
        half.areas.auprg, _gain_where_recall_gain_is_0(groups, half.totals), P / (P + half.totals.N)
    )
    out[U_PRECISION_AT_P] = best_threshold(groups, size, half.totals, PRECISION, P)[0]
    out[U_RECALL_AT_90] = best_threshold(groups, size, half.totals, RECALL, 0.9)[0]


@compiled
def _gain_where_recall_gain_is_0(groups, totals):
    """Return the precision gain where recall gain is 0: y0 of Flach & Kull 2015, Theorem 3.

    `curves.counts_from_zero_gain` does the same, but needs the vertices of the whole curve and is not
    compiled. Here only the groups are known, once for each half of each split.
    """
    t_star, i = totals.t_star, 0
    # The recall at the end of a group may be the prevalence but for rounding.
    while groups[0, i] + groups[2, i] < t_star * (1 - EPSILONS):
        i += 1
    t, f, d, e = groups[:, i]
    share = min(max((t_star - t) / d, 0.0), 1.0)
    return 1 - totals.P / totals.N * (f + share * e) / t_star
