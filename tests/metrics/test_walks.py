"""Walking down a known order gives the areas of the resampled rows themselves."""

import tomllib
from pathlib import Path

import numpy as np
from numpy.testing import assert_allclose

from aucstudy.metrics import areas
from aucstudy.metrics.engine.walks import all_areas, order_of


def test_the_same_walk_gives_all_areas_at_any_prevalence():
    rng = np.random.default_rng(4)
    y = rng.random(700) < 0.7  # more groups than one block holds
    scores, counts = rng.normal(size=(700, 2)).round(3), rng.integers(0, 3, 700)
    rows = np.repeat(np.arange(700), counts)
    for prevalence in (None, 0.01, 1 - 1e-9):
        found = all_areas(order_of(y, scores), counts, prevalence)
        for m in range(2):
            expected = areas(y[rows], scores[rows, m], prevalence=prevalence)
            assert_allclose(found[m], expected[:5], rtol=1e-12, atol=1e-13)


def test_the_contract_of_the_one_door_names_every_other_module_of_the_engine():
    root = Path(__file__).parents[2]
    contracts = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (shut,) = (c["forbidden_modules"] for c in contracts if c["name"].startswith("the compiled engine"))
    modules = {path.stem for path in (root / "src/aucstudy/metrics/engine").glob("[!_]*.py")}
    assert {name.rpartition(".")[2] for name in shut} == modules - {"walks"}
