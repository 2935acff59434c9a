"""The areas of checked rows: one ranking or many, in groups or not, weighted or not."""

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.counts import defined_areas
from aucstudy.metrics.inputs import Rows
from aucstudy.metrics.kernel import (
    AHEAD,
    BLOCK,
    NO_SUMS,
    Options,
    add,
    areas_of_groups,
    areas_of_sums,
    count_groups,
    count_groups_of_classes,
    count_groups_of_keys,
    order_of,
    totals_of,
    with_terms,
)
from aucstudy.metrics.registry import N_COMPILED, further_metrics


def areas_of_rows(rows: Rows, options: Options) -> tuple[np.ndarray, np.ndarray]:
    """Return all metrics (n_groups, n_models, n_metrics) of each group of rows, and P and N (n_groups, 2).

    They are NaN where a group has weight of one class only.
    """
    scores = rows.scores.reshape(len(rows.labels), -1)
    if rows.weight is None and rows.codes is None:
        areas, class_totals = _areas_of_classes(rows.labels == 1, scores, options)
    else:
        areas, class_totals = _areas_by_group(rows, scores, options)
    if further_metrics():
        areas = np.concatenate([areas, _defined_by_group(rows, scores, options)], axis=-1)
    return areas, class_totals


def _defined_by_group(rows: Rows, scores: np.ndarray, options: Options) -> np.ndarray:
    codes, positive = rows.group_codes(), rows.labels == 1
    weight = np.ones(len(codes)) if rows.weight is None else rows.weight
    areas = []
    for group in range(len(rows.exponents)):
        in_group = codes == group
        order = order_of(positive[in_group], scores[in_group])
        areas.append(defined_areas(further_metrics(), order, weight[in_group], options))
    return np.stack(areas)


def _areas_of_classes(
    positive: np.ndarray, scores: np.ndarray, options: Options
) -> tuple[np.ndarray, np.ndarray]:
    n_positive = np.count_nonzero(positive)
    n_negative = len(positive) - n_positive
    areas = np.full((1, scores.shape[1], N_COMPILED), np.nan)
    if n_positive and n_negative:
        _fill_areas(positive, scores, n_positive, n_negative, options, areas[0])
    return areas, np.array([[n_positive, n_negative]], dtype=float)


def _fill_areas(
    positive: np.ndarray, scores: np.ndarray, P: int, N: int, options: Options, areas: np.ndarray
) -> None:
    # To sort the numbers alone is several times as fast as to find the order of the rows, and one sort of short keys is
    # faster than two of floats.
    keys = np.empty(scores.shape[::-1], dtype=np.uint32)
    if _fill_keys(positive, scores, keys):
        keys.sort()
        _fill_from_keys(keys, P, N, options, areas)
        return
    by_class = [np.empty((scores.shape[1], AHEAD + size)) for size in (P, N)]
    _negate_by_class(positive, scores, *by_class)
    for columns in by_class:
        columns[:, AHEAD:].sort()
    _fill_from_classes(*by_class, options, areas)


@compiled
def _fill_keys(positive, scores, keys):
    """Fill the `keys` (m, n) of `count_groups_of_keys` if each score (n, m) is a float32 and not negative.

    Return whether this is so, as it is for the probabilities of most learners that compute in float32.
    """
    # The bits of floats that are not negative order as the floats do. A shift by one bit makes room for the label, and
    # the sign leaves, so that -0.0 ties with 0.0.
    for model in range(len(keys)):
        for i in range(positive.size):
            short = np.float32(scores[i, model])
            if not (short == scores[i, model] and short >= 0):
                return False
            keys[model, i] = (short.view(np.uint32) << np.uint32(1)) | positive[i]
    return True


@compiled
def _fill_from_keys(keys, P, N, options, areas):
    totals = totals_of(float(P), float(N), options)
    tie_groups = np.empty((4, BLOCK))
    for model in range(len(areas)):
        sums, t, f = NO_SUMS, P, N
        while t > 0:
            start, t, f = count_groups_of_keys(keys[model], t, f, tie_groups)
            sums = with_terms(sums, tie_groups, start, BLOCK, totals)
        areas[model] = areas_of_sums(sums, totals)


@compiled
def _negate_by_class(positive, scores, positives, negatives):
    """Fill (m, AHEAD + P) `positives` and (m, AHEAD + N) `negatives` with the negated scores (n, m) of each class.

    The first AHEAD of each are NaN.
    """
    # From the last entry on, each score goes to both, and the entry of the wrong class is written again: the classes of
    # rows cannot be predicted, and a branch on them would take most of the time. No index has a sign, as in the kernel.
    for model in range(scores.shape[1]):
        t, f = positives.shape[1] - 1, negatives.shape[1] - 1
        for i in range(positive.size):
            positives[model, np.uint64(t)] = negatives[model, np.uint64(f)] = -scores[i, model]
            t -= positive[i]
            f -= not positive[i]
        positives[model, :AHEAD] = negatives[model, :AHEAD] = np.nan


@compiled
def _fill_from_classes(positives, negatives, options, areas):
    P, N = positives.shape[1] - AHEAD, negatives.shape[1] - AHEAD
    totals = totals_of(float(P), float(N), options)
    tie_groups = np.empty((4, BLOCK))
    for model in range(len(areas)):
        sums, t, f = NO_SUMS, P, N
        while t > 0:
            start, t, f = count_groups_of_classes(positives[model], negatives[model], t, f, tie_groups)
            sums = with_terms(sums, tie_groups, start, BLOCK, totals)
        areas[model] = areas_of_sums(sums, totals)


def _areas_by_group(rows: Rows, scores: np.ndarray, options: Options) -> tuple[np.ndarray, np.ndarray]:
    codes, n_groups = rows.group_codes(), len(rows.exponents)
    positive = rows.labels == 1
    weight = np.ones(len(codes), dtype=np.uint8) if rows.weight is None else rows.weight
    # The rows are sorted by group, and within each group in descending order of score.
    starts = np.cumsum(np.append(0, np.bincount(codes, minlength=n_groups)))
    areas = np.full((n_groups, scores.shape[1], N_COMPILED), np.nan)
    class_totals = np.zeros((n_groups, 2))
    _add_weights(positive, codes, weight, class_totals)
    # A stable sort of short integers needs no comparisons.
    short_codes = codes.astype(np.min_scalar_type(n_groups))
    for model in range(scores.shape[1]):
        negated = -scores[:, model]
        order = np.argsort(negated)
        order = order[np.argsort(short_codes[order], kind="stable")]
        ascending = negated[order]
        ends_group = np.append(ascending[1:] != ascending[:-1], True)
        ends_group[starts[1:] - 1] = True
        _fill_by_group(order, ends_group, positive, weight, starts, class_totals, options, areas[:, model])
    return areas, class_totals


@compiled
def _add_weights(positive, codes, weight, class_totals):
    rounding = np.zeros_like(class_totals)
    for i in range(codes.size):
        g, side = codes[i], 0 if positive[i] else 1
        class_totals[g, side], rounding[g, side] = add(class_totals[g, side], rounding[g, side], weight[i])
    class_totals += rounding


@compiled
def _fill_by_group(order, ends_group, positive, weight, starts, class_totals, options, areas):
    tie_groups = np.empty((4, order.size + 1))
    for g in range(len(areas)):
        P, N = class_totals[g]
        if P > 0 and N > 0:
            rows = slice(starts[g], starts[g + 1])
            size = count_groups(order[rows], ends_group[rows], positive, weight, tie_groups)
            areas[g] = areas_of_groups(tie_groups, size, totals_of(P, N, options))
