"""What is fitted on some rows and judged on held-out ones: hulls and thresholds from rankings that are sorted once.

A split gives each row a role. A walk down a model's ranking counts its fitted rows up to the vertices of their ROC
hull, whose segments are those of the PRG hull too. A vertex is kept with the number of rows, of all roles, whose score
is at least its threshold: that says what it accepts of the held-out rows.
"""

from typing import NamedTuple

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.engine.walks import Order, add_vertex

NEITHER, FITTED, HELD_OUT = 0, 1, 2
# of a positive, on the held-out rows against the fitted ones
ODDS = np.array([1.0, 0.25, 4.0])
BETAS_SQUARED = np.array([0.25, 1.0, 4.0])
THRESHOLDS = ("default", "probability_half", "f_calibrated", "searched", "hindsight")
CALIBRATED = ("prg", "isotonic_same", "isotonic_plug_in", "prg_moved")


class HeldOut(NamedTuple):
    """What m models accept in each split: held-out true positives, false positives, and all positives (last axis).

    Attributes
    ----------
    at_thresholds : (splits, m, thresholds, betas, 3) in the order of `THRESHOLDS`.
    at_vertices : (splits, m, 3, betas, 3) at the vertex before the one that is best for a beta, at it, and at the next.
    has_vertex : (splits, m, 3, betas) False where a neighbour is none: before the second vertex, after the last.
    """

    at_thresholds: np.ndarray
    at_vertices: np.ndarray
    has_vertex: np.ndarray


def judged_thresholds(order: Order, scores: np.ndarray, roles: np.ndarray, default: np.ndarray) -> HeldOut:
    """What thresholds for F_beta accept of the held-out rows, and what the vertices of the hull do.

    Parameters
    ----------
    order : of the rows by the (n, m) scores.
    roles : (splits, n) uint8, each split with fitted rows of both classes.
    default : (m,) the threshold that each model comes with.

    Examples
    --------
    >>> from aucstudy.metrics.engine.walks import order_of
    >>> y, scores = np.array([True, False, True, False]), np.array([[0.9], [0.2], [0.8], [0.3]])
    >>> roles = np.array([[FITTED, FITTED, HELD_OUT, HELD_OUT]], dtype=np.uint8)
    >>> judged = judged_thresholds(order_of(y, scores), scores, roles, np.array([0.5]))
    >>> dict(zip(THRESHOLDS, judged.at_thresholds[0, 0, :, 1].tolist(), strict=True))["searched"]
    [1, 0, 1]
    """
    shape = len(roles), len(order.rows)
    betas = len(BETAS_SQUARED)
    at_thresholds = np.empty((*shape, len(THRESHOLDS), betas, 3), dtype=np.int64)
    at_vertices = np.empty((*shape, 3, betas, 3), dtype=np.int64)
    has_vertex = np.empty((*shape, 3, betas), dtype=bool)
    falling = np.take_along_axis(np.asarray(scores, dtype=float).T, order.rows, axis=1)
    stops = np.empty((shape[1], len(THRESHOLDS), betas), dtype=np.int64)
    stops[:, 0] = (falling >= default[:, None]).sum(axis=1)[:, None]
    _judge(*order, falling, roles, BETAS_SQUARED, stops, at_thresholds, at_vertices, has_vertex)
    return HeldOut(at_thresholds, at_vertices, has_vertex)


def judged_calibrations(order: Order, roles: np.ndarray) -> np.ndarray:
    """What calibrated scores, cut for F_beta, accept of held-out rows of other odds than the fitted ones.

    Parameters
    ----------
    order : of all rows.
    roles : (splits, n) uint8, each split with fitted rows of both classes.

    Returns
    -------
    (m, rules, odds, betas, 3) true positives, false positives and positives, summed over the splits; negatives are
    weighted by 1 / odds. Rules in the order of `CALIBRATED`: the F-calibrated score and the probability cut at
    1/(1 + beta^2); the probability, moved to the odds, at F*/(1 + beta^2), see `expected_f`; the F-calibrated score at
    the value that is right for these odds.
    """
    counts = np.zeros((len(order.rows), len(CALIBRATED), len(ODDS), len(BETAS_SQUARED), 3))
    _judge_calibrated(*order, roles, ODDS, BETAS_SQUARED, counts)
    return counts


@compiled
def _judge(
    rows, ends_group, positive, falling, roles, betas_squared, stops, at_thresholds, at_vertices, has_vertex
):
    n_models, n = rows.shape
    all_fitted = np.full(n, FITTED, dtype=np.uint8)
    hull, d, p = np.empty((3, n + 1)), np.empty(n), np.empty(n)
    # held-out positives and negatives so far in the ranking, and all held-out positives
    above = np.zeros((3, n + 1), dtype=np.int64)
    for m in range(n_models):
        _search(rows[m], ends_group[m], positive, falling[m], all_fitted, betas_squared, stops[m, 4])
        for s in range(roles.shape[0]):
            size = _hull(rows[m], ends_group[m], positive, roles[s], hull)
            _calibrate(hull, size, d, p)
            _search(rows[m], ends_group[m], positive, falling[m], roles[s], betas_squared, stops[m, 3])
            _count_held_out(rows[m], positive, roles[s], above)
            stops[m, 1] = np.int64(hull[2, np.sum(p[: size - 1] >= 0.5)])
            for b in range(betas_squared.size):
                vertex = np.sum(d[: size - 1] >= 1 / (1 + betas_squared[b]))
                stops[m, 2, b] = np.int64(hull[2, vertex])
                for k in range(3):
                    beside = vertex + k - 1
                    has_vertex[s, m, k, b] = beside >= 1 and beside < size
                    stop = np.int64(hull[2, beside if has_vertex[s, m, k, b] else vertex])
                    at_vertices[s, m, k, b] = above[:, stop]
                for k in range(stops.shape[1]):
                    at_thresholds[s, m, k, b] = above[:, stops[m, k, b]]


@compiled
def _hull(rows, ends_group, positive, roles, hull):
    """Fill `hull` with the vertices of the fitted rows' ROC hull, and return how many.

    Of each the true positives, the false positives, and the rows of the ranking down to its score; (0, 0) first.
    """
    hull[:, 0] = 0.0
    size = 1
    t = f = 0.0
    for i in range(rows.size):
        row = rows[i]
        fitted = np.float64(roles[row] == FITTED)
        of_positive = fitted if positive[row] else 0.0
        t += of_positive
        f += fitted - of_positive
        if not ends_group[i] or (t == hull[0, size - 1] and f == hull[1, size - 1]):
            continue
        size = add_vertex(hull, size, t, f)
        hull[2, size - 1] = i + 1
    return size


@compiled
def _calibrate(hull, size, d, p):
    """Fill in the F-calibrated score and the probability of each segment, as `prg_hull` and `roc_hull` give them."""
    P = hull[0, size - 1]
    for k in range(size - 1):
        run, rise = hull[0, k + 1] - hull[0, k], hull[1, k + 1] - hull[1, k]
        p[k] = run / (run + rise)
        beta_squared = max((hull[0, k] * (rise / run) - hull[1, k]) / P, 0.0) if run > 0 else np.inf
        d[k] = 1 / (1 + beta_squared)


@compiled
def _search(rows, ends_group, positive, falling, roles, betas_squared, stops):
    """Fill in how many rows the threshold of highest F_beta on the fitted rows accepts, one a beta.

    Of several the highest; it lies half way to the next lower fitted score.
    """
    n = rows.size
    P = 0
    for i in range(n):
        P += positive[i] and roles[i] == FITTED
    best, last = np.zeros(betas_squared.size), np.zeros(betas_squared.size, dtype=np.int64)
    t = f = before = 0.0
    fitted_last = 0
    for i in range(n):
        row = rows[i]
        if roles[row] == FITTED:
            fitted_last = i
            t += positive[row]
            f += not positive[row]
        # below a group without a positive F_beta is lower than above it
        if ends_group[i] and t > before:
            before = t
            for b in range(betas_squared.size):
                worth = (1 + betas_squared[b]) * t / (t + f + betas_squared[b] * P)
                if worth > best[b]:
                    best[b], last[b] = worth, fitted_last
    for b in range(betas_squared.size):
        following = last[b] + 1
        while following < n and roles[rows[following]] != FITTED:
            following += 1
        threshold = falling[last[b]]
        if following < n:
            middle = threshold - (threshold - falling[following]) / 2
            threshold = middle if np.isfinite(middle) else threshold
        stop = last[b] + 1
        while stop < n and falling[stop] >= threshold:
            stop += 1
        stops[b] = stop


@compiled
def _count_held_out(rows, positive, roles, above):
    """Fill `above` with the held-out positives and negatives among the first rows of the ranking."""
    for i in range(rows.size):
        row = rows[i]
        held_out = np.int64(roles[row] == HELD_OUT)
        of_positive = held_out if positive[row] else 0
        above[0, i + 1] = above[0, i] + of_positive
        above[1, i + 1] = above[1, i] + held_out - of_positive
    above[2] = above[0, rows.size]


@compiled
def _judge_calibrated(rows, ends_group, positive, roles, odds, betas_squared, counts):
    n_models, n = rows.shape
    hull, d, p, moved = np.empty((3, n + 1)), np.empty(n), np.empty(n), np.empty(n)
    segment, classes = np.empty(n, np.int64), np.empty((2, n))
    falling, mass = np.empty(n), np.empty(n)
    for s in range(roles.shape[0]):
        held_out = np.flatnonzero(roles[s] == HELD_OUT)
        by_segment = np.empty_like(held_out)
        for m in range(n_models):
            size = _hull(rows[m], ends_group[m], positive, roles[s], hull)
            _calibrate(hull, size, d, p)
            _into_segments(rows[m], positive, roles[s], hull, size, segment, classes)
            _sort_by_segment(held_out, segment, classes[:, : size - 1], by_segment)
            for o in range(odds.size):
                for k in range(size - 1):
                    moved[k] = p[k] * odds[o] / (p[k] * odds[o] + 1 - p[k])
                for i in range(by_segment.size):
                    row = by_segment[i]
                    falling[i], mass[i] = moved[segment[row]], 1.0 if positive[row] else 1 / odds[o]
                best = expected_f(falling[: by_segment.size], mass, betas_squared)
                _accept(d[: size - 1], p, moved, classes, odds[o], betas_squared, best, counts[m, :, o])


@compiled
def _into_segments(rows, positive, roles, hull, size, segment, classes):
    """Fill in each held-out row's segment (the last, if below all fitted scores), and each segment's two classes."""
    classes[:, : size - 1] = 0.0
    k = 0
    for i in range(rows.size):
        row = rows[i]
        if roles[row] == HELD_OUT:
            while k < size - 2 and i >= hull[2, k + 1]:
                k += 1
            segment[row] = k
            classes[0 if positive[row] else 1, k] += 1


@compiled
def _sort_by_segment(held_out, segment, classes, by_segment):
    """Fill in the held-out rows by segment, those of one segment in the order in which they came."""
    filled = np.zeros(classes.shape[1] + 1, dtype=np.int64)
    for k in range(classes.shape[1]):
        filled[k + 1] = filled[k] + np.int64(classes[0, k] + classes[1, k])
    for row in held_out:
        by_segment[filled[segment[row]]] = row
        filled[segment[row]] += 1


@compiled
def expected_f(probability, weight, betas_squared):
    """The highest F_beta that calibrated probabilities expect of any threshold, one a beta.

    Parameters
    ----------
    probability, weight : (n,) of the rows to be classified, by falling probability; no labels are used.

    Examples
    --------
    >>> expected_f(np.array([1.0, 0.5, 0.0]), np.ones(3), BETAS_SQUARED).round(3).tolist()
    [0.909, 0.857, 0.938]
    """
    best = np.zeros(betas_squared.size)
    whole = 0.0
    for i in range(probability.size):
        whole += probability[i] * weight[i]
    tp = n = 0.0
    for i in range(probability.size):
        tp += probability[i] * weight[i]
        n += weight[i]
        if i + 1 == probability.size or probability[i + 1] < probability[i]:
            for b in range(betas_squared.size):
                worth = (1 + betas_squared[b]) * tp / (n + betas_squared[b] * whole)
                best[b] = max(best[b], worth)
    return best


@compiled
def _accept(d, p, moved, classes, odds, betas_squared, best, counts):
    """Add to `counts` (rules, betas, 3) what each rule accepts of the held-out rows."""
    for b in range(betas_squared.size):
        ratio = 1 / (1 + betas_squared[b])
        # F_beta of rows with other odds is that of beta^2 times the odds on the fitted rows
        ratio_moved = 1 / (1 + odds * betas_squared[b])
        for k in range(d.size):
            t, f = classes[0, k], classes[1, k] / odds
            accepted = d[k] >= ratio, p[k] >= ratio, moved[k] >= best[b] * ratio, d[k] >= ratio_moved
            for rule in range(4):
                if accepted[rule]:
                    counts[rule, b, 0] += t
                    counts[rule, b, 1] += f
                counts[rule, b, 2] += t
