"""The theorems of Flach & Kull 2015 and what follows from them, tried on random rankings."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

from aucstudy.claims.verdicts import Claim, Finding
from aucstudy.metrics.areas import areas
from aucstudy.metrics.curves import Counts, counts_from_zero_gain, gains_at, ranking_counts
from aucstudy.metrics.gains import expected_f_gain
from aucstudy.metrics.hulls import prg_hull

RANKINGS, SEED = 200, 1
DRAWS = 50  # random pairs of thresholds and weights of a ranking
BETAS_SQUARED = (0.25, 1.0, 4.0)
TOLERANCE = 1e-9  # relative; float noise stays far below it


def random_rankings(*, untied: bool = False) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the labels and the scores of random rankings of 8 to 60 rows.

    The labels are bool and have both classes. Half of the rankings can have ties, unless they are to be
    `untied`.
    """
    rng = np.random.default_rng(SEED)
    for k in range(RANKINGS):
        n = int(rng.integers(8, 61))
        y = rng.random(n) < rng.uniform(0.1, 0.6)
        y[:2] = True, False
        scores = rng.normal(size=n) + y
        yield y, scores if untied or k % 2 else np.round(scores, 1)


@cache
def deviations_of_rankings() -> pd.DataFrame:
    """Return the deviations on random rankings, a row for each ranking and a column for each identity."""
    rng = np.random.default_rng(SEED)
    return pd.DataFrame([deviations(*ranking, rng) for ranking in random_rankings()])


def identities(claim: Claim) -> Finding:
    tried = deviations_of_rankings()[[*claim.names]]
    largest = tried.max()
    finding = claim.exact_if((largest <= TOLERANCE).all(), *largest, rankings=len(tried))
    counted = zip(finding.items, tried.count(), strict=True)
    return replace(finding, items=[replace(item, n=int(n)) for item, n in counted])


def deviations(y_true: np.ndarray, scores: np.ndarray, rng: np.random.Generator) -> dict[str, float]:
    """Return the largest relative deviation from each identity on one ranking, NaN if it cannot be tried.

    For theorem 3, E[acc] and E[1/F1], an integral is compared with the value that follows from AUPRG or
    AUROC.
    """
    counts, exact = ranking_counts(y_true, scores), areas(y_true, scores)
    t, f, n, pi = (counts.true_positives, counts.false_positives, counts.P + counts.N, exact.prevalence)
    accuracy = np.trapezoid((t + counts.N - f) / n, (t + f) / n)
    return {
        "theorem 1": _interpolation(counts, rng),
        "theorem 2": _f_gain(counts),
        "theorem 4": _equal_f(counts, rng),
        "E[acc]": _largest(accuracy, pi * (1 - pi) * (2 * exact.auroc - 1) + 0.5),
        "accuracy isometrics": _isometrics(counts),
        "F1 as accuracy": _f1_as_accuracy(counts),
        "always positive": _always_positive(counts),
        "d of a segment": _d_of_segments(y_true, scores),
        **_expectations(counts, expected_f_gain(y_true, scores)),
        **_along_delta(counts, exact.auprg),
    }


def _largest(computed: np.ndarray, stated: np.ndarray) -> float:
    gap = np.abs(np.subtract(computed, stated)) / np.maximum(1, np.abs(stated))
    return float(np.max(gap)) if np.size(gap) else np.nan


def _interpolation(counts: Counts, rng: np.random.Generator) -> float:
    """Return the largest deviation from theorem 1.

    It says that mixing counts by lambda mixes gains by mu = lambda TP1 / (lambda TP1 + (1 - lambda) TP2).
    """
    first, second = _two_vertices(counts, rng)
    weight = rng.random(len(first.true_positives))
    t, f = (weight * a + (1 - weight) * b for a, b in zip(first[1:3], second[1:3], strict=True))
    between = Counts(first.thresholds, t, f, counts.P - t)
    mu = weight * first.true_positives / between.true_positives
    gains = [gains_at(each, counts.P, counts.N) for each in (between, first, second)]
    return max(_largest(m, mu * a + (1 - mu) * b) for m, a, b in zip(*gains, strict=True))


def _two_vertices(counts: Counts, rng: np.random.Generator) -> tuple[Counts, Counts]:
    """Return the counts at random pairs of thresholds with true positives.

    The values of the thresholds are not used and are 0.
    """
    with_positives = np.flatnonzero(counts.true_positives > 0)
    picked = rng.choice(with_positives, (2, DRAWS))
    return tuple(Counts(np.zeros(DRAWS), *(field[k] for field in counts[1:])) for k in picked)


def _f_gain(counts: Counts) -> float:
    has_positives = counts.true_positives > 0
    t, f, P = counts.true_positives[has_positives], counts.false_positives[has_positives], counts.P
    pi = counts.prevalence
    recall_gain, precision_gain = (gain[has_positives] for gain in gains_at(counts, P, counts.N))
    worst = []
    for squared in BETAS_SQUARED:
        f_beta = (1 + squared) * t / (t + f + squared * P)
        f_gain = (f_beta - pi) / ((1 - pi) * f_beta)
        worst.append(_largest(precision_gain + squared * recall_gain, (1 + squared) * f_gain))
    return max(worst)


def _equal_f(counts: Counts, rng: np.random.Generator) -> float:
    """Return the largest deviation from theorem 4, NaN if there is no pair of models to try.

    It says that two models have the same F_beta at a stated beta. Above this beta the model of higher recall
    wins, and below it the other. If a wrong model wins, infinity is returned.
    """
    first, second = _two_vertices(counts, rng)
    p1, p2 = (each.true_positives / (each.true_positives + each.false_positives) for each in (first, second))
    r1, r2 = (each.true_positives / counts.P for each in (first, second))
    first_more_precise = (p1 > p2) & (r1 < r2)
    if not first_more_precise.any():
        return np.nan
    p1, p2, r1, r2 = (side[first_more_precise] for side in (p1, p2, r1, r2))
    squared = -(1 / p1 - 1 / p2) / (1 / r1 - 1 / r2)

    def f_beta(p: np.ndarray, r: np.ndarray, squared: np.ndarray) -> np.ndarray:
        return (1 + squared) * p * r / (squared * p + r)

    one_sided = all(
        (sign * (f_beta(p2, r2, factor * squared) - f_beta(p1, r1, factor * squared)) > 0).all()
        for factor, sign in ((1.5, 1), (1 / 1.5, -1))
    )
    return _largest(f_beta(p1, r1, squared), f_beta(p2, r2, squared)) if one_sided else np.inf


def _isometrics(counts: Counts) -> float:
    """Return how far accuracy changes along a line of slope (1 - pi) / pi in ROC space."""
    pi, fpr, tpr = counts.prevalence, counts.false_positives / counts.N, counts.true_positives / counts.P

    def accuracy(fpr: np.ndarray, tpr: np.ndarray) -> np.ndarray:
        return pi * tpr + (1 - pi) * (1 - fpr)

    return _largest(accuracy(fpr + 0.1, tpr + 0.1 * (1 - pi) / pi), accuracy(fpr, tpr))


def _f1_as_accuracy(counts: Counts) -> float:
    has_positives = counts.true_positives > 0
    t, f = counts.true_positives[has_positives], counts.false_positives[has_positives]
    precision, recall = t / (t + f), t / counts.P
    false_negatives, true_negatives = counts.P - t, t
    accuracy = (t + true_negatives) / (t + f + false_negatives + true_negatives)
    return _largest(2 * precision * recall / (precision + recall), accuracy)


def _always_positive(counts: Counts) -> float:
    recall_gain, precision_gain = gains_at(counts, counts.P, counts.N)
    return _largest(np.array([recall_gain[-1], precision_gain[-1]]), np.array([1.0, 0.0]))


def _d_of_segments(y_true: np.ndarray, scores: np.ndarray) -> float:
    """Return how far F_beta of the two ends of a segment of the PRG hull differs at beta^2 = (1 - d) / d.

    Segments without such a beta are left out. NaN is returned if there is no other.
    """
    hull = prg_hull(y_true, scores)
    inner = (hull.d > 0) & (hull.d < 1)
    squared = (1 - hull.d[inner]) / hull.d[inner]
    ends = (slice(None, -1), slice(1, None))
    precisions, recalls = ([values[end][inner] for end in ends] for values in (hull.precision, hull.recall))
    first, second = (
        (1 + squared) * p * r / (squared * p + r) for p, r in zip(precisions, recalls, strict=True)
    )
    return _largest(first, second)


def _along_delta(counts: Counts, auprg: float) -> dict[str, float]:
    """Return the largest fall of Delta along the ranking, and the deviations from the expected F-Gain of any beta.

    The expected F-Gain is the integral over Delta from recall gain 0 on, in terms of AUPRG and y0. With y0 = 1 and
    beta = 1 it is AUPRG / 2 + 1 / 4. NaN stands for what is not defined.
    """
    pi, gained = counts.prevalence, counts_from_zero_gain(counts)
    recall_gain, precision_gain = gains_at(gained, counts.P, counts.N)
    delta = recall_gain / pi - precision_gain / (1 - pi)
    y0, length = precision_gain[0], delta[-1] - delta[0]
    fall = float(np.max(-np.diff(delta), initial=0.0)) / max(1.0, float(np.abs(delta).max()))
    if length <= 0:
        return {"Delta": fall, "E[FG_beta]": np.nan, "y0 = 1": np.nan}

    def expected(squared: float) -> tuple[float, float]:
        f_gain = (precision_gain + squared * recall_gain) / (1 + squared)
        of_precision = auprg / pi + y0**2 / (2 * (1 - pi))
        of_recall = 1 / (2 * pi) + auprg / (1 - pi)
        stated = (of_precision + squared * of_recall) / ((1 + squared) * length)
        return np.trapezoid(f_gain, delta) / length, stated

    first_is_perfect = _largest(expected(1.0)[0], auprg / 2 + 0.25) if y0 == 1 else np.nan
    deviation = max(_largest(*expected(squared)) for squared in BETAS_SQUARED)
    return {"Delta": fall, "E[FG_beta]": deviation, "y0 = 1": first_is_perfect}


def _expectations(counts: Counts, stated: float) -> dict[str, float]:
    """Return the deviations from theorem 3 and from the value of E[1/F1], NaN if they are not defined.

    Both integrate over Delta = recG/pi - precG/(1 - pi). The trapezoids are exact, because FG1 and 1/F1 are
    linear in Delta between two points.
    """
    pi, P, N = counts.prevalence, counts.P, counts.N
    gained = counts_from_zero_gain(counts)
    recall_gain, precision_gain = gains_at(gained, P, N)
    delta = recall_gain / pi - precision_gain / (1 - pi)
    length = delta[-1] - delta[0]
    if np.isnan(stated) or length <= 0:
        return {"theorem 3": np.nan, "E[1/F1]": np.nan}
    f1 = 2 * gained.true_positives / (gained.true_positives + gained.false_positives + P)
    expected = {
        "theorem 3": (np.trapezoid((f1 - pi) / ((1 - pi) * f1), delta) / length, stated),
        "E[1/F1]": (np.trapezoid(1 / f1, delta) / length, (1 - (1 - pi) * stated) / pi),
    }
    return {name: _largest(*pair) for name, pair in expected.items()}
