"""Counting gives the areas of the resampled rows themselves."""

import numpy as np
from numpy.testing import assert_allclose

from aucstudy.metrics import areas
from aucstudy.metrics.engine.resampled import COUNTED_AREAS, counted_areas, order_of


def test_counted_areas_are_the_areas_of_the_repeated_rows():
    rng = np.random.default_rng(3)
    y = rng.random(60) < 0.3
    scores = np.column_stack([rng.normal(size=60) + y, np.round(rng.random(60) + 0.4 * y, 1), y, -1.0 * y])
    counts = np.vstack([np.ones(60, dtype=int), rng.multinomial(60, np.full(60, 1 / 60), size=5)])
    found = counted_areas(order_of(y, scores), counts)
    for s, count in enumerate(counts):
        rows = np.repeat(np.arange(60), count)
        for m in range(scores.shape[1]):
            expected = areas(y[rows], scores[rows, m])
            assert_allclose(found[:, s, m], [getattr(expected, name) for name in COUNTED_AREAS], atol=1e-12)


def test_a_resample_of_one_class_has_no_areas():
    order = order_of(np.array([True, False, False]), np.array([[0.9], [0.5], [0.1]]))
    found = counted_areas(order, np.array([[0, 1, 2], [3, 0, 0], [1, 1, 0]]))
    assert np.isnan(found[:, :2]).all()
    assert found[:, 2].ravel().tolist() == [1, 1, 1]
