"""The estimators that flows are made of: those of scikit-learn, and learners that it lacks.

`X` is (n, d) and has no missing values.
"""
# ruff: noqa: F401

from typing import Self

import numpy as np
from scipy.special import logsumexp
from sklearn import config_context
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
from sklearn.utils import assert_all_finite


class KernelNaiveBayes(ClassifierMixin, BaseEstimator):
    """Naive Bayes in which each density is a mean of normal kernels, one at the value of each training row.

    The kernel width is the range of the feature over the square root of the number of rows of the class.

    G. H. John, P. Langley, Estimating continuous distributions in Bayesian classifiers, UAI 1995.
    """

    # This is added to each density, so that a value far from all training rows does not make the product 0.
    FLOOR = 1e-75

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        self.classes_, counts = np.unique(y, return_counts=True)
        self.log_prior_ = np.log(counts / counts.sum())
        spread = np.ptp(X, axis=0)
        # One row of widths for each class. The range of a constant column is set to 1, because its width must
        # not be 0: distances are divided by it.
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


def rows_of_trees(X: np.ndarray) -> np.ndarray:
    """Return the rows as float32, which a tree takes with `check_input=False`.

    A learner that fits a tree to each column would otherwise spend most of its time on checks of the same rows.
    """
    rows = np.asarray(X, dtype=np.float32)
    assert_all_finite(rows)
    return rows


class SupervisedBins(TransformerMixin, BaseEstimator):
    """A transformer by which intervals of the columns become columns of 0 and 1.

    A small tree on each column cuts it into intervals. This takes the place of the cuts of Fayyad & Irani
    (1993) in WEKA.
    """

    def __init__(
        self, max_bins: int = 6, min_impurity_decrease: float = 0.005, random_state: int | None = None
    ) -> None:
        self.max_bins = max_bins
        self.min_impurity_decrease = min_impurity_decrease
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        limits = {"max_leaf_nodes": self.max_bins, "min_impurity_decrease": self.min_impurity_decrease}
        tree = DecisionTreeClassifier(criterion="entropy", random_state=self.random_state, **limits)
        columns = rows_of_trees(X).T
        fitted = (tree.fit(column[:, None], y, check_input=False).tree_ for column in columns)
        self.cuts_ = [np.sort(nodes.threshold[nodes.children_left >= 0]) for nodes in fitted]
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        pieces = [
            np.searchsorted(cuts, column)[:, None] == np.arange(len(cuts) + 1)
            for column, cuts in zip(X.T, self.cuts_, strict=True)
        ]
        return np.hstack(pieces).astype(float)


class OneRule(ClassifierMixin, BaseEstimator):
    """A rule on a single feature: the one whose rule makes the fewest errors on the training rows.

    A rule cuts its feature into at most `max_buckets` intervals.

    R. C. Holte, Very simple classification rules perform well on most commonly used datasets, Machine Learning 1993.
    """

    def __init__(self, min_bucket: int = 6, max_buckets: int = 8, random_state: int | None = None) -> None:
        self.min_bucket = min_bucket
        self.max_buckets = max_buckets
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        self.classes_ = np.unique(y)
        limits = {"min_samples_leaf": self.min_bucket, "max_leaf_nodes": self.max_buckets}
        rules, errors = [], []
        for column in rows_of_trees(X).T:
            rule = DecisionTreeClassifier(random_state=self.random_state, **limits)
            rules.append(rule.fit(column[:, None], y, check_input=False))
            errors.append(np.count_nonzero(rule.predict(column[:, None], check_input=False) != y))
        self.column_ = int(np.argmin(errors))
        self.rule_ = rules[self.column_]
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.rule_.predict(X[:, [self.column_]])


class PartialTreeRules(ClassifierMixin, BaseEstimator):
    """An ordered list of rules, of which the first that covers a row predicts its class.

    Each rule is the largest leaf of a small tree on the training rows that no earlier rule covers. A row that
    no rule covers gets the most frequent class of the training rows that are left at the end.

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
        rows, uncovered = rows_of_trees(X), np.arange(len(y))
        while len(self.rules_) < self.max_rules and np.ptp(codes[uncovered]) > 0:
            limits = {"max_depth": self.max_depth, "min_samples_leaf": self.min_samples_leaf}
            tree = DecisionTreeClassifier(criterion="entropy", random_state=self.random_state, **limits)
            tree.fit(rows[uncovered], codes[uncovered], check_input=False)
            leaves = tree.apply(rows[uncovered], check_input=False)
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
        labels, rows = np.full(len(X), self.default_), rows_of_trees(X)
        # Rules are applied from the last to the first, so that the first one that covers a row decides.
        for tree, leaf, label in reversed(self.rules_):
            labels[tree.apply(rows, check_input=False) == leaf] = label
        return labels
