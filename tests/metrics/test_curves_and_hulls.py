"""Curves have vertices worked out by hand; hulls agree with isotonic regression and brute force."""

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import fbeta_score
from sklearn.metrics import roc_curve as sklearn_roc_curve

from aucstudy.metrics import auprg, fbeta_calibration, pr_curve, prg_curve, prg_hull, roc_curve, roc_hull

# Of 4 positives and 4 negatives, the groups have (2P, 1N), (1P, 1N) and (1P, 2N).
GROUPS = [1, 1, 0, 1, 0, 1, 0, 0], [3, 3, 3, 2, 2, 1, 1, 1]


def rankings():
    for seed in range(8):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, 60)
        s = rng.normal(size=60) + y
        yield y, np.round(s, 1) if seed % 2 else s


def test_roc_vertices_are_those_of_scikit_learn():
    for y, s in rankings():
        ours, theirs = roc_curve(y, s), sklearn_roc_curve(y, s, drop_intermediate=False)
        for mine, other in zip(ours, theirs, strict=True):
            assert mine.tolist() == pytest.approx(other.tolist())


INF = np.inf


@pytest.mark.parametrize(
    ("curve", "points"),
    [
        (pr_curve(*GROUPS), [[2 / 3, 2 / 3, 0.6, 0.5], [0, 0.5, 0.75, 1], [INF, 3, 2, 1]]),
        (
            pr_curve(*GROUPS, points_per_segment=1),  # on the hyperbolas
            [
                [2 / 3, 2 / 3, 2 / 3, 0.625, 0.6, 7 / 13, 0.5],
                [0, 0.25, 0.5, 0.625, 0.75, 0.875, 1],
                [INF, 3, 3, 2, 2, 1, 1],
            ],
        ),
        (pr_curve([0, 1], [2, 1]), [[0, 0, 0.5], [0, 0, 1], [INF, 2, 1]]),  # no positive on top
        (pr_curve(*GROUPS, prevalence=0.5), pr_curve(*GROUPS)),
        (prg_curve(*GROUPS), [[0.5, 0.5, 1 / 3, 0], [-INF, 0, 2 / 3, 1], [INF, 3, 2, 1]]),
        # The curve starts at the top of a drop.
        (prg_curve([1, 0, 1, 0], [4, 3, 2, 1], from_zero=True), [[1, 0, 0.5, 0], [0, 0, 1, 1], [4, 3, 2, 1]]),
        (roc_curve([1, 0, 1], [3, 2, 1], sample_weight=[1, 1, 0]), [[0, 0, 1], [0, 1, 1], [INF, 3, 2]]),
    ],
)
def test_vertices_are_those_worked_out_by_hand(curve, points):
    for own, expected in zip(curve, points, strict=True):
        assert list(own) == pytest.approx(list(expected))


def test_a_curve_at_another_prevalence_ends_there():
    assert pr_curve(*GROUPS, prevalence=0.1).precision[-1] == pytest.approx(0.1)


@pytest.mark.parametrize("rest", [1e-4, 1e-8, 1e-12])
def test_a_gain_curve_of_nearly_all_positives_holds_the_area(rest):
    rng = np.random.default_rng(3)
    for _ in range(50):
        y, s = np.append(rng.random(12) < 0.6, [True, False]), rng.integers(0, 9, 14)
        light = np.where(y, rng.random(14), rest * rng.random(14))
        for options in ({"prevalence": 1 - rest}, {"sample_weight": light}):
            curve = prg_curve(y, s, from_zero=True, **options)
            assert curve.recall_gain[[0, -1]] == pytest.approx([0, 1], abs=1e-12)
            area = np.trapezoid(curve.precision_gain, curve.recall_gain)
            assert area == pytest.approx(auprg(y, s, **options), rel=1e-12, abs=1e-12)


def test_one_class_gives_a_curve_of_nan_with_a_warning():
    from sklearn.exceptions import UndefinedMetricWarning

    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(roc_curve([1, 1], [1, 2]).fpr).all()
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(prg_curve([0, 0], [1, 2], from_zero=True).recall_gain).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_hull_probabilities_equal_isotonic_regression(weighted):
    for y, s in rankings():
        w = np.random.default_rng(0).integers(1, 5, y.size) if weighted else None
        isotonic = IsotonicRegression().fit(s, y, sample_weight=w).predict(s)
        assert roc_hull(y, s, sample_weight=w).calibrated(s) == pytest.approx(isotonic, abs=1e-12)


@pytest.mark.parametrize("beta", [0.05, 0.25, 0.5, 1, 2, 7])
def test_the_hull_vertex_for_beta_has_the_best_f_beta_of_all_thresholds(beta):
    for y, s in rankings():
        best = max(fbeta_score(y, s >= t, beta=beta) for t in np.unique(s))
        hull = prg_hull(y, s)
        assert hull.beta_squared_low[0] == 0
        assert (np.diff(hull.d) < 0).all()
        vertex = int(
            np.flatnonzero((hull.beta_squared_low <= beta**2) & (beta**2 <= hull.beta_squared_high))[0]
        )
        assert fbeta_score(y, s >= hull.thresholds[vertex], beta=beta) == pytest.approx(best, rel=1e-12)
        calibrated = fbeta_calibration(y, s)
        assert fbeta_score(y, calibrated >= 1 / (1 + beta**2), beta=beta) == pytest.approx(best, rel=1e-12)


def test_theorem_4_the_slope_of_a_segment_in_reciprocals_gives_d():
    for y, s in rankings():
        hull = prg_hull(y, s)
        inner = (hull.recall > 0)[:-1]
        with np.errstate(divide="ignore"):
            recall, precision = np.diff(1 / hull.recall)[inner], np.diff(1 / hull.precision)[inner]
        assert hull.d[inner] == pytest.approx(recall / (recall - precision), abs=1e-12)


def test_a_vertex_of_negative_recall_gain_can_be_best_for_small_beta():
    y = np.repeat([1, 0, 1], [27, 233, 73])  # The prevalence is .3, and precision is 1 at recall .27.
    hull = prg_hull(y, np.repeat([3, 2, 2], [27, 233, 73]))
    assert hull.recall_gain[1] < 0
    assert hull.beta_squared_high[1] > 0.0625


def test_the_clipped_hull_starts_at_recall_gain_zero():
    for y, s in rankings():
        hull = prg_hull(y, s, unit_square=True)
        assert hull.recall_gain[0] == pytest.approx(0, abs=1e-12)
        assert hull.precision_gain.min() >= -1e-12


def test_a_hull_that_is_cut_within_a_segment_starts_below_d_1():
    y, s = [1, 0, 1, 0, 1, 0, 1, 0], -np.arange(8)
    assert prg_hull(y, s).d[0] == 1
    cut = prg_hull(y, s, unit_square=True)
    assert cut.recall.tolist() == [0.5, 1, 1]
    assert cut.d.tolist() == pytest.approx([0.8, 0])


def test_other_scores_are_calibrated_by_the_segment_they_fall_into():
    y, s = [1, 1, 0, 0, 1, 0], [0.8, 0.8, 0.6, 0.4, 0.4, 0.2]
    other = fbeta_calibration(y, s, apply_to=[2.0, 0.8, 0.79, 0.4, 0.39, -1.0])
    assert other.tolist() == pytest.approx([1, 1, 3 / 7, 3 / 7, 0, 0])


@pytest.mark.parametrize(
    "scores",
    [
        np.array([2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3]),
        np.array([2**63, 2**63 + 1, 2**63 + 2, 2**63 + 3], dtype=np.uint64),
    ],
    ids=lambda scores: scores.dtype.name,
)
def test_calibration_tells_integers_beyond_2_to_53_apart(scores):
    y = [0, 0, 1, 1]
    for s in (scores, scores[::-1][::-1]):
        assert fbeta_calibration(y, s).tolist() == [0, 0, 1, 1]
    hull = roc_hull([0, 1, 0, 1], scores)
    assert hull.calibrated(scores).tolist() == [0, 0.5, 0.5, 1]
    assert hull.calibrated(scores[1:2]).tolist() == [0.5]
    assert hull.thresholds[1:].tolist() == scores[[3, 1, 0]].tolist()


def test_integers_are_compared_exactly_with_thresholds_of_floats():
    hull = roc_hull([0, 1], [0.0, 2.0**53])
    assert hull.calibrated(np.array([2**53 - 1, 2**53, 2**53 + 1])).tolist() == [0, 1, 1]


def test_weights_of_any_size_give_the_same_curve_and_hull():
    y, s, w = [1, 0, 1, 0, 1], [5, 4, 3, 2, 1], np.array([1.0, 2, 3, 4, 5])
    for size in (1e-300, 1e160, 1e307):
        for call in (roc_hull, prg_hull, prg_curve):
            for one, other in zip(
                call(y, s, sample_weight=w), call(y, s, sample_weight=size * w), strict=True
            ):
                np.testing.assert_allclose(one, other, rtol=1e-14)


@pytest.mark.filterwarnings("ignore:y_true holds one class only")
def test_where_no_row_has_weight_curves_and_hulls_are_nan():
    y, s, weight = [1, 0, 1], [0.3, 0.2, 0.1], [0, 0, 0]
    for points_per_segment in (0, 3):
        curve = pr_curve(y, s, sample_weight=weight, points_per_segment=points_per_segment)
        assert np.isnan([*curve.recall, *curve.precision]).all()
    for unit_square in (False, True):
        hull = prg_hull(y, s, sample_weight=weight, unit_square=unit_square)
        assert np.isnan([*hull.recall_gain, *hull.precision_gain, *hull.recall, *hull.precision]).all()
    assert np.isnan(roc_hull(y, s, sample_weight=weight).calibrated([0.3, 0.2])).all()
    assert np.isnan(fbeta_calibration(y, s, sample_weight=weight)).all()
