"""Thresholds that are set by a share of rows to accept, or by training labels alone, and whether a target has one.

The threshold that is best on labelled rows is of `aucstudy.metrics.target_metrics`. On rows without labels one can be
set by the share that it should accept; from training labels alone it is Bayes's threshold of calibrated scores.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, logit

from aucstudy.metrics.kernel import COST, F_BETA, NET
from aucstudy.metrics.target_metrics import TargetMetric, number_of

from .rare import WITH_THRESHOLD

LEAST_SCORE = 1e-6  # of a probability whose log-odds are taken, and 1 less it


def has_threshold(target: TargetMetric) -> bool:
    return target.kind in WITH_THRESHOLD


def shares_accepted(scores: np.ndarray, samples: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """(targets, samples, m) shares of (samples, n) samples of the rows that thresholds of the same shape accept.

    >>> scores, samples = np.array([[0.9], [0.5], [0.1]]), np.ones((1, 3), dtype=np.uint8)
    >>> shares_accepted(scores, samples, np.array([[[0.5]], [[np.inf]]])).round(2).tolist()
    [[[0.67]], [[0.0]]]
    """
    shares = np.empty(thresholds.shape)
    for s, sample in enumerate(samples):
        of_sample = scores[sample > 0]
        for t in range(len(thresholds)):
            shares[t, s] = (of_sample >= thresholds[t, s]).mean(axis=0)
    return shares


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
    y_true: np.ndarray, scores: np.ndarray, targets: Sequence[TargetMetric]
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


def least_probability(target: TargetMetric, number: float, probability: np.ndarray) -> float:
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
