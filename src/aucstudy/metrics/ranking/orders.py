"""Rows sorted once by each model, and the areas of resamples of them: counts of each row, for halves 0 or 1."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.formulas.sums import SUMS, add_groups, finish, plain_areas
from aucstudy.metrics.formulas.terms import OBSERVED, gain_loss, growth_terms, pr_terms, totals_of
from aucstudy.metrics.ranking.ties import group_rows, settle_ties

RESAMPLED_AREAS = ("aupr", "auprg", "auroc")
TABLED = 10  # equal positives whose share in AUPR is looked up


class Order(NamedTuple):
    """The `rows` (m, n) in descending order of each model's scores, and which are `positive` (n,).

    `ends_group` (m, n) is true at the last row of each group of tied rows.
    """

    rows: np.ndarray
    ends_group: np.ndarray
    positive: np.ndarray


def order_of(y_true: np.ndarray, scores: np.ndarray) -> Order:
    """Sort the rows by each column of (n, m) scores, once; tied rows keep their order.

    >>> order_of(np.array([True, False, True]), np.array([[0.2], [0.9], [0.2]])).rows.tolist()
    [[1, 0, 2]]
    """
    negated = np.ascontiguousarray(-np.asarray(scores, dtype=float).T)
    rows, ends = np.empty(negated.shape, dtype=np.int32), np.empty(negated.shape, dtype=bool)
    # a stable sort would take four times as long
    settle_ties(negated, np.argsort(negated, axis=1), rows, ends)
    return Order(rows, ends, np.asarray(y_true, dtype=bool))


def all_areas(order: Order, counts: np.ndarray | None = None, prevalence: float | None = None) -> np.ndarray:
    """The (m, 5) areas of one resample, those of `aucstudy.metrics.areas` of the repeated rows."""
    counts = np.ones(len(order.positive)) if counts is None else np.asarray(counts, dtype=float)
    class_totals = np.array([[counts[order.positive].sum(), counts[~order.positive].sum()]])
    options = OBSERVED.copy()
    options[0] = prevalence or 0.0
    sums, areas = np.empty((1, len(order.rows), SUMS)), np.empty((1, len(order.rows), 5))
    _sum_areas(*order, counts, totals_of(class_totals[0, 0], class_totals[0, 1], options), sums[0])
    finish(sums, class_totals, options, areas)
    return areas[0]


@compiled
def _sum_areas(rows, ends_group, positive, counts, c, out):
    groups = np.empty((5, rows.shape[1] + 1))
    for m in range(rows.shape[0]):
        sums = np.zeros((2, SUMS))
        add_groups(groups, group_rows(rows[m], ends_group[m], positive, counts, groups), c, sums)
        out[m] = sums[0] + sums[1]


def resampled_areas(order: Order, counts: np.ndarray) -> np.ndarray:
    """The (3, resamples, m) `RESAMPLED_AREAS`, NaN where a resample has rows of one class only.

    `counts` (resamples, n) may be any real numbers of at least 0.
    """
    counts = np.ascontiguousarray(counts)
    areas = np.full((len(RESAMPLED_AREAS), len(counts), len(order.rows)), np.nan)
    if counts.dtype == np.uint8 and order.ends_group.all():
        _resample_untied(order.rows, order.positive, counts, _growths(len(order.positive)), areas)
        return areas
    positives, negatives = (counts @ mask.astype(float) for mask in (order.positive, ~order.positive))
    _resample(*order, counts, positives, negatives, areas)
    return areas


@compiled
def _resample(rows, ends_group, positive, counts, positives, negatives, areas):
    groups = np.empty((5, rows.shape[1] + 1))
    for s in range(counts.shape[0]):
        if positives[s] > 0 and negatives[s] > 0:
            c = totals_of(positives[s], negatives[s], OBSERVED)
            for m in range(rows.shape[0]):
                size = group_rows(rows[m], ends_group[m], positive, counts[s], groups)
                areas[0, s, m], areas[1, s, m], areas[2, s, m], _ = plain_areas(groups, size, c)


@lru_cache(maxsize=1)
def _growths(size: int) -> np.ndarray:
    """`growth_terms` of 1, 2, ... equal positives below 1 to `size` rows, the first times the positives."""
    growths = np.empty((TABLED, size + 1, 2))
    _fill_growths(growths)
    return growths


@compiled
def _fill_growths(growths):
    for k in range(growths.shape[0]):
        for q in range(1, growths.shape[1]):
            h, log = growth_terms(np.float64(k + 1) / np.float64(q))
            growths[k, q, 0], growths[k, q, 1] = (k + 1) * h, log


@compiled
def _resample_untied(rows, positive, counts, growths, areas):
    """As `_resample`, to the last bit, in a third of the time: a group is one row, counts are whole."""
    n = rows.shape[1]
    t, f, d = np.empty((3, n + 1), dtype=np.int64)
    is_positive = np.empty(n, dtype=np.int64)
    for m in range(rows.shape[0]):
        for i in range(n):
            is_positive[i] = positive[rows[m, i]]
        for s in range(counts.shape[0]):
            size = positives_above = negatives_above = np.int64(0)
            for i in range(n):
                count = np.int64(counts[s, np.uint32(rows[m, i])])
                positives = count * is_positive[i]
                t[size], f[size], d[size] = positives_above, negatives_above, positives
                size += positives > 0
                positives_above += positives
                negatives_above += count - positives
            if positives_above == 0 or negatives_above == 0:
                continue
            c = totals_of(np.float64(positives_above), np.float64(negatives_above), OBSERVED)
            pairs = precision = loss = 0.0
            for i in range(size):
                group = np.float64(t[i]), np.float64(f[i]), np.float64(d[i]), 0.0
                pairs += group[2] * (c.N - group[1])
                q = t[i] + f[i]
                if 0 < q < growths.shape[1] and d[i] <= growths.shape[0]:
                    precision += growths[d[i] - 1, q, 0] + group[0] * growths[d[i] - 1, q, 1]
                else:
                    precision += pr_terms(*group)[0]
                loss += gain_loss(*group, np.float64(positives_above - t[i] - d[i]), c)
            areas[0, s, m], areas[1, s, m], areas[2, s, m] = precision / c.P, 1 - loss, pairs / (c.P * c.N)
