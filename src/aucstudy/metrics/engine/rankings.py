"""From checked labels and scores to the sums of every ranking: sort, count or bin, whichever is fastest."""

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.engine.binning import bin_counts, positives_table, worth_binning
from aucstudy.metrics.engine.layout import sorted_segments, split_and_sort
from aucstudy.metrics.engine.merging import PADDING, HoldsNaNError
from aucstudy.metrics.engine.passes import sum_bins, sum_segments, sum_weighted_segments
from aucstudy.metrics.engine.sums import SUMS, add


def one_ranking(
    labels: np.ndarray, scores: np.ndarray, n_positive: int, options: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Sums (1, 1, SUMS) of one unweighted ranking, and its P and N as an array (1, 2).

    `labels` and `scores` (n,), a positive having label 1; `options` as for `passes.sum_segments`. Splitting the
    scores sees every one of them, so it is there that a NaN is noticed: HoldsNaNError.
    """
    sums = np.full((1, 1, SUMS), np.nan)
    n_negative = scores.size - n_positive
    weights = np.array([[n_positive, n_negative]], dtype=float)
    table = positives_table(labels, scores, n_positive) if worth_binning(scores.size, n_positive) else None
    if table is not None:
        values = table.values[: table.multiplicity.size]
        bins = bin_counts(scores, table)
        sum_bins(values, table.multiplicity, bins, weights, options, sums)
    elif n_positive and n_negative:
        pos, neg = split_and_sort(labels, scores, n_positive)
        layout = np.array([[0, pos.size, n_positive, 0, neg.size, n_negative]])
        sum_segments(pos, neg, layout, weights, options, _room_above(n_positive, n_negative), sums)
    elif np.isnan(scores).any():
        raise HoldsNaNError
    return sums, weights


def many_rankings(
    positive: np.ndarray,
    scores: np.ndarray,
    codes: np.ndarray,
    n_groups: int,
    weight: np.ndarray | None,
    options: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Sums (n_groups, n_models, SUMS) of each group in each column, and P and N as an array (n_groups, 2).

    `positive`, `codes` and `weight` (n_rows,), `scores` (n_rows, n_models).
    """
    sides = []
    for mask, padding in ((positive, 0), (~positive, PADDING if weight is None else 0)):
        rows = np.flatnonzero(mask)
        sides.append(sorted_segments(scores, rows, codes[rows], n_groups, weight, padding))
    pos, neg = sides
    layout = np.column_stack([pos.starts, pos.widths, pos.counts, neg.starts, neg.widths, neg.counts])
    layout = np.ascontiguousarray(layout, dtype=np.int64)
    sums = np.empty((n_groups, scores.shape[1], SUMS))
    if weight is None:
        weights = np.column_stack([pos.counts, neg.counts]).astype(float)
        above = _room_above(int(pos.counts.max()), int(neg.counts.max()))
        sum_segments(pos.scores, neg.scores, layout, weights, options, above, sums)
    else:
        weights = np.zeros((n_groups, 2))
        _add_weights(positive, codes, weight, weights)
        sum_weighted_segments(
            pos.scores, neg.scores, pos.weights, neg.weights, layout, weights, options, sums
        )
    return sums, weights


def _room_above(n_positive: int, n_negative: int) -> np.ndarray:
    return np.empty(n_positive + 1, dtype=np.uint32 if n_negative < 2**32 else np.int64)


@compiled
def _add_weights(positive, codes, weight, weights):
    lost = np.zeros_like(weights)
    for i in range(codes.size):
        g, side = codes[i], 0 if positive[i] else 1
        weights[g, side], lost[g, side] = add(weights[g, side], lost[g, side], weight[i])
    weights += lost
