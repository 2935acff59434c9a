"""One walk down a known order gives the metrics of many subsets of its rows."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aucstudy.metrics import areas_many
from aucstudy.metrics.kernel import order_of
from aucstudy.metrics.subsets import SUBSET_AREAS, areas_of_subsets


def tied_and_untied_scores(y, rng):
    """Return untied, coarse, hard, perfect, worst and partly tied scores of six models."""
    n = len(y)
    untied = rng.normal(size=(n, 2)) + y[:, None]
    partly = np.where(rng.random(n) < 0.5, untied[:, 1].round(), untied[:, 1])
    return np.column_stack([untied[:, 0], untied[:, 0].round(1), untied[:, 1] > 0.5, y, -1.0 * y, partly])


def expected_areas(y, scores, prevalence=None):
    signed = areas_many(y, scores, prevalence=prevalence)
    clipped = areas_many(y, scores, prevalence=prevalence, negative_gains="clip")
    return np.stack([*(getattr(signed, area) for area in SUBSET_AREAS[:-1]), clipped.auprg])


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("prevalence", [None, 0.07])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.5, 0.9, 0.995])
def test_areas_of_subsets_are_the_areas_of_their_rows(share, prevalence, nested):
    rng = np.random.default_rng(3)
    y = rng.random(1000) < share
    scores = tied_and_untied_scores(y, rng)
    parts = rng.integers(0, 4, (3, len(y)))
    subsets = areas_of_subsets(order_of(y, scores), parts, 3, nested=nested, prevalence=prevalence)
    defined = 0
    for draw in range(3):
        for k in range(3):
            kept = parts[draw] <= k if nested else parts[draw] == k
            if 0 < y[kept].sum() < kept.sum():
                expected = expected_areas(y[kept], scores[kept], prevalence)
                assert_allclose(subsets[:, draw, k], expected, rtol=1e-12, atol=1e-12)
                defined += 1
            else:
                assert np.isnan(subsets[:, draw, k]).all()
    assert defined >= 3


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.995])
def test_aupr_at_another_prevalence_beside_the_areas_is_that_of_a_call_of_its_own(share, nested):
    rng = np.random.default_rng(5)
    y = rng.random(700) < share
    order, parts = order_of(y, tied_and_untied_scores(y, rng)), rng.integers(0, 4, (41, len(y)))
    both = areas_of_subsets(order, parts, 3, nested=nested, aupr_at=0.2)
    observed = areas_of_subsets(order, parts, 3, nested=nested)
    moved = areas_of_subsets(order, parts, 3, nested=nested, prevalence=0.2, names=("aupr",))
    assert_allclose(both, np.concatenate([observed, moved]), rtol=1e-14)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 50, 700])
@pytest.mark.parametrize("digits", [0, 1, 15])
def test_an_order_has_the_rows_by_falling_score_and_marks_the_last_of_each(n, digits):
    rng = np.random.default_rng(n)
    scores = rng.normal(size=(n, 4)).round(digits)
    scores[:, 1] = rng.choice([-0.0, 0.0, np.inf, -np.inf], n)
    order = order_of(rng.random(n) < 0.5, scores)
    for model, rows in enumerate(order.rows):
        np.testing.assert_array_equal(np.sort(rows), np.arange(n))
        np.testing.assert_array_equal(
            order.ranks_of(model), np.unique(-scores[:, model], return_inverse=True)[1]
        )
        falling = scores[rows, model]
        np.testing.assert_array_equal(order.ends_group[model], [*(falling[1:] != falling[:-1]), True][:n])


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize(("draws", "n_parts"), [(1, 10), (33, 2), (41, 5), (3, 40)])
def test_a_walk_of_many_draws_or_parts_counts_as_each_draw_alone_does(draws, n_parts, nested):
    """Counts exceed what one word or byte holds, and there are ties.

    There are more draws than lanes, more negatives between two positives than a byte counts, and more parts
    than words.
    """
    rng = np.random.default_rng(draws)
    y = np.arange(1500) % 300 < 30
    scores = tied_and_untied_scores(y, rng)
    scores[:, 0] = -np.arange(len(y))
    parts = rng.integers(0, n_parts + 1, (draws, len(y)))
    subsets = areas_of_subsets(order_of(y, scores), parts, n_parts, nested=nested)
    for draw in {0, draws // 2, draws - 1}:
        for k in {0, n_parts // 2, n_parts - 1}:
            kept = parts[draw] <= k if nested else parts[draw] == k
            if 0 < y[kept].sum() < kept.sum():
                expected = expected_areas(y[kept], scores[kept])
                assert_allclose(subsets[:, draw, k], expected, rtol=1e-12, atol=1e-12)


def test_parts_may_be_of_any_whole_type_and_beyond_a_byte_are_none():
    order = order_of(np.array([True, False, False]), np.array([[0.5], [0.9], [0.1]]))
    for kind in (np.uint8, np.int64):
        assert areas_of_subsets(order, np.array([[0, 1, 0]], dtype=kind), 1)[2].item() == 1
    assert areas_of_subsets(order, np.array([[0, 256, 0]]), 1)[2].item() == 1


def test_a_subset_of_one_class_has_no_areas():
    order = order_of(np.array([True, False, False]), np.array([[0.9], [0.5], [0.1]]))
    subsets = areas_of_subsets(order, np.array([[0, 1, 1], [0, 0, 1]]), 2)
    assert np.isnan(subsets[:, [0, 0, 1], [0, 1, 1]]).all()
    assert subsets[:, 1, 0].ravel().tolist() == [1, 1, 1, 1, 1]


def test_a_subset_with_one_negative_among_thousands_keeps_its_digits():
    y = np.arange(100_000) > 0
    order = order_of(y, -np.arange(100_000.0)[:, None])
    subsets = areas_of_subsets(order, np.zeros((1, 100_000), dtype=np.uint8), 1)
    assert_allclose(subsets[1, 0, 0, 0], -1 / 99_999 / 2, atol=1e-15)


def test_more_parts_than_a_code_holds_are_refused():
    order = order_of(np.array([True, False]), np.array([[0.9], [0.5]]))
    with pytest.raises(ValueError, match="n_subsets must lie in 1 to 127, not 128"):
        areas_of_subsets(order, np.zeros((1, 2)), 128)


@pytest.mark.parametrize("n_negative", [13, 22, 26])
def test_a_clipped_auprg_is_not_below_0_by_rounding(n_negative):
    y, scores = np.arange(1 + n_negative) < 1, np.arange(1.0 + n_negative)[:, None]
    areas = areas_of_subsets(order_of(y, scores), np.zeros((1, len(y))), 1, names=("auprg_clipped",))
    assert areas.item() == 0
