"""Tests of AUPR on a large test set, estimated from few of its negatives."""

import tracemalloc
from itertools import combinations

import numpy as np
import pytest

from aucstudy.experiments.few_negatives import (
    NODE_WEIGHTS,
    NODES,
    POWERS,
    aupr_with_all_negatives,
    fill_known,
    nodes_of,
    tails_of,
)
from aucstudy.metrics import areas
from aucstudy.metrics.kernel import order_of


def chances_below(n_sampled):
    """Return (M')_k / (N')_k, the chance that k of the N' negatives are all among the M' below.

    The array is (N' + 1, N' + 1), with k along the first axis.
    """
    known = np.ones((n_sampled + 1, n_sampled + 1))
    below = np.arange(n_sampled + 1)
    for k in range(1, n_sampled + 1):
        known[k] = known[k - 1] * np.maximum(below - k + 1, 0) / (n_sampled - k + 1)
    return known


def series_weights(true_positives, n_negative):
    """Return the weights t (N)_k / (t + N)_(k+1) of the Newton series, k = 0..N, as (n, N + 1).

    They add up to 1.
    """
    t, k = true_positives[:, None], np.arange(1, n_negative + 1)
    steps = (n_negative - k + 1) / (t + n_negative - k)
    return t / (t + n_negative) * np.cumprod(np.hstack([np.ones_like(t), steps]), axis=1)


def summed_tables(n_positive, n_negative, n_sampled):
    """Return the whole tables, summed term by term.

    They have the known terms (P, N' + 1), and the terms beyond (P, len(POWERS)).
    """
    chances = chances_below(n_sampled)
    known, beyond = np.zeros((n_positive, n_sampled + 1)), np.zeros((len(POWERS), n_positive))
    falling = ((n_sampled + 1) / (np.arange(n_sampled + 1, n_negative + 1) + 1)) ** POWERS[:, None]
    for node, share in zip((NODES + 1) / 2, NODE_WEIGHTS / 2, strict=True):
        weights = series_weights(np.arange(n_positive) + node, n_negative)
        known += share * (weights[:, : n_sampled + 1] @ chances)
        beyond += share * (falling @ weights[:, n_sampled + 1 :].T)
    return known, beyond.T


def tables(n_positive, n_negative, n_sampled):
    """Return the tables of `summed_tables`, by the recurrence and the cut series."""
    nodes, shares = nodes_of(n_positive)
    reach, beyond = tails_of(nodes, shares, n_negative, n_sampled, n_positive)
    known = np.empty((n_positive, n_sampled + 1))
    for i, at_all in enumerate(1 - reach):
        fill_known(nodes[i], shares, n_negative, at_all, 0, n_sampled, known[i])
    return known, beyond


SIZES = [
    (1, 1, 1), (1, 5, 1), (3, 7, 2), (8, 52, 52), (8, 52, 8), (40, 800, 400), (100, 300, 299), (60, 3000, 60),
    (500, 500, 500), (700, 60, 50),
]  # fmt: skip


@pytest.mark.parametrize("sizes", SIZES)
def test_the_recurrence_and_the_cut_series_are_the_sums_of_all_terms(sizes):
    for ours, summed in zip(tables(*sizes), summed_tables(*sizes), strict=True):
        # The sums of all terms are themselves exact to some 1e-13 only.
        np.testing.assert_allclose(ours, summed, rtol=0, atol=2e-12)


@pytest.mark.parametrize("sizes", [(300, 20_000, 3000), (2000, 3000, 2000), (40, 3000, 3000)])
def test_some_entries_of_a_row_are_those_of_the_whole_row(sizes):
    n_positive, n_negative, n_sampled = sizes
    nodes, shares = nodes_of(n_positive)
    at_all = 1 - tails_of(nodes, shares, n_negative, n_sampled, n_positive)[0]
    for i in (0, n_positive // 2, n_positive - 1):
        whole, few = np.empty(n_sampled + 1), np.full(n_sampled + 1, np.nan)
        fill_known(nodes[i], shares, n_negative, at_all[i], 0, n_sampled, whole)
        for first in (0, n_sampled // 3, n_sampled // 2, n_sampled - 20):
            fill_known(nodes[i], shares, n_negative, at_all[i], first, first + 20, few)
            span = slice(first, first + 21)
            np.testing.assert_allclose(few[span], whole[span], rtol=0, atol=1e-15)


def test_a_sample_of_all_negatives_knows_precision_to_the_last_digits():
    n_positive, n_negative = 2500, 50_000
    nodes, shares = nodes_of(n_positive)
    at_all = 1 - tails_of(nodes, shares, n_negative, n_negative, n_positive)[0]
    below, known = np.arange(n_negative + 1), np.empty(n_negative + 1)
    for i in (0, 1, 50, 2499):
        fill_known(nodes[i], shares, n_negative, at_all[i], 0, n_negative, known)
        precision = (shares * nodes[i] / (nodes[i] + (n_negative - below[:, None]))).sum(axis=1)
        np.testing.assert_allclose(known, precision, rtol=0, atol=1e-14)


def test_twenty_thousand_rows_take_little_memory():
    y = np.arange(20_000) < 1000
    scores = (np.random.default_rng(0).random((20_000, 2)) + y[:, None]).round(2)
    orders = np.tile(np.flatnonzero(~y), (3, 1))
    tracemalloc.start()
    try:
        aupr_with_all_negatives(order_of(y, scores), orders, 10_000)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 20e6


def test_the_series_is_the_precision():
    t, N = np.array([0.3, 2.0, 7.5]), 12
    weights = series_weights(t, N)
    assert weights.sum(axis=1) == pytest.approx(1, abs=1e-12)
    chances = chances_below(N)
    for below in range(N + 1):
        assert weights @ chances[:, below] == pytest.approx(t / (t + N - below), abs=1e-12)


def test_all_negatives_give_the_area_itself():
    rng = np.random.default_rng(0)
    y = np.arange(60) < 8
    scores = np.column_stack([rng.normal(y), rng.normal(2 * y), -1.0 * y, y + 0.0])
    orders = np.flatnonzero(~y)[None, :]
    for estimate in aupr_with_all_negatives(order_of(y, scores), orders, 52):
        for model in range(4):
            # The integral over each positive has only three nodes.
            assert estimate[0, model] == pytest.approx(areas(y, scores[:, model]).aupr, abs=1e-4)


def test_the_expected_bounds_enclose_the_area_and_the_known_part_has_no_bias():
    rng = np.random.default_rng(1)
    y = np.arange(12) < 4
    scores = rng.normal(size=(12, 3)) + y[:, None]
    negatives, n_sampled = np.flatnonzero(~y), 3
    orders = np.array(
        [[*chosen, *(set(negatives) - set(chosen))] for chosen in combinations(negatives, n_sampled)]
    )
    low, estimate, high = (
        drawn.mean(axis=0) for drawn in aupr_with_all_negatives(order_of(y, scores), orders, n_sampled)
    )
    for model in range(3):
        truth = areas(y, scores[:, model]).aupr
        assert low[model] - 1e-12 < truth < high[model] + 1e-12
        assert low[model] <= estimate[model] <= high[model]
        # By hand, these are the terms k <= 3 of each positive, for the negatives that really lie below it.
        ranked = np.sort(scores[y, model])[::-1]
        below = [(scores[negatives, model] < score).sum() for score in ranked]
        weights = [series_weights(i + (NODES + 1) / 2, 8) for i in range(4)]
        terms = chances_below(8)
        expected = sum(
            NODE_WEIGHTS / 2 @ w[:, : n_sampled + 1] @ terms[: n_sampled + 1, m]
            for w, m in zip(weights, below, strict=True)
        )
        assert low[model] == pytest.approx(expected / 4, abs=1e-12)


def test_tied_scores_and_draws_add_up_as_the_tables_say():
    rng = np.random.default_rng(3)
    y = rng.random(90) < 0.2
    n_positive, n_sampled = int(y.sum()), 20
    scores = np.column_stack([rng.normal(y), rng.normal(y).round(0), (rng.random(90) < 0.3 + 0.4 * y) * 1.0])
    orders = rng.permuted(np.tile(np.flatnonzero(~y), (5, 1)), axis=1)
    known, beyond = summed_tables(n_positive, 90 - n_positive, n_sampled)
    low, _, high = aupr_with_all_negatives(order_of(y, scores), orders, n_sampled)
    for draw, order in enumerate(orders[:, :n_sampled]):
        for model, column in enumerate(scores.T):
            negatives, i, floor, ceiling = column[order], 0, 0.0, 0.0
            for score, d in zip(*np.unique(-column[y], return_counts=True), strict=True):
                less, same = (negatives < -score).sum(), (negatives == -score).sum()
                for g in range(d):
                    below = less + same * (1 - (g + 0.5) / d)
                    at = np.interp(below, np.arange(n_sampled + 1), known[i])
                    floor += at
                    ceiling += at + max(below - (n_sampled - 1), 0) * beyond[i, 0]
                    i += 1
            assert low[draw, model] == pytest.approx(floor / n_positive, abs=1e-13)
            assert high[draw, model] == pytest.approx(ceiling / n_positive, abs=1e-13)


def test_the_correction_takes_most_of_the_bias():
    rng = np.random.default_rng(2)
    y = np.arange(2000) < 60
    scores = rng.normal(1.5 * y)[:, None]
    orders = rng.permuted(np.tile(np.flatnonzero(~y), (200, 1)), axis=1)
    truth = areas(y, scores[:, 0]).aupr
    kept = np.flatnonzero(y)
    moved = [
        areas(y[rows], scores[rows, 0], prevalence=y.mean()).aupr
        for rows in (np.concatenate([kept, order[:60]]) for order in orders)
    ]
    corrected = aupr_with_all_negatives(order_of(y, scores), orders, 60)[1]
    assert np.mean(moved) - truth > 0.03
    assert abs(corrected.mean() - truth) < 0.5 * (np.mean(moved) - truth)
