"""The merge, the bins and the branch-free blocks give what plain counting gives."""

import numpy as np
import pytest

from aucstudy.metrics import areas
from aucstudy.metrics.ranking.bins import bin_counts, positives_table
from aucstudy.metrics.ranking.classes import split_and_sort
from aucstudy.metrics.ranking.ties import count_negatives_above


@pytest.mark.parametrize("values", [1, 3, 50, 10**6])
@pytest.mark.parametrize(("n_pos", "n_neg"), [(1, 1), (2, 40), (40, 2), (9, 200), (64, 64), (150, 700)])
def test_the_merge_counts_the_negatives_above_each_positive(n_pos, n_neg, values):
    rng = np.random.default_rng(n_pos + n_neg + values)
    for _ in range(20):
        pos, neg = (np.sort(rng.integers(0, values, n).astype(float)) for n in (n_pos, n_neg))
        if values == 3:
            pos[pos == 2], neg[neg == 2], neg[neg == 0] = np.inf, np.inf, -np.inf
        above = np.empty(n_pos + 1, dtype=np.uint32)
        count_negatives_above(pos, np.append(neg, np.inf), n_neg, above)
        assert above[:-1].tolist() == np.searchsorted(neg, pos).tolist()


def test_splitting_keeps_every_score_in_its_class():
    y, s = np.array([1, 0, 0, 1], dtype=np.uint8), np.array([1.0, 2.0, -np.inf, np.inf])
    pos, neg = split_and_sort(y, s, 2)
    assert pos.tolist() == [-np.inf, -1.0]
    assert neg.tolist() == [-2.0, np.inf, np.inf]


@pytest.mark.parametrize("shape", ["normal", "rounded", "uniform", "infinite", "one value"])
@pytest.mark.parametrize("n_pos", [1, 2, 30, 300])
def test_bins_count_the_rows_between_positives(shape, n_pos):
    rng = np.random.default_rng(n_pos)
    y = np.zeros(100 * n_pos, dtype=np.uint8)
    y[rng.permutation(y.size)[:n_pos]] = 1
    s = rng.random(y.size) if shape == "uniform" else rng.normal(size=y.size)
    if shape == "rounded":
        s = np.round(s, 1)
    elif shape == "infinite":
        s[rng.integers(0, y.size, 20)], s[rng.integers(0, y.size, 20)] = np.inf, -np.inf
    elif shape == "one value":
        s[:] = 3.0
    table = positives_table(y, s)
    distinct = np.unique(-s[y == 1])
    place = np.searchsorted(distinct, -s)
    at = np.append(distinct, np.nan)[place] == -s
    counted = np.bincount(2 * place + at, minlength=2 * distinct.size)[: 2 * distinct.size]
    assert bin_counts(s, table)[: counted.size].tolist() == counted.tolist()


def heavy_tailed(rng, n):
    return np.exp(30 * rng.normal(size=n))


def test_crowded_positives_are_sorted_instead_of_binned():
    rng = np.random.default_rng(0)
    y, s = np.zeros(200_000, dtype=np.uint8), heavy_tailed(rng, 200_000)
    y[:2000] = 1
    assert positives_table(y, s) is None


@pytest.mark.parametrize("size", [1e308, 5e-324])
def test_scores_too_far_apart_or_too_near_to_scale_are_sorted(size):
    y = np.repeat([1, 0], [2, 400]).astype(np.uint8)
    s = np.where(np.arange(402) % 2, size, -size)
    assert positives_table(y, s) is None
    assert areas(y, s).auroc == 0.5


@pytest.mark.parametrize("scores", [heavy_tailed, lambda rng, n: rng.normal(size=n)])
def test_binning_and_sorting_give_the_same_areas(monkeypatch, scores):
    rng = np.random.default_rng(3)
    y = rng.random(30_000) < 0.002
    s = scores(rng, y.size) * np.where(y, 3, 1)
    binned = areas(y, s)
    monkeypatch.setattr("aucstudy.metrics.ranking.bins.worth_binning", lambda *_: False)
    np.testing.assert_allclose(binned, areas(y, s), rtol=1e-13)


@pytest.mark.parametrize("n_pos", [255, 256, 257, 4096 + 300])
@pytest.mark.parametrize("prevalence", [None, 1e-9, 0.999])
@pytest.mark.parametrize("negative_gains", ["signed", "clip"])
def test_blocks_of_untied_positives_add_up_as_weighted_groups_do(n_pos, prevalence, negative_gains):
    rng = np.random.default_rng(n_pos)
    y = np.repeat([1, 0], [n_pos, 3 * n_pos])
    options = {"prevalence": prevalence, "negative_gains": negative_gains, "recall_range": (0.1, 0.9)}
    for shift in (0.0, 2.0):
        s = rng.normal(size=y.size) + shift * y
        weighted = areas(y, s, sample_weight=np.ones(y.size), **options)
        np.testing.assert_allclose(areas(y, s, **options), weighted, rtol=2e-14, atol=1e-14)
