"""The test of rows that are alike: its counts by hand, and how often it is wrong where the values mean nothing."""

import numpy as np
import pytest

from aucstudy.reading.alike import Count, are_alike, upper_halves
from aucstudy.reading.column_values import Values


def test_the_counts_are_those_of_draws_without_replacement_in_each_stratum():
    codes = np.array([0, 0, 0, 1, 1, 1, 2, 2])
    marked = np.array([1, 1, 0, 0, 0, 1, 0, 1], dtype=bool)
    first = np.arange(8) % 2 == 0
    count = Count.of(codes, 3, marked, [first, ~first])
    # One of the four rows of the first stratum is marked, and three of the second.
    assert count.marked.tolist() == [2, 1, 1]
    assert count.expected.tolist() == [2 / 4 + 3 / 4, 1 / 4 + 2 * 3 / 4, 1 / 4 + 3 / 4]
    assert count.sizes.tolist() == [3, 3, 2]
    # The variance of a row is 3/16 in each stratum, and the spread is (.75^2 + .75^2) / 3 = 3/8.
    assert count.beyond_chance() == pytest.approx(3 / 8 / (3 / 16) - 2)


@pytest.mark.parametrize(
    ("share", "ratio_is_small"), [([0, 0.2, 0.4, 0.6, 0.8, 1], True), ([0, 1, 0, 1, 0, 1], False)]
)
def test_neighbours_are_alike_where_there_is_a_trend(share, ratio_is_small):
    codes = np.repeat(np.arange(6), 10)
    marked = np.tile(np.arange(10), 6) < 10 * np.array(share)[codes]
    between_neighbours, between_all = Count.of(codes, 6, marked, [np.ones(60, dtype=bool)]).variances()
    assert between_all > 1
    assert (between_neighbours < 0.5 * between_all) == ratio_is_small


def test_a_row_is_in_the_upper_half_of_its_class_by_the_mean_rank_and_any_way_round():
    y = np.array([1, 1, 1, 1, 0, 0, 0, 0], dtype=bool)
    first = np.array([9.0, 8, 7, 6, 4, 3, 2, 1])
    second = np.array([9.0, 8, 6, 7, 3, 4, 1, 2])
    expected = [True, True, False, False, True, True, False, False]
    assert upper_halves(y, [first]).tolist() == expected
    assert upper_halves(y, [first, second]).tolist() == expected
    assert upper_halves(y, [-first, second]).tolist() == expected
    assert not upper_halves(y, [np.zeros(8)]).any()


@pytest.mark.parametrize("share", [0.03, 0.3])
def test_values_that_mean_nothing_are_called_alike_as_rarely_as_the_level_says(share):
    """The level is .05, and 51 of 600 would have a probability below .001."""
    random, n_alike = np.random.default_rng(12), 0
    for _ in range(600):
        y = random.permutation(np.arange(400) < 400 * share)
        codes = np.unique((40 * random.beta(0.7, 2, 400)).astype(int), return_inverse=True)[1]
        values = Values(codes, codes.max() + 1, are_words=True)
        n_alike += are_alike(values, y, upper_halves(y, [y + random.normal(size=400)]), 0.05)
    assert 9 < n_alike < 51


def test_missing_values_say_nothing():
    random = np.random.default_rng(3)
    codes = random.integers(0, 12, 600)
    y = random.random(600) < np.where(codes % 2, 0.8, 0.2)
    is_upper = random.random(600) < 0.5
    assert are_alike(Values(codes, 12, are_words=True), y, is_upper, 0.001)
    y_elsewhere = np.where(codes >= 6, y, random.random(600) < 0.5)
    only_noise = Values(np.where(codes < 6, codes, -1), 6, are_words=True)
    assert not are_alike(only_noise, y_elsewhere, is_upper, 0.001)
