"""Thresholds of a sample: what they accept, which is best for a target metric, and those from training labels alone."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import matthews_corrcoef

from aucstudy.metrics.ranking import order_of
from aucstudy.metrics.wants import on_samples, want_of
from studies.rare_positives.operating_points import (
    bayes_thresholds,
    best_mcc,
    best_threshold,
    operating_points,
    platt,
    share_thresholds,
    threshold_at_share,
)

TARGETS = ("f1", "f2", "net:1", "net:odds", "net:sqrt", "cost:10")


def ranking(n=60, m=4, seed=0):
    """Labels, scores of m models with ties, and two samples of 6 positives and 20 others."""
    random = np.random.default_rng(seed)
    y = np.arange(n) < 15
    scores = np.round(random.random((n, m)) + 0.2 * y[:, None], 1)
    samples = np.zeros((2, n), dtype=np.uint8)
    for sample in samples:
        sample[random.choice(15, 6, replace=False)] = 1
        sample[random.choice(np.arange(15, n), 20, replace=False)] = 1
    return y, scores, samples


@pytest.mark.parametrize("name", TARGETS)
def test_the_best_threshold_is_that_of_the_metrics(name):
    y, scores, samples = ranking()
    order = order_of(y, scores)
    found = best_threshold(operating_points(order, scores, samples), want_of(name))
    measured = on_samples(order, scores, samples, [want_of(name)])
    np.testing.assert_allclose(found.value, measured.worth[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.threshold, measured.thresholds[0])
    accepted = [[np.sum(scores[sample > 0, m] >= t) for m, t in enumerate(row)]
                for sample, row in zip(samples, found.threshold, strict=True)]  # fmt: skip
    np.testing.assert_allclose(found.share, np.array(accepted) / 26)


def test_the_best_correlation_is_the_highest_of_all_thresholds():
    y, scores, samples = ranking()
    found = best_mcc(operating_points(order_of(y, scores), scores, samples))
    for s, sample in enumerate(samples):
        rows = sample > 0
        for m, column in enumerate(scores.T):
            by_hand = [matthews_corrcoef(y[rows], column[rows] >= t) for t in np.unique(column[rows])]
            assert found[s, m] == pytest.approx(max(*by_hand, 0.0), abs=1e-12)


def test_a_share_of_rows_is_accepted_with_what_is_tied():
    descending = np.array([0.9, 0.8, 0.5, 0.5, 0.1])
    for share, accepted in ((0.0, 0), (0.2, 1), (0.4, 2), (0.6, 4), (1.0, 5)):
        assert np.sum(descending >= threshold_at_share(descending, share)) == accepted
    assert share_thresholds(descending[:, None], 0.4).tolist() == [0.65]


def test_calibrated_probabilities_give_bayes_thresholds():
    random = np.random.default_rng(1)
    probability = random.beta(1, 9, 40_000)
    y = random.random(40_000) < probability
    # scores on another scale: the log-odds doubled
    scores = expit(2 * np.log(probability / (1 - probability)))[:, None]
    slope, _ = platt(y, scores[:, 0])
    assert slope == pytest.approx(0.5, abs=0.03)
    targets = [want_of(name) for name in ("cost:10", "net:odds", "f1")]
    thresholds = bayes_thresholds(y, scores, targets)
    accepted = {name: probability[scores[:, 0] >= values[0]].min() for name, values in thresholds.items()}
    assert accepted["cost:10"] == pytest.approx(1 / 11, abs=0.01)
    assert accepted["net:odds"] == pytest.approx(y.mean(), abs=0.01)
    # of F1 half of the highest F1 (Lipton et al. 2014)
    order = order_of(y, scores)
    best = best_threshold(operating_points(order, scores, np.ones((1, y.size), np.uint8)), want_of("f1"))
    assert accepted["f1"] == pytest.approx(best.value[0, 0] / 2, abs=0.01)


def test_scores_that_fall_with_the_label_accept_all_rows_or_none():
    y = np.arange(100) < 20
    scores = np.where(y, 0.2, 0.8)[:, None] + np.linspace(0, 0.1, 100)[:, None]
    thresholds = bayes_thresholds(y, scores, [want_of("cost:10"), want_of("net:1")])
    assert thresholds["cost:10"].tolist() == [-np.inf]
    assert thresholds["net:1"].tolist() == [np.inf]
