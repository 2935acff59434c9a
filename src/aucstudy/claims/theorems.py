"""Theorems 1 to 4 and the expectations of Flach & Kull 2015, tried on random rankings."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

from aucstudy.claims.verdicts import Claim, Finding
from aucstudy.metrics.areas import areas
from aucstudy.metrics.curves import Counts, counts_from_zero_gain, gains_at, ranking_counts
from aucstudy.metrics.gains import expected_f_gain

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
        **_expectations(counts, expected_f_gain(y_true, scores)),
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
