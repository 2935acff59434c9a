"""What must hold for any ranking whatever (hypothesis)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aucstudy.metrics import areas, aucpr_min, prg_hull

FIELDS = ("auroc", "average_precision", "aupr", "auprg", "aucnpr")
quick = settings(max_examples=60, deadline=None)


@st.composite
def rankings(draw, min_size=2, max_size=25):
    """Labels with both classes, and scores with ties."""
    n = draw(st.integers(min_size, max_size))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: 0 < sum(y) < len(y)))
    s = draw(st.lists(st.integers(-6, 6), min_size=n, max_size=n))
    return np.array(y), np.array(s, dtype=float)


def values(got):
    return np.array([getattr(got, name) for name in FIELDS])


def close(a, b):
    np.testing.assert_allclose(values(a), values(b), rtol=1e-12, atol=1e-12)


@quick
@given(rankings())
def test_increasing_transforms_change_nothing(ranking):
    y, s = ranking
    assert areas(y, s) == areas(y, np.exp(s)) == areas(y, s * 1e-310) == areas(y, s**3 - 7)


@quick
@given(rankings(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(ranking, random):
    y, s = ranking
    order = random.sample(range(len(y)), len(y))
    assert areas(y, s) == areas(y[order], s[order])


@quick
@given(rankings())
def test_reversed_scores_and_swapped_labels_keep_auroc(ranking):
    y, s = ranking
    assert areas(1 - y, -s).auroc == pytest.approx(areas(y, s).auroc, abs=1e-15)
    assert areas(y, -s).auroc == pytest.approx(1 - areas(y, s).auroc, abs=1e-15)


@quick
@given(rankings(), st.data())
def test_integer_weights_equal_repeated_rows(ranking, data):
    y, s = ranking
    w = np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y))))
    w[[y.argmax(), y.argmin()]] = 2
    close(areas(y, s, sample_weight=w), areas(np.repeat(y, w), np.repeat(s, w)))


@quick
@given(rankings(), st.floats(1e-6, 1 - 1e-6))
def test_another_prevalence_equals_reweighted_negatives(ranking, p):
    y, s = ranking
    n_positive = y.sum()
    w = np.where(y == 1, 1.0, n_positive * (1 - p) / p / (len(y) - n_positive))
    moved, reweighted = areas(y, s, prevalence=p), areas(y, s, sample_weight=w)
    np.testing.assert_allclose(values(moved), values(reweighted), rtol=1e-9, atol=1e-9)


@quick
@given(rankings(), st.floats(0.01, 0.99))
def test_partial_areas_add_up(ranking, cut):
    y, s = ranking
    parts = areas(y, s, recall_range=(0, cut)).aupr + areas(y, s, recall_range=(cut, 1)).aupr
    assert parts == pytest.approx(areas(y, s).aupr, abs=1e-12)


@quick
@given(rankings())
def test_areas_keep_their_bounds(ranking):
    y, s = ranking
    got = areas(y, s)
    pi = got.prevalence
    assert 0 <= got.auroc <= 1
    assert 0 <= got.aucnpr <= 1
    assert aucpr_min(pi) - 1e-15 <= got.aupr <= 1
    assert (1 - 1 / pi) / 2 - 1e-12 <= got.auprg <= 1
    assert max(got.auprg, 0) - 1e-15 <= areas(y, s, negative_gains="clip").auprg <= 1


@quick
@given(rankings())
def test_the_hull_has_at_least_the_area_of_the_curve(ranking):
    y, s = ranking
    hull = prg_hull(y, s, unit_square=True)
    under_hull = np.trapezoid(hull.precision_gain, hull.recall_gain)
    assert under_hull >= areas(y, s, negative_gains="clip").auprg - 1e-12
