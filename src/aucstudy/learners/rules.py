"""Rule learners that answer with a class only: one rule (OneR) and a list of rules (PART)."""

from typing import Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier


class OneRule(ClassifierMixin, BaseEstimator):
    """The one feature that alone makes the fewest errors on the training rows [1]_.

    Parameters
    ----------
    min_bucket : int
        Least rows in an interval of the feature.
    max_buckets : int
        Most intervals of the feature.

    References
    ----------
    .. [1] R. C. Holte, Very simple classification rules perform well on most commonly used datasets, Machine
       Learning 11 (1993) 63-91.
    """

    def __init__(self, min_bucket: int = 6, max_buckets: int = 8, random_state: int | None = None) -> None:
        self.min_bucket = min_bucket
        self.max_buckets = max_buckets
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Try each column of `X` (n, d) alone for the labels `y` (n,)."""
        self.classes_ = np.unique(y)
        fewest = np.inf
        for column in range(X.shape[1]):
            rule = DecisionTreeClassifier(
                min_samples_leaf=self.min_bucket,
                max_leaf_nodes=self.max_buckets,
                random_state=self.random_state,
            ).fit(X[:, [column]], y)
            errors = int(np.count_nonzero(rule.predict(X[:, [column]]) != y))
            if errors < fewest:
                fewest, self.column_, self.rule_ = errors, column, rule
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """(n,) labels."""
        return self.rule_.predict(X[:, [self.column_]])


class PartialTreeRules(ClassifierMixin, BaseEstimator):
    """Rules one after the other: each the largest leaf of a small tree on the rows not yet covered [1]_.

    Parameters
    ----------
    max_rules : int
        Most rules; what none of them covers gets the most frequent class of the rows left over.
    max_depth : int
        Most conditions in a rule.
    min_samples_leaf : int
        Least training rows that a rule covers.

    References
    ----------
    .. [1] E. Frank, I. H. Witten, Generating accurate rule sets without global optimization, ICML 1998.
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
        """Grow rules for rows `X` (n, d) with labels `y` (n,) until one class is left."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.rules_: list[tuple[DecisionTreeClassifier, int, object]] = []
        left = np.arange(len(y))
        while len(self.rules_) < self.max_rules and np.ptp(codes[left]) > 0:
            tree = DecisionTreeClassifier(
                criterion="entropy",
                max_depth=self.max_depth,
                min_samples_leaf=self.min_samples_leaf,
                random_state=self.random_state,
            ).fit(X[left], codes[left])
            leaves = tree.apply(X[left])
            largest = np.bincount(leaves).argmax()
            covered = leaves == largest
            if covered.all():
                break
            self.rules_.append((tree, largest, self._most_frequent(codes[left[covered]])))
            left = left[~covered]
        self.default_ = self._most_frequent(codes[left])
        return self

    def _most_frequent(self, codes: np.ndarray) -> object:
        return self.classes_[np.bincount(codes, minlength=len(self.classes_)).argmax()]

    def predict(self, X: np.ndarray) -> np.ndarray:
        """(n,) labels: the first rule that covers a row decides."""
        labels = np.full(len(X), self.default_)
        # From the last rule to the first, so that the first has the last word.
        for tree, leaf, label in reversed(self.rules_):
            labels[tree.apply(X) == leaf] = label
        return labels
