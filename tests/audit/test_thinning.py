"""Thinned curves look like the whole ones."""

import numpy as np

from aucstudy.audit.page import TOLERANCE, kept_vertices
from aucstudy.metrics import roc_curve


def counts(n=3000, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.1
    curve = roc_curve(y, rng.normal(size=n) + 1.5 * y)
    return np.rint(curve.tpr * y.sum()), np.rint(curve.fpr * (~y).sum())


def test_few_vertices_are_kept_and_precision_hardly_moves():
    t, f = counts()
    at = kept_vertices(t, f)
    assert len(at) < 0.6 * len(t)
    recalls = np.linspace(0.01, 1, 500) * t[-1]
    whole, thin = (recalls / (recalls + np.interp(recalls, t[k], f[k])) for k in (slice(None), at))
    # a drop that stands between two samples may be met on either side of it
    assert np.quantile(np.abs(whole - thin), 0.95) < 2 * TOLERANCE


def test_the_ends_stay():
    t, f = counts(200)
    at = kept_vertices(t, f)
    assert at[0] == 0
    assert at[-1] == len(t) - 1


def test_a_straight_line_keeps_its_ends_only():
    assert kept_vertices(np.arange(100.0), np.arange(100.0)).tolist() == [0, 1, 99]
