"""Walking down a known order gives the areas of the resampled rows themselves."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from aucstudy.metrics import areas
from aucstudy.metrics.ranking import RESAMPLED_AREAS, all_areas, order_of, resampled_areas


def test_resampled_areas_are_the_areas_of_the_repeated_rows():
    rng = np.random.default_rng(3)
    y = rng.random(60) < 0.3
    scores = np.column_stack([rng.normal(size=60) + y, np.round(rng.random(60) + 0.4 * y, 1), y, -1.0 * y])
    counts = np.vstack([np.ones(60, dtype=int), rng.multinomial(60, np.full(60, 1 / 60), size=5)])
    got = resampled_areas(order_of(y, scores), counts)
    for s, count in enumerate(counts):
        rows = np.repeat(np.arange(60), count)
        for m in range(scores.shape[1]):
            expected = areas(y[rows], scores[rows, m])
            assert_allclose(got[:, s, m], [getattr(expected, name) for name in RESAMPLED_AREAS], atol=1e-12)


def test_a_resample_of_one_class_has_no_areas():
    order = order_of(np.array([True, False, False]), np.array([[0.9], [0.5], [0.1]]))
    got = resampled_areas(order, np.array([[0, 1, 2], [3, 0, 0], [1, 1, 0]]))
    assert np.isnan(got[:, :2]).all()
    assert got[:, 2].ravel().tolist() == [1, 1, 1]


@pytest.mark.parametrize("prevalence", [0.01, 0.3, 0.995])
@pytest.mark.parametrize("largest", [1, 3, 255])
def test_whole_counts_of_untied_rows_take_a_shorter_way_to_the_same_bits(prevalence, largest):
    rng = np.random.default_rng(6)
    y = rng.random(300) < prevalence
    order = order_of(y, rng.normal(size=(300, 3)) + y[:, None])
    counts = rng.integers(0, largest + 1, (20, 300)).astype(np.uint8)
    counts[0], counts[1], counts[2] = 0, y, ~y
    got = resampled_areas(order, counts)
    np.testing.assert_array_equal(got, resampled_areas(order, counts.astype(float)))
    assert np.isnan(got[:, :3]).all()
    assert not np.isnan(got[:, 3:]).all()


def test_the_same_walk_gives_all_areas_at_any_prevalence():
    rng = np.random.default_rng(4)
    y = rng.random(700) < 0.7  # more groups than one block holds
    scores, counts = rng.normal(size=(700, 2)).round(3), rng.integers(0, 3, 700)
    rows = np.repeat(np.arange(700), counts)
    for prevalence in (None, 0.01, 1 - 1e-9):
        got = all_areas(order_of(y, scores), counts, prevalence)
        for m in range(2):
            expected = areas(y[rows], scores[rows, m], prevalence=prevalence)
            assert_allclose(got[m], expected[:5], rtol=1e-12, atol=1e-13)


def test_counts_that_are_not_whole_are_added_to_the_stated_limit():
    rng = np.random.default_rng(5)
    n = 50_000
    y, scores, counts = rng.random(n) < 0.3, rng.integers(0, 3, (n, 1)), np.full(n, 0.1)
    expected = areas(y, scores, sample_weight=counts)
    assert_allclose(all_areas(order_of(y, scores), counts)[0], expected[:5], atol=n * 1e-16, rtol=0)


def test_the_contract_of_the_one_door_names_every_other_module_of_the_engine():
    root = Path(__file__).parents[2]
    contracts = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (shut,) = (c["forbidden_modules"] for c in contracts if c["name"].startswith("the compiled engine"))
    room = root / "src/aucstudy/metrics"
    modules = {f"aucstudy.metrics.ranking.{path.stem}" for path in (room / "ranking").glob("[!_]*.py")}
    assert set(shut) == {*modules, "aucstudy.metrics.formulas"}
