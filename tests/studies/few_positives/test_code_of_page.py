"""The code on the page `choosing` selects models and sets thresholds as the study did."""

import re
from functools import cache

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucstudy.config import REPOSITORY
from aucstudy.metrics.kernel import order_of
from aucstudy.metrics.target_metrics import on_samples, target_of
from studies.few_positives.judging import proper_scores
from studies.few_positives.thresholds_set import bayes_thresholds, platt

PAGE = (REPOSITORY / "docs" / "choosing.md").read_text(encoding="utf-8")
CODE, SAME_ROWS = re.findall(r"(?s)```python\n(.*?)```", PAGE)
F1 = target_of("f1")
CANDIDATES = (
    make_pipeline(StandardScaler(), LogisticRegression(C=0.001)),
    RandomForestClassifier(30, min_samples_leaf=2, random_state=0),
    LogisticRegression(class_weight="balanced"),
)


class Reversed(ClassifierMixin, BaseEstimator):
    """A model whose scores fall with the label."""

    def fit(self, X, y):
        self.classes_, self.model_ = np.unique(y), LogisticRegression().fit(X, y)
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)[:, ::-1]

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@cache
def names_after(candidates, seed):
    """Return the variables of the page's code after it ran on made rows, of which 3 % are positive."""
    X, y = make_classification(5000, weights=[0.97], flip_y=0, class_sep=0.7, random_state=seed)
    parts = np.split(np.random.default_rng(seed).permutation(len(y)), [2500, 3200])
    rows = dict(zip(("train", "validation", "new"), parts, strict=True))
    names = {f"X_{part}": X[chosen] for part, chosen in rows.items()}
    names |= {f"y_{part}": y[chosen] for part, chosen in rows.items()}
    names["candidates"] = candidates
    exec(compile(CODE, "choosing.md", "exec"), names)
    return names


def scores_on_validation_rows(names):
    return np.column_stack([model.predict_proba(names["X_validation"])[:, 1] for model in names["fitted"]])


@pytest.mark.parametrize("seed", range(3))
def test_the_code_selects_by_the_log_loss_of_the_study(seed):
    names = names_after(CANDIDATES, seed)
    scores, every_row = (
        scores_on_validation_rows(names),
        np.ones((1, len(names["y_validation"])), dtype=np.uint8),
    )
    gains = proper_scores(names["y_validation"] == 1, scores, every_row)["log_loss"][0]
    np.testing.assert_allclose(names["losses"], -gains, rtol=0, atol=1e-9)
    assert names["best"] == gains.argmax()


@pytest.mark.parametrize("seed", range(3))
def test_the_code_sets_the_threshold_of_the_study(seed):
    names = names_after(CANDIDATES, seed)
    truth, scores = names["y_train"] == 1, names["scores"]
    np.testing.assert_allclose([names["slope"], names["intercept"]], platt(truth, scores), rtol=0, atol=1e-9)
    (expected,) = bayes_thresholds(truth, scores[:, None], [F1])["f1"]
    assert names["threshold"] == pytest.approx(expected, rel=0, abs=1e-9)
    new = names["fitted"][names["best"]].predict_proba(names["X_new"])[:, 1]
    assert np.array_equal(names["predicted"], new >= expected)
    assert f1_score(names["y_new"], names["predicted"]) > f1_score(names["y_new"], new >= 0)


def test_the_code_scores_training_rows_by_models_that_were_fitted_on_the_other_rows():
    names = names_after(CANDIDATES[:1], 0)
    X, y = names["X_train"], names["y_train"]
    for train, test in names["folds"].split(X, y):
        scores = names["clone"](CANDIDATES[0]).fit(X[train], y[train]).predict_proba(X[test])[:, 1]
        np.testing.assert_allclose(names["scores"][test], scores, rtol=0, atol=1e-9)


def test_the_code_accepts_all_rows_if_the_scores_fall_with_the_label():
    names = names_after((Reversed(),), 0)
    expected = bayes_thresholds(names["y_train"] == 1, names["scores"][:, None], [F1])["f1"]
    assert names["slope"] < 0
    assert names["threshold"] == expected[0] == -np.inf


def test_the_threshold_from_the_rows_that_selected_accepts_the_rows_of_the_best_f1():
    names = dict(names_after(CANDIDATES, 0))
    names["model"] = names["fitted"][0]
    exec(compile(SAME_ROWS, "choosing.md", "exec"), names)
    truth, scores = names["y_validation"] == 1, names["model"].predict_proba(names["X_validation"])[:, 1]
    every_row = np.ones((1, len(truth)), dtype=np.uint8)
    best = on_samples(order_of(truth, scores[:, None]), scores[:, None], every_row, [F1])
    accepted = names["tuned"].predict(names["X_validation"])
    assert f1_score(truth, accepted) == pytest.approx(best.values[0, 0, 0], rel=0, abs=1e-9)
    assert np.array_equal(accepted == 1, scores >= best.thresholds[0, 0, 0])
