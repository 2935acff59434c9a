"""What flows are made of: names of scikit-learn, and learners that it lacks. `X` is (n, d), nothing missing."""
# ruff: noqa: F401

from typing import Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier


class KernelNaiveBayes(ClassifierMixin, BaseEstimator):
    """Naive Bayes whose densities are sums of normal kernels of width range / sqrt(n of the class).

    G. H. John, P. Langley, Estimating continuous distributions in Bayesian classifiers, UAI 1995.
    """

    # The least density: a value far from all training rows must not turn the product into 0.
    FLOOR = 1e-75

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        self.classes_, counts = np.unique(y, return_counts=True)
        self.log_prior_ = np.log(counts / counts.sum())
        spread = np.ptp(X, axis=0)
        # Widths: one row a class. A constant column tells nothing, whatever its width.
        self.widths_ = np.where(spread > 0, spread, 1.0) / np.sqrt(counts)[:, None]
        self.columns_ = []
        for column in X.T:
            values, positions = np.unique(column, return_inverse=True)
            of_classes = [
                np.bincount(positions[y == label], minlength=len(values)) for label in self.classes_
            ]
            self.columns_.append((values, np.array(of_classes) / counts[:, None]))
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        joint = np.tile(self.log_prior_, (len(X), 1))
        for column, (values, shares), widths in zip(X.T, self.columns_, self.widths_.T, strict=True):
            distinct, positions = np.unique(column, return_inverse=True)
            distances = np.subtract.outer(distinct, values)
            for k, width in enumerate(widths):
                has_share = shares[k] > 0
                density = np.exp(-0.5 * (distances[:, has_share] / width) ** 2) @ shares[k][has_share]
                joint[:, k] += np.log(density / width + self.FLOOR)[positions]
        return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class SupervisedBins(TransformerMixin, BaseEstimator):
    """0/1 columns of the pieces into which a small tree cuts each column, for Fayyad & Irani's cuts (1993) in WEKA."""

    def __init__(
        self, max_bins: int = 6, min_impurity_decrease: float = 0.005, random_state: int | None = None
    ) -> None:
        self.max_bins = max_bins
        self.min_impurity_decrease = min_impurity_decrease
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        limits = {"max_leaf_nodes": self.max_bins, "min_impurity_decrease": self.min_impurity_decrease}
        tree = DecisionTreeClassifier(criterion="entropy", random_state=self.random_state, **limits)
        fitted = (tree.fit(X[:, [k]], y).tree_ for k in range(X.shape[1]))
        self.cuts_ = [np.sort(nodes.threshold[nodes.children_left >= 0]) for nodes in fitted]
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        pieces = [
            np.searchsorted(cuts, column)[:, None] == np.arange(len(cuts) + 1)
            for column, cuts in zip(X.T, self.cuts_, strict=True)
        ]
        return np.hstack(pieces).astype(float)


class OneRule(ClassifierMixin, BaseEstimator):
    """The feature that alone, in at most `max_buckets` intervals, makes the fewest errors on the training rows.

    R. C. Holte, Very simple classification rules perform well on most commonly used datasets, Machine Learning 1993.
    """

    def __init__(self, min_bucket: int = 6, max_buckets: int = 8, random_state: int | None = None) -> None:
        self.min_bucket = min_bucket
        self.max_buckets = max_buckets
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        self.classes_ = np.unique(y)
        limits = {"min_samples_leaf": self.min_bucket, "max_leaf_nodes": self.max_buckets}
        features = [X[:, [k]] for k in range(X.shape[1])]
        rules = [DecisionTreeClassifier(random_state=self.random_state, **limits).fit(x, y) for x in features]
        errors = [(rule.predict(x) != y).sum() for rule, x in zip(rules, features, strict=True)]
        self.column_ = int(np.argmin(errors))
        self.rule_ = rules[self.column_]
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.rule_.predict(X[:, [self.column_]])


class PartialTreeRules(ClassifierMixin, BaseEstimator):
    """Rules in order, each the largest leaf of a small tree on the rows not yet covered; then the most frequent class.

    E. Frank, I. H. Witten, Generating accurate rule sets without global optimization, ICML 1998.
    """

    def __init__(
        self,
        max_rules: int = 20,
        max_depth: int = 4,
        min_samples_leaf: int = 2,
        random_state: int | None = None,
    ) -> None:
        self.max_rules = max_rules
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.rules_: list[tuple[DecisionTreeClassifier, int, object]] = []
        uncovered = np.arange(len(y))
        while len(self.rules_) < self.max_rules and np.ptp(codes[uncovered]) > 0:
            limits = {"max_depth": self.max_depth, "min_samples_leaf": self.min_samples_leaf}
            tree = DecisionTreeClassifier(criterion="entropy", random_state=self.random_state, **limits)
            tree.fit(X[uncovered], codes[uncovered])
            leaves = tree.apply(X[uncovered])
            largest = np.bincount(leaves).argmax()
            in_largest_leaf = leaves == largest
            if in_largest_leaf.all():
                break
            self.rules_.append((tree, largest, self._most_frequent(codes[uncovered[in_largest_leaf]])))
            uncovered = uncovered[~in_largest_leaf]
        self.default_ = self._most_frequent(codes[uncovered])
        return self

    def _most_frequent(self, codes: np.ndarray) -> object:
        return self.classes_[np.bincount(codes, minlength=len(self.classes_)).argmax()]

    def predict(self, X: np.ndarray) -> np.ndarray:
        labels = np.full(len(X), self.default_)
        # from the last rule to the first: the first that covers a row decides
        for tree, leaf, label in reversed(self.rules_):
            labels[tree.apply(X) == leaf] = label
        return labels
