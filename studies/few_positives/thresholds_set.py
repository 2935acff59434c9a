"""Thresholds that are set by the share of rows to accept, or from the labels of the training rows alone.

Neither needs labels of the validation rows. The threshold that is best on labelled rows comes from
`aucstudy.metrics.target_metrics`.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, logit

from aucstudy.metrics.kernel import COST, F_BETA, NET
from aucstudy.metrics.target_metrics import TargetMetric, number_of

from .judging import WITH_THRESHOLD

# Log-odds are taken of probabilities that are at least this, and at most 1 minus this.
LEAST_SCORE = 1e-6


def has_threshold(target: TargetMetric) -> bool:
    """Return whether the threshold of a target metric can be set on other rows."""
    return target.kind in WITH_THRESHOLD


def shares_accepted(scores: np.ndarray, samples: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Return the (targets, samples, m) shares of the rows of each sample that the thresholds accept.

    The `scores` are (n, m), the `samples` (samples, n), and the `thresholds` have the shape of the result.

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
    """Return the threshold that accepts a share of the rows, and all rows that are tied with them.

    `descending` are the scores of the rows from the highest down. If the share rounds to no row, the
    threshold is +inf.
    """
    accepted = round(share * len(descending))
    if accepted == 0:
        return np.inf
    lower = descending[min(accepted, len(descending) - 1)]
    return float((descending[accepted - 1] + lower) / 2)


def share_thresholds(scores: np.ndarray, share: float) -> np.ndarray:
    """Return the (m,) thresholds at which the models accept a share of the rows, from (n, m) scores."""
    return np.array([threshold_at_share(-np.sort(-column), share) for column in scores.T])


def bayes_thresholds(
    y_true: np.ndarray, scores: np.ndarray, targets: Sequence[TargetMetric]
) -> dict[str, np.ndarray]:
    """Return (m,) thresholds by target metric, from rows on which the models were not fitted.

    The labels are (n,) and the scores (n, m). The scores are calibrated by the sigmoid of Platt (1999) of
    their log-odds, with Platt's targets in place of the labels 0 and 1. The threshold lies at the calibrated
    probability at which accepting a row and rejecting it cost the same. For F_beta, this probability is F /
    (1 + beta^2), where F is the highest expected F_beta (Lipton, Elkan & Naryanaswamy 2014). A model whose
    calibrated scores do not rise with the label accepts all rows or none.
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
    """Return the lowest probability at which a row is accepted, if (n,) rows have these probabilities."""
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
    """Return the slope and the intercept of Platt's sigmoid of the log-odds.

    If the log-odds do not rise with the label, the slope is 0, and the sigmoid is the share of positives.
    """
    # This loads slowly, and the tasks of boosting rounds do not need it.
    from sklearn.linear_model import LogisticRegression

    x = log_odds(scores)
    P, N = y_true.sum(), (~y_true).sum()
    # Each row counts once in each class. Its weights are Platt's targets, which are not quite 1 and 0.
    positive = np.where(y_true, (P + 1) / (P + 2), 1 / (N + 2))
    labels, weights = np.repeat([1, 0], len(x)), np.concatenate([positive, 1 - positive])
    model = LogisticRegression(C=1e6, solver="newton-cholesky", max_iter=100)
    model.fit(np.concatenate([x, x])[:, None], labels, sample_weight=weights)
    slope = float(model.coef_[0, 0])
    return (slope, float(model.intercept_[0])) if slope > 0 else (0.0, float(logit(P / (P + N))))
