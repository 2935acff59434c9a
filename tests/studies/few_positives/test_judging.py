"""Test rows are weighted to a prevalence, and proper scores select models on samples of validation rows."""

import numpy as np
import pytest

from aucstudy.metrics.target_metrics import target_of
from studies.few_positives.judging import Judge, proper_scores


def test_the_judge_weighs_negatives_to_the_prevalence():
    rng = np.random.default_rng(2)
    y = rng.random(2000) < 0.3
    scores = rng.normal(size=(2000, 3)) + y[:, None]
    judge = Judge(y, scores, 0.05, [target_of("f1"), target_of("recall@.9")], np.random.default_rng(1))
    for half in (0, 1):
        rows = judge.halves[half]
        at = np.array([[0.3, 0.8, 1.7]])
        for m in range(3):
            accepted = scores[rows, m] >= at[0, m]
            true, false = (accepted & y[rows]).sum(), judge.weight * (accepted & ~y[rows]).sum()
            expected = 2 * true / (true + false + y[rows].sum())
            assert judge.values_at(at, judge.targets[0])[half, 0, m] == pytest.approx(expected)
            N = judge.weight * (~y[rows]).sum()
            net, cost = (judge.values_at(at, target_of(name))[half, 0, m] for name in ("net:odds", "cost:10"))
            assert net == pytest.approx(true / y[rows].sum() - false / N)
            cheaper = min(10 * y[rows].sum(), N)
            assert cost == pytest.approx(1 - (10 * (y[rows].sum() - true) + false) / cheaper)
            assert judge.values[half, 0, m] >= expected
    assert y.sum() / (y.sum() + judge.weight * (~y).sum()) == pytest.approx(0.05)
    assert judge.halves.sum(axis=1).tolist() == pytest.approx([1000, 1000], abs=1)


def test_proper_scores_are_those_of_scikit_learn_and_need_probabilities():
    from sklearn.metrics import brier_score_loss, log_loss

    rng = np.random.default_rng(0)
    y, scores = rng.random(50) < 0.3, rng.random((50, 2))
    samples = np.stack([np.arange(50) < 25, np.arange(50) >= 25]).astype(np.uint8)
    made = proper_scores(y, scores, samples)
    for s, m in ((0, 0), (1, 1)):
        rows = samples[s] == 1
        assert made["brier"][s, m] == pytest.approx(-brier_score_loss(y[rows], scores[rows, m]))
        assert made["log_loss"][s, m] == pytest.approx(-log_loss(y[rows], scores[rows, m]))
    assert proper_scores(y, scores - 0.5, samples) == {}
