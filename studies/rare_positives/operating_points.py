"""What thresholds accept of a sample, what that is worth for a target metric, and which threshold is best.

A target metric with a threshold is F_beta, net benefit or cost (`aucstudy.metrics.wants`). Its threshold is set on a
sample; on one without labels it can be the share of rows that it should accept; from training labels alone it is
Bayes's threshold of calibrated scores.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.formulas.thresholds import halfway
from aucstudy.metrics.ranking import Order
from aucstudy.metrics.ranking.ties import group_rows
from aucstudy.metrics.wants import COST, F_BETA, NET, Want, number_of

from .rare import WITH_THRESHOLD

DIGITS = 12  # after which values are equal: rounding must not decide between thresholds
LEAST_SCORE = 1e-6  # of a probability whose log-odds are taken, and 1 less it


class OperatingPoints(NamedTuple):
    """Each threshold of a sample that accepts positives, from the highest down, behind the one that accepts none.

    `true` and `false` positives and `thresholds` are (samples, m, k); where a model has fewer thresholds, the last
    ones repeat the first. A threshold lies half way to the next lower score of the sample.
    """

    true: np.ndarray
    false: np.ndarray
    thresholds: np.ndarray
    n_positive: int
    n_negative: int


def operating_points(order: Order, scores: np.ndarray, samples: np.ndarray) -> OperatingPoints:
    """Of each model on (samples, n) samples of the rows, which have the same numbers of both classes.

    >>> from aucstudy.metrics.ranking import order_of
    >>> y, scores = np.array([True, False, True, False]), np.array([[0.9], [0.5], [0.5], [0.1]])
    >>> points = operating_points(order_of(y, scores), scores, np.ones((1, 4), dtype=np.uint8))
    >>> [column[0, 0].tolist() for column in points[:3]]
    [[0.0, 1.0, 2.0], [0.0, 0.0, 1.0], [inf, 0.7, 0.3]]
    """
    samples = np.ascontiguousarray(samples, dtype=np.uint8)
    n_positive = int(samples[0] @ order.positive.astype(int))
    shape = len(samples), len(order.rows), n_positive + 1
    true, false, thresholds = np.zeros(shape), np.zeros(shape), np.full(shape, np.inf)
    descending = np.take_along_axis(np.asarray(scores, dtype=float).T, order.rows, axis=1)
    for s, sample in enumerate(samples):
        _fill_points(order.rows, order.positive, descending, sample, true[s], false[s], thresholds[s])
    return OperatingPoints(true, false, thresholds, n_positive, int(samples[0].sum()) - n_positive)


@compiled
def _fill_points(rows, positive, descending, sample, true, false, thresholds):
    n = rows.shape[1]
    selected, scores = np.empty(n, rows.dtype), np.empty(n)
    ends, weight = np.empty(n, dtype=np.bool_), np.ones(n)
    groups = np.empty((5, n + 1))
    for m in range(rows.shape[0]):
        k = 0
        for i in range(n):
            if sample[rows[m, i]]:
                selected[k], scores[k] = rows[m, i], descending[m, i]
                k += 1
        for i in range(k):
            ends[i] = i == k - 1 or scores[i + 1] != scores[i]
        size = group_rows(selected[:k], ends[:k], positive, weight, groups)
        for g in range(size):
            true[m, g + 1], false[m, g + 1] = groups[0, g] + groups[2, g], groups[1, g] + groups[3, g]
            accepted = int(true[m, g + 1] + false[m, g + 1])
            lower = scores[accepted] if accepted < k else scores[accepted - 1]
            thresholds[m, g + 1] = halfway(scores[accepted - 1], lower)


def has_threshold(target: Want) -> bool:
    return target.kind in WITH_THRESHOLD


class BestThreshold(NamedTuple):
    """Of each model on each sample, (samples, m): the highest value, its threshold, and the share of rows accepted."""

    value: np.ndarray
    threshold: np.ndarray
    share: np.ndarray


def best_threshold(points: OperatingPoints, target: Want) -> BestThreshold:
    """The best threshold for a target metric, the highest of several."""
    P, N = float(points.n_positive), float(points.n_negative)
    values = WITH_THRESHOLD[target.kind](points.true, points.false, P, N, number_of(target, P, N))
    best = np.round(values, DIGITS).argmax(axis=-1)[..., None]
    of_best = (np.take_along_axis(each, best, axis=-1)[..., 0] for each in (values, points.thresholds))
    accepted = np.take_along_axis(points.true + points.false, best, axis=-1)[..., 0]
    return BestThreshold(*of_best, accepted / (P + N))


def best_mcc(points: OperatingPoints) -> np.ndarray:
    """(samples, m) the highest correlation of truth and prediction (Matthews 1975) of a threshold, 0 for none."""
    t, f, P, N = points.true, points.false, points.n_positive, points.n_negative
    accepted = t + f
    product = accepted * (P + N - accepted) * float(P) * N
    with np.errstate(invalid="ignore", divide="ignore"):
        mcc = np.where(product > 0, (t * N - f * P) / np.sqrt(product), 0.0)
    return mcc.max(axis=-1)


def threshold_at_share(descending: np.ndarray, share: float) -> float:
    """The threshold that accepts a share of rows by their scores, and with them what is tied; +inf accepts none."""
    accepted = round(share * len(descending))
    if accepted == 0:
        return np.inf
    lower = descending[min(accepted, len(descending) - 1)]
    return float((descending[accepted - 1] + lower) / 2)


def share_thresholds(scores: np.ndarray, share: float) -> np.ndarray:
    """(m,) thresholds at which the models accept a share of (n, m) rows, which need no labels."""
    return np.array([threshold_at_share(-np.sort(-column), share) for column in scores.T])


def bayes_thresholds(
    y_true: np.ndarray, scores: np.ndarray, targets: Sequence[Want]
) -> dict[str, np.ndarray]:
    """(m,) thresholds by target metric, from (n,) labels and (n, m) scores of rows that models were not fitted on.

    Scores are calibrated by Platt's (1999) sigmoid of their log-odds, with his targets short of 0 and 1. The threshold
    is where both mistakes weigh the same; of F_beta it is F / (1 + beta^2) at the highest expected F (Lipton, Elkan &
    Naryanaswamy 2014). A model whose calibrated scores do not rise accepts all rows or none.
    """
    P, N = float(y_true.sum()), float((~y_true).sum())
    calibrated = [platt(y_true, column) for column in scores.T]
    thresholds = {}
    for target in targets:
        number = number_of(target, P, N)
        of_models = []
        for column, (slope, intercept) in zip(scores.T, calibrated, strict=True):
            probability = expit(intercept + slope * log_odds(column))
            least = least_probability(target, number, probability)
            if slope > 0:
                of_models.append(expit((logit(least) - intercept) / slope))
            else:
                of_models.append(-np.inf if least < P / (P + N) else np.inf)
        thresholds[target.name] = np.array(of_models)
    return thresholds


def least_probability(target: Want, number: float, probability: np.ndarray) -> float:
    """The probability from which on a row is to be accepted, where (n,) rows have these."""
    if target.kind == F_BETA:
        descending = np.sort(probability)[::-1]
        hits, accepted = np.cumsum(descending), np.arange(1, len(descending) + 1)
        weight = number**2
        return float(np.max((1 + weight) * hits / (accepted + weight * hits[-1])) / (1 + weight))
    if target.kind == NET:
        return number / (1 + number)
    assert target.kind == COST
    return 1 / (1 + number)


def log_odds(scores: np.ndarray) -> np.ndarray:
    return logit(np.clip(scores, LEAST_SCORE, 1 - LEAST_SCORE))


def platt(y_true: np.ndarray, scores: np.ndarray) -> tuple[float, float]:
    """Slope and intercept of Platt's sigmoid of the log-odds; slope 0 where these do not rise with the label."""
    from sklearn.linear_model import LogisticRegression  # loads slowly, and of tasks of rounds none is fitted

    x = log_odds(scores)
    P, N = y_true.sum(), (~y_true).sum()
    # each row once in either class, by his targets
    positive = np.where(y_true, (P + 1) / (P + 2), 1 / (N + 2))
    labels, weights = np.repeat([1, 0], len(x)), np.concatenate([positive, 1 - positive])
    model = LogisticRegression(C=1e6, solver="newton-cholesky", max_iter=100)
    model.fit(np.concatenate([x, x])[:, None], labels, sample_weight=weights)
    slope = float(model.coef_[0, 0])
    return (slope, float(model.intercept_[0])) if slope > 0 else (0.0, float(logit(P / (P + N))))
