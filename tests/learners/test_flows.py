"""Every flow of the registry can be used, gives its kind of score, and gives the same scores for a seed."""

from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB

from aucstudy.learners import estimators
from aucstudy.learners.estimators import KernelNaiveBayes, OneRule, PartialTreeRules, SupervisedBins
from aucstudy.learners.flows import FLOWS, Output


@pytest.fixture(scope="module")
def rows():
    X, y = make_classification(240, 6, n_informative=4, n_redundant=0, weights=[0.8], random_state=3)
    return X[:160], y[:160] == 1, X[160:], y[160:] == 1


def test_flows_have_names_and_setups_of_their_own():
    assert 36 <= len(FLOWS) <= 40
    assert all(name == flow.name for name, flow in FLOWS.items())
    assert len({flow.setup_id for flow in FLOWS.values()}) == len(FLOWS)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", FLOWS)
def test_a_flow_gives_the_same_scores_with_all_checks_of_scikit_learn(name, rows, monkeypatch):
    X, y, X_test, _ = rows
    scores = FLOWS[name].fit_score(X, y, X_test, seed=5)
    monkeypatch.setattr(estimators, "config_context", lambda **_: nullcontext())
    np.testing.assert_array_equal(scores, FLOWS[name].fit_score(X, y, X_test, seed=5))


@pytest.mark.parametrize("infinite", ["training", "test"])
def test_rows_that_are_not_finite_are_refused(infinite, rows):
    X, y, X_test, _ = (block.copy() for block in rows)
    (X if infinite == "training" else X_test)[3, 2] = np.inf
    with pytest.raises(ValueError, match="contains infinity"):
        FLOWS["logistic"].fit_score(X, y, X_test, seed=5)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", FLOWS)
def test_a_flow_keeps_to_its_kind_of_score_and_repeats_it(name, rows):
    flow = FLOWS[name]
    X, y, X_test, y_test = rows
    scores = flow.fit_score(X, y, X_test, seed=5)
    assert scores.shape == y_test.shape
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(scores, flow.fit_score(X, y, X_test, seed=5))
    if flow.output is Output.LABEL:
        assert set(np.unique(scores)) <= {0.0, 1.0}
    elif flow.output is Output.PROBABILITY:
        assert scores.min() >= 0
        assert scores.max() <= 1
    assert name == "zero_r" or roc_auc_score(y_test, scores) > 0.5


def test_one_rule_takes_the_feature_with_the_fewest_errors():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = np.column_stack([rng.normal(size=60), y + rng.normal(scale=0.1, size=60)])
    rule = OneRule().fit(X, y)
    assert rule.column_ == 1
    np.testing.assert_array_equal(rule.predict(X), y)


def test_part_rules_learn_an_interval_that_one_threshold_cannot_and_of_one_class_no_rule():
    x = np.arange(60.0)[:, None]
    y = ((x[:, 0] >= 20) & (x[:, 0] < 40)).astype(int)
    np.testing.assert_array_equal(PartialTreeRules().fit(x, y).predict(x), y)
    rules = PartialTreeRules().fit(np.zeros((4, 1)), np.ones(4, dtype=int))
    assert rules.rules_ == []
    assert rules.predict(np.zeros((2, 1))).tolist() == [1, 1]


def test_kernel_densities_of_normal_data_rank_as_the_normals_do():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 300)
    X = rng.normal(size=(600, 2)) + y[:, None]
    kernel, normal = (model.fit(X, y).predict_proba(X)[:, 1] for model in (KernelNaiveBayes(), GaussianNB()))
    assert np.corrcoef(kernel, normal)[0, 1] > 0.98


def test_kernel_densities_hold_by_hand_for_two_values_a_class():
    X, y = np.array([[0.0], [1.0], [2.0], [4.0]]), np.array([0, 0, 1, 1])
    width = 4 / np.sqrt(2)
    density = [np.exp(-0.5 * ((1.5 - values) / width) ** 2).mean() for values in (X[:2, 0], X[2:, 0])]
    answer = KernelNaiveBayes().fit(X, y).predict_proba(np.array([[1.5]]))
    np.testing.assert_allclose(answer[0], np.array(density) / sum(density), rtol=1e-12)


def test_supervised_bins_cut_where_the_class_changes_and_nowhere_else():
    x = np.column_stack([np.arange(40.0), np.tile([0.0, 1.0], 20)])
    bins = SupervisedBins().fit(x, (x[:, 0] >= 15).astype(int))
    assert bins.cuts_[0].tolist() == [14.5]
    assert bins.cuts_[1].tolist() == []
    assert bins.transform(x)[[14, 15]].tolist() == [[1, 0, 1], [0, 1, 1]]
