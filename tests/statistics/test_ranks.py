"""Ranks, ties and agreement have the values worked out by hand and by enumerating every permutation."""

from itertools import permutations

import numpy as np
import pytest

from aucstudy.statistics.ranks import agreement, average_ranks, permuted_ranks, rounded, tie_groups


def enumerated(first, second, top):
    """Return the share of all orders of tied models under which both metrics have the same models first."""
    orders = np.array(list(permutations(range(len(first)))))
    a, b = (np.argsort(permuted_ranks(np.array(x, float), orders), axis=1)[:, :top] for x in (first, second))
    return np.mean((a == b).all(axis=1))


@pytest.mark.parametrize("top", [1, 2, 3])
@pytest.mark.parametrize("n_models", [3, 4, 5])
def test_agreement_is_the_share_of_all_tie_breaking_orders(n_models, top):
    rng = np.random.default_rng(n_models)
    for first, second in rng.integers(0, 3, (30, 2, n_models)).tolist():
        assert agreement(first, second, top) == pytest.approx(enumerated(first, second, top), abs=1e-12)
        assert agreement(first, first, top) == 1


def test_the_best_models_agree_as_their_sets_overlap():
    assert agreement([1, 1, 0], [1, 0, 0]) == 0.5
    assert agreement([1, 1, 0, 0], [0, 1, 1, 0]) == pytest.approx(1 / 3)
    assert agreement([1, 0, 0], [0, 1, 0]) == 0


def test_float_noise_decides_nothing():
    assert average_ranks(rounded(np.array([0.3, 0.1 + 0.2, 0.1]))).tolist() == [1.5, 1.5, 3]


def test_tie_groups_stop_when_the_places_are_filled():
    assert tie_groups(np.array([5.0, 4, 4, 3, 2]), 3) == [{0}, {1, 2}]
    assert tie_groups(np.array([5.0, 4, 3, 3, 2]), 3) == [{0}, {1}, {2, 3}]


def test_permuted_ranks_break_ties_by_the_permutation():
    orders = np.array([[0, 1, 2], [2, 1, 0]])
    assert permuted_ranks(np.array([1.0, 1.0, 2.0]), orders).tolist() == [[2, 3, 1], [3, 2, 1]]
