"""The areas of many subsets of the rows of a sorted order: halves, folds, nested cuts."""

from collections.abc import Sequence

import numpy as np

from aucstudy.metrics import inputs
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.kernel import Options, Order, areas_of_groups, count_groups, totals_of

SUBSET_AREAS = ("aupr", "auprg", "auroc", "aucnpr", "auprg_clipped")
MOST_SUBSETS = 127
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
    """The areas of every model on each subset, in every draw.

    Parameters
    ----------
    subsets : (draws, n) the subset of each row, 0 to n_subsets - 1; any higher number: none.
    n_subsets : at most 127.
    nested : whether subset k also holds the rows of those before it.
    prevalence : None for that of the subset.
    aupr_at : a prevalence for AUPR besides.

    Returns
    -------
    (areas, draws, n_subsets, m) by `names`, then AUPR at `aupr_at`; NaN for a subset of one class.
    """
    if not 0 < n_subsets <= MOST_SUBSETS:
        raise ValueError(f"n_subsets must lie in 1 to {MOST_SUBSETS}, not {n_subsets}")
    subsets = np.asarray(subsets)
    if subsets.dtype != np.uint8:
        subsets = np.minimum(subsets, NO_SUBSET)
    subsets = np.ascontiguousarray(subsets, dtype=np.uint8)
    areas = np.full((6, len(subsets), n_subsets, len(order.rows)), np.nan)
    prevalence = inputs.checked_prevalence(prevalence) or 0.0
    signed = Options(prevalence, False, 0.0, 1.0)
    _fill_subsets(order, subsets, nested, signed, "auprg_clipped" in names, aupr_at or 0.0, areas)
    indices = [SUBSET_AREAS.index(name) for name in names]
    return areas[indices if aupr_at is None else [*indices, 5]]


@compiled
def _fill_subsets(order, subsets, nested, options, clip, aupr_at, areas):
    rows, ends_group, positive = order
    n, n_subsets = rows.shape[1], areas.shape[2]
    kept_rows, kept_ends = np.empty(n, dtype=np.int32), np.empty(n + 1, dtype=np.bool_)
    once, groups = np.ones(n, dtype=np.uint8), np.empty((4, np.count_nonzero(positive) + 1))
    class_totals = np.empty((n_subsets, 2))
    for draw in range(len(subsets)):
        _count_classes(positive, subsets[draw], nested, class_totals)
        for model in range(len(rows)):
            for k in range(n_subsets):
                P, N = class_totals[k]
                if P == 0 or N == 0:
                    continue
                n_kept = _select(
                    rows[model], ends_group[model], subsets[draw], 0 if nested else k, k, kept_rows, kept_ends
                )
                size = count_groups(kept_rows[:n_kept], kept_ends[1 : n_kept + 1], positive, once, groups)
                out = areas[:, draw, k, model]
                out[2], out[0], out[1], out[3], _ = areas_of_groups(groups, size, totals_of(P, N, options))
                if clip:
                    clipped = Options(options.prevalence, True, 0.0, 1.0)
                    out[4] = areas_of_groups(groups, size, totals_of(P, N, clipped))[2]
                if aupr_at > 0:
                    moved = Options(aupr_at, False, 0.0, 1.0)
                    out[5] = areas_of_groups(groups, size, totals_of(P, N, moved))[1]


@compiled
def _count_classes(positive, subset, nested, class_totals):
    class_totals[:] = 0.0
    for row in range(positive.size):
        if subset[row] < len(class_totals):
            class_totals[subset[row], 0 if positive[row] else 1] += 1
    if nested:
        for k in range(1, len(class_totals)):
            class_totals[k] += class_totals[k - 1]


@compiled
def _select(rows, ends_group, subset, first, last, kept_rows, kept_ends):
    """Keep the rows of subsets `first` to `last`; `kept_ends` begins with an entry to spare."""
    n_kept = 0
    for i in range(rows.size):
        row = rows[i]
        kept_rows[n_kept] = row
        kept = first <= subset[row] <= last
        n_kept += kept
        # the last one kept so far ends its group, whether or not this row is kept
        kept_ends[n_kept] = ends_group[i] | (kept_ends[n_kept] & (not kept))
    return n_kept
