"""The area of a large test set estimated from few of its negatives."""

from itertools import combinations

import numpy as np
import pytest

from aucstudy.experiments.prevalence_shift.corrected_aupr import (
    chances_below,
    corrected_aupr,
    precision_tables,
    series_weights,
)
from aucstudy.metrics import areas


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
    for found in corrected_aupr(y, scores, orders, 52):
        for model in range(4):
            assert found[0, model] == pytest.approx(
                areas(y, scores[:, model]).aupr, abs=1e-4
            )  # 3 nodes a positive


def test_the_expected_bounds_enclose_the_area_and_the_known_part_has_no_bias():
    rng = np.random.default_rng(1)
    y = np.arange(12) < 4
    scores = rng.normal(size=(12, 3)) + y[:, None]
    negatives, n_sampled = np.flatnonzero(~y), 3
    orders = np.array(
        [[*chosen, *(set(negatives) - set(chosen))] for chosen in combinations(negatives, n_sampled)]
    )
    low, estimate, high = (found.mean(axis=0) for found in corrected_aupr(y, scores, orders, n_sampled))
    known, _ = precision_tables(4, 8, n_sampled)
    full, _ = precision_tables(4, 8, 8)
    for model in range(3):
        truth = areas(y, scores[:, model]).aupr
        assert low[model] - 1e-12 < truth < high[model] + 1e-12
        assert low[model] <= estimate[model] <= high[model]
        # by hand: the terms k <= 3 of each positive, at what really lies below it
        ranked = np.sort(scores[y, model])[::-1]
        below = [(scores[negatives, model] < score).sum() for score in ranked]
        weights = [series_weights(np.array([i + x for x in (np.polynomial.legendre.leggauss(3)[0] + 1) / 2]), 8)
                   for i in range(4)]  # fmt: skip
        shares = np.polynomial.legendre.leggauss(3)[1] / 2
        terms = chances_below(8)
        expected = sum(
            shares @ w[:, : n_sampled + 1] @ terms[: n_sampled + 1, m]
            for w, m in zip(weights, below, strict=True)
        )
        assert low[model] == pytest.approx(expected / 4, abs=1e-12)
    assert known.shape == (4, 4)
    assert full[0, 8] == pytest.approx(1, abs=1e-12)


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
    corrected = corrected_aupr(y, scores, orders, 60)[1]
    assert np.mean(moved) - truth > 0.03
    assert abs(corrected.mean() - truth) < 0.5 * (np.mean(moved) - truth)
