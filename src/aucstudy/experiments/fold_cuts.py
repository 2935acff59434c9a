"""How rows are cut into folds: of unequal skew, of similar rows, as predicted; and the control of equal skew."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from aucstudy.statistics.seeds import generator, seed_sequence
from aucstudy.statistics.stratified import dealt
from aucstudy.store.task_store import Predictions

CLUSTERS, OWN = "clusters", "own folds"
SMALLEST_SHARE = 1e-9  # Beta draws nearer to 0 or 1 count as this: a logit must be finite
# folds that one walk takes, with one number to spare for rows in no fold
MOST_FOLDS = 126


class Cuts(NamedTuple):
    name: str  # "spread 0.1", ..., CLUSTERS, OWN
    spread: float  # variance of the folds' prevalence that was asked for, NaN where none was
    folds: np.ndarray  # (draws, n) fold of each row, 0 to n_folds - 1; one draw where the folds are fixed
    n_folds: int


def cuts_of(
    predictions: Predictions,
    folds: int,
    spreads: Sequence[float],
    draws: int,
    seed: int,
    clusters: np.ndarray | None = None,
) -> Iterator[Cuts]:
    """All cuts of a task; `clusters` are (draws, n) folds of similar rows."""
    y = predictions.y_true
    for spread in spreads:
        rng = generator(seed, predictions.task_id, "fold skew", spread)
        yield Cuts(f"spread {spread:g}", spread, unequal_folds(y, folds, spread, draws, rng), folds)
    if clusters is not None:
        yield Cuts(CLUSTERS, np.nan, clusters, folds)
    own_folds = predictions.folds
    if 0 < own_folds.max() < MOST_FOLDS:
        yield Cuts(OWN, np.nan, own_folds[None, :], int(own_folds.max()) + 1)


def unequal_folds(
    y_true: np.ndarray, folds: int, spread: float, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """(draws, n) folds of one size whose prevalence varies by `spread`."""
    sizes = fold_sizes(len(y_true), folds)
    positives = fold_positives(int(y_true.sum()), sizes, spread, draws, rng)
    return cut(y_true, sizes, positives, rng)


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

    Prevalences are Beta distributed with mean pi and variance `spread` * pi (1 - pi), of 0 (stratified) to 1 (folds of
    one class). Their logits are moved by one number so that the positives add up.
    """
    prevalence = n_positive / sizes.sum()
    shares = np.full((draws, len(sizes)), prevalence)
    if spread > 0:
        concentration = 1 / spread - 1
        shares = rng.beta(prevalence * concentration, (1 - prevalence) * concentration, shares.shape)
    odds = logit(np.clip(shares, SMALLEST_SHARE, 1 - SMALLEST_SHARE))
    low, high = np.full((draws, 1), -60.0), np.full((draws, 1), 60.0)
    for _ in range(80):
        middle = (low + high) / 2
        too_many = (sizes * expit(odds + middle)).sum(axis=1, keepdims=True) > n_positive
        previous = low, high
        low, high = np.where(too_many, low, middle), np.where(too_many, middle, high)
        if np.array_equal((low, high), previous):
            break
    return _by_largest_remainder(sizes * expit(odds + (low + high) / 2), n_positive, rng)


def _by_largest_remainder(
    expected: np.ndarray, totals: int | np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    counts = np.floor(expected + 1e-9).astype(int)
    missing = totals - counts.sum(axis=1, keepdims=True)
    by_remainder = np.argsort(-(expected - counts + 1e-6 * rng.random(expected.shape)), axis=1)
    rank = np.argsort(by_remainder, axis=1)
    return counts + (rank < missing)


def cut(y_true: np.ndarray, sizes: np.ndarray, positives: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(draws, n) uint8 fold of each row, at random; rows that are left over get the number of folds.

    `sizes` are (folds,) or (draws, folds).
    """
    n_folds = positives.shape[1]
    folds = np.full((len(positives), len(y_true)), n_folds, dtype=np.uint8)
    for rows, counts_by_draw in (
        (np.flatnonzero(y_true), positives),
        (np.flatnonzero(~y_true), sizes - positives),
    ):
        for draw, counts in enumerate(counts_by_draw):
            folds[draw, rng.permutation(rows)[: counts.sum()]] = np.repeat(np.arange(n_folds), counts)
    return folds


def class_counts(y_true: np.ndarray, folds: np.ndarray, n_folds: int) -> tuple[np.ndarray, np.ndarray]:
    """Positives and negatives of each fold, (draws, n_folds) each; numbers from `n_folds` on are no fold.

    >>> [counts.tolist() for counts in class_counts(np.array([True, False, False]), np.array([[0, 0, 1]]), 2)]
    [[[1, 0]], [[1, 1]]]
    """
    positives, negatives = (
        np.stack([np.bincount(draw[rows], minlength=n_folds)[:n_folds] for draw in folds])
        for rows in (y_true, ~y_true)
    )
    return positives, negatives


def matched_control(
    y_true: np.ndarray, folds: np.ndarray, n_folds: int, rng: np.random.Generator
) -> np.ndarray:
    """(draws, n) random folds with the numbers of positives of the (draws, n) `folds`, each with the skew of all rows.

    The bias of an area depends on the fold's number of positives, so the sizes give way: P_k of P positives get N P_k /
    P of the N negatives, at least one. A fold of one class stays empty; its rows get the number `n_folds`.
    """
    positives, negatives = class_counts(y_true, folds, n_folds)
    two_class = (positives > 0) & (negatives > 0)
    positives = positives * two_class
    expected_negatives = positives * ((~y_true).sum() / y_true.sum())
    n_kept = two_class.sum(axis=1, keepdims=True)
    totals = np.maximum(np.rint(expected_negatives.sum(axis=1, keepdims=True)).astype(int), n_kept)
    beyond_one = np.clip(expected_negatives - 1, 0, None)
    total = beyond_one.sum(axis=1, keepdims=True)
    share = np.divide(totals - n_kept, total, out=np.zeros(total.shape), where=total > 0)
    sizes = positives + two_class + _by_largest_remainder(beyond_one * share, totals - n_kept, rng)
    return cut(y_true, sizes, positives, rng)


def half_of_each_fold(
    y_true: np.ndarray, folds: np.ndarray, units: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """(draws, n) bool: a random half of each class of each fold, to within a row; a unit's predictions together."""
    _, first, unit = np.unique(units, return_index=True, return_inverse=True)
    cells = 2 * folds[:, first] + y_true[first]
    halves = dealt(cells, rng.random(cells.shape), rng.integers(0, 2, len(folds)), 2)
    return halves[:, unit.reshape(-1)] == 0


def cluster_folds(data, folds: int, draws: int, seed: int) -> np.ndarray:
    """(draws, n) folds of similar rows, by k-means from another start each."""
    # imported here: only folds of similar rows need scikit-learn
    from sklearn.cluster import KMeans

    from aucstudy.learners.cross_validation import prepare_fold

    rows = np.arange(len(data.target))
    numbers = prepare_fold(data, rows, rows).X
    states = seed_sequence(seed, data.name, "clusters").generate_state(draws)
    clusterings = (KMeans(folds, n_init=1, random_state=int(state)) for state in states)
    return np.stack([kmeans.fit_predict(numbers) for kmeans in clusterings])
