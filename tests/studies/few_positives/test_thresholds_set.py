"""Thresholds that accept a share of rows, and thresholds from training labels alone."""

import numpy as np
import pytest
from scipy.special import expit

from aucstudy.metrics.kernel import order_of
from aucstudy.metrics.target_metrics import on_samples, target_of
from studies.few_positives.thresholds_set import (
    bayes_thresholds,
    platt,
    share_thresholds,
    shares_accepted,
    threshold_at_share,
)


def test_shares_are_of_the_rows_of_a_sample():
    random = np.random.default_rng(0)
    scores, samples = random.random((50, 3)).round(1), (random.random((4, 50)) < 0.5).astype(np.uint8)
    thresholds = random.random((2, 4, 3))
    shares = shares_accepted(scores, samples, thresholds)
    for target, s, m in np.ndindex(shares.shape):
        rows = samples[s] > 0
        assert shares[target, s, m] == np.mean(scores[rows, m] >= thresholds[target, s, m])


def test_a_share_of_rows_is_accepted_with_what_is_tied():
    descending = np.array([0.9, 0.8, 0.5, 0.5, 0.1])
    for share, accepted in ((0.0, 0), (0.2, 1), (0.4, 2), (0.6, 4), (1.0, 5)):
        assert np.sum(descending >= threshold_at_share(descending, share)) == accepted
    assert share_thresholds(descending[:, None], 0.4).tolist() == [0.65]


def test_calibrated_probabilities_give_bayes_thresholds():
    random = np.random.default_rng(1)
    probability = random.beta(1, 9, 40_000)
    y = random.random(40_000) < probability
    # The scores are on another scale, with doubled log-odds.
    scores = expit(2 * np.log(probability / (1 - probability)))[:, None]
    slope, _ = platt(y, scores[:, 0])
    assert slope == pytest.approx(0.5, abs=0.03)
    targets = [target_of(name) for name in ("cost:10", "net:odds", "f1")]
    thresholds = bayes_thresholds(y, scores, targets)
    accepted = {name: probability[scores[:, 0] >= values[0]].min() for name, values in thresholds.items()}
    assert accepted["cost:10"] == pytest.approx(1 / 11, abs=0.01)
    assert accepted["net:odds"] == pytest.approx(y.mean(), abs=0.01)
    # The Bayes threshold of F1 is half of the highest F1 (Lipton et al. 2014).
    order = order_of(y, scores)
    best = on_samples(order, scores, np.ones((1, y.size), dtype=np.uint8), [target_of("f1")]).values[0, 0, 0]
    assert accepted["f1"] == pytest.approx(best / 2, abs=0.01)


def test_scores_that_fall_with_the_label_accept_all_rows_or_none():
    y = np.arange(100) < 20
    scores = np.where(y, 0.2, 0.8)[:, None] + np.linspace(0, 0.1, 100)[:, None]
    thresholds = bayes_thresholds(y, scores, [target_of("cost:10"), target_of("net:1")])
    assert thresholds["cost:10"].tolist() == [-np.inf]
    assert thresholds["net:1"].tolist() == [np.inf]
