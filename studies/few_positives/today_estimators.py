"""The estimators of the flows with learners of today.

`X` is an (n, d) array without missing values. Labels are (n,), with the values 0 and 1.
"""
# ruff: noqa: F401

from collections.abc import Iterable, Mapping
from itertools import accumulate, islice
from typing import Any, Self

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

FOLDS = 3  # of the training rows


def calibrated(estimator: Any, method: str) -> Any:
    """Return the mean of three models, each calibrated on the third of the rows that it was not fitted on."""
    return CalibratedClassifierCV(estimator, method=method, cv=FOLDS)


class ChosenPenalty(ClassifierMixin, BaseEstimator):
    """Logistic regression whose ridge penalty has the least log loss over stratified folds of the training rows."""

    STRENGTHS = (0.001, 0.01, 0.1, 1.0)

    def __init__(self, class_weight: str | None = None, random_state: int | None = None) -> None:
        self.class_weight = class_weight
        self.random_state = random_state

    def _model(self, strength: float) -> LogisticRegression:
        return LogisticRegression(C=strength, solver="newton-cholesky", class_weight=self.class_weight)

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        self.classes_ = np.unique(y)
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=self.random_state)
        losses = np.zeros(len(self.STRENGTHS))
        for train, test in folds.split(X, y):
            for i, strength in enumerate(self.STRENGTHS):
                scores = self._model(strength).fit(X[train], y[train]).predict_proba(X[test])[:, 1]
                losses[i] += log_loss(y[test], scores, labels=self.classes_)
        self.model_ = self._model(self.STRENGTHS[int(losses.argmin())]).fit(X, y)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.model_.predict_proba(X)


class _Boosting(ClassifierMixin, BaseEstimator):
    """Boosting by one library, with the learning rate .1 and on one thread.

    If `balanced` is true, all positives together weigh as much as all negatives. LightGBM and XGBoost take
    `settings` of their own, which replace the number of rounds and the learning rate if they name them.
    """

    def __init__(
        self,
        balanced: bool = False,
        rounds: int = 100,
        random_state: int | None = None,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.balanced = balanced
        self.rounds = rounds
        self.random_state = random_state
        self.settings = settings

    def _model(self, positive_weight: float) -> Any:
        raise NotImplementedError

    def _log_odds(self, X: np.ndarray, step: int) -> Iterable[np.ndarray]:
        """Return (n,) log-odds after `step` rounds, after twice as many, and so on."""
        raise NotImplementedError

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        self.classes_ = np.unique(y)
        self.model_ = self._model((y == 0).sum() / (y == 1).sum() if self.balanced else 1.0).fit(X, y)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.model_.predict_proba(X)

    def staged_scores(self, X: np.ndarray, step: int) -> np.ndarray:
        """Return (n, rounds / step) probabilities of the positive class after each `step` rounds."""
        return expit(np.column_stack([*self._log_odds(X, step)]))


class HistogramBoosting(_Boosting):
    def _model(self, positive_weight: float) -> Any:
        return HistGradientBoostingClassifier(
            max_iter=self.rounds, early_stopping=False, class_weight={0: 1.0, 1: positive_weight},
            random_state=self.random_state,
        )  # fmt: skip

    def _log_odds(self, X: np.ndarray, step: int) -> Iterable[np.ndarray]:
        return islice(self.model_.staged_decision_function(X), step - 1, None, step)


class LightGBM(_Boosting):
    def _model(self, positive_weight: float) -> Any:
        from lightgbm import LGBMClassifier

        usual = {"n_estimators": self.rounds, "learning_rate": 0.1}
        return LGBMClassifier(
            **{**usual, **(self.settings or {})}, scale_pos_weight=positive_weight, random_state=self.random_state,
            n_jobs=1, deterministic=True, force_row_wise=True, verbosity=-1,
        )  # fmt: skip

    def _log_odds(self, X: np.ndarray, step: int) -> Iterable[np.ndarray]:
        # If no split is left, the model has fewer trees than rounds, and the later rounds add nothing.
        starts = range(0, self.rounds, step)
        n_trees = self.model_.booster_.num_trees()
        steps_log_odds = (
            self.model_.predict(X, raw_score=True, start_iteration=start, num_iteration=step)
            if start < n_trees
            else np.zeros(len(X))
            for start in starts
        )
        return accumulate(steps_log_odds)


class XGBoost(_Boosting):
    def _model(self, positive_weight: float) -> Any:
        from xgboost import XGBClassifier

        usual = {"n_estimators": self.rounds, "learning_rate": 0.1, "max_depth": 6}
        return XGBClassifier(
            **{**usual, **(self.settings or {})}, tree_method="hist", scale_pos_weight=positive_weight,
            random_state=self.random_state, n_jobs=1, verbosity=0,
        )  # fmt: skip

    def _log_odds(self, X: np.ndarray, step: int) -> Iterable[np.ndarray]:
        def margin(start: int, end: int) -> np.ndarray:
            return self.model_.predict(X, output_margin=True, iteration_range=(start, end)).astype(float)

        # Every margin includes the log-odds from which boosting starts. They must count only once.
        start = margin(0, 1) + margin(1, 2) - margin(0, 2)
        steps_log_odds = (margin(i, i + step) - start for i in range(0, self.rounds, step))
        return (start + log_odds for log_odds in accumulate(steps_log_odds))


class CatBoost(_Boosting):
    def _model(self, positive_weight: float) -> Any:
        from catboost import CatBoostClassifier

        return CatBoostClassifier(
            iterations=self.rounds, learning_rate=0.1, depth=6, scale_pos_weight=positive_weight,
            random_seed=self.random_state, thread_count=1, verbose=False, allow_writing_files=False,
        )  # fmt: skip

    def _log_odds(self, X: np.ndarray, step: int) -> Iterable[np.ndarray]:
        staged = self.model_.staged_predict(X, prediction_type="RawFormulaVal", ntree_start=0, eval_period=1)
        return islice(staged, step - 1, None, step)
