"""Theorems 1-3 and corollary 4 of Boyd, Santos Costa, Davis and Page 2012."""

import itertools
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from aucstudy.metrics import (
    ap_min,
    areas,
    aucpr_min,
    average_precision,
    min_pr_curve,
    min_precision,
    pr_curve,
)


@pytest.mark.parametrize("n_pos", [1, 2, 4])
def test_theorem_1_no_ranking_goes_below_the_minimum_precision(n_pos):
    n = 6
    worst = np.full(n + 1, np.inf)
    for positives in itertools.combinations(range(n), n_pos):
        y = np.isin(np.arange(n), positives)
        curve = pr_curve(y, -np.arange(n))
        assert (curve.precision[1:] >= min_precision(curve.recall[1:], n_pos / n) - 1e-15).all()
        t = np.round(curve.recall * n_pos).astype(int)
        np.minimum.at(worst, t[1:], curve.precision[1:])
    reached = worst[1 : n_pos + 1]
    assert reached == pytest.approx(min_precision(np.arange(1, n_pos + 1) / n_pos, n_pos / n), abs=1e-15)


@pytest.mark.parametrize(
    "pi", ["1e-12", "1e-7", "0.003", "0.0099", "0.0101", "0.1", "0.5", "0.9", "0.999999"]
)
@pytest.mark.parametrize("recall_range", [(0, 1), (0.5, 1), (0.2, 0.25)])
def test_theorem_2_and_corollary_4_hold_to_12_digits(pi, recall_range):
    with localcontext() as context:
        context.prec = 60
        p, a, b = Decimal(float(pi)), *(Decimal(x) for x in recall_range)
        exact = (b - a) + (1 - p) / p * ((p * (a - 1) + 1) / (p * (b - 1) + 1)).ln()
    assert aucpr_min(float(pi), recall_range) == pytest.approx(float(exact), rel=1e-12)


def test_the_minimum_takes_arrays():
    pi = np.array([[0.1, 0.5]])
    assert aucpr_min(pi).shape == (1, 2)
    assert aucpr_min(pi)[0, 1] == aucpr_min(0.5)
    assert min_precision([0, 1], 0.3).tolist() == [0, 0.3]


def test_counts_of_any_type_of_number_are_counts():
    assert ap_min(np.int64(3), np.float32(7)) == ap_min(3.0, np.uint8(7)) == ap_min(3, 7)


@pytest.mark.parametrize(("P", "N"), [(1, 10**6), (3, 7), (1000, 10), (12345, 200_000)])
def test_theorem_3_holds_to_12_digits(P, N):
    exact = sum(Fraction(i, i + N) for i in range(1, min(P, 2000) + 1)) / P if P <= 2000 else None
    if exact is not None:
        assert ap_min(P, N) == pytest.approx(float(exact), rel=1e-12)
    y = np.repeat([0, 1], [N, P])
    assert ap_min(P, N) == pytest.approx(average_precision(y, -np.arange(P + N)), rel=1e-12)


@pytest.mark.parametrize("N", [1, 5, 31, 32, 33, 1000, 30_000, 50_000])
def test_the_closed_form_for_very_many_positives_meets_the_sum(monkeypatch, N):
    direct = ap_min(50_000, N)
    monkeypatch.setattr("aucstudy.metrics.bounds._DIRECT_AP_MIN", 1000)
    assert ap_min(50_000, N) == pytest.approx(direct, rel=1e-13)


def test_a_partial_minimum_is_the_partial_area_of_the_worst_ranking():
    y = np.repeat([0, 1], [600, 400])
    got = areas(y, -np.arange(1000), recall_range=(0.3, 0.8))
    assert got.aupr == pytest.approx(aucpr_min(0.4, (0.3, 0.8)), rel=1e-12)


def test_the_minimum_curve_ends_at_the_prevalence():
    curve = min_pr_curve(0.2)
    assert (curve.recall[-1], curve.precision[-1]) == (1, pytest.approx(0.2))
    assert np.trapezoid(curve.precision, curve.recall) == pytest.approx(aucpr_min(0.2), abs=1e-5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: aucpr_min(0), "prevalence must lie strictly between 0 and 1, not 0"),
        (lambda: aucpr_min(0.5, (1, 0)), "recall_range must be"),
        (lambda: min_precision(1.5, 0.5), r"recall must lie in \[0, 1\], not 1.5"),
        (lambda: ap_min(2.5, 3), "n_positive must be a count of rows, at least 1, not 2.5"),
        (lambda: ap_min(2, 0), "n_negative must be a count of rows, at least 1, not 0"),
        (lambda: ap_min(np.inf, 1), "n_positive must be a count of rows, at least 1, not inf"),
        (lambda: ap_min(2, np.nan), "n_negative must be a count of rows, at least 1, not nan"),
        (lambda: ap_min(None, 1), "n_positive must be a count of rows, at least 1, not None"),
        (lambda: ap_min(True, 1), "n_positive must be a count of rows, at least 1, not True"),
        (lambda: min_pr_curve(0.5, n_points=1), "n_points must be at least 2, not 1"),
    ],
)
def test_wrong_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
