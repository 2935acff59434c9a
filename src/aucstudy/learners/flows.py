"""The flows of the packaged source: scikit-learn's learners in place of the WEKA flows of OpenML in 2014-15.

Flows that predict only a class, as WEKA's rules and its SMO do, have the scores 0 and 1. Their ties are kept,
because the study is also about ties.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np


class Learners:
    """The names of a module, which is imported when one of them is first used.

    The import takes a second, and checks of a configuration need only the names of flows.
    """

    def __init__(self, module: str) -> None:
        self.module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.module), name)


sk = Learners("aucstudy.learners.estimators")


class Output(StrEnum):
    PROBABILITY = "probability"  # of the positive class, in [0, 1]
    DECISION = "decision"  # signed distance from the border, unbounded
    LABEL = "label"  # 1 where the positive class is predicted, else 0


@dataclass(frozen=True)
class Flow:
    """A learner with its settings; `make` returns an unfitted estimator for a seed."""

    name: str
    output: Output
    make: Callable[[int], Any]

    @property
    def setup_id(self) -> str:
        description = f"{self.output} {self.make(0)!r}"
        return hashlib.sha256(description.encode()).hexdigest()[:12]

    def fit_score(self, X: np.ndarray, y: np.ndarray, X_test: np.ndarray, seed: int) -> np.ndarray:
        """Fit on the rows `X` (n, d) with bool labels `y` (n,); return the scores (n_test,) of `X_test`."""
        # scikit-learn would look at the rows again at each step of each tree. It still does so where it has to
        # refuse them.
        finite = bool(np.isfinite(X).all() and np.isfinite(X_test).all())
        with sk.config_context(assume_finite=finite, skip_parameter_validation=True):
            estimator = self.make(seed).fit(X, y.astype(int))
            if self.output is Output.LABEL:
                return estimator.predict(X_test).astype(float)
            if self.output is Output.DECISION:
                return estimator.decision_function(X_test)
            return estimator.predict_proba(X_test)[:, 1]


def _tree(seed: int, **settings: object) -> Any:
    return sk.DecisionTreeClassifier(random_state=seed, **settings)


def _reduced(seed: int) -> Any:
    return _tree(seed, min_samples_leaf=2, max_depth=6, min_impurity_decrease=0.001)


def _linear_machine(seed: int, c: float) -> Any:
    return sk.LinearSVC(C=c, random_state=seed, max_iter=300)


_P, _D, _L = Output.PROBABILITY, Output.DECISION, Output.LABEL
FLOWS = MappingProxyType({
    flow.name: flow
    for flow in (
        # Baselines and single rules: ZeroR, OneR, DecisionStump, PART
        Flow("zero_r", _P, lambda seed: sk.DummyClassifier(strategy="prior")),
        Flow("one_r", _L, lambda seed: sk.OneRule(random_state=seed)),
        Flow("decision_stump", _P, lambda seed: _tree(seed, max_depth=1)),
        Flow("part_rules", _L, lambda seed: sk.PartialTreeRules(random_state=seed)),
        # Trees: J48, REPTree, RandomTree
        Flow("j48_pruned", _P, lambda seed: _tree(
            seed, criterion="entropy", min_samples_leaf=2, ccp_alpha=0.005)),
        Flow("j48_unpruned", _P, lambda seed: _tree(seed, criterion="entropy", min_samples_leaf=2)),
        Flow("j48_leaf_10", _P, lambda seed: _tree(seed, criterion="entropy", min_samples_leaf=10)),
        Flow("rep_tree", _P, _reduced),
        Flow("random_tree", _P, lambda seed: _tree(seed, max_features="log2")),
        # Bayes: NaiveBayes with normals, kernels (-K) and bins (-D), BayesNet
        Flow("naive_bayes", _P, lambda seed: sk.GaussianNB()),
        Flow("naive_bayes_kernel", _P, lambda seed: sk.KernelNaiveBayes()),
        # A column that is constant in the training rows has no bins: it is left out.
        Flow("naive_bayes_bins", _P, lambda seed: sk.make_pipeline(
            sk.VarianceThreshold(),
            sk.KBinsDiscretizer(10, encode="onehot-dense", strategy="uniform", subsample=None),
            sk.BernoulliNB())),
        Flow("bayes_net", _P, lambda seed: sk.make_pipeline(
            sk.SupervisedBins(random_state=seed), sk.BernoulliNB(alpha=0.5))),
        # Neighbours: IBk
        Flow("knn_1", _P, lambda seed: sk.KNeighborsClassifier(1)),
        Flow("knn_3", _P, lambda seed: sk.KNeighborsClassifier(3)),
        Flow("knn_5", _P, lambda seed: sk.KNeighborsClassifier(5)),
        Flow("knn_10_weighted", _P, lambda seed: sk.KNeighborsClassifier(10, weights="distance")),
        Flow("knn_30", _P, lambda seed: sk.KNeighborsClassifier(30)),
        # Linear models: Logistic, SimpleLogistic, ClassificationViaRegression, LDA, QDA, SGD, VotedPerceptron
        Flow("logistic", _P, lambda seed: sk.LogisticRegression(C=1e4, solver="newton-cholesky", max_iter=50)),
        Flow("logistic_ridge", _P, lambda seed: sk.LogisticRegression(C=0.1, solver="newton-cholesky")),
        Flow("simple_logistic", _P, lambda seed: sk.LogisticRegression(
            l1_ratio=1, solver="liblinear", random_state=seed)),
        Flow("ridge_regression", _D, lambda seed: sk.RidgeClassifier(alpha=1.0, solver="cholesky")),
        Flow("lda", _P, lambda seed: sk.LinearDiscriminantAnalysis()),
        Flow("qda", _P, lambda seed: sk.QuadraticDiscriminantAnalysis()),
        Flow("sgd_hinge", _L, lambda seed: sk.SGDClassifier(
            alpha=1e-3, max_iter=30, tol=None, random_state=seed)),
        # The mean of the weight vectors takes the place of the vote over them (Freund & Schapire 1999).
        Flow("voted_perceptron", _D, lambda seed: sk.SGDClassifier(
            "perceptron", average=True, alpha=0, learning_rate="constant", eta0=1, max_iter=20, tol=None,
            random_state=seed)),
        # Support vectors: SMO
        Flow("smo_linear", _L, lambda seed: _linear_machine(seed, 1.0)),
        Flow("smo_linear_soft", _L, lambda seed: _linear_machine(seed, 0.01)),
        Flow("smo_linear_margin", _D, lambda seed: _linear_machine(seed, 1.0)),
        Flow("smo_poly_2", _D, lambda seed: sk.SVC(kernel="poly", degree=2, coef0=1, max_iter=20000)),
        Flow("smo_rbf", _D, lambda seed: sk.SVC(kernel="rbf", max_iter=20000)),
        # Networks: MultilayerPerceptron
        Flow("multilayer_perceptron", _P, lambda seed: sk.MLPClassifier(
            (8,), solver="lbfgs", alpha=0.01, max_iter=60, random_state=seed)),
        # Committees: AdaBoostM1, LogitBoost, Bagging, RandomSubSpace, RandomForest, RandomCommittee
        Flow("adaboost_10", _P, lambda seed: sk.AdaBoostClassifier(n_estimators=10, random_state=seed)),
        Flow("logitboost_10", _P, lambda seed: sk.GradientBoostingClassifier(
            n_estimators=10, max_depth=1, learning_rate=0.5, random_state=seed)),
        Flow("bagging_10", _P, lambda seed: sk.BaggingClassifier(
            _reduced(seed), n_estimators=10, random_state=seed)),
        Flow("random_subspace_10", _P, lambda seed: sk.BaggingClassifier(
            _reduced(seed), n_estimators=10, max_features=0.5, bootstrap=False, random_state=seed)),
        Flow("random_forest_10", _P, lambda seed: sk.RandomForestClassifier(10, random_state=seed)),
        Flow("random_forest_100", _P, lambda seed: sk.RandomForestClassifier(100, random_state=seed)),
        Flow("random_committee_10", _P, lambda seed: sk.ExtraTreesClassifier(10, random_state=seed)),
    )
})  # fmt: skip
