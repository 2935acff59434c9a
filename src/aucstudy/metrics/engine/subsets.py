"""Areas of many subsets of the rows at once, in one walk down rankings that are sorted once.

Each row of a draw belongs to one of some parts (folds, halves, nested samples), or to none. A walk keeps the counts of
every part. A positive that is alone with its score adds 1 - f log(1 + 1/q) to the sum under AUPR, with f negatives and
q = t + f rows of its part above it, and f (1/t + 1/(t + 1)) / (2 t (t + 1)) to that under AUPRG: both factors are read
from tables over whole numbers, so that a row costs a few loads and no logarithm.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from aucstudy.metrics.bounds import aucpr_min
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.engine.lanes import walk
from aucstudy.metrics.engine.orders import Order

SUBSET_AREAS = ("aupr", "auprg", "auroc", "aucnpr", "auprg_clipped")
MOST_PARTS = 127
_NONE = 255


def areas_of_subsets(
    order: Order,
    parts: np.ndarray,
    n_parts: int,
    *,
    nested: bool = False,
    prevalence: float | None = None,
    aupr_at: float | None = None,
    of: Sequence[str] = SUBSET_AREAS,
) -> np.ndarray:
    """The areas of every model on each part of the rows, in every draw.

    Parameters
    ----------
    order : as `order_of` gives it.
    parts : (draws, n) whole numbers: the part that a row falls into; from `n_parts` on, none.
    n_parts : how many parts, at most 127.
    nested : whether subset k holds the rows of all parts up to k, instead of those of part k alone.
    prevalence : the one to compute at, None for that of the subset.
    aupr_at : another prevalence, at which AUPR is wanted besides.
    of : the areas wanted, some of `SUBSET_AREAS`.

    Returns
    -------
    (areas, draws, n_parts, m) in the order of `of`, the AUPR at `aupr_at` behind them, NaN where a subset has rows of
    one class only. Equal to `areas(y_true[rows], scores[rows])` of the subset's rows but for rounding.

    Examples
    --------
    >>> from aucstudy.metrics.engine.orders import order_of
    >>> order = order_of(np.array([True, False, True, False]), np.array([[0.9], [0.5], [0.1], [0.7]]))
    >>> areas_of_subsets(order, np.array([[0, 0, 1, 1]]), 2)[2, 0, :, 0].tolist()
    [1.0, 0.0]
    >>> areas_of_subsets(order, np.array([[0, 0, 1, 1]]), 2, nested=True)[2, 0, :, 0].tolist()
    [1.0, 0.5]
    """
    if not 0 < n_parts <= MOST_PARTS:
        raise ValueError(f"n_parts must lie in 1 to {MOST_PARTS}, not {n_parts}")
    parts = _as_bytes(parts)
    draws, n_models = len(parts), len(order.rows)
    totals = np.zeros((draws, n_parts, 2))
    areas = np.full((6, draws, n_parts, n_models), np.nan)
    options = prevalence or 0.0, "auprg_clipped" in of, aupr_at or 0.0
    walk(*order, parts, totals, nested, _factors(len(order.positive) + 1), options, areas)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = (
            totals[..., 0] / totals.sum(axis=-1)
            if prevalence is None
            else np.full(totals.shape[:2], prevalence)
        )
        minima = np.full((draws, n_parts, 1), np.nan)
        both = (totals > 0).all(axis=-1)
        minima[both, 0] = aucpr_min(shares[both])
        areas[3] = (areas[0] - minima) / (1 - minima)
    wanted = [SUBSET_AREAS.index(area) for area in of]
    return areas[wanted if aupr_at is None else [*wanted, 5]]


def _as_bytes(parts: np.ndarray) -> np.ndarray:
    """Whole numbers cut to 255, which is in no part."""
    parts = np.asarray(parts)
    return np.ascontiguousarray(
        parts if parts.dtype == np.uint8 else np.minimum(parts, _NONE), dtype=np.uint8
    )


@lru_cache(maxsize=1)
def _factors(size: int) -> np.ndarray:
    """The factors of what a lone positive adds to the sums under AUPR and AUPRG, for counts 0 to `size`."""
    counts = np.arange(1.0, size + 1)
    logs = np.concatenate([[0.0], np.log1p(1 / counts)])
    gains = np.concatenate([[0.0], 0.5 * (1 / counts + 1 / (counts + 1)) / (counts * (counts + 1))])
    return np.stack([logs, gains])


def false_positives_of_subsets(
    order: Order, parts: np.ndarray, n_parts: int, recalls: np.ndarray
) -> np.ndarray:
    """The false positives of every model at given recalls, on each part of the rows.

    Parameters
    ----------
    parts : (n,) the part that a row falls into; from `n_parts` on, none. Each part has positives.
    recalls : (points,) rising, in [0, 1).

    Returns
    -------
    (n_parts, m, points) false positives, interpolated within tied scores; where a recall is reached exactly, those
    down to the next positive.

    Examples
    --------
    >>> from aucstudy.metrics.engine.orders import order_of
    >>> order = order_of(np.array([True, False, True, False]), np.array([[0.9], [0.5], [0.1], [0.1]]))
    >>> false_positives_of_subsets(order, np.zeros(4), 1, np.array([0.25, 0.5, 0.75])).tolist()
    [[[0.0, 1.0, 1.5]]]
    """
    codes = np.where(parts < n_parts, 2 * parts + order.positive, _NONE).astype(np.uint8)
    n_positive = np.array([np.count_nonzero(codes == 2 * k + 1) for k in range(n_parts)])
    false = np.empty((n_parts, len(order.rows), len(recalls)))
    _reach(*order[:2], codes, recalls * n_positive[:, None], false)
    return false


@compiled
def _reach(rows, ends_group, codes, wanted, false):
    """Fill `false` with the false positives at the (n_parts, points) `wanted` true positives."""
    n_parts, points = wanted.shape
    # of each part: true and false positives above the group, and those of the group
    counts = np.zeros((n_parts, 4))
    reached = np.zeros(n_parts, dtype=np.int64)
    for m in range(rows.shape[0]):
        counts[:], reached[:] = 0.0, 0
        low, high = n_parts, 0  # the parts that the group has rows of lie from low up to high
        for i in range(rows.shape[1]):
            code = codes[rows[m, i]]
            if code != _NONE:
                part = np.int64(code >> 1)
                counts[part, 3 - (code & 1)] += 1
                low, high = min(low, part), max(high, part + 1)
            if not ends_group[m, i]:
                continue
            for k in range(low, high):
                t, f, d, e = counts[k]
                if d > 0:
                    while reached[k] < points and wanted[k, reached[k]] < t + d:
                        false[k, m, reached[k]] = f + e * ((wanted[k, reached[k]] - t) / d)
                        reached[k] += 1
                if d > 0 or e > 0:
                    counts[k, 0], counts[k, 1], counts[k, 2], counts[k, 3] = t + d, f + e, 0.0, 0.0
            low, high = n_parts, 0
