"""Thinned curves and bands around them, as the page of one table draws them."""

from statistics import NormalDist

import numpy as np

from aucstudy.audit.curves import RECALLS, TOLERANCE, bands, kept_vertices, thinned_curve
from aucstudy.metrics import roc_curve
from aucstudy.metrics.uncertainty.sample import Sample

NORMAL = NormalDist()


def scored(rng, positives, negatives, distance, models=1):
    y = np.repeat([True, False], (positives, negatives))
    return Sample(y, rng.normal(size=(y.size, models)) + distance * y[:, None])


def test_a_band_holds_the_true_curve_at_each_recall_in_about_95_percent_of_samples():
    rng, samples = np.random.default_rng(1), 60
    truth = [NORMAL.cdf(-1.5 - NORMAL.inv_cdf(1 - recall)) for recall in RECALLS[:-1]]
    held = np.zeros(len(truth))
    for seed in range(samples):
        low, high = bands(scored(rng, 50, 450, 1.5), seed)[0, :, :-1]
        held += (low <= truth) & (truth <= high)
    assert held.mean() / samples > 0.95
    assert held.min() / samples > 0.85


def test_a_band_lies_around_the_curve_and_its_ends_rise_with_recall():
    sample = scored(np.random.default_rng(2), 30, 200, 1.0, models=3)
    for score, (low, high) in zip(sample.scores.T, bands(sample, 1), strict=True):
        curve = roc_curve(sample.y_true, score)
        at = [np.searchsorted(curve.tpr, recall - 1e-9) for recall in RECALLS]
        assert (low <= curve.fpr[at]).all()
        assert (curve.fpr[at] <= high).all()
        assert (np.diff(low) >= 0).all()
        assert (np.diff(high) >= 0).all()


def test_the_band_of_a_perfect_ranking_has_a_width():
    y = np.repeat([True, False], (20, 200))
    low, high = bands(Sample(y, np.arange(220.0)[::-1, None]), 1)[0]
    assert low.max() == 0
    assert high.min() > 0


def test_rows_of_one_group_stand_or_fall_together():
    sample, copies = scored(np.random.default_rng(3), 40, 160, 1.0), 5
    wide = np.ptp(bands(sample, 1)[0], axis=0).mean()
    repeated = Sample(np.repeat(sample.y_true, copies), np.repeat(sample.scores, copies, axis=0))
    grouped = repeated._replace(groups=np.repeat(np.arange(200), copies))
    assert np.ptp(bands(repeated, 1)[0], axis=0).mean() < 0.6 * wide
    np.testing.assert_allclose(bands(grouped, 1), bands(sample, 1), atol=1e-12)


def test_many_scores_and_a_class_of_one_row_have_no_band():
    y = np.arange(200_001) < 1000
    assert bands(Sample(y, np.zeros((y.size, 2))), 1) is None
    assert bands(Sample(y[-1000:] | (np.arange(1000) == 0), np.zeros((1000, 2))), 1) is None


def test_the_curves_of_weighted_rows_are_those_of_so_many_copies():
    rng = np.random.default_rng(5)
    sample, copies = scored(rng, 20, 60, 1.0), rng.integers(1, 4, 80)
    score = sample.scores[:, 0]
    many = thinned_curve(np.repeat(sample.y_true, copies), np.repeat(score, copies), None)
    heavy = thinned_curve(sample.y_true, score, copies / 7)
    for space, values in many.items():
        for key, expected in values.items():
            np.testing.assert_allclose(heavy[space][key], expected, atol=1e-9)


def test_few_vertices_are_kept_with_both_ends_and_precision_hardly_moves():
    rng = np.random.default_rng(1)
    y = rng.random(3000) < 0.1
    curve = roc_curve(y, rng.normal(size=3000) + 1.5 * y)
    t, f = np.rint(curve.tpr * y.sum()), np.rint(curve.fpr * (~y).sum())
    at = kept_vertices(t, f)
    assert len(at) < 0.6 * len(t)
    recalls = np.linspace(0.01, 1, 500) * t[-1]
    whole, thin = (recalls / (recalls + np.interp(recalls, t[k], f[k])) for k in (slice(None), at))
    # A drop that lies between two samples may be met on either side of it.
    assert np.quantile(np.abs(whole - thin), 0.95) < 2 * TOLERANCE
    assert (at[0], at[-1]) == (0, len(t) - 1)


def test_a_straight_line_keeps_its_ends_only():
    assert kept_vertices(np.arange(100.0), np.arange(100.0)).tolist() == [0, 1, 99]
