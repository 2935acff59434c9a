"""Candidates for 95 % intervals of a metric, and of a difference of two models, where positives may be few.

`area_interval_tournament` compares them. The method that the package had, called today's, is the first one: the scale
"plain" with the variance of random halves, one unseen row of each class, and one degree of freedom fewer than the rarer
class has units. A candidate is one choice of each of these:

* *scale*: "plain"; "arcsine" and "logit" of the metric's share of its range; "Wilson", whose variance is that of
  a share at the limit, with an effective number of rows; "Newcombe", his (2006) score interval of AUROC.
* *variance*: of random "halves"; of "influences"; of "scaled halves", which deviate on the arcsine scale; or of
  "pseudo-rows", which are the influences of a sample with further rows.
* *unseen*: the weight of the unseen positive and of the unseen negative whose squared effects are added to the
  variance. With pseudo-rows it is the weight of each class that is put into the sample, half of it on top of the
  ranking and half at its bottom, as Agresti and Coull (1998) do with shares.
* *freedom*: of "the rarer class"; of "both classes" (Welch and Satterthwaite) from the variances of each
  stratum; or "normal" limits.

An interval of a difference is either Student's, with the method that the package had, or "joined" from the intervals of
the two models by the distances of their limits (Zou and Donner 2008). Every interval of one model holds the
estimate.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

LEVEL = 0.95
UNSEEN = (0.25, 0.5, 1.0)  # the weights of unseen rows that are tried
PSEUDO = (0.5, 1.0)  # the weights of the pseudo-rows of each class that are tried
CENTRE = 0  # the place in PSEUDO of the sample whose metric is the centre on the logit scale
EDGE, TAIL = 1e-9, (1 - LEVEL) / 2
DEGREES = 1 / np.linspace(1e-5, 1, 5000)  # Quantiles of t are interpolated between these degrees of freedom.
QUANTILES = -stdtrit(DEGREES, TAIL)
DOWN, UP = (
    slice(0, 2),
    slice(2, 4),
)  # the places in `moved` of the two rows that lower and that raise a metric


class Facts(NamedTuple):
    """What d samples of one setting hold of m models and k metrics.

    `estimate` (d, m, k); `halves` (d, k, m, m) the covariances from random halves, and `scaled_halves` (d, m, k) their
    variances on the arcsine scale; `influences` (2, d, k, m, m) the covariances within each stratum, whose
    `stratum_sizes` (d, 2) are effective numbers of units; `moved` (len(UNSEEN), 4, d, m, k) the metrics with one more
    row: a positive at the bottom, a negative on top, a positive on top, a negative at the bottom; `pseudo` and
    `pseudo_variance` (len(PSEUDO), d, m, k) and (len(PSEUDO), 2, d, m, k); `rarer` (d,) the effective units of the
    rarer class; `class_counts` (2,); `floor` and `ceiling` (k,).
    """

    estimate: np.ndarray
    halves: np.ndarray
    scaled_halves: np.ndarray
    influences: np.ndarray
    stratum_sizes: np.ndarray
    moved: np.ndarray
    pseudo: np.ndarray
    pseudo_variance: np.ndarray
    rarer: np.ndarray
    class_counts: tuple[int, int]
    floor: np.ndarray
    ceiling: np.ndarray


class Candidate(NamedTuple):
    """The choices that make an interval; `kind` is "one model", or how a difference has its interval."""

    kind: str
    scale: str
    variance: str
    unseen: float
    freedom: str


FREEDOMS = ("the rarer class", "both classes", "normal")
SEEN_VARIANCES = {
    "plain": ("halves", "influences"),
    "arcsine": ("halves", "influences", "scaled halves"),
    "logit": ("halves", "influences"),
}
OF_ONE_MODEL = [
    *(
        Candidate("one model", scale, variance, unseen, freedom)
        for scale, variances in SEEN_VARIANCES.items()
        for variance in variances
        for unseen in UNSEEN
        for freedom in FREEDOMS
    ),
    *(
        Candidate("one model", scale, "pseudo-rows", unseen, freedom)
        for scale in ("plain", "arcsine", "logit", "Wilson")
        for unseen in PSEUDO
        for freedom in FREEDOMS
    ),
    Candidate("one model", "Newcombe", "score", 0.0, "normal"),
]
STUDENTS = [
    Candidate("Student", "plain", variance, unseen, freedom)
    for variance in SEEN_VARIANCES["plain"]
    for unseen in UNSEEN
    for freedom in FREEDOMS
]
TODAY = Candidate("one model", "plain", "halves", 1.0, "the rarer class")
TODAY_OF_DIFFERENCES = TODAY._replace(kind="Student")


def critical(freedom: str, rarer: np.ndarray, of_strata: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return the quantile of |t| at LEVEL, in a shape that fits the variances `of_strata` (2, d, ...)."""
    by_draw = (len(rarer),) + (1,) * (of_strata.ndim - 2)
    if freedom == "normal":
        return np.full(by_draw, -ndtri(TAIL))
    if freedom == "the rarer class":
        return -stdtrit(rarer - 1, TAIL).reshape(by_draw)
    squares = sum(of_strata[s] ** 2 / np.maximum(sizes[:, s] - 1, 1).reshape(by_draw) for s in range(2))
    fewest = (1 / np.maximum(rarer - 1, 1)).reshape(by_draw)
    known = squares > 0
    inverse = np.where(known, squares / np.where(known, of_strata.sum(axis=0) ** 2, 1.0), fewest)
    return np.interp(inverse, 1 / DEGREES, QUANTILES)


def limits_of_one(candidate: Candidate, facts: Facts) -> np.ndarray:
    """Return the lower and the upper limits (2, d, m, k) of every model."""
    if candidate.scale == "Newcombe":
        return _newcombe(facts)
    width = facts.ceiling - facts.floor
    share = ((facts.estimate - facts.floor) / width).clip(0, 1)
    if candidate.variance == "pseudo-rows":
        low, high = _limits_with_pseudo_rows(candidate, facts, share, width)
    else:
        low, high = _limits_with_unseen_rows(candidate, facts, share, width)
    low, high = np.fmax(np.fmin(low, share), 0.0), np.fmin(np.fmax(high, share), 1.0)
    return facts.floor + width * np.stack([low, high])


def _diagonal(covariances: np.ndarray) -> np.ndarray:
    """Return the variances (..., m, k) of covariances (..., k, m, m)."""
    return np.diagonal(covariances, axis1=-2, axis2=-1).swapaxes(-1, -2)


def _limits_with_unseen_rows(candidate: Candidate, facts: Facts, share: np.ndarray, width: np.ndarray):
    of_strata = _diagonal(facts.influences)
    reach = critical(candidate.freedom, facts.rarer, of_strata, facts.stratum_sizes)
    variance = {
        "halves": _diagonal(facts.halves) / width**2,
        "influences": of_strata.sum(axis=0) / width**2,
        "scaled halves": facts.scaled_halves,
    }[candidate.variance]
    moved = ((facts.moved[UNSEEN.index(candidate.unseen)] - facts.floor) / width).clip(0, 1)
    if candidate.scale == "plain":
        effects = (moved - share) ** 2
        lower, upper = (np.sqrt(variance + effects[side].sum(axis=0)) for side in (DOWN, UP))
        return share - reach * lower, share + reach * upper
    if candidate.scale == "arcsine":
        angle = _angle(share)
        if candidate.variance != "scaled halves":
            variance = np.where(variance > 0, variance / np.maximum(4 * share * (1 - share), EDGE), 0.0)
        effects = (_angle(moved) - angle) ** 2
        lower, upper = (np.sqrt(variance + effects[side].sum(axis=0)) for side in (DOWN, UP))
        return _share(angle - reach * lower), _share(angle + reach * upper)
    centre = ((facts.pseudo[CENTRE] - facts.floor) / width).clip(EDGE, 1 - EDGE)
    effects, slope = (moved - share) ** 2, 1 / (centre * (1 - centre))
    lower, upper = (slope * np.sqrt(variance + effects[side].sum(axis=0)) for side in (DOWN, UP))
    return _logistic(_logit(centre) - reach * lower), _logistic(_logit(centre) + reach * upper)


def _limits_with_pseudo_rows(candidate: Candidate, facts: Facts, share: np.ndarray, width: np.ndarray):
    which = PSEUDO.index(candidate.unseen)
    of_strata = facts.pseudo_variance[which] / width**2
    reach = critical(candidate.freedom, facts.rarer, of_strata, facts.stratum_sizes)
    centre, sd = ((facts.pseudo[which] - facts.floor) / width).clip(EDGE, 1 - EDGE), np.sqrt(of_strata.sum(0))
    binomial = centre * (1 - centre)
    if candidate.scale == "plain":
        return centre - reach * sd, centre + reach * sd
    if candidate.scale == "arcsine":
        half = reach * sd / (2 * np.sqrt(binomial))
        return _share(_angle(centre) - half), _share(_angle(centre) + half)
    if candidate.scale == "logit":
        half = reach * sd / binomial
        return _logistic(_logit(centre) - half), _logistic(_logit(centre) + half)
    # Wilson (1927), with the number of rows by which a share would have this variance.
    per_row = reach**2 * sd**2 / binomial
    middle = (share + per_row / 2) / (1 + per_row)
    half = np.sqrt(per_row * share * (1 - share) + per_row**2 / 4) / (1 + per_row)
    return middle - half, middle + half


def _angle(share: np.ndarray) -> np.ndarray:
    return np.arcsin(np.sqrt(share.clip(0, 1)))


def _share(angle: np.ndarray) -> np.ndarray:
    return np.sin(angle.clip(0, np.pi / 2)) ** 2


def _logit(share: np.ndarray) -> np.ndarray:
    return np.log(share) - np.log1p(-share)


def _logistic(number: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-number))


def _newcombe(facts: Facts) -> np.ndarray:
    """Return Newcombe's (2006) limits of AUROC, his method 5; other metrics have NaN.

    The variance at a limit is Hanley and McNeil's (1982), with the mean of both class counts in place of either.
    """
    limits, area = np.full((2, *facts.estimate.shape), np.nan), facts.estimate[..., 0]
    (P, N), z = facts.class_counts, -ndtri(TAIL)
    pairs, others = P * N, (P + N) / 2 - 1

    def distance(limit: np.ndarray) -> np.ndarray:
        variance = limit * (1 - limit) / pairs
        variance = variance * (1 + others * ((1 - limit) / (2 - limit) + limit / (1 + limit)))
        return np.abs(area - limit) - z * np.sqrt(variance)

    for side, bound in ((0, 0.0), (1, 1.0)):
        inside, outside = area.copy(), np.full(area.shape, bound)
        for _ in range(50):
            middle = (inside + outside) / 2
            beyond = distance(middle) > 0
            outside, inside = np.where(beyond, middle, outside), np.where(beyond, inside, middle)
        limits[side, ..., 0] = np.where(area == bound, bound, outside)
    return limits


def limits_of_difference(
    candidate: Candidate, facts: Facts, first: int, second: int, of_each=None
) -> np.ndarray:
    """Return the lower and the upper limits (2, d, k) of the first model's metric less the second's.

    `of_each` are the limits of every model, by which those of the difference are joined.
    """
    estimate = facts.estimate[:, first] - facts.estimate[:, second]
    if candidate.kind == "Student":
        limits = _students_difference(candidate, facts, first, second)
    else:
        low, high = limits_of_one(candidate, facts) if of_each is None else of_each
        correlation = _correlation(candidate, facts, first, second)
        below, above = facts.estimate - low, high - facts.estimate
        down = _joined(below[:, first], above[:, second], correlation)
        up = _joined(above[:, first], below[:, second], correlation)
        limits = np.stack([estimate - down, estimate + up])
    widest = facts.ceiling - facts.floor
    return limits.clip(-widest, widest)


def _joined(one: np.ndarray, other: np.ndarray, correlation: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(one**2 + other**2 - 2 * correlation * one * other, 0.0))


def _correlation(candidate: Candidate, facts: Facts, first: int, second: int) -> np.ndarray:
    of_halves = candidate.variance in ("halves", "scaled halves")
    covariance = facts.halves if of_halves else facts.influences.sum(axis=0)
    product = covariance[..., first, first] * covariance[..., second, second]
    known = product > 0
    correlation = covariance[..., first, second] / np.sqrt(np.where(known, product, 1.0))
    return np.where(known, correlation, 0.0).clip(-1, 1)


def _students_difference(candidate: Candidate, facts: Facts, first: int, second: int) -> np.ndarray:
    """Return limits of which only the one away from 0 has the unseen rows."""

    def variance_of(covariance: np.ndarray) -> np.ndarray:
        cross = covariance[..., first, second]
        return np.maximum(covariance[..., first, first] + covariance[..., second, second] - 2 * cross, 0.0)

    of_strata = variance_of(facts.influences)
    reach = critical(candidate.freedom, facts.rarer, of_strata, facts.stratum_sizes)
    variance = variance_of(facts.halves) if candidate.variance == "halves" else of_strata.sum(axis=0)
    variance = np.where(variance > 1e-20, variance, 0.0)
    estimate = facts.estimate[:, first] - facts.estimate[:, second]
    effects = (facts.moved[UNSEEN.index(candidate.unseen)] - facts.estimate) ** 2
    lowered, raised = effects[DOWN].sum(axis=0), effects[UP].sum(axis=0)
    down = variance + lowered[:, first] + raised[:, second]
    up = variance + raised[:, first] + lowered[:, second]
    down = np.where((estimate > 0) & (variance > 0), variance, down)
    up = np.where((estimate < 0) & (variance > 0), variance, up)
    return np.stack([estimate - reach * np.sqrt(down), estimate + reach * np.sqrt(up)])
