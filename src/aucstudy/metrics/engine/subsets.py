"""Areas of many subsets of the rows at once, in one walk down rankings that are sorted once.

Each row of a draw belongs to one of some parts (folds, halves, nested samples), or to none. A walk keeps the counts of
every part. A positive that is alone with its score adds 1 - f log(1 + 1/q) to the sum under AUPR, with f negatives and
q = t + f rows of its part above it, and f (1/t + 1/(t + 1)) / (2 t (t + 1)) to that under AUPRG: both factors are read
from tables over whole numbers, so that a row costs a few loads and no logarithm.
"""

from collections.abc import Sequence

import numpy as np

from aucstudy.metrics.bounds import aucpr_min
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.engine.orders import Order
from aucstudy.metrics.engine.sums import mostly_positive, pr_terms, trapezoid

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
    of : the areas wanted, some of `SUBSET_AREAS`.

    Returns
    -------
    (areas, draws, n_parts, m) in the order of `of`, NaN where a subset has rows of one class only. Equal to
    `areas(y_true[rows], scores[rows])` of the subset's rows but for rounding.

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
    parts = np.asarray(parts)
    codes = np.where(parts < n_parts, 2 * parts + order.positive, _NONE).astype(np.uint8)
    draws, n_models = len(parts), len(order.rows)
    totals = np.empty((draws, n_parts, 2))
    for code in range(2 * n_parts):
        totals[:, code // 2, 1 - code % 2] = np.count_nonzero(codes == code, axis=1)
    if nested:
        totals = totals.cumsum(axis=1)
    counts = np.arange(1.0, len(order.positive) + 2)
    logs = np.concatenate([[0.0], np.log1p(1 / counts)])
    gains = np.concatenate([[0.0], 0.5 * (1 / counts + 1 / (counts + 1)) / (counts * (counts + 1))])
    areas = np.full((5, draws, n_parts, n_models), np.nan)
    _walk(*order[:2], codes, totals, nested, logs, gains, prevalence or 0.0, areas)
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
    return areas[[SUBSET_AREAS.index(area) for area in of]]


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
        for i in range(rows.shape[1]):
            code = codes[rows[m, i]]
            if code != _NONE:
                counts[code >> 1, 3 - (code & 1)] += 1
            if not ends_group[m, i]:
                continue
            for k in range(n_parts):
                t, f, d, e = counts[k]
                if d > 0:
                    while reached[k] < points and wanted[k, reached[k]] < t + d:
                        false[k, m, reached[k]] = f + e * ((wanted[k, reached[k]] - t) / d)
                        reached[k] += 1
                if d > 0 or e > 0:
                    counts[k, 0], counts[k, 1], counts[k, 2], counts[k, 3] = t + d, f + e, 0.0, 0.0


@compiled
def _walk(rows, ends_group, codes, totals, nested, logs, gains, asked, areas):
    n_parts = totals.shape[1]
    facts = np.empty((n_parts, 7))
    t, f = np.zeros(n_parts, dtype=np.int64), np.zeros(n_parts, dtype=np.int64)
    tied = np.zeros(_NONE + 1, dtype=np.int64)
    sums = np.zeros((n_parts, 4))
    # negatives above each positive that is alone with its score, 0 for the others
    above = np.zeros((n_parts, np.int64(totals[:, :, 0].max()) + 1), dtype=np.int32)
    for s in range(codes.shape[0]):
        _fill_facts(totals[s], asked, facts)
        drawn = codes[s]
        for m in range(rows.shape[0]):
            t[:], f[:], sums[:] = 0, 0, 0.0
            i, n = 0, rows.shape[1]
            while i < n:
                code = drawn[rows[m, i]]
                if not ends_group[m, i]:
                    i = _tied_counts(rows[m], ends_group[m], drawn, i, tied)
                    _add_tied(tied, nested, facts, t, f, above, sums)
                    continue
                i += 1
                if code == _NONE:
                    continue
                first = np.int64(code >> 1)
                stop = n_parts if nested else first + 1
                for k in range(first, stop):
                    above[k, t[k]] = f[k]
                    t[k] += code & 1
                    f[k] += 1 - (code & 1)
            for k in range(n_parts):
                P, N = facts[k, 0], facts[k, 1]
                if P > 0 and N > 0:
                    _add_lone(above[k, : np.int64(P)], facts[k], logs, gains, asked, sums[k])
                    areas[0, s, k, m] = 1 - sums[k, 1] / P
                    areas[1, s, k, m] = 1 - sums[k, 2]
                    areas[2, s, k, m] = 1 - sums[k, 0] / (P * N)
                    areas[4, s, k, m] = 1 - sums[k, 3]


@compiled
def _fill_facts(totals, asked, facts):
    """Of each subset: P, N, a negative's weight, and with it t*, odds, odds^2 P, the positives that follow t*."""
    for k in range(len(totals)):
        P, N = totals[k]
        scale = P * (1 - asked) / (asked * N) if asked > 0 else 1.0
        odds = P / (N * scale)
        facts[k, 0], facts[k, 1], facts[k, 2] = P, N, scale
        facts[k, 3], facts[k, 4], facts[k, 5] = P * P / (P + N * scale), odds, odds * odds * P
        facts[k, 6] = P * (N * scale / (P + N * scale))


@compiled
def _tied_counts(rows, ends_group, drawn, start, tied):
    """Count the rows of a group by their codes, and return where the next begins."""
    tied[:] = 0
    i = start
    while not ends_group[i]:
        tied[drawn[rows[i]]] += 1
        i += 1
    tied[drawn[rows[i]]] += 1
    return i + 1


@compiled
def _add_tied(tied, nested, facts, t, f, above, sums):
    """Add a group of tied rows to what the areas lose: pairs in the wrong order, precision, precision gain."""
    d = e = 0
    for k in range(t.size):
        if not nested:
            d = e = 0
        d, e = d + tied[2 * k + 1], e + tied[2 * k]
        if d > 0:
            true, false, among = np.float64(t[k]), f[k] * facts[k, 2], e * facts[k, 2]
            sums[k, 0] += d * (f[k] + 0.5 * e)
            sums[k, 1] += pr_terms(true, false, np.float64(d), among)[1]
            _add_gains(true, false, np.float64(d), among, facts[k], sums[k])
            above[k, t[k] : t[k] + d] = 0
        t[k] += d
        f[k] += e


@compiled
def _add_lone(above, facts, logs, gains, asked, sums):
    """Add the positives that share their scores with no other row, as `_add_tied` the others."""
    scale, odds = facts[2], facts[4]
    pairs, precision, gain = np.int64(0), 0.0, 0.0
    for t in range(above.size):
        pairs += above[t]
    if asked > 0:
        for t in range(above.size):
            if above[t] > 0:
                precision += scale * above[t] * np.log1p(1 / (t + scale * above[t]))
    else:
        for t in range(above.size):
            precision += above[t] * logs[t + above[t]]
    # recall gain 0 lies at the first of these, or inside the one before
    first = above.size - np.int64(np.floor(facts[6]))
    if first > 0 and above[first - 1] > 0:
        _add_gains(first - 1.0, scale * above[first - 1], 1.0, 0.0, facts, sums)
    for t in range(first, above.size):
        gain += above[t] * gains[t]
    gain *= facts[5] * scale
    sums[0] += pairs
    sums[1] += precision
    sums[2] += gain
    sums[3] += gain
    for t in range(first, above.size):
        if odds * scale * above[t] > t:
            f, P = scale * above[t], facts[0]
            clipped = trapezoid(t, f, 1.0, t + 1.0, f, odds, P, True)
            sums[3] += clipped - trapezoid(t, f, 1.0, t + 1.0, f, odds, P, False)


@compiled
def _add_gains(t, f, d, e, facts, sums):
    """Add what a group loses of precision gain, signed and clipped, beyond recall gain 0."""
    t1, f1, t_star = t + d, f + e, facts[3]
    # where nearly all rows are positive, t - t* would lose digits
    beyond = facts[6] - (facts[0] - t1) if mostly_positive(facts[0], facts[1] * facts[2]) else t1 - t_star
    if beyond <= 0:
        return
    if beyond < d:
        f, t, d = f1 - e * (beyond / d), t_star, beyond
    sums[2] += trapezoid(t, f, d, t1, f1, facts[4], facts[0], False)
    sums[3] += trapezoid(t, f, d, t1, f1, facts[4], facts[0], True)
