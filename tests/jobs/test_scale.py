"""The benchmark of whole studies: its made store is like a real one, and its table sums the costs of jobs."""

import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from aucstudy.store.task_store import merge_stores, read_predictions, read_runs, read_tasks

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
# Snakemake 9 writes this header.
HEAD = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)


def test_the_made_tasks_have_the_sizes_of_real_ones():
    from made_store import shapes

    made = shapes(886)
    rows = np.array([shape.n_rows for shape in made])
    prevalences = np.array([shape.n_positive / shape.n_rows for shape in made])
    assert np.median(rows) == pytest.approx(700, rel=0.05)
    assert (rows > 50_000).sum() >= 3
    assert prevalences.min() < 0.006
    assert 0.45 < prevalences.max() <= 0.5
    assert min(shape.n_positive for shape in made) >= 10
    assert {shape.repeats for shape in made} == {1, 2}


def test_a_made_store_is_one_that_the_study_reads(tmp_path):
    from made_store import make_store

    make_store(tmp_path / "fetched" / "0", 6, 8)
    merge_stores([tmp_path / "fetched" / "0"], tmp_path)
    tasks, runs = read_tasks(tmp_path), read_runs(tmp_path)
    for task in tasks.itertuples():
        predictions = read_predictions(tmp_path, task.task_id)
        assert predictions.scores.shape == (task.n_rows, 8)
        assert predictions.y_true.sum() == task.n_positive
        of_task = runs[runs["task_id"] == task.task_id]
        assert of_task["flow_name"].is_unique
        assert of_task["hard"].sum() == 2
        assert of_task["n_distinct_scores"].min() == 2
        assert of_task["n_distinct_scores"].max() == len(np.unique(predictions.scores[:, 3]))
    assert read_predictions(tmp_path, "6").repeat.max() == 1


def test_a_seed_makes_the_same_store(tmp_path):
    from made_store import make_store

    for folder in ("a", "b"):
        make_store(tmp_path / folder, 2, 3, seed=5)
    assert (tmp_path / "a/runs.csv").read_bytes() == (tmp_path / "b/runs.csv").read_bytes()


def test_models_of_one_family_are_correlated_more_than_others():
    from made_store import Shape, made_predictions

    made = made_predictions("1", Shape(2000, 400, 1), 10, np.random.default_rng(0))
    correlations = np.corrcoef(made.scores[~made.y_true][:, 3:10].T)
    # Models 3 and 8 are of one family; models 3 and 4 are not.
    assert correlations[0, 5] > correlations[0, 1] + 0.3


def write_benchmark(file, seconds, cpu_seconds, peak_mb):
    file.parent.mkdir(parents=True, exist_ok=True)
    row = [seconds, "0:00:02", peak_mb, 900.0, 80.0, 85.0, 0.5, 0.1, 90.0, cpu_seconds]
    file.write_text(HEAD + "\t".join(map(str, row)) + "\n")


def test_the_costs_of_a_rule_are_those_of_its_jobs(tmp_path):
    from scale import costs

    write_benchmark(tmp_path / "measure_fold_skew_0.tsv", 1.5, 0.5, 100.0)
    write_benchmark(tmp_path / "measure_fold_skew_11.tsv", 2.5, 1.5, 90.0)
    write_benchmark(tmp_path / "tables_fold_skew.tsv", 3.0, 2.0, 80.0)
    assert costs(tmp_path).to_dict("list") == {
        "rule": ["measure_fold_skew", "tables_fold_skew"],
        "jobs": [2, 1],
        "seconds": [4.0, 3.0],
        "cpu_seconds": [2.0, 2.0],
        "peak_mb": [100.0, 80.0],
        "longest_job": [2.5, 3.0],
    }


@pytest.mark.parametrize("unknown", ["NA", "-"])
def test_a_job_that_snakemake_could_not_look_at_is_named(tmp_path, unknown):
    from scale import costs

    write_benchmark(tmp_path / "claims.tsv", 0.1, unknown, unknown)
    with pytest.raises(ValueError, match=r"claims\.tsv: does not say"):
        costs(tmp_path)


def test_a_study_without_benchmarks_is_refused(tmp_path):
    from scale import costs

    with pytest.raises(ValueError, match=rf"^{tmp_path}: no benchmark"):
        costs(tmp_path)


@pytest.fixture
def own_repository(tmp_path, monkeypatch):
    """Return a function that lets studies run in their own folder, by a function instead of a process."""
    import made_studies
    import scale

    def run_by(function):
        for module in (scale, made_studies):
            monkeypatch.setattr(module, "REPOSITORY", tmp_path)
        monkeypatch.setattr(scale, "origin", lambda: {"commit": "abc", "processor": "one"})
        monkeypatch.setattr(made_studies.subprocess, "run", function)

    return run_by


def test_the_benchmark_runs_a_study_of_its_own_and_adds_the_whole_run(tmp_path, own_repository):
    import scale

    def study_run(command, cwd, check):
        overlay = yaml.safe_load(Path(command[command.index("run") + 1]).read_text())
        assert overlay["study"] == "scale-2"
        assert len(read_tasks(cwd / "data/scale-2/fetched/0")) == 2
        write_benchmark(cwd / "data/scale-2/benchmarks/scores.tsv", 2.0, 1.0, 90.0)
        return subprocess.CompletedProcess(command, 0)

    own_repository(study_run)
    out = ["--out", str(tmp_path / "results/benchmarks")]
    write_benchmark(tmp_path / "data/scale-2/benchmarks/of_an_earlier_run.tsv", 2.0, 1.0, 90.0)
    assert scale.main(["2", "--models", "3", "--cores", "1", *out]) == 0
    table = pd.read_csv(tmp_path / "results/benchmarks/scale.csv")
    assert table["rule"].tolist() == ["scores", "whole run"]
    assert table[["tasks", "jobs", "cores"]].to_numpy().tolist() == [[2, 1, 1], [2, 1, 1]]
    assert scale.main(["2", "--models", "3", "--only", "noise", "disagreement", *out]) == 0
    table = pd.read_csv(tmp_path / "results/benchmarks/scale.csv")
    assert table["rule"].tolist() == ["scores", "run of noise, disagreement alone"]
    overlay = yaml.safe_load((tmp_path / "data/scale-2/study.yaml").read_text())
    assert overlay["experiments"] == ["noise", "disagreement"]


def test_other_sizes_are_kept_when_one_is_run_again(tmp_path, monkeypatch):
    import scale

    def made(n_tasks, *_):
        numbers = {"seconds": 2.0 * n_tasks, "cpu_seconds": 3.0 * n_tasks, "peak_mb": 90.0}
        return pd.DataFrame([{"tasks": n_tasks, "rule": "whole run", **numbers}])

    monkeypatch.setattr(scale, "run_study", made)
    for sizes in (["100", "10"], ["10"]):
        assert scale.main([*sizes, "--out", str(tmp_path)]) == 0
    assert pd.read_csv(tmp_path / "scale.csv")["tasks"].tolist() == [10, 100]


def test_a_run_that_fails_leaves_no_table(tmp_path, own_repository):
    import scale

    def failed(command, cwd, check):
        raise subprocess.CalledProcessError(1, command)

    own_repository(failed)
    assert scale.main(["2", "--models", "3", "--out", str(tmp_path / "results")]) == 1
    assert not (tmp_path / "results").exists()
