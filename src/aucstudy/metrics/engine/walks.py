"""Rankings that are sorted once, and walks down them: what the rest of the project may ask of the compiled engine.

A resample is a count for each row (0 or 1 for a half, 0, 1, 2, ... for a bootstrap), a draw of subsets the number of
one for each row. A walk down the known order adds rows up to groups of tied rows, and every quantity is a sum over
those that hold a positive: one pass, and no sorting. Counts are added plainly: whole ones exactly, others to n 1e-16.

>>> order = order_of(np.array([True, False, True, False]), np.array([[0.9], [0.5], [0.1], [0.1]]))
>>> all_areas(order).round(4).tolist()
[[0.625, 0.75, 0.0, 0.6393, 0.75]]
>>> resampled_areas(order, np.array([[1, 1, 1, 1], [1, 2, 0, 0]]))[2].tolist()
[[0.625], [1.0]]
>>> areas_of_subsets(order, np.array([[0, 0, 1, 1]]), 2, nested=True)[2, 0, :, 0].tolist()
[1.0, 0.625]
>>> false_positives_of_subsets(order, np.zeros(4), 1, np.array([0.25, 0.5, 0.75])).tolist()
[[[0.0, 1.0, 1.5]]]
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from aucstudy.metrics import inputs
from aucstudy.metrics.compiled import compiled, inlined
from aucstudy.metrics.engine import lanes
from aucstudy.metrics.engine.sums import (
    SUMS,
    add_groups,
    finish,
    gain_loss,
    growth_terms,
    pr_terms,
    totals_of,
)

RESAMPLED_AREAS = ("aupr", "auprg", "auroc")
SUBSET_AREAS = ("aupr", "auprg", "auroc", "aucnpr", "auprg_clipped")
OBSERVED = np.array([0.0, 0.0, 0.0, 1.0])  # options: observed prevalence, signed, whole recall range
MOST_PARTS = 127
_NONE = 255
TABLED = 10  # equal positives whose share in AUPR is looked up


class Order(NamedTuple):
    """The `rows` (m, n) of a task by the falling scores of each model, and which are `positive` (n,).

    `ends_group` (m, n) is true where the next row's score is lower, so that tied rows form one group.
    """

    rows: np.ndarray
    ends_group: np.ndarray
    positive: np.ndarray


def order_of(y_true: np.ndarray, scores: np.ndarray) -> Order:
    """Sort the rows by each column of (n, m) scores, once; tied rows keep their order.

    >>> order_of(np.array([True, False, True]), np.array([[0.2], [0.9], [0.2]])).rows.tolist()
    [[1, 0, 2]]
    """
    falling = np.ascontiguousarray(-np.asarray(scores, dtype=float).T)
    rows, ends = np.empty(falling.shape, dtype=np.int32), np.empty(falling.shape, dtype=bool)
    # a stable sort would take four times as long
    _settle_ties(falling, np.argsort(falling, axis=1), rows, ends)
    return Order(rows, ends, np.asarray(y_true, dtype=bool))


@compiled
def _settle_ties(falling, by_score, rows, ends_group):
    n = rows.shape[1]
    # of each row the place where its group begins, and of each group the place of its next row
    group, place = np.empty(n, dtype=np.int32), np.empty(n + 1, dtype=np.int32)
    for m in range(rows.shape[0]):
        start, tied = 0, False
        place[0] = 0
        for i in range(n):
            row = by_score[m, i]
            rows[m, i], group[row] = row, start
            ends = i + 1 == n or falling[m, by_score[m, i + 1]] != falling[m, row]
            ends_group[m, i] = ends
            tied |= not ends
            if ends:
                start = i + 1
                place[start] = start
        if tied:
            for row in range(n):
                rows[m, place[group[row]]] = row
                place[group[row]] += 1


@compiled
def tie_groups(rows, ends_group, positive, counts, groups):
    """Fill `groups` with those of one model that hold a positive, and return how many there are."""
    # one entry is to spare: a group is written before it is known to hold a positive
    t, f, d, e, left = groups
    size = 0
    above = negatives_above = tied = negatives_tied = 0.0
    for i in range(rows.size):
        row = rows[i]
        count = np.float64(counts[row])
        of_positive = count if positive[row] else 0.0
        tied += of_positive
        negatives_tied += count - of_positive
        if ends_group[i]:
            t[size], f[size], d[size], e[size] = above, negatives_above, tied, negatives_tied
            size += tied > 0
            above += tied
            negatives_above += negatives_tied
            tied = negatives_tied = 0.0
    for i in range(size):
        left[i] = above - (t[i] + d[i])
    return size


@inlined
def add_vertex(hull, size, t, f):
    """Add the next point (t, f) of a ROC curve to the hull of those before it, and return how many vertices there are.

    `hull` holds the true and the false positives of `size` vertices, (0, 0) first, and has room for another.
    """
    while size > 1:
        last, before = size - 1, size - 2
        if (hull[0, last] - hull[0, before]) * (f - hull[1, last]) > (t - hull[0, last]) * (
            hull[1, last] - hull[1, before]
        ):
            break
        size -= 1
    hull[0, size], hull[1, size] = t, f
    return size + 1


def all_areas(order: Order, counts: np.ndarray | None = None, prevalence: float | None = None) -> np.ndarray:
    """The (m, 5) areas of one resample, as `aucstudy.metrics.areas` of the repeated rows."""
    counts = np.ones(len(order.positive)) if counts is None else np.asarray(counts, dtype=float)
    totals = np.array([[counts[order.positive].sum(), counts[~order.positive].sum()]])
    options = OBSERVED.copy()
    options[0] = prevalence or 0.0
    sums, areas = np.empty((1, len(order.rows), SUMS)), np.empty((1, len(order.rows), 5))
    _sum_areas(*order, counts, totals_of(totals[0, 0], totals[0, 1], options), sums[0])
    finish(sums, totals, options, areas)
    return areas[0]


@compiled
def _sum_areas(rows, ends_group, positive, counts, c, out):
    groups = np.empty((5, rows.shape[1] + 1))
    for m in range(rows.shape[0]):
        sums = np.zeros((2, SUMS))
        add_groups(groups, tie_groups(rows[m], ends_group[m], positive, counts, groups), c, sums)
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
                size = tie_groups(rows[m], ends_group[m], positive, counts[s], groups)
                areas[0, s, m], areas[1, s, m], areas[2, s, m] = plain_areas(groups, size, c)


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
    t, f, d = (
        np.empty(n + 1, dtype=np.int64),
        np.empty(n + 1, dtype=np.int64),
        np.empty(n + 1, dtype=np.int64),
    )
    is_positive = np.empty(n, dtype=np.int64)
    for m in range(rows.shape[0]):
        for i in range(n):
            is_positive[i] = positive[rows[m, i]]
        for s in range(counts.shape[0]):
            size = above = negatives_above = np.int64(0)
            for i in range(n):
                count = np.int64(counts[s, np.uint32(rows[m, i])])
                of_positive = count * is_positive[i]
                t[size], f[size], d[size] = above, negatives_above, of_positive
                size += of_positive > 0
                above += of_positive
                negatives_above += count - of_positive
            if above == 0 or negatives_above == 0:
                continue
            c = totals_of(np.float64(above), np.float64(negatives_above), OBSERVED)
            pairs = precision = loss = 0.0
            for i in range(size):
                group = np.float64(t[i]), np.float64(f[i]), np.float64(d[i]), 0.0
                pairs += group[2] * (c.N - group[1])
                q = t[i] + f[i]
                if 0 < q < growths.shape[1] and d[i] <= growths.shape[0]:
                    precision += growths[d[i] - 1, q, 0] + group[0] * growths[d[i] - 1, q, 1]
                else:
                    precision += pr_terms(*group)[0]
                loss += gain_loss(*group, np.float64(above - t[i] - d[i]), c)
            areas[0, s, m], areas[1, s, m], areas[2, s, m] = precision / c.P, 1 - loss, pairs / (c.P * c.N)


@inlined
def plain_areas(groups, size, c):
    """AUPR, AUPRG and AUROC, without the compensation that long rankings ask for."""
    t, f, d, e, left = groups
    pairs = precision = loss = 0.0
    for i in range(size):
        pairs += d[i] * (c.N - f[i] - 0.5 * e[i])
        precision += pr_terms(t[i], f[i], d[i], e[i])[0]
        loss += gain_loss(t[i], f[i], d[i], e[i], left[i], c)
    return precision / c.P, 1 - loss, pairs / (c.P * c.N)


def areas_from_aupr_to_auprg(order: Order) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The (m, 5) areas from AUPR to AUPRG, the same steps in other orders (m, 4, 3), and (m,) shares of tied positives.

    AUPR; the same measured from the baseline; that over recall >= pi only; that with recall on the gain scale; AUPRG.
    In other orders: all recall on the gain scale; precision harmonic; both; precision harmonic over recall >= pi. Where
    recall starts at 0 these are infinite, so each is three numbers, the next of which counts where those before are
    equal: what an area is led by as the lowest recall that counts goes to 0, and what is left. A positive is tied that
    shares its score with a negative.
    """
    P = float(order.positive.sum())
    N = len(order.positive) - P
    m = len(order.rows)
    areas, other_orders, tied = np.full((m, 5), np.nan), np.full((m, 4, 3), np.nan), np.full(m, np.nan)
    if P and N:
        c = totals_of(P, N, OBSERVED)._replace(t_star=P / (P + N) * P)  # where the third area starts too
        counts = np.ones(len(order.positive), dtype=np.uint8)
        _path(*order, counts, c, areas, other_orders, tied)
    return areas, other_orders, tied


@compiled
def _path(rows, ends_group, positive, counts, c, areas, other_orders, tied):
    prevalence, odds = c.P / (c.P + c.N), c.P / c.N
    groups = np.empty((5, rows.shape[1] + 1))
    for m in range(rows.shape[0]):
        whole = above = weighted = loss = shared = 0.0
        scaled = false = false_scaled = false_above = 0.0
        other_orders[m] = 0.0
        for i in range(tie_groups(rows[m], ends_group[m], positive, counts, groups)):
            t, f, d, e = groups[0, i], groups[1, i], groups[2, i], groups[3, i]
            whole += pr_terms(t, f, d, e)[0]
            loss += gain_loss(t, f, d, e, groups[4, i], c)
            t0 = max(t, c.t_star)  # the part of the group at recalls of at least pi
            inside = t + d - t0
            if inside > 0:
                f0, negatives = f + e * ((t0 - t) / d), e * (inside / d)
                above += pr_terms(t0, f0, inside, negatives)[0]
                weighted += _gain_weighted(t0, f0, inside, negatives)
                false_above += _false_per_true(t0, f0, inside, negatives)[0]
            if t > 0:
                scaled += _gain_weighted(t, f, d, e)
                once, twice = _false_per_true(t, f, d, e)
                false, false_scaled = false + once, false_scaled + twice
            else:
                _led_by(f, d, e, other_orders[m])
            shared += d if e > 0 else 0.0
        areas[m, 0] = whole / c.P
        areas[m, 1] = (whole / c.P - prevalence) / (1 - prevalence)
        areas[m, 2] = (above / (c.P - c.t_star) - prevalence) / (1 - prevalence)
        areas[m, 3] = (odds * c.P * weighted - prevalence) / (1 - prevalence)
        areas[m, 4] = 1 - loss
        for k, rest in enumerate((scaled, -false, -false_scaled, -false_above)):
            other_orders[m, k, 2] += rest
        tied[m] = shared / c.P


@inlined
def _false_per_true(t, f, d, e):
    """Integrate f / t, the harmonic loss, and f / t^3, the same with recall on the gain scale, over one group."""
    slope, end = e / d, t + d
    start = f - slope * t
    return (
        e + start * np.log1p(d / t),
        slope * d / (t * end) + start * d * (t + end) / (2 * t * t * end * end),
    )


@inlined
def _led_by(f, d, e, out):
    """Write what the first group with a positive, in which t starts at `low`, adds as `low` goes to 0."""
    slope = e / d
    if f == 0:  # constant precision: as 1 / low
        out[0, 0], out[0, 2] = 1 / (1 + slope), -1 / ((1 + slope) * d)
    else:  # as log(1 / low) / f
        out[0, 1], out[0, 2] = 1 / f, np.log(d * f / (f + d + e)) / f
    # as log(1 / low)
    out[1, 0], out[1, 2] = -f, -e - f * np.log(d)
    # as 1 / (2 low^2), then as 1 / low
    out[2, 0], out[2, 1], out[2, 2] = -f, -slope, f / (2 * d * d) + slope / d


@compiled
def _gain_weighted(t0, f0, d, e):
    """Integrate precision / t^2 over the true positives of one group, d / (t0 q1) log1p(z)/z."""
    q0, q1 = t0 + f0, t0 + f0 + d + e
    z = (d * q0 - t0 * (d + e)) / (t0 * q1)
    ratio = 1 - z / 2 + z * z / 3 if abs(z) < 1e-6 else np.log1p(z) / z
    return d / (t0 * q1) * ratio


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
    parts : (draws, n) whole numbers: the part that a row falls into; from `n_parts`, at most 127, on none.
    nested : whether subset k holds the rows of all parts up to k, instead of those of part k alone.
    prevalence : the one to compute at, None for that of the subset.
    aupr_at : another prevalence, at which AUPR is wanted besides.
    of : the areas wanted, some of `SUBSET_AREAS`.

    Returns
    -------
    (areas, draws, n_parts, m) in the order of `of`, then AUPR at `aupr_at`; NaN for a subset of one class. They are
    those of `aucstudy.metrics.areas` but for rounding.
    """
    if not 0 < n_parts <= MOST_PARTS:
        raise ValueError(f"n_parts must lie in 1 to {MOST_PARTS}, not {n_parts}")
    parts = np.asarray(parts)
    if parts.dtype != np.uint8:
        parts = np.minimum(parts, _NONE)  # which is in no part
    parts = np.ascontiguousarray(parts, dtype=np.uint8)
    totals = np.zeros((len(parts), n_parts, 2))
    areas = np.full((6, len(parts), n_parts, len(order.rows)), np.nan)
    options = inputs.checked_prevalence(prevalence) or 0.0, "auprg_clipped" in of, aupr_at or 0.0
    lanes.walk(*order, parts, totals, nested, _factors(len(order.positive) + 1), options, areas)
    wanted = [SUBSET_AREAS.index(area) for area in of]
    return areas[wanted if aupr_at is None else [*wanted, 5]]


@lru_cache(maxsize=1)
def _factors(size: int) -> np.ndarray:
    """What AUPR and AUPRG lose by each negative above a positive that is not tied, so that a row costs no logarithm.

    With q rows above it, t of them positive: log(1 + 1/q) and (1/t + 1/(t + 1)) / (2 t (t + 1)).
    """
    counts = np.arange(1.0, size + 1)
    logs = np.concatenate([[0.0], np.log1p(1 / counts)])
    gains = np.concatenate([[0.0], 0.5 * (1 / counts + 1 / (counts + 1)) / (counts * (counts + 1))])
    return np.stack([logs, gains])


def false_positives_of_subsets(
    order: Order, parts: np.ndarray, n_parts: int, recalls: np.ndarray
) -> np.ndarray:
    """The (n_parts, m, points) false positives at `recalls`, rising in [0, 1), on each part, which has positives.

    Interpolated within tied scores; where a recall is reached exactly, those down to the next positive.
    """
    codes = np.where(parts < n_parts, 2 * parts + order.positive, _NONE).astype(np.uint8)
    n_positive = np.array([np.count_nonzero(codes == 2 * k + 1) for k in range(n_parts)])
    false = np.empty((n_parts, len(order.rows), len(recalls)))
    _reach(*order[:2], codes, recalls * n_positive[:, None], false)
    return false


@compiled
def _reach(rows, ends_group, codes, wanted, false):
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
                own = np.int64(code >> 1)
                counts[own, 3 - (code & 1)] += 1
                low, high = min(low, own), max(high, own + 1)
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


@compiled
def to_next_positive(rows, ends_group, positive, sampled, n_sampled, places, above, tied, below):
    """Move every model on to its next positive, in all draws at once, and fill in the negatives `below` it (m, draws).

    Within a group of tied scores the negatives fall evenly from positive to positive.

    Parameters
    ----------
    sampled : (n, draws) uint8, 1 for the `n_sampled` negatives of each sample, 0 for all other rows.
    places : (m, 3) int64, zeros at first: each model's next row, the positives of its group and those passed.
    above, tied : (m, draws) int32, zeros at first: negatives above the group and in it.
    """
    for m in range(rows.shape[0]):
        start, d, g = places[m]
        while g == d:
            if d > 0:
                for draw in range(below.shape[1]):
                    above[m, draw] += tied[m, draw]
                    tied[m, draw] = 0
            stop, d, g = start, 0, 0
            while stop == start or not ends_group[m, stop - 1]:
                d += positive[rows[m, stop]]
                stop += 1
            into = tied if d > 0 else above
            for place in range(start, stop):
                row = rows[m, place]
                if not positive[row]:
                    for draw in range(below.shape[1]):
                        into[m, draw] += sampled[row, draw]
            start = stop
        for draw in range(below.shape[1]):
            below[m, draw] = n_sampled - above[m, draw] - tied[m, draw] * (g + 0.5) / d
        places[m, 0], places[m, 1], places[m, 2] = start, d, g + 1
