"""Influence functions are derivatives of the metrics of weighted rows; their squares give known variances."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aucstudy.metrics import areas
from aucstudy.metrics.kernel import order_of
from aucstudy.metrics.registry import index, keys
from aucstudy.metrics.uncertainty.sample import Sample
from aucstudy.metrics.uncertainty.standard_errors import Counted, influences, unit_influences

AREAS = keys()


def ranking(n, share, decimals, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return y, (rng.normal(size=n) + 0.3 * y).round(decimals)


def influence_of_rows(y, scores):
    """Return the influence of each row on each metric, (5, n)."""
    values, from_below = np.unique(scores, return_inverse=True)
    group = len(values) - 1 - from_below
    counts = np.bincount(group, y), np.bincount(group, ~y)
    by_area = [influences(k, *counts) for k in range(len(AREAS))]
    return np.array([np.where(y, positives[group], negatives[group]) for positives, negatives in by_area])


@pytest.mark.parametrize(
    ("share", "decimals"), [(0.3, 9), (0.3, 1), (0.05, 1), (0.5, 0), (0.9, 2), (0.03, 9), (0.97, 9)]
)
def test_the_influence_is_what_weight_moved_from_row_to_row_changes(share, decimals):
    y, scores = ranking(300, share, decimals)
    of_row = influence_of_rows(y, scores)
    rng, step = np.random.default_rng(1), 1e-5
    for positive in (True, False):
        assert_allclose(of_row[:, y == positive].mean(axis=1), 0, atol=1e-15)
        for _ in range(20):
            up, down = rng.choice(np.flatnonzero(y == positive), 2, replace=False)
            ends = []
            for sign in (1, -1):
                weight = np.ones(len(y))
                weight[[up, down]] += sign * step, -sign * step
                ends.append(areas(y, scores, sample_weight=weight)[:5])
            slope = np.subtract(*ends) / (2 * step)
            assert_allclose(slope, of_row[:, up] - of_row[:, down], atol=3e-6 * np.abs(of_row).max())


def test_where_a_vertex_has_recall_gain_0_the_influence_is_the_mean_of_both_sides():
    """Of 60 untied rows 30 are positive, so that recall gain 0 lies at 15 positives, a vertex."""
    y, scores = np.random.default_rng(3).permutation(60) < 30, -np.arange(60.0)
    of_row, at = influence_of_rows(y, scores)[2], np.flatnonzero(y)
    slopes = []
    for step in (1e-6, -1e-6):
        weight = np.ones(60)
        weight[[at[0], at[-1]]] += -step, step
        slopes.append((areas(y, scores, sample_weight=weight).auprg - areas(y, scores).auprg) / step)
    assert np.mean(slopes) == pytest.approx(of_row[at[-1]] - of_row[at[0]], rel=1e-4)


def test_the_influence_on_auroc_has_the_variance_of_delong():
    y, scores = ranking(200, 0.4, 1)
    placements = [
        np.array([np.mean((others < one) + 0.5 * (others == one)) for one in ones])
        for ones, others in ((scores[y], scores[~y]), (-scores[~y], -scores[y]))
    ]
    expected = sum(values.var(ddof=1) / len(values) for values in placements)
    sample = Sample(y, scores[:, None])
    got = unit_influences(Counted.of(sample, order_of(y, sample.scores)), index("auroc"))
    assert np.sum(got**2) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("area", AREAS)
def test_units_are_rows_less_the_mean_of_their_stratum_or_sums_of_groups(area):
    rng = np.random.default_rng(5)
    y, folds = rng.random(500) < 0.3, rng.integers(0, 4, 500)
    scores, groups = rng.normal(size=500) + y + folds, np.arange(500) // 5
    k, rankings = index(area), order_of(y, scores[:, None])
    of_row = influence_of_rows(y, scores)[k]
    [of_units] = unit_influences(Counted.of(Sample(y, scores[:, None], folds=folds), rankings), k)
    for stratum in range(8):
        within = of_row[(2 * folds + y) == stratum]
        n = len(within)
        expected = (within - within.mean()) * np.sqrt(n / (n - 1))
        assert_allclose(of_units[(2 * folds + y) == stratum], expected, atol=1e-9 * np.abs(of_row).max())
    [of_groups] = unit_influences(Counted.of(Sample(y, scores[:, None], groups=groups), rankings), k)
    holds_positive = np.bincount(groups, y) > 0
    sums = np.bincount(groups, of_row)[holds_positive]
    n = len(sums)
    expected = (sums - sums.mean()) * np.sqrt(n / (n - 1))
    assert_allclose(of_groups[holds_positive], expected, atol=1e-9 * np.abs(of_row).max())
