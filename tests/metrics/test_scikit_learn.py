"""Averages, scorers and searches work within scikit-learn, and values agree with its own."""

import importlib
import pickle

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, check_scoring, make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.svm import LinearSVC

from aucstudy.metrics import auprg, auroc, average_precision, f_gain, scorers

X, Y = make_classification(200, weights=[0.7], flip_y=0.1, random_state=0)
AVERAGES = ["micro", "macro", "weighted", "samples", None]
LABELS = np.array([[1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
SCORES = np.array([[0.5, 0.5], [0.6, 0.4], [0.7, 0.3], [0.8, 0.2], [0.9, 0.1]])


@pytest.mark.parametrize(
    ("average", "value"),
    list(zip(AVERAGES, [0.3611111, 0.4176587, 0.5282738, 0.5625, [0.1964286, 0.6388889]], strict=True)),
)
def test_multilabel_averages_are_those_of_the_note(average, value):
    got = average_precision(LABELS, SCORES, average=average, sample_weight=[1, 1, 2, 2, 2])
    assert got == pytest.approx(value, abs=1e-7)


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("weighted", [False, True])
def test_multilabel_averages_agree_with_scikit_learn(average, weighted):
    rng = np.random.default_rng(0)
    y, s = rng.integers(0, 2, (50, 4)), np.round(rng.normal(size=(50, 4)), 1)
    y[:, 0], y[:, 1] = 1 - y[:, 2], 1 - y[:, 3]  # No row or column has one class only.
    w = rng.random(50) if weighted else None
    for ours, theirs in ((average_precision, average_precision_score), (auroc, roc_auc_score)):
        expected = theirs(y, s, average=average, sample_weight=w)
        assert ours(y, s, average=average, sample_weight=w) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("pos_label", [0, False, -1, "yes"])
def test_what_an_indicator_does_not_hold_of_a_label_is_not_positive(pos_label):
    y, scores = np.array([[1, 0], [0, 1], [1, 1], [0, 0]]), np.arange(8.0).reshape(4, 2)
    assert auroc(y, scores, pos_label=1) == auroc(y, scores)
    with pytest.raises(ValueError, match="pos_label must be 1 where y_true has a column for each label"):
        auroc(y, scores, pos_label=pos_label)


def test_indicator_and_scores_must_have_one_shape():
    with pytest.raises(ValueError, match=r"y_true has shape \(5, 2\) and y_score \(5, 1\)"):
        auprg(LABELS, SCORES[:, :1])


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearSVC()])
def test_every_scorer_works_in_cross_validation(estimator):
    got = cross_validate(estimator, X, Y, cv=3, scoring=dict(scorers), error_score="raise")
    assert all(np.isfinite(got[f"test_{name}"]).all() for name in scorers)
    expected = cross_validate(estimator, X, Y, cv=3, scoring=["roc_auc", "average_precision"])
    assert got["test_auroc"] == pytest.approx(expected["test_roc_auc"])
    assert got["test_average_precision"] == pytest.approx(expected["test_average_precision"])


def test_a_search_can_choose_by_auprg():
    search = GridSearchCV(LogisticRegression(), {"C": [0.01, 1]}, scoring=scorers["auprg"], cv=3).fit(X, Y)
    assert search.best_score_ <= 1


def test_a_search_by_all_scorers_is_cloned_pickled_and_refitted_by_one():
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, scoring=dict(scorers), refit="auprg", cv=3)
    search = pickle.loads(pickle.dumps(clone(search))).fit(X, Y)
    results = search.cv_results_
    assert search.best_index_ == np.argmax(results["mean_test_auprg"])
    assert search.score(X, Y) == pytest.approx(auprg(Y, search.decision_function(X)))
    assert all(np.isfinite(results[f"mean_test_{name}"]).all() for name in scorers)


def test_frames_of_pandas_go_through_a_cross_validation():
    frame, labels = pd.DataFrame(X).add_prefix("x"), pd.DataFrame({"y": Y}, index=np.arange(200)[::-1])
    got = cross_validate(LogisticRegression(), frame, labels["y"], cv=3, scoring=dict(scorers))
    same = cross_validate(LogisticRegression(), X, Y, cv=3, scoring=dict(scorers))
    for name in scorers:
        np.testing.assert_allclose(got[f"test_{name}"], same[f"test_{name}"])


@pytest.mark.parametrize("native", [pd.Series, lambda values: pa.chunked_array([values])])
def test_series_of_narwhals_are_taken_whatever_library_is_behind_them(native):
    # scikit-learn reads frames of polars and others through narwhals.
    y, s = [1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1]
    series = [nw.from_native(native(values), series_only=True) for values in (y, s)]
    assert auprg(*series) == auprg(y, s)


@pytest.mark.parametrize("name", scorers)
def test_weights_reach_a_scorer_that_asks_for_them(name):
    weights, cv = np.random.default_rng(0).random(200), KFold(3)
    with config_context(enable_metadata_routing=True):
        options = {"cv": cv, "params": {"sample_weight": weights}, "error_score": "raise"}
        model = LogisticRegression().set_fit_request(sample_weight=False)
        weighted = scorers[name].set_score_request(sample_weight=True)
        got = cross_validate(model, X, Y, scoring=weighted, return_estimator=True, **options)
        # scikit-learn 1.9 raises the first error, and 1.8 the second.
        with pytest.raises((UnsetMetadataPassedError, TypeError), match="sample_weight"):
            cross_validate(model, X, Y, scoring=scorers[name], **options)
    unweighted = cross_validate(LogisticRegression(), X, Y, cv=cv, scoring=scorers[name])["test_score"]
    direct = [
        scorers[name](model, X[rows], Y[rows], sample_weight=weights[rows])
        for model, (_, rows) in zip(got["estimator"], cv.split(X), strict=True)
    ]
    np.testing.assert_allclose(got["test_score"], direct)
    assert not np.allclose(got["test_score"], unweighted)


def test_text_labels_work_through_make_scorer():
    y = np.where(Y, "yes", "no")
    responses = ("decision_function", "predict_proba")
    by_score = make_scorer(auprg, response_method=responses, pos_label="yes")
    by_label = make_scorer(f_gain, pos_label="yes")
    got = cross_validate(LogisticRegression(), X, y, cv=3, scoring={"a": by_score, "f": by_label})
    same = cross_validate(
        LogisticRegression(), X, Y, cv=3, scoring={k: scorers[k] for k in ("auprg", "f_gain")}
    )
    assert got["test_a"] == pytest.approx(same["test_auprg"])
    assert got["test_f"] == pytest.approx(same["test_f_gain"])


@pytest.mark.parametrize("name", [*scorers, "recall@.8"])
def test_a_scorer_is_an_object_of_scikit_learns(name):
    same_kind = make_scorer(auprg, response_method="predict_proba")
    for scorer in (
        scorers[name],
        clone(scorers[name], safe=False),
        pickle.loads(pickle.dumps(scorers[name])),
    ):
        assert type(scorer) is type(same_kind)
        model = LogisticRegression().fit(X, Y)
        assert check_scoring(model, scorer)(model, X, Y) == scorers[name](model, X, Y)


def test_the_module_of_the_scorers_says_whose_they_are():
    assert importlib.import_module("aucstudy.metrics.scikit_learn_scorers").scorers is scorers


def test_an_unknown_scorer_is_named():
    with pytest.raises(KeyError, match="'auc'; there are auroc, aupr"):
        scorers["auc"]


@pytest.mark.parametrize("weighted", [False, True])
def test_areas_agree_with_scikit_learn(weighted):
    rng = np.random.default_rng(1)
    for n in (20, 3000):
        y, s = rng.random(n) < 0.3, np.round(rng.normal(size=n), 2)
        y[:2] = True, False
        w = rng.random(n) * rng.integers(0, 2, n) + (np.arange(n) < 2) if weighted else None
        assert auroc(y, s, sample_weight=w) == pytest.approx(roc_auc_score(y, s, sample_weight=w), rel=1e-11)
        expected = average_precision_score(y, s, sample_weight=w)
        assert average_precision(y, s, sample_weight=w) == pytest.approx(expected, rel=1e-11)
