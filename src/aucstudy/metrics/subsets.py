"""The areas of many subsets of the rows of a sorted order: halves, folds, nested cuts."""

from collections.abc import Sequence

import numpy as np

from aucstudy.metrics import inputs
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.kernel import (
    Options,
    Order,
    areas_of_groups,
    count_groups_of_subsets,
    lost_gain,
    precision_integrals,
    totals_of,
)

SUBSET_AREAS = ("aupr", "auprg", "auroc", "aucnpr", "auprg_clipped")
AUPR, AUPRG, AUROC, AUCNPR, AUPRG_CLIPPED = range(len(SUBSET_AREAS))
AUPR_MOVED = len(SUBSET_AREAS)  # AUPR at a further prevalence
MOST_SUBSETS = 127  # so that the code of a row in none, up to 2 * 127 + 1, fits into a byte
NO_SUBSET = 255


def areas_of_subsets(
    order: Order,
    subsets: np.ndarray,
    n_subsets: int,
    *,
    nested: bool = False,
    prevalence: float | None = None,
    aupr_at: float | None = None,
    names: Sequence[str] = SUBSET_AREAS,
) -> np.ndarray:
    """Compute the areas of every model on each subset, in every draw.

    Parameters
    ----------
    subsets : (draws, n) the subset of each row, 0 to n_subsets - 1; a row of any higher number is in no subset.
    n_subsets : at most 127.
    nested : whether subset k also holds the rows of those before it.
    prevalence : that of the areas; None for that of the subset.
    aupr_at : a further prevalence, at which AUPR is computed as well.

    Returns
    -------
    Areas of shape (areas, draws, n_subsets, m): those of `names`, then AUPR at `aupr_at`. They are NaN for a subset of
    one class.
    """
    if not 0 < n_subsets <= MOST_SUBSETS:
        raise ValueError(f"n_subsets must lie in 1 to {MOST_SUBSETS}, not {n_subsets}")
    subsets = np.asarray(subsets)
    if subsets.dtype != np.uint8:
        subsets = np.minimum(subsets, NO_SUBSET)
    subsets = np.ascontiguousarray(subsets, dtype=np.uint8)
    areas = np.full((len(SUBSET_AREAS) + 1, len(subsets), n_subsets, len(order.rows)), np.nan)
    prevalence = inputs.checked_prevalence(prevalence) or 0.0
    signed = Options(prevalence, False, 0.0, 1.0)
    _fill_subsets(order, subsets, nested, signed, "auprg_clipped" in names, aupr_at or 0.0, areas)
    indices = [SUBSET_AREAS.index(name) for name in names]
    return areas[indices if aupr_at is None else [*indices, AUPR_MOVED]]


@compiled
def _fill_subsets(order, subsets, nested, options, clip, aupr_at, areas):
    n_subsets, n_positive = areas.shape[2], np.count_nonzero(order.positive)
    codes = np.empty(order.positive.size, dtype=np.uint8)
    groups, sizes = np.empty((n_subsets, 4, n_positive + 1)), np.empty(n_subsets, dtype=np.int64)
    class_totals = np.empty((n_subsets, 2))
    clipped, moved = Options(options.prevalence, True, 0.0, 1.0), Options(aupr_at, False, 0.0, 1.0)
    for draw in range(len(subsets)):
        _encode(order.positive, subsets[draw], n_subsets, codes)
        _count_classes(codes, nested, class_totals)
        for model in range(len(order.rows)):
            rows, ends_group = order.rows[model], order.ends_group[model]
            count_groups_of_subsets(rows, ends_group, codes, nested, groups, sizes)
            for k in range(n_subsets):
                P, N = class_totals[k]
                if P == 0 or N == 0:
                    continue
                out = areas[:, draw, k, model]
                computed = areas_of_groups(groups[k], sizes[k], totals_of(P, N, options))
                out[AUPR], out[AUPRG] = computed.aupr, computed.auprg
                out[AUROC], out[AUCNPR] = computed.auroc, computed.aucnpr
                if clip:
                    out[AUPRG_CLIPPED] = auprg_of_groups(groups[k], sizes[k], totals_of(P, N, clipped))
                if aupr_at > 0:
                    out[AUPR_MOVED] = _aupr(groups[k], sizes[k], totals_of(P, N, moved))


@compiled
def auprg_of_groups(groups, size, totals):
    """Compute AUPRG alone from counts of rows, in a quarter of the time that all areas need."""
    lost = 0.0
    for i in range(size):
        t, f, d, e = groups[0, i], groups[1, i] * totals.scale, groups[2, i], groups[3, i] * totals.scale
        # For whole numbers, the positives below are exactly P less those above and in the group.
        lost += lost_gain(t, f, d, e, totals.P - (t + d), totals)
    # A sum of clipped gains is below 0 only by rounding.
    return max(1 - lost, 0.0) if totals.clip else 1 - lost


@compiled
def _aupr(groups, size, totals):
    """Compute AUPR alone, in half of the time that all areas need."""
    inside = 0.0
    for i in range(size):
        t, f, d, e = groups[0, i], groups[1, i] * totals.scale, groups[2, i], groups[3, i] * totals.scale
        inside += precision_integrals(t, f, d, e)[0]
    return inside / totals.P


@compiled
def _encode(positive, subset, n_subsets, codes):
    """Fill (n,) `codes` as `count_groups_of_subsets` reads them: a row's subset and its class in one number."""
    for row in range(positive.size):
        codes[row] = 2 * min(subset[row], n_subsets) + positive[row]


@compiled
def _count_classes(codes, nested, class_totals):
    """Fill (n_subsets, 2) `class_totals` with the positives and negatives of each subset."""
    class_totals[:] = 0.0
    for code in codes:
        if code >> 1 < len(class_totals):
            class_totals[code >> 1, 1 - (code & 1)] += 1
    if nested:
        for k in range(1, len(class_totals)):
            # numba would need two seconds to compile the sum of the two rows.
            for side in range(2):
                class_totals[k, side] += class_totals[k - 1, side]
