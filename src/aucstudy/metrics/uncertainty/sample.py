"""The sample behind an interval: its units (rows, or groups of rows), their strata, and random halves."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from aucstudy.metrics import inputs

CELLS_AT_ONCE = 4_000_000  # rows x halves: bounds the memory
HALVED_SCORES = 30_000_000  # rows x models x halves; a larger product means fewer halves
FEWEST_HALVES = 50  # the least number of halves


class Sample(NamedTuple):
    """The labels of n rows and the scores (n, m) of m models. `groups` and `folds` are numbered from 0."""

    y_true: np.ndarray
    scores: np.ndarray
    weight: np.ndarray | None = None
    prevalence: float | None = None
    groups: np.ndarray | None = None
    folds: np.ndarray | None = None
    sampling: str = "classes"
    cases: bool = False  # groups hold one label each, and their rows are repeats

    def keeps_class_counts(self) -> bool:
        """Return whether another sample has the same number of rows of each class.

        If there are groups, these are the numbers of groups with a positive and of groups without one.
        """
        return self.sampling == "classes" or self.prevalence is not None

    def units(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the unit (n,) of each row, which is itself or its group, and the stratum of each unit."""
        n, by_class = len(self.y_true), self.keeps_class_counts()
        if self.groups is not None:
            return self.groups, ((np.bincount(self.groups, self.y_true) > 0) & by_class).astype(int)
        folds = np.zeros(n, dtype=int) if self.folds is None else self.folds
        return np.arange(n), 2 * folds + (self.y_true & by_class)

    def class_counts(self) -> tuple[int, int]:
        """Return how many units hold a positive, and how many a negative."""
        return groups_with_each_class(self.y_true, self.units()[0])

    def n_minority(self) -> float:
        """Return how many units hold a row of the rarer class.

        If weights are unequal, this is the effective number (Kish 1965).
        """
        unit, _ = self.units()
        class_weights = (np.bincount(unit, self.weights() * side) for side in (self.y_true, ~self.y_true))
        return min(float(weight.sum() ** 2 / np.sum(weight**2)) for weight in class_weights)

    def weights(self) -> np.ndarray:
        return np.ones(len(self.y_true)) if self.weight is None else self.weight

    def reference_prevalence(self) -> float:
        weight = self.weights()
        return self.prevalence or float(weight[self.y_true].sum() / weight.sum())

    def weights_at_prevalence(self) -> np.ndarray:
        """Return weights (n,) of the rows by which positives have the reference prevalence."""
        weight, prevalence = self.weights(), self.reference_prevalence()
        P, N = weight[self.y_true].sum(), weight[~self.y_true].sum()
        return weight * np.where(self.y_true, 1.0, P * (1 - prevalence) / (N * prevalence))

    def weights_of_one_more(self) -> np.ndarray:
        """Return the weights (2,) of one more unit with positives and of one more with negatives."""
        weight = self.weights_at_prevalence()
        return np.divide([weight[self.y_true].sum(), weight[~self.y_true].sum()], self.class_counts())


def groups_with_each_class(y_true: np.ndarray, groups: np.ndarray) -> tuple[int, int]:
    """Return how many groups hold a positive, and how many a negative."""
    return tuple(int(np.count_nonzero(np.bincount(groups, side))) for side in (y_true, ~y_true))


def number_of_halves(n_scores: int, most: int) -> int:
    """Return how many random halves to draw: `most`, or fewer if a sample is large.

    `n_scores` is the number of rows times the number of models.
    """
    return min(most, max(FEWEST_HALVES, HALVED_SCORES // n_scores))


def half_samples(sample: Sample, draws: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Yield batches (k, n) of row weights in `draws` random halves that hold both classes.

    ValueError where halves with both classes are too rare.
    """
    (unit, stratum), weight, n_drawn = sample.units(), sample.weights(), 0
    at_once = min(draws, max(1, CELLS_AT_ONCE // len(unit)))
    for _ in range(20 * -(-draws // at_once)):
        weights = random_halves(stratum, at_once, rng)[:, unit] * weight
        # A half of groups may lack a class, and so may a half of a row or two in each fold.
        usable = (weights[:, sample.y_true].sum(axis=1) > 0) & (weights[:, ~sample.y_true].sum(axis=1) > 0)
        weights = weights[usable][: draws - n_drawn]
        if len(weights):
            yield weights
        n_drawn += len(weights)
        if n_drawn == draws:
            return
    raise ValueError(
        "halves of these groups or folds rarely hold both classes: too few hold a positive or a negative"
    )


def random_halves(stratum: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return weights (draws, n) of 0 and 1, by which half of each stratum is drawn at random.

    Half of an odd number is the smaller or the larger number, at random.
    """
    random, size = rng.random((draws, len(stratum))), np.bincount(stratum)
    half_size = (size + rng.integers(2, size=(draws, len(size)))) // 2
    chosen = np.empty(random.shape)
    for s in np.flatnonzero(size):
        in_stratum = random[:, stratum == s]
        fewest, largest = max(half_size[:, s].min() - 1, 0), max(half_size[:, s].max() - 1, 0)
        last = np.partition(in_stratum, (fewest, largest), axis=1)[np.arange(draws), half_size[:, s] - 1]
        chosen[:, stratum == s] = in_stratum <= np.where(half_size[:, s] > 0, last, -1.0)[:, None]
    return chosen


def checked_sample(
    y_true: ArrayLike,
    scores: Mapping[str, ArrayLike],
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    folds: ArrayLike | None = None,
    pos_label: Any = None,
    prevalence: float | None = None,
    sampling: str = "classes",
) -> Sample:
    """Check the arguments of `interval`, and return the `Sample` without rows of weight 0."""
    if sampling not in ("classes", "rows"):
        raise ValueError(f"sampling must be 'classes' or 'rows', not {sampling!r}")
    inputs.same_order(y_true, scores)
    inputs.same_order(y_true, {"sample_weight": sample_weight, "groups": groups, "folds": folds})
    columns = [inputs.checked_scores(values, name) for name, values in scores.items()]
    positive = inputs.checked_labels(y_true, pos_label)
    n = positive.size
    for name, column in zip(scores, columns, strict=True):
        inputs.same_length(n, column.size, name)
        inputs.refuse_nan(column, name)
    weight, _ = inputs.leveled_weights(inputs.checked_weights(sample_weight, n), positive)
    if groups is not None and folds is not None:
        raise ValueError("groups and folds were both given; one of them is needed")
    weighing = slice(None) if weight is None else weight > 0

    def numbered(codes: ArrayLike | None, name: str) -> np.ndarray | None:
        if codes is None:
            return None
        return np.unique(inputs.checked_groups(codes, n, name)[0][weighing], return_inverse=True)[1]

    sample = Sample(
        positive[weighing],
        np.stack(columns, axis=1)[weighing],
        None if weight is None else weight[weighing],
        inputs.checked_prevalence(prevalence),
        groups=numbered(groups, "groups"),
        folds=numbered(folds, "folds"),
        sampling=sampling,
    )
    unit = "row" if groups is None else "group"
    for count, name in zip(sample.class_counts(), ("positive", "negative"), strict=True):
        if count < 2:
            holds = f"{unit} holds" if count == 1 else f"{unit}s hold"
            raise ValueError(
                f"{count} {holds} a {name}; an interval needs two, as one says nothing of others"
            )
    return sample
