"""Summary precision-recall curves over folds."""

import numpy as np
import pytest
from measured import measured, predictions_of

from aucstudy.experiments import fold_skew_summary_curves
from aucstudy.experiments.fold_skew_summary_curves import METHODS, achievable, recall_grid, summaries_of
from aucstudy.metrics import areas, aucpr_min, min_precision
from aucstudy.metrics.ranking import false_positives_of_subsets, order_of

RECALLS = recall_grid(400)
P, N = np.array([[10.0], [20.0]]), np.array([[10.0], [80.0]])


def merged_curve(y, scores):
    false = false_positives_of_subsets(order_of(y, scores[:, None]), np.zeros(len(y)), 1, RECALLS)[0, 0]
    return RECALLS * y.sum() / (RECALLS * y.sum() + false)


def test_the_mean_precision_over_the_grid_is_the_area():
    rng = np.random.default_rng(0)
    y = rng.random(200) < 0.3
    scores = np.round(rng.normal(y), 1)
    assert merged_curve(y, scores).mean() == pytest.approx(areas(y, scores).aupr, abs=2e-3)


@pytest.mark.parametrize("method", METHODS)
def test_equal_folds_are_their_own_summary(method):
    f = np.tile(np.linspace(0, 10, 400) ** 2 / 10, (2, 1))
    p = METHODS[method](RECALLS, f, P[[0, 0]], N[[0, 0]])
    assert p == pytest.approx(RECALLS * 10 / (RECALLS * 10 + f[0]), abs=1e-12)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "vertical"])
def test_worst_folds_of_any_skew_have_the_minimum_curve(method):
    f = np.tile(N, (1, 400))
    expected = min_precision(RECALLS, 30 / 120)
    p = METHODS[method](RECALLS, f, P, N)
    assert p == pytest.approx(expected, abs=1e-12)
    assert achievable(p, RECALLS, 30, 90)


def test_the_vertical_summary_of_worst_folds_lies_above_the_minimum_curve():
    p = METHODS["vertical"](RECALLS, np.tile(N, (1, 400)), P, N)
    assert (p > min_precision(RECALLS, 30 / 120)).all()


def test_normalised_distance_keeps_the_mean_aucnpr():
    rng = np.random.default_rng(0)
    f = np.sort(rng.random((2, 400)), axis=1) * N
    own = aucpr_min(P / (P + N))[:, 0]
    folds = (((RECALLS * P / (RECALLS * P + f)).mean(axis=1) - own) / (1 - own)).mean()
    whole = min_precision(RECALLS, 0.25).mean()
    p = METHODS["normalised distance"](RECALLS, f, P, N)
    assert (p.mean() - whole) / (1 - aucpr_min(0.25)) == pytest.approx(folds, abs=1e-5)  # the grid's minimum


def test_a_curve_whose_false_positives_fall_is_not_achievable():
    assert not achievable(np.linspace(0.3, 0.9, 400), RECALLS, 30, 90)
    assert not achievable(np.full(400, 1.1), RECALLS, 30, 90)
    assert achievable(np.full(400, 0.25), RECALLS, 30, 90)


def test_one_fold_is_the_merged_curve():
    rng = np.random.default_rng(0)
    y = np.arange(80) < 20
    scores = rng.normal(y)[:, None]
    merged = merged_curve(y, scores[:, 0])[None, :]
    judged = summaries_of(order_of(y, scores), np.zeros(80, dtype=int), merged, RECALLS)
    assert judged[..., [0, 1, 3]] == pytest.approx(0, abs=2e-3)
    assert (judged[..., 2] == 1).all()


def test_counts_and_repaired_summaries_can_always_be_reached():
    rng = np.random.default_rng(0)
    y = np.arange(90) < 30
    settings = {"folds": (3,), "spreads": (0, 0.5), "draws": 3, "points": 100}
    frames = measured(fold_skew_summary_curves, [predictions_of(y, rng.normal(size=(90, 3)))], **settings)
    table = frames["summary_curves_tasks"].set_index("method")
    assert (table.loc[["pooled counts", "mean rates", "normalised, repaired"], "achievable"] == 1).all()
