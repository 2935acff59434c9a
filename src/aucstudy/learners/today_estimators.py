"""What the flows of today are made of. `X` is an (n, d) array without missing values, labels are (n,), 0 and 1."""
# ruff: noqa: F401

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

FOLDS = 3  # inside the training rows


def calibrated(estimator: Any, method: str) -> Any:
    """The mean of three models, each calibrated on the third of the rows that it was not fitted on."""
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
    """A library's boosting with 100 rounds at rate .1 on one thread; balanced: positives weigh as much as negatives."""

    def __init__(self, balanced: bool = False, random_state: int | None = None) -> None:
        self.balanced = balanced
        self.random_state = random_state

    def _model(self, positive_weight: float) -> Any:
        raise NotImplementedError

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        self.classes_ = np.unique(y)
        self.model_ = self._model((y == 0).sum() / (y == 1).sum() if self.balanced else 1.0).fit(X, y)
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        return self.model_.predict_proba(X)


class LightGBM(_Boosting):
    def _model(self, positive_weight: float) -> Any:
        from lightgbm import LGBMClassifier

        return LGBMClassifier(
            n_estimators=100, learning_rate=0.1, scale_pos_weight=positive_weight, random_state=self.random_state,
            n_jobs=1, deterministic=True, force_row_wise=True, verbosity=-1,
        )  # fmt: skip


class XGBoost(_Boosting):
    def _model(self, positive_weight: float) -> Any:
        from xgboost import XGBClassifier

        return XGBClassifier(
            n_estimators=100, learning_rate=0.1, max_depth=6, tree_method="hist", scale_pos_weight=positive_weight,
            random_state=self.random_state, n_jobs=1, verbosity=0,
        )  # fmt: skip


class CatBoost(_Boosting):
    def _model(self, positive_weight: float) -> Any:
        from catboost import CatBoostClassifier

        return CatBoostClassifier(
            iterations=100, learning_rate=0.1, depth=6, scale_pos_weight=positive_weight,
            random_seed=self.random_state, thread_count=1, verbose=False, allow_writing_files=False,
        )  # fmt: skip
