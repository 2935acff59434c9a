"""The flows with learners of today: boosting, forests and penalised regression, some weighted or calibrated.

`FLOWS_TODAY` also has the older flows of the package in `OLD`. All flows are fitted on one thread, and their
scores depend on nothing but the data and the seed. LightGBM, XGBoost and CatBoost come with the extra
`boosting`.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any

import numpy as np

from aucstudy.learners.flows import FLOWS, Flow, Learners, Output

sk = Learners(f"{__package__}.today_estimators")


@dataclass(frozen=True)
class BoostingFlow(Flow):
    module: str

    @property
    def installed(self) -> bool:
        return find_spec(self.module) is not None


ROUNDS, STEP = 240, 10  # default number of rounds, and rounds from one stop to the next


@dataclass(frozen=True)
class Stopped:
    """A model of a boosting library, with unweighted classes, after `rounds` of its `last` rounds."""

    library: str
    rounds: int
    last: int = ROUNDS

    @property
    def name(self) -> str:
        return f"{self.library}_{self.rounds}_rounds"

    @property
    def setup_id(self) -> str:
        description = f"{LIBRARIES[self.library](rounds=self.last)!r} {self.rounds}"
        return hashlib.sha256(description.encode()).hexdigest()[:12]


LIBRARIES = MappingProxyType({
    "hist_boosting": lambda seed=0, rounds=ROUNDS: sk.HistogramBoosting(rounds=rounds, random_state=seed),
    "lightgbm": lambda seed=0, rounds=ROUNDS: sk.LightGBM(rounds=rounds, random_state=seed),
    "xgboost": lambda seed=0, rounds=ROUNDS: sk.XGBoost(rounds=rounds, random_state=seed),
    "catboost": lambda seed=0, rounds=ROUNDS: sk.CatBoost(rounds=rounds, random_state=seed),
})  # fmt: skip


def stops_of(library: str, last: int = ROUNDS) -> tuple[Stopped, ...]:
    """Return the models of a boosting library after STEP rounds, after twice as many, and so on."""
    return tuple(Stopped(library, rounds, last) for rounds in range(STEP, last + 1, STEP))


def staged_scores(
    library: str, X: np.ndarray, y: np.ndarray, X_test: np.ndarray, seed: int, last: int = ROUNDS
) -> np.ndarray:
    """Return (n_test, stops) probabilities of the positive class at each of `stops_of`, from one fit."""
    return LIBRARIES[library](seed, last).fit(X, y.astype(int)).staged_scores(X_test, STEP)


_P = Output.PROBABILITY
_BALANCED: Mapping[str, str] = {"class_weight": "balanced"}
# Flows of the package. The study few_natural leaves out knn_30, because its ties depend on the processor.
OLD = (
    "j48_unpruned", "j48_leaf_10", "naive_bayes", "bayes_net", "knn_30", "logistic", "lda", "multilayer_perceptron",
    "adaboost_10", "random_forest_100",
)  # fmt: skip
# Variants of two boosting libraries. The settings have the names that the libraries give them.
LIGHTGBM: Mapping[str, Mapping[str, object]] = MappingProxyType({
    "slow": {"learning_rate": 0.03, "n_estimators": 300, "num_leaves": 15},
    "shallow": {"max_depth": 3, "num_leaves": 8, "min_child_samples": 5},
    "sampled": {"subsample": 0.7, "subsample_freq": 1, "colsample_bytree": 0.5, "reg_lambda": 5.0},
})  # fmt: skip
XGBOOST: Mapping[str, Mapping[str, object]] = MappingProxyType({
    "slow": {"learning_rate": 0.03, "n_estimators": 300, "max_depth": 4},
    "shallow": {"max_depth": 2, "min_child_weight": 0.1},
    "sampled": {"subsample": 0.7, "colsample_bytree": 0.5, "reg_lambda": 5.0},
})  # fmt: skip


def _forest(seed: int, **settings: object) -> Any:
    return sk.RandomForestClassifier(100, min_samples_leaf=2, random_state=seed, **settings)


def _histogram(seed: int, **settings: object) -> Any:
    return sk.HistGradientBoostingClassifier(early_stopping=False, random_state=seed, **settings)


def _lightgbm(variant: str) -> BoostingFlow:
    settings = LIGHTGBM[variant]
    return BoostingFlow(
        f"lightgbm_{variant}", _P, lambda seed: sk.LightGBM(settings=settings, random_state=seed), "lightgbm"
    )


def _xgboost(variant: str) -> BoostingFlow:
    settings = XGBOOST[variant]
    return BoostingFlow(
        f"xgboost_{variant}", _P, lambda seed: sk.XGBoost(settings=settings, random_state=seed), "xgboost"
    )


def _penalised(seed: int, **settings: object) -> Any:
    return sk.ChosenPenalty(random_state=seed, **settings)


FLOWS_TODAY = MappingProxyType({
    flow.name: flow
    for flow in (
        *(FLOWS[name] for name in OLD),
        Flow("logistic_chosen", _P, _penalised),
        Flow("logistic_chosen_balanced", _P, lambda seed: _penalised(seed, **_BALANCED)),
        Flow("logistic_balanced_sigmoid", _P, lambda seed: sk.calibrated(
            sk.LogisticRegression(C=0.1, solver="newton-cholesky", **_BALANCED), "sigmoid")),
        Flow("extra_trees", _P, lambda seed: sk.ExtraTreesClassifier(100, random_state=seed)),
        Flow("extra_trees_balanced", _P, lambda seed: sk.ExtraTreesClassifier(
            100, min_samples_leaf=2, random_state=seed, **_BALANCED)),
        Flow("random_forest_leaf_2", _P, _forest),
        Flow("random_forest_balanced", _P, lambda seed: _forest(seed, class_weight="balanced_subsample")),
        Flow("random_forest_isotonic", _P, lambda seed: sk.calibrated(_forest(seed), "isotonic")),
        Flow("hist_boosting", _P, _histogram),
        Flow("hist_boosting_slow", _P, lambda seed: _histogram(
            seed, learning_rate=0.03, max_iter=150, max_leaf_nodes=8, l2_regularization=1.0)),
        Flow("hist_boosting_balanced", _P, lambda seed: _histogram(seed, **_BALANCED)),
        Flow("hist_boosting_sigmoid", _P, lambda seed: sk.calibrated(_histogram(seed, **_BALANCED), "sigmoid")),
        BoostingFlow("lightgbm", _P, lambda seed: sk.LightGBM(random_state=seed), "lightgbm"),
        BoostingFlow("lightgbm_balanced", _P, lambda seed: sk.LightGBM(balanced=True, random_state=seed), "lightgbm"),
        BoostingFlow("xgboost", _P, lambda seed: sk.XGBoost(random_state=seed), "xgboost"),
        BoostingFlow("xgboost_balanced", _P, lambda seed: sk.XGBoost(balanced=True, random_state=seed), "xgboost"),
        BoostingFlow("catboost", _P, lambda seed: sk.CatBoost(random_state=seed), "catboost"),
        BoostingFlow("catboost_balanced", _P, lambda seed: sk.CatBoost(balanced=True, random_state=seed), "catboost"),
        *(_lightgbm(variant) for variant in LIGHTGBM),
        *(_xgboost(variant) for variant in XGBOOST),
    )
})  # fmt: skip
TODAY = tuple(name for name in FLOWS_TODAY if name not in OLD)
