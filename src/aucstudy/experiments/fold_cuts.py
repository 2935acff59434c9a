"""The ways to cut rows into folds for the experiment `fold_skew`, and the control folds.

There are folds of unequal class ratios, folds of similar rows, and the folds in which the rows were
predicted. Control folds have equal class ratios.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from aucstudy.statistics.seeds import generator, seed_sequence
from aucstudy.statistics.stratified import dealt
from aucstudy.store.task_store import Predictions

CLUSTERS, OWN = "clusters", "own folds"
SMALLEST_SHARE = 1e-9  # Beta draws are kept this far from 0 and 1, so that their logits are finite.
# `areas_of_subsets` takes at most 127 subsets, and one number is kept for rows in no fold.
MOST_FOLDS = 126


class Cuts(NamedTuple):
    name: str  # such as "spread 0.1", or CLUSTERS or OWN
    # The requested variance of the prevalence, as in `fold_positives`. It is NaN if none was requested.
    spread: float
    # The fold (draws, n) of each row, from 0 to n_folds - 1. If the folds are fixed, there is one draw.
    folds: np.ndarray
    n_folds: int


def cuts_of(
    predictions: Predictions,
    folds: int,
    spreads: Sequence[float],
    draws: int,
    seed: int,
    clusters: np.ndarray | None = None,
) -> Iterator[Cuts]:
    """Yield all cuts of a task. `clusters` are folds (draws, n) of similar rows, if there are any."""
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
    """Return random folds (draws, n) of the same size whose prevalence varies by `spread`."""
    sizes = fold_sizes(len(y_true), folds)
    positives = fold_positives(int(y_true.sum()), sizes, spread, draws, rng)
    return cut(y_true, sizes, positives, rng)


def fold_sizes(n_rows: int, folds: int) -> np.ndarray:
    """Return the numbers of rows (folds,) of folds whose sizes differ by at most one row.

    >>> fold_sizes(11, 3).tolist()
    [4, 4, 3]
    """
    return np.full(folds, n_rows // folds) + (np.arange(folds) < n_rows % folds)


def fold_positives(
    n_positive: int, sizes: np.ndarray, spread: float, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Return the numbers of positives (draws, folds) in folds whose prevalence varies by a given amount.

    The prevalences have a Beta distribution with mean pi and variance `spread` * pi (1 - pi). At a `spread`
    of 0, folds are stratified. Close to 1, nearly all have one class. In each draw, one number is added to
    the logits of all prevalences so that the positives add up to `n_positive`.
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
    """Return the folds (draws, n) of rows, which are random with given numbers of rows and positives.

    `positives` are (draws, folds), and `sizes` are (folds,) or (draws, folds). The result is uint8. Rows that
    are left over get the number of folds.
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
    """Return the numbers of positives and of negatives in each fold, (draws, n_folds) each.

    Rows with a number from `n_folds` on are in no fold.

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
    """Return random folds (draws, n) with the same numbers of positives as `folds` and with equal prevalence.

    The bias of a metric depends on the number of positives in a fold. This number is therefore kept, and the
    size of the fold changes. If a fold has P_k of the P positives, its control fold gets N P_k / P of the N
    negatives, but at least one. The control of a fold with one class is empty. Rows in no control fold get
    the number `n_folds`.
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
    """Return which rows (draws, n) are in a random half of each class of each fold.

    All predictions of one of `units` are in the same half. Within a class of a fold, the halves differ by at
    most one unit.
    """
    _, first, unit = np.unique(units, return_index=True, return_inverse=True)
    cells = 2 * folds[:, first] + y_true[first]
    halves = dealt(cells, rng.random(cells.shape), rng.integers(0, 2, len(folds)), 2)
    return halves[:, unit.reshape(-1)] == 0


def cluster_folds(data, folds: int, draws: int, seed: int) -> np.ndarray:
    """Return folds (draws, n) of similar rows, by k-means from a different random start in each draw."""
    # The import is here because only folds of similar rows need scikit-learn.
    from sklearn.cluster import KMeans

    from aucstudy.learners.cross_validation import prepare_fold

    rows = np.arange(len(data.target))
    numbers = prepare_fold(data, rows, rows).X
    states = seed_sequence(seed, data.name, "clusters").generate_state(draws)
    clusterings = (KMeans(folds, n_init=1, random_state=int(state)) for state in states)
    return np.stack([kmeans.fit_predict(numbers) for kmeans in clusterings])
