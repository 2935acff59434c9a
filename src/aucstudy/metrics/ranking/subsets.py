"""The areas, and the false positives at given recalls, of many subsets of the rows of a sorted order."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from aucstudy.metrics import inputs
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.ranking import lanes
from aucstudy.metrics.ranking.orders import Order

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
    totals = np.zeros((len(subsets), n_subsets, 2))
    areas = np.full((6, len(subsets), n_subsets, len(order.rows)), np.nan)
    options = inputs.checked_prevalence(prevalence) or 0.0, "auprg_clipped" in names, aupr_at or 0.0
    lanes.walk(order, subsets, totals, nested, _factors(len(order.positive) + 1), options, areas)
    indices = [SUBSET_AREAS.index(name) for name in names]
    return areas[indices if aupr_at is None else [*indices, 5]]


@lru_cache(maxsize=1)
def _factors(size: int) -> np.ndarray:
    """The (2, size + 1) costs of each negative above an untied positive.

    Row 0 at q, the rows above: of AUPR, times P. Row 1 at t, the positives above: of AUPRG, but for odds^2 P.
    """
    counts = np.arange(1.0, size + 1)
    logs = np.concatenate([[0.0], np.log1p(1 / counts)])
    gains = np.concatenate([[0.0], 0.5 * (1 / counts + 1 / (counts + 1)) / (counts * (counts + 1))])
    return np.stack([logs, gains])


def false_positives_of_subsets(
    order: Order, subsets: np.ndarray, n_subsets: int, recalls: np.ndarray
) -> np.ndarray:
    """The (n_subsets, m, points) false positives at `recalls`, rising in [0, 1), on each subset, which has positives.

    `subsets` (n,) are of one draw. Interpolated within tied scores; where a recall is reached exactly, those down to
    the next positive.
    """
    codes = np.where(subsets < n_subsets, 2 * subsets + order.positive, NO_SUBSET).astype(np.uint8)
    n_positive = np.array([np.count_nonzero(codes == 2 * k + 1) for k in range(n_subsets)])
    false = np.empty((n_subsets, len(order.rows), len(recalls)))
    _reach(order, codes, recalls * n_positive[:, None], false)
    return false


@compiled
def _reach(order, codes, true_positives, false):
    n_subsets, points = true_positives.shape
    # of each subset: true and false positives above the group, and those of the group
    counts = np.zeros((n_subsets, 4))
    reached = np.zeros(n_subsets, dtype=np.int64)
    for m in range(order.rows.shape[0]):
        counts[:], reached[:] = 0.0, 0
        low, high = n_subsets, 0  # the subsets that the group has rows of lie from low up to high
        for i in range(order.rows.shape[1]):
            code = codes[order.rows[m, i]]
            if code != NO_SUBSET:
                subset = np.int64(code >> 1)
                counts[subset, 3 - (code & 1)] += 1
                low, high = min(low, subset), max(high, subset + 1)
            if not order.ends_group[m, i]:
                continue
            for k in range(low, high):
                t, f, d, e = counts[k]
                if d > 0:
                    while reached[k] < points and true_positives[k, reached[k]] < t + d:
                        false[k, m, reached[k]] = f + e * ((true_positives[k, reached[k]] - t) / d)
                        reached[k] += 1
                if d > 0 or e > 0:
                    counts[k, 0], counts[k, 1], counts[k, 2], counts[k, 3] = t + d, f + e, 0.0, 0.0
            low, high = n_subsets, 0
