"""The areas of many subsets of the rows of a sorted order."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from aucstudy.metrics import inputs
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
