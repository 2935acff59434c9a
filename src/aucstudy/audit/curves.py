"""The thinned curves that the page of an audit draws, and the bands around them.

A band holds 95 % limits of the false positive rate at each of RECALLS. They are percentiles over random
halves of the rows. At either end of a ranking a positive and a negative are added, and each of the four is in
a half with probability 1/2. With them the curve of a half may lie beyond the last row of a class.
"""

import numpy as np

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.curves import Counts, counts_from_zero_gain, ranking_counts, with_hyperbolas
from aucstudy.metrics.kernel import Order, groups_of, order_of
from aucstudy.metrics.uncertainty.sample import Sample, half_samples
from aucstudy.statistics.seeds import generator

# The horizontal and the vertical axis of each plot.
SPACES = {
    "pr": ("recall", "precision"),
    "prg": ("recall gain", "precision gain"),
    "roc": ("false positive rate", "recall"),
}
TOLERANCE = 0.002  # share of an axis: less than a pixel if the plot has 400
HYPERBOLA_STEP = 1 / 60  # largest step of recall between two points of a hyperbola in PR space
RECALLS = (np.arange(1, 41) / 40) ** 2
HALVES, FEWEST_HALVES = 200, 100
CELLS = 40_000_000  # largest number of rows x models x halves, which limits the time


def thinned_curve(
    y_true: np.ndarray, score: np.ndarray, weight: np.ndarray | None
) -> dict[str, dict[str, np.ndarray]]:
    """Return the points of a model's curve in each of SPACES: the values of `rates` and the thresholds."""
    counts = ranking_counts(y_true, score, weight)
    kept = kept_vertices(counts.true_positives, counts.false_positives)
    vertices = Counts(*(field[kept] for field in counts))
    steps = np.ceil(np.diff(vertices.true_positives) / (HYPERBOLA_STEP * counts.P))
    points = {
        "pr": with_hyperbolas(vertices, np.maximum(steps - 1, 0)),
        "prg": counts_from_zero_gain(vertices),
        "roc": vertices,
    }
    curve = {
        space: {
            "threshold": np.asarray(of.thresholds, dtype=float),
            **rates(of.true_positives / counts.P, of.false_positives / counts.N, counts.prevalence),
        }
        for space, of in points.items()
    }
    for values in curve.values():
        for key in ("precision", "precision gain"):
            # Above every score the values of the first rows are taken, as in `pr_curve` and `prg_curve`.
            if np.isnan(values[key][0]):
                values[key][0] = values[key][1]
    return curve


def rates(recall: np.ndarray, false_positive_rate: np.ndarray, prevalence: float) -> dict[str, np.ndarray]:
    """Return the values by the names of the axes in SPACES.

    If no positive is accepted, some of them are NaN or infinite.
    """
    odds = prevalence / (1 - prevalence)
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "recall": recall,
            "false positive rate": false_positive_rate,
            "precision": odds * recall / (odds * recall + false_positive_rate),
            "recall gain": 1 - odds * (1 - recall) / recall,
            "precision gain": 1 - false_positive_rate / recall,
        }


def kept_vertices(t: np.ndarray, f: np.ndarray, tolerance: float = TOLERANCE) -> np.ndarray:
    """Return the indices of the vertices to keep of a curve (Douglas and Peucker 1973).

    `t` and `f` are the cumulated true and false positives at the vertices. A vertex that is left out lies
    within `tolerance` of the segment that replaces it, in ROC, PR and PRG space.
    """
    # Of consecutive vertices with the same true positives, the first and the last suffice: none between them
    # is farther from a segment than the farther of the two.
    turns = np.ones(len(t), dtype=bool)
    turns[2:-1] = (t[1:-2] != t[2:-1]) | (t[2:-1] != t[3:])
    corners = np.flatnonzero(turns)
    keep = np.zeros(len(corners), dtype=np.bool_)
    keep[[0, min(1, len(corners) - 1), -1]] = True
    _split(t[corners].astype(float), f[corners].astype(float), tolerance, keep)
    return corners[keep]


@compiled
def _split(t, f, tolerance, keep):
    stack = [(1, t.size - 1)]
    while stack:
        a, b = stack.pop()
        worst, furthest = tolerance, -1
        for j in range(a + 1, b):
            distance = _distance(t, f, a, b, j)
            if distance > worst:
                worst, furthest = distance, j
        if furthest >= 0:
            keep[furthest] = True
            stack.append((a, furthest))
            stack.append((furthest, b))


@compiled
def _distance(t, f, a, b, j):
    P, N = t[-1], f[-1]
    dx, dy = (f[b] - f[a]) / N, (t[b] - t[a]) / P
    length = np.sqrt(dx * dx + dy * dy)
    x, y = (f[j] - f[a]) / N, (t[j] - t[a]) / P
    distance = abs(dx * y - dy * x) / length if length > 0 else 0.0
    if t[b] == t[a] or t[j] == 0:
        return distance
    guess = f[a] + (f[b] - f[a]) * ((t[j] - t[a]) / (t[b] - t[a]))
    distance = max(distance, abs(t[j] / (t[j] + f[j]) - t[j] / (t[j] + guess)))
    if t[j] >= P * P / (P + N):
        k = P / N
        gain, guessed = max(1 - k * f[j] / t[j], -0.02), max(1 - k * guess / t[j], -0.02)
        distance = max(distance, abs(gain - guessed))
    return distance


def bands(sample: Sample, seed: int) -> np.ndarray | None:
    """Return the limits of the bands, (m, 2, 40).

    None is returned if a class has one row, or if there are too many scores for CELLS.
    """
    draws = min(HALVES, CELLS // sample.scores.size)
    if draws < FEWEST_HALVES or min(sample.class_counts()) < 2:
        return None
    order = with_four_rows(sample)
    rng = generator(seed, "audit", "bands")
    added_weight = sample.weights_of_one_more()
    drawn = [
        false_positive_rates(order, np.r_[weight, np.repeat(added_weight, 2) * (rng.random(4) < 0.5)])
        for weights in half_samples(sample, draws, rng)
        for weight in weights
    ]
    rates = false_positive_rates(order, np.r_[sample.weights(), np.zeros(4)])
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    return np.stack([np.minimum(low, rates), np.maximum(high, rates)], axis=1)


def with_four_rows(sample: Sample) -> Order:
    """Return the order of the rows and of four more: a positive and a negative at either end."""
    ranks = np.stack([np.unique(column, return_inverse=True)[1] for column in sample.scores.T], axis=1)
    top, bottom = ranks.max(axis=0) + 1, np.full(ranks.shape[1], -1)
    y_true = np.r_[sample.y_true, True, True, False, False]
    return order_of(y_true, np.vstack([ranks, top, bottom, top, bottom]))


def false_positive_rates(order: Order, weight: np.ndarray) -> np.ndarray:
    """Return the false positive rates (m, 40) at which the curves of weighted rows reach RECALLS."""
    P, N = weight[order.positive].sum(), weight[~order.positive].sum()
    true_positives, rates = RECALLS * P * (1 - 1e-9), []  # 1e-9 less, since the sums t + d are rounded
    for model in range(len(order.rows)):
        t, f, d, e = groups_of(order, model, weight)
        reached = np.searchsorted(t + d, true_positives)
        rates.append((f[reached] + e[reached] * (true_positives - t[reached]) / d[reached]) / N)
    return np.array(rates)
