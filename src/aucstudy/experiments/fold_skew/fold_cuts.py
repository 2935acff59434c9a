"""Ways to cut the rows of a task into folds: of controlled inequality of skew, or by clusters of similar rows."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from aucstudy.statistics.seeds import seed_sequence

if TYPE_CHECKING:
    from aucstudy.learners.datasets import DataSet

SMALLEST_SHARE = 1e-9  # Beta draws nearer to 0 or 1 count as this: a logit must be finite


def fold_sizes(n_rows: int, folds: int) -> np.ndarray:
    """(folds,) numbers of rows, equal up to one.

    >>> fold_sizes(11, 3).tolist()
    [4, 4, 3]
    """
    return np.full(folds, n_rows // folds) + (np.arange(folds) < n_rows % folds)


def fold_positives(
    n_positive: int, sizes: np.ndarray, spread: float, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """(draws, folds) numbers of positives in folds whose prevalence varies by a controlled amount.

    Each fold's prevalence is drawn from a Beta distribution with the task's prevalence pi as its mean and variance
    `spread` * pi (1 - pi): 0 is stratified, 1 would be folds of one class each. All logits are then moved by one
    number so that the positives add up to `n_positive`, and the numbers are rounded by largest remainder.
    """
    prevalence = n_positive / sizes.sum()
    shape = (draws, len(sizes))
    if spread > 0:
        concentration = 1 / spread - 1
        shares = rng.beta(prevalence * concentration, (1 - prevalence) * concentration, shape)
    else:
        shares = np.full(shape, prevalence)
    odds = logit(np.clip(shares, SMALLEST_SHARE, 1 - SMALLEST_SHARE))
    low, high = np.full((draws, 1), -60.0), np.full((draws, 1), 60.0)
    for _ in range(80):
        middle = (low + high) / 2
        too_many = (sizes * expit(odds + middle)).sum(axis=1, keepdims=True) > n_positive
        low, high = np.where(too_many, low, middle), np.where(too_many, middle, high)
    wanted = sizes * expit(odds + (low + high) / 2)
    counts = np.floor(wanted + 1e-9).astype(int)
    missing = n_positive - counts.sum(axis=1, keepdims=True)
    by_remainder = np.argsort(-(wanted - counts + 1e-6 * rng.random(shape)), axis=1)
    place = np.argsort(by_remainder, axis=1)
    return counts + (place < missing)


def cut(y_true: np.ndarray, sizes: np.ndarray, positives: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(draws, n) fold of each row: rows of each class fall at random into the places that the folds have for them.

    Parameters
    ----------
    positives : (draws, folds) positives of each fold.
    """
    folds = np.empty((len(positives), len(y_true)), dtype=np.int64)
    for rows, places in ((np.flatnonzero(y_true), positives), (np.flatnonzero(~y_true), sizes - positives)):
        for draw, counts in enumerate(places):
            folds[draw, rng.permutation(rows)] = np.repeat(np.arange(len(sizes)), counts)
    return folds


def cluster_folds(data: "DataSet", folds: int, draws: int, seed: int) -> np.ndarray:
    """(draws, n) folds of similar rows: k-means clusters of the features, each draw from another start."""
    # imported here: only folds of similar rows need scikit-learn
    from sklearn.cluster import KMeans

    from aucstudy.learners.cross_validation import prepare_fold

    rows = np.arange(len(data.target))
    numbers = prepare_fold(data, rows, rows).X
    states = seed_sequence(seed, data.name, "clusters").generate_state(draws)
    return np.stack(
        [KMeans(folds, n_init=1, random_state=int(state)).fit_predict(numbers) for state in states]
    )
