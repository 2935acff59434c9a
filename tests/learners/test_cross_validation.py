"""Preprocessing uses training rows only, seed and task fix folds and draws, and failed flows are replaced."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from aucstudy.learners.cross_validation import (
    FlowFailed,
    cross_validated_scores,
    draw_flows,
    drawing_order,
    prepare_folds,
)
from aucstudy.learners.datasets import DataSet, load
from aucstudy.learners.flows import FLOWS, Flow, Output


def small_set(n=20, **columns):
    target = np.arange(n) % 2 == 0
    features = pd.DataFrame({"x": np.arange(n, dtype=float), **columns})
    return DataSet("small", "small", features, target, "1", "0")


class Breaking(DummyClassifier):
    def fit(self, X, y):
        raise ValueError("first line\nsecond line")


class Missing(DummyClassifier):
    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan)


BREAKING = Flow("breaking", Output.PROBABILITY, lambda seed: Breaking())
MISSING = Flow("missing", Output.PROBABILITY, lambda seed: Missing(strategy="prior"))


def first_row(**columns):
    """Return the fold that tests the first row, its training rows' numbers, and that row as preprocessed."""
    fold = next(fold for fold in prepare_folds(small_set(**columns), 5, seed=0) if 0 in fold.test)
    return fold, np.setdiff1d(np.arange(20), fold.test), fold.X_test[fold.test == 0][0]


def test_numbers_are_scaled_by_the_training_rows_alone():
    x = np.arange(20.0) ** 2
    fold, train, _ = first_row(x=x)
    for scaled, rows in ((fold.X, train), (fold.X_test, fold.test)):
        np.testing.assert_allclose(scaled[:, 0], (x[rows] - x[train].mean()) / x[train].std())


def test_missing_values_get_the_training_median_and_the_most_frequent_training_category():
    x = np.r_[np.nan, np.arange(1.0, 20.0) ** 2]
    _, train, row = first_row(x=x, c=np.array([np.nan, *["often"] * 15, *["seldom"] * 4], dtype=object))
    np.testing.assert_allclose(row[0], (np.median(x[train]) - x[train].mean()) / x[train].std())
    assert row[1:].tolist() == [1, 0]


def test_a_category_that_no_training_row_has_and_a_column_of_missing_values_are_zero_everywhere():
    fold, _, row = first_row(x=np.full(20, np.nan), c=np.array(["rare", *["a", "b"] * 9, "b"], dtype=object))
    assert fold.X.shape[1] == 3
    assert row.tolist() == [0, 0, 0]
    assert not fold.X[:, 0].any()
    assert not fold.X_test[:, 0].any()


def test_every_row_is_tested_once_and_folds_are_stratified():
    data = load("haberman")
    folds = prepare_folds(data, 10, seed=1)
    assert sorted(np.concatenate([fold.test for fold in folds])) == list(range(306))
    assert {int(data.target[fold.test].sum()) for fold in folds} == {8, 9}


def test_another_seed_gives_other_folds():
    first, second = (prepare_folds(small_set(), 5, seed)[0].test.tolist() for seed in (0, 1))
    assert first != second


@pytest.mark.parametrize(
    ("flow", "why"), [(BREAKING, "ValueError: first line"), (MISSING, "4 of 4 scores are NaN")]
)
def test_an_exception_or_a_nan_score_fails_the_flow_and_names_the_fold(flow, why):
    with pytest.raises(FlowFailed, match=f"^fold 0: {why}$"):
        cross_validated_scores(flow, prepare_folds(small_set(), 5, 0), "small", 0)


def test_a_failing_flow_is_replaced_by_the_next_in_the_order():
    names = ("zero_r", "decision_stump", "naive_bayes", "knn_1")
    flows = [*map(FLOWS.get, names), BREAKING, MISSING]
    seed = next(s for s in range(100) if drawing_order(flows, "small", s)[0] is BREAKING)
    order = drawing_order(flows, "small", seed)
    drawn = draw_flows(flows, prepare_folds(small_set(), 5, seed), "small", 2, seed)
    sound = [flow for flow in order if flow not in (BREAKING, MISSING)][:2]
    assert set(drawn.flows) == set(sound)
    assert "breaking" in drawn.failures
    assert drawn.scores.shape == (20, 2)


def test_leaving_a_flow_out_does_not_change_the_order_of_the_others():
    flows = list(FLOWS.values())
    order = drawing_order(flows, "iris", 7)
    assert drawing_order(flows[1:], "iris", 7) == [flow for flow in order if flow is not flows[0]]
    assert drawing_order(flows, "wine", 7) != order
    assert drawing_order(flows, "iris", 8) != order
