"""Properties that hold for any ranking."""

import numpy as np
import pytest
from drawn import rankings

from aucstudy.metrics import areas, aucpr_min, prg_hull

FIELDS = ("auroc", "average_precision", "aupr", "auprg", "aucnpr")
any_ranking = pytest.mark.parametrize(("y", "s"), [(1 * y, s - 4) for y, s in rankings(60, rows=(2, 25))])


def values(got):
    return np.array([getattr(got, name) for name in FIELDS])


def close(a, b):
    np.testing.assert_allclose(values(a), values(b), rtol=1e-12, atol=1e-12)


@any_ranking
def test_increasing_transforms_change_nothing(y, s):
    assert areas(y, s) == areas(y, np.exp(s)) == areas(y, s * 1e-310) == areas(y, s**3 - 7)


@any_ranking
def test_the_order_of_rows_changes_nothing(y, s):
    order = np.random.default_rng(0).permutation(len(y))
    assert areas(y, s) == areas(y[order], s[order])


@any_ranking
def test_reversed_scores_and_swapped_labels_keep_auroc(y, s):
    assert areas(1 - y, -s).auroc == pytest.approx(areas(y, s).auroc, abs=1e-15)
    assert areas(y, -s).auroc == pytest.approx(1 - areas(y, s).auroc, abs=1e-15)


@any_ranking
def test_integer_weights_equal_repeated_rows(y, s):
    w = np.random.default_rng(0).integers(0, 4, len(y))
    w[[y.argmax(), y.argmin()]] = 2
    close(areas(y, s, sample_weight=w), areas(np.repeat(y, w), np.repeat(s, w)))


@pytest.mark.parametrize("share", [1e-6, 0.01, 0.3, 0.5, 0.77, 1 - 1e-6])
@any_ranking
def test_another_prevalence_equals_reweighted_negatives(y, s, share):
    n_positive = y.sum()
    w = np.where(y == 1, 1.0, n_positive * (1 - share) / share / (len(y) - n_positive))
    moved, reweighted = areas(y, s, prevalence=share), areas(y, s, sample_weight=w)
    np.testing.assert_allclose(values(moved), values(reweighted), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("cut", [0.01, 0.3, 0.5, 0.77, 0.99])
@any_ranking
def test_partial_areas_add_up(y, s, cut):
    parts = areas(y, s, recall_range=(0, cut)).aupr + areas(y, s, recall_range=(cut, 1)).aupr
    assert parts == pytest.approx(areas(y, s).aupr, abs=1e-12)


@any_ranking
def test_areas_keep_their_bounds(y, s):
    got = areas(y, s)
    pi = got.prevalence
    assert 0 <= got.auroc <= 1
    assert 0 <= got.aucnpr <= 1
    assert aucpr_min(pi) - 1e-15 <= got.aupr <= 1
    assert (1 - 1 / pi) / 2 - 1e-12 <= got.auprg <= 1
    assert max(got.auprg, 0) - 1e-15 <= areas(y, s, negative_gains="clip").auprg <= 1


@any_ranking
def test_the_hull_has_at_least_the_area_of_the_curve(y, s):
    hull = prg_hull(y, s, unit_square=True)
    under_hull = np.trapezoid(hull.precision_gain, hull.recall_gain)
    assert under_hull >= areas(y, s, negative_gains="clip").auprg - 1e-12
