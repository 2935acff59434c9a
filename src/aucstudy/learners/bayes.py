"""Naive Bayes with kernel densities, and the supervised cutting of numbers that Bayes nets are fed with."""

from typing import Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.tree import DecisionTreeClassifier


class KernelNaiveBayes(ClassifierMixin, BaseEstimator):
    """Naive Bayes whose densities are sums of normal kernels of width range / sqrt(n of the class) [1]_.

    References
    ----------
    .. [1] G. H. John, P. Langley, Estimating continuous distributions in Bayesian classifiers, UAI 1995.
    """

    # The least density: a value far from all training rows must not turn the product into 0.
    FLOOR = 1e-75

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Keep the distinct values of each column of `X` (n, d) and how often each class (n,) has them."""
        self.classes_, counts = np.unique(y, return_counts=True)
        self.log_prior_ = np.log(counts / counts.sum())
        spread = np.ptp(X, axis=0)
        # Widths: one row a class. A constant column tells nothing, whatever its width.
        self.widths_ = np.where(spread > 0, spread, 1.0) / np.sqrt(counts)[:, None]
        self.columns_ = []
        for column in X.T:
            values, place = np.unique(column, return_inverse=True)
            often = [np.bincount(place[y == label], minlength=len(values)) for label in self.classes_]
            self.columns_.append((values, np.array(often) / counts[:, None]))
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """(n, n_classes) probabilities."""
        joint = np.tile(self.log_prior_, (len(X), 1))
        for column, (values, shares), widths in zip(X.T, self.columns_, self.widths_.T, strict=True):
            asked, place = np.unique(column, return_inverse=True)
            distances = np.subtract.outer(asked, values)
            for k, width in enumerate(widths):
                seen = shares[k] > 0
                density = np.exp(-0.5 * (distances[:, seen] / width) ** 2) @ shares[k][seen]
                joint[:, k] += np.log(density / width + self.FLOOR)[place]
        return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))

    def predict(self, X: np.ndarray) -> np.ndarray:
        """(n,) labels."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class SupervisedBins(TransformerMixin, BaseEstimator):
    """Cut each column where a small tree of that column alone cuts it, one 0/1 column a piece.

    Stands for the cutting by entropy of Fayyad and Irani (1993) that WEKA's filter does.
    """

    def __init__(
        self, max_bins: int = 6, min_impurity_decrease: float = 0.005, random_state: int | None = None
    ) -> None:
        self.max_bins = max_bins
        self.min_impurity_decrease = min_impurity_decrease
        self.random_state = random_state

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Find the cuts of each column of `X` (n, d) for the labels `y` (n,)."""
        self.cuts_ = []
        for column in range(X.shape[1]):
            tree = DecisionTreeClassifier(
                criterion="entropy",
                max_leaf_nodes=self.max_bins,
                min_impurity_decrease=self.min_impurity_decrease,
                random_state=self.random_state,
            ).fit(X[:, [column]], y)
            self.cuts_.append(np.sort(tree.tree_.threshold[tree.tree_.children_left >= 0]))
        return self

    def transform(self, X: np.ndarray) -> np.ndarray:
        """(n, sum of the columns' pieces) array of 0 and 1."""
        pieces = [
            np.searchsorted(cuts, column)[:, None] == np.arange(len(cuts) + 1)
            for column, cuts in zip(X.T, self.cuts_, strict=True)
        ]
        return np.hstack(pieces).astype(float)
