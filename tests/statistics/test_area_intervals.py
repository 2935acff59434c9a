"""The defaults of `aucstudy.metrics.interval` are those that the simulation chose."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aucstudy.audit import audit
from aucstudy.metrics.intervals import Sample, source_of

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
RESULTS = BENCHMARKS.parent / "results" / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import area_intervals

    return area_intervals


def test_the_defaults_are_the_chosen_candidates():
    table = pd.read_csv(RESULTS / "area_intervals_chosen.csv")
    table = table[table["default"]]
    sample = Sample(np.arange(60) < 20, np.zeros((60, 1)))
    for kind, area, candidate in table[["kind", "area", "candidate"]].itertuples(index=False):
        difference = kind == "difference"
        limits = " moved" if difference and area != "auprg" else ""
        assert candidate == f"{source_of(sample, area, None, difference)} t{limits}"
    assert len(table) == 10


def test_what_the_default_covers_is_counted_and_the_committed_table_has_these_columns(benchmark, tmp_path):
    sizes = {0.5: (10,)}
    choice = benchmark.chosen(benchmark.coverage("binormal", 1, 40, 0, sizes))
    assert (choice.groupby(["kind", "area"])["default"].sum() >= 1).all()
    benchmark.write(choice, benchmark.coverage("mixture", 2, 10, 5, sizes), tmp_path)
    for name in ("area_intervals", "area_intervals_chosen"):
        assert list(pd.read_csv(RESULTS / f"{name}.csv", nrows=0)) == list(
            pd.read_csv(tmp_path / f"{name}.csv")
        )
    assert pd.read_csv(tmp_path / "area_intervals.csv")["coverage"].between(0.5, 1).all()


def test_the_truth_is_what_a_large_sample_has(benchmark):
    rng = np.random.default_rng(1)
    for family, scenario in (("binormal", "tied"), ("mixture", "crossing")):
        scores = benchmark.drawn(family, scenario, 100_000, 100_000, rng)
        found = [benchmark.areas(np.arange(200_000) < 100_000, column)[:5] for column in scores.T]
        assert np.array(found) == pytest.approx(benchmark.truth(family, scenario, 0.5), abs=0.01)


def test_the_page_says_what_the_table_says():
    table = pd.read_csv(RESULTS / "area_intervals.csv")
    percentile = table["candidate"] == "percentile"
    names = {
        "AUROC": "auroc",
        "AUPR, AUCNPR": "aupr",
        "average precision": "average_precision",
        "AUPRG": "auprg",
    }
    lines = (BENCHMARKS.parent / "docs" / "metrics.md").read_text(encoding="utf-8").splitlines()
    rows = [
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in lines
        if line.startswith("|") and line.count("%") == 5
    ]
    for name, *numbers in rows:
        kind = "difference" if name.startswith("difference of ") else "one model"
        cells = table[(table["kind"] == kind) & (table["area"] == names[name.removeprefix("difference of ")])]
        default, of_percentiles = cells["coverage"][~percentile], cells["coverage"][percentile]
        values = default.mean(), default.min(), default.max(), of_percentiles.mean(), of_percentiles.min()
        assert [float(number.removesuffix(" %")) for number in numbers] == pytest.approx(
            [100 * value for value in values], abs=0.51
        )
    assert len(rows) == 8
    default = table[~percentile]
    within = default["coverage"].between(0.93, 0.97)
    many = default["positives"] >= 100
    page = " ".join(" ".join(lines).split())
    assert f"Of the cells {100 * within.mean():.0f} % lie within two points" in page
    assert f"From 100 positives on {100 * within[many].mean():.0f} % do." in page
    designs = pd.read_csv(RESULTS / "area_intervals_designs.csv")
    means = designs.groupby(["design", "positives", "kind", "area"])["coverage"].mean()
    assert f"is {100 * means.min():.0f} to {100 * means.max():.0f} %" in page
    assert min(default["coverage"].min(), designs["coverage"].min()) >= 0.9


@pytest.mark.parametrize("positives", [99, 100])
def test_the_audit_says_what_its_intervals_cover(positives):
    table = pd.read_csv(RESULTS / "area_intervals.csv")
    cells = table["coverage"][
        (table["candidate"] != "percentile") & ((table["positives"] < 100) == (positives < 100))
    ]
    scores = np.random.default_rng(1).random((300, 2))
    result = audit(np.arange(300) < positives, scores, resamples=100)
    assert f"they covered {100 * cells.min():.0f} to {100 * cells.max():.0f} %." in " ".join(
        result.text().split()
    )
