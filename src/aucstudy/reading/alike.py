"""Whether rows with the same value of a column are more alike than other rows, as those of one patient are.

Rows are alike if one of two counts differs more between the values of the column than it would by chance: the positives
among the rows of each value, or the rows that the models place in the upper half of their class. By chance, both counts
are those of draws without replacement, the second one within each class. Such draws are compared with the counts, so
the tests are exact for any sizes of the values. Both were written down before they were tried on data.

A number that says a property, such as an age or a price, goes together with the label, too. Its neighbours are then
alike, and those of the number of a patient are not. So numbers have the further condition NO_TREND. Its limits were
chosen on the features of the default study and on simulated units. Properties often have some values that are much more
frequent than others, and such numbers have the higher limit.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from aucstudy.reading.column_values import Values

# Draws at once. Few draws show most columns that mean nothing.
FIRST_DRAWS, TIMES_AS_MANY, MOST_DRAWS = 10, 4, 2000
ENOUGH_DRAWS, FAR = 640, 2
ROUNDING = 1e-9  # Spreads that differ by less are equal.
# Numbers may be units if the variance between neighbours is at least this share of that between all values, both in
# addition to what is expected by chance. The second limit is for values of unlike sizes.
NO_TREND, NO_TREND_IF_UNLIKE = 0.5, 0.7
ALONE = 0.6  # the largest share of what pairs of values say that each of the two columns may say alone


class Count(NamedTuple):
    """The marked rows of each of k values, and those that are expected if the values mean nothing.

    `marked` and `expected` are of shape (k,). In each stratum `sizes` (k,) are the rows of each value, `n_marked` of
    which together are marked.
    """

    marked: np.ndarray
    expected: np.ndarray
    strata: Sequence[tuple[np.ndarray, int]]

    @classmethod
    def of(
        cls, codes: np.ndarray, n_values: int, is_marked: np.ndarray, strata: Iterable[np.ndarray]
    ) -> "Count":
        counted = [
            (np.bincount(codes[rows], minlength=n_values), int(np.count_nonzero(is_marked[rows])))
            for rows in strata
        ]
        expected = np.sum([sizes * (n_marked / sizes.sum()) for sizes, n_marked in counted], axis=0)
        return cls(np.bincount(codes[is_marked], minlength=n_values), expected, counted)

    @property
    def sizes(self) -> np.ndarray:
        return np.sum([sizes for sizes, _ in self.strata], axis=0)

    def differs(self, level: float) -> bool:
        """Return whether the values differ more than by chance: more than in each of 1/level - 1 draws.

        Fewer draws are enough if the values differ FAR times as much as in each of the first ENOUGH_DRAWS.
        """
        random, observed = np.random.default_rng(0), self._spread(self.marked)
        n_draws, n_left, largest = FIRST_DRAWS, round(1 / level) - 1, 0.0
        while n_left > 0:
            n_draws = min(n_draws, n_left)
            drawn = np.zeros((n_draws, self.marked.size))
            for sizes, n_marked in self.strata:
                drawn += random.multivariate_hypergeometric(sizes, n_marked, n_draws, method="marginals")
            largest = max(largest, self._spread(drawn).max())
            if largest >= observed * (1 - ROUNDING):
                return False
            if n_draws >= ENOUGH_DRAWS and observed >= FAR * largest:
                return True
            n_left, n_draws = n_left - n_draws, min(n_draws * TIMES_AS_MANY, MOST_DRAWS)
        return True

    def _spread(self, marked: np.ndarray) -> np.ndarray:
        return ((marked - self.expected) ** 2 / self.sizes).sum(axis=-1)

    def _chance(self) -> float:
        """Return the variance of a row in its stratum."""
        return sum(m * (1 - m / each.sum()) for each, m in self.strata) / self.sizes.sum()

    def beyond_chance(self) -> float:
        """Return by how much the values differ in addition to chance, as a multiple of the variance of a row."""
        return float(self._spread(self.marked) / self._chance() - (self.marked.size - 1))

    def variances(self) -> np.ndarray:
        """Return the variance between values that are neighbours, and between all, in addition to that by chance.

        Both are multiples of the variance by chance. Values are neighbours if they follow each other.
        """
        sizes, off, chance = self.sizes, self.marked - self.expected, self._chance()
        beside = np.convolve(sizes, [1, 0, 1], mode="same")
        local = off / sizes - np.convolve(off, [1, 0, 1], mode="same") / beside
        between_neighbours = (local**2 / (1 / sizes + 1 / beside)).mean()
        between_all = self._spread(self.marked) / (sizes.size - 1)
        return np.array([between_neighbours, between_all]) / chance - 1


def _counts(values: Values, y_true: np.ndarray, in_upper_half: np.ndarray) -> list[Count]:
    present = values.codes >= 0
    codes, y, is_upper = values.codes[present], y_true[present], in_upper_half[present]
    return [
        Count.of(codes, values.n_values, y, [np.ones(y.size, dtype=bool)]),
        Count.of(codes, values.n_values, is_upper, [y, ~y]),
    ]


def are_alike(values: Values, y_true: np.ndarray, in_upper_half: np.ndarray, level: float) -> bool:
    """Return whether the rows of each value are more alike than other rows, at a level of both tests together.

    `in_upper_half` (n,) is that of `upper_halves`. Numbers with a trend are not alike.
    """
    significant = [count for count in _counts(values, y_true, in_upper_half) if count.differs(level / 2)]
    if not significant or not values.are_numbers:
        return bool(significant)
    between_neighbours, between_all = np.sum([count.variances() for count in significant], axis=0)
    least = NO_TREND if values.have_like_sizes() else NO_TREND_IF_UNLIKE
    return bool(between_neighbours >= least * between_all)


def are_alike_together(
    pair: Values, each: Sequence[Values], y_true: np.ndarray, in_upper_half: np.ndarray, level: float
) -> bool:
    """Return whether rows with the same values in two columns are alike, and not because of one of the columns.

    Of what the pairs say in addition to chance, the columns must say at most ALONE. Columns that are properties say
    most of it, and those that name a unit together say little.
    """
    of_pair = _counts(pair, y_true, in_upper_half)
    of_each = [_counts(values, y_true, in_upper_half) for values in each]
    significant = [i for i, count in enumerate(of_pair) if count.differs(level / 2)]
    together = sum(of_pair[i].beyond_chance() for i in significant)
    alone = sum(counts[i].beyond_chance() for counts in of_each for i in significant)
    return bool(significant) and alone <= ALONE * together


def upper_halves(y_true: np.ndarray, scores: Iterable[np.ndarray]) -> np.ndarray:
    """Return (n,) whether a row lies in the upper half of its class by the mean of its ranks there over the models.

    A model with an AUROC below .5 is turned round.
    """
    mean = np.zeros(y_true.size)
    for column in scores:
        ranks = _ranks(column)
        sign = 1 if ranks[y_true].mean() >= ranks[~y_true].mean() else -1
        for rows in (y_true, ~y_true):
            mean[rows] += sign * _ranks(column[rows])
    is_upper = np.zeros(y_true.size, dtype=bool)
    for rows in (y_true, ~y_true):
        is_upper[rows] = mean[rows] > np.median(mean[rows])
    return is_upper


def _ranks(scores: np.ndarray) -> np.ndarray:
    # `scipy.stats.rankdata` would need an import that takes a second.
    _, number, sizes = np.unique(scores, return_inverse=True, return_counts=True)
    return (np.cumsum(sizes) - sizes / 2)[number.reshape(-1)]
