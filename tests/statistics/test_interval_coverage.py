"""The benchmark of coverage simulates source groups like the study's and counts every candidate."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
RESULTS = BENCHMARKS.parent / "results" / "benchmarks"
RNG = np.random.default_rng(5)


@pytest.fixture
def benchmark(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import interval_coverage

    return interval_coverage


def test_the_source_groups_are_the_real_ones(benchmark):
    assert {g: int(sizes.sum()) for g, sizes in benchmark.group_sets().items()} == {38: 60, 17: 20, 9: 13}


def test_the_intraclass_correlation_is_one_for_groups_that_agree_and_none_for_groups_that_are_alike(
    benchmark,
):
    sizes = np.array([2.0, 2.0, 2.0])
    assert benchmark.intraclass_correlation(np.array([2.0, 0.0, 2.0]), sizes, 4.0) == 0.95
    assert benchmark.intraclass_correlation(np.array([1.0, 1.0, 1.0]), sizes, 3.0) == 0.0


def test_simulated_groups_have_the_mean_that_is_called_true(benchmark):
    for _, tasks in benchmark.task_quantities().groupby("quantity"):
        values, groups = tasks["value"].to_numpy(), tasks["source_group"].to_numpy(dtype=str)
        real = benchmark.group_sets()[38]
        sums, sizes, truth = benchmark.hierarchical(values, groups, tasks["kind"].iloc[0], real, 4000, RNG)
        means = sums.sum(axis=1) / sizes.sum()
        assert means.mean() == pytest.approx(truth, abs=4 * means.std() / np.sqrt(4000) + 1e-12)
        # The mean of whole groups is a ratio, whose bias fades with the number of groups.
        sums, sizes, truth = benchmark.whole_groups(values, groups, 400, 500, RNG)
        assert np.mean(sums.sum(axis=1) / sizes.sum(axis=1)) == pytest.approx(truth, abs=0.02)


def test_coverage_is_told_for_every_candidate_and_one_a_kind_is_recommended(benchmark):
    coverage = benchmark.interval_coverage(20, 100, 1)
    assert set(coverage["n_groups"]) == {38, 17, 9}
    assert set(coverage["candidate"]) == set(benchmark.CANDIDATES)
    assert np.allclose(coverage["coverage"] + coverage["below"] + coverage["above"], 1)
    taken = benchmark.candidates_over_quantities(coverage)
    assert (taken.groupby("kind")["recommended"].sum() == 1).all()


def test_of_candidates_that_cover_alike_the_narrowest_is_recommended(benchmark):
    rows = [("a", 0.949, 1.2), ("b", 0.947, 1.1), ("c", 0.90, 0.5)]
    table = pd.DataFrame(
        {"kind": "share", "candidate": name, "coverage": share, "relative_width": width}
        for name, share, width in rows
    )
    recommended = benchmark.candidates_over_quantities(table).set_index("candidate")["recommended"]
    assert recommended.to_dict() == {"a": False, "b": True, "c": False}


def test_the_committed_table_has_the_columns_that_the_benchmark_writes(benchmark):
    coverage = benchmark.interval_coverage(2, 100, 1)
    assert list(pd.read_csv(RESULTS / "interval_coverage.csv", nrows=0)) == [*coverage, "commit", "processor"]
