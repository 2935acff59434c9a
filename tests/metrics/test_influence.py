"""Influence functions are the derivatives of the areas of weighted rows; their squares add up to known variances."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aucstudy.area_names import AREAS
from aucstudy.metrics import areas
from aucstudy.metrics.tied_groups import areas_of_groups, tied_groups, weighted
from aucstudy.metrics.uncertainty.influence import influence, influence_covariance


def ranking(n, share, decimals, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return y, (rng.normal(size=n) + 0.3 * y).round(decimals)


@pytest.mark.parametrize("gains", ["signed", "clip"])
@pytest.mark.parametrize(
    ("share", "decimals"), [(0.3, 9), (0.3, 1), (0.05, 1), (0.5, 0), (0.9, 2), (0.03, 9), (0.97, 9)]
)
def test_the_influence_is_what_weight_moved_from_row_to_row_changes(share, decimals, gains):
    y, scores = ranking(300, share, decimals)
    groups = tied_groups(y, scores[:, None])
    of_row = influence(groups, clip=gains == "clip")[:, groups.cells[0]]
    rng, step = np.random.default_rng(1), 1e-5
    for positive in (True, False):
        assert_allclose(of_row[:, y == positive].mean(axis=1), 0, atol=1e-15)
        for _ in range(20):
            up, down = rng.choice(np.flatnonzero(y == positive), 2, replace=False)
            ends = []
            for sign in (1, -1):
                weight = np.ones(len(y))
                weight[[up, down]] += sign * step, -sign * step
                ends.append(areas(y, scores, sample_weight=weight, negative_gains=gains)[:5])
            slope = np.subtract(*ends) / (2 * step)
            assert_allclose(slope, of_row[:, up] - of_row[:, down], atol=1e-7 * np.abs(of_row).max())


def test_where_a_vertex_has_recall_gain_0_the_influence_is_that_to_one_side_of_it():
    """30 of 60 rows are positive and nothing is tied: recall gain 0 stands at 15 positives, a vertex."""
    rng = np.random.default_rng(3)
    y = rng.permutation(60) < 30
    scores = -np.arange(60.0)
    groups = tied_groups(y, scores[:, None])
    of_row = influence(groups)[2, groups.cells[0]]
    at = np.flatnonzero(y)
    weight = np.ones(60)
    # less weight above the vertex, so that recall gain 0 comes a little below it
    weight[[at[0], at[-1]]] += -1e-6, 1e-6
    slope = (areas(y, scores, sample_weight=weight).auprg - areas(y, scores).auprg) / 1e-6
    assert slope == pytest.approx(of_row[at[-1]] - of_row[at[0]], rel=1e-4)


def test_the_influence_on_auroc_has_the_variance_of_delong():
    y, scores = ranking(200, 0.4, 1)
    placements = [
        np.array([np.mean((others < one) + 0.5 * (others == one)) for one in ones])
        for ones, others in ((scores[y], scores[~y]), (-scores[~y], -scores[y]))
    ]
    want = sum(values.var() / len(values) for values in placements)
    got = influence_covariance(tied_groups(y, scores[:, None]))
    assert got[AREAS.index("auroc"), 0, 0] == pytest.approx(want, rel=1e-12)


def test_resampling_within_folds_leaves_out_what_differs_between_them():
    rng = np.random.default_rng(5)
    y, folds = rng.random(500) < 0.3, rng.integers(0, 4, 500)
    scores = rng.normal(size=(500, 2)) + y[:, None] + folds[:, None]
    groups = tied_groups(y, scores)
    columns = np.stack([influence(groups, model)[:, groups.cells[model]] for model in range(2)], axis=1)
    want = np.zeros((5, 2, 2))
    for stratum in range(8):
        within = columns[:, :, (2 * folds + y) == stratum]
        within = within - within.mean(axis=2, keepdims=True)
        want += within @ within.transpose(0, 2, 1)
    assert_allclose(influence_covariance(groups, 2 * folds + y), want, atol=1e-14)
    assert (influence_covariance(groups)[:, 0, 0] > want[:, 0, 0]).all()


def test_chunks_of_rows_add_up(monkeypatch):
    y, scores = ranking(1000, 0.3, 2)
    groups = tied_groups(y, scores[:, None])
    whole = influence_covariance(groups)
    monkeypatch.setattr("aucstudy.metrics.uncertainty.influence.CHUNK", 64)
    assert_allclose(influence_covariance(groups), whole, rtol=1e-12)


@pytest.mark.parametrize("decimals", [9, 2, 1, 0])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.99])
def test_groups_have_the_areas_of_their_rows(share, decimals):
    y, scores = ranking(3000, share, decimals)
    groups = tied_groups(y, np.column_stack([scores, -scores]))
    for options in ({}, {"prevalence": 0.01}, {"recall_range": (0.1, 0.7)}):
        want = [areas(y, sign * scores, **options)[:5] for sign in (1, -1)]
        assert_allclose(areas_of_groups(groups, **options), want, rtol=1e-12, atol=1e-13)
    weight = np.random.default_rng(2).integers(0, 3, len(y))
    want = areas(np.repeat(y, weight), np.repeat(scores, weight))[:5]
    assert_allclose(areas_of_groups(groups, weight)[0], want, rtol=1e-12, atol=1e-13)


def test_a_group_whose_positives_have_no_weight_keeps_its_place():
    y, scores = np.array([True, False, True, False, True]), np.array([[0.9], [0.8], [0.7], [0.2], [0.1]])
    rankings = tied_groups(y, scores)
    t, f, d, e, below = weighted(rankings, np.array([1.0, 2.0, 0.0, 1.0, 3.0])).of_model(0)
    assert (t.tolist(), d.tolist(), below.tolist()) == ([0, 1, 1], [1, 0, 3], [3, 3, 0])
    assert (f.tolist(), e.tolist()) == ([0, 2, 3], [0, 0, 0])
