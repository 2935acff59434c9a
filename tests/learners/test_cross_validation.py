"""Preprocessing sees training rows only; folds and draws follow from seed and task; failures are replaced."""

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


def test_numbers_are_scaled_by_the_training_rows_alone():
    data = small_set()
    for fold in prepare_folds(data, 5, seed=0):
        train = np.setdiff1d(np.arange(20), fold.test)
        values = data.features["x"].to_numpy()
        np.testing.assert_allclose(fold.X[:, 0], (values[train] - values[train].mean()) / values[train].std())
        np.testing.assert_allclose(
            fold.X_test[:, 0], (values[fold.test] - values[train].mean()) / values[train].std()
        )


def test_missing_values_get_the_training_median_and_the_most_frequent_training_category():
    x = np.r_[np.nan, np.arange(1.0, 20.0) ** 2]
    c = np.array([np.nan, *["often"] * 15, *["seldom"] * 4], dtype=object)
    fold = next(f for f in prepare_folds(small_set(x=x, c=c), 5, seed=0) if 0 in f.test)
    train = np.setdiff1d(np.arange(20), fold.test)
    first = fold.X_test[np.flatnonzero(fold.test == 0)[0]]
    np.testing.assert_allclose(first[0], (np.median(x[train]) - x[train].mean()) / x[train].std())
    assert first[1:].tolist() == [1, 0]


def test_a_category_that_no_training_row_has_is_zero_everywhere():
    c = np.array(["rare", *["a", "b"] * 9, "b"], dtype=object)
    fold = next(f for f in prepare_folds(small_set(c=c), 5, seed=0) if 0 in f.test)
    assert fold.X.shape[1] == 3
    assert fold.X_test[np.flatnonzero(fold.test == 0)[0], 1:].tolist() == [0, 0]


def test_a_column_of_missing_values_only_is_kept_as_zeros():
    fold = prepare_folds(small_set(x=np.full(20, np.nan)), 5, seed=0)[0]
    assert not fold.X.any()
    assert not fold.X_test.any()


def test_every_row_is_tested_once_and_folds_are_stratified():
    data = load("haberman")
    folds = prepare_folds(data, 10, seed=1)
    assert sorted(np.concatenate([fold.test for fold in folds])) == list(range(306))
    assert {int(data.target[fold.test].sum()) for fold in folds} == {8, 9}


def test_another_seed_gives_other_folds():
    first, second = (prepare_folds(small_set(), 5, seed)[0].test.tolist() for seed in (0, 1))
    assert first != second


def test_an_exception_is_told_with_its_fold_and_first_line():
    with pytest.raises(FlowFailed, match=r"^fold 0: ValueError: first line$"):
        cross_validated_scores(BREAKING, prepare_folds(small_set(), 5, 0), "small", 0)


def test_a_nan_score_is_a_failure():
    with pytest.raises(FlowFailed, match=r"^fold 0: 4 of 4 scores are NaN$"):
        cross_validated_scores(MISSING, prepare_folds(small_set(), 5, 0), "small", 0)


def test_a_failing_flow_is_replaced_by_the_next_in_the_order():
    flows = [FLOWS[name] for name in ("zero_r", "decision_stump", "naive_bayes", "knn_1")] + [
        BREAKING,
        MISSING,
    ]
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
