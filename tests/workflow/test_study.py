"""The whole workflow on a tiny study: it computes, resumes, repeats to the byte and tells faults in one line."""

import os
import signal
import subprocess
import time

import pandas as pd
import yaml

from aucstudy.store.task_store import predictions_path


def with_settings(clone, name, **settings):
    """A copy of the tiny study with other settings."""
    content = {**yaml.safe_load(clone.study.read_text()), **settings}
    path = clone.folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(content))
    return path


def without_most_experiments(clone, name):
    """A copy of the tiny study with the disagreement as its only experiment: enough for faults and restarts."""
    defaults = yaml.safe_load((clone.folder / "config.yaml").read_text())
    switched = [key for key, block in defaults.items() if isinstance(block, dict) and "enabled" in block]
    return with_settings(
        clone, name, **{key: {"enabled": False} for key in switched if key != "disagreement"}
    )


def scheduled(output: str) -> set[str]:
    """The rules that a dry run says it would run."""
    table = output.split("Job stats:")[-1].splitlines()[3:] if "Job stats:" in output else []
    return {line.split()[0] for line in table if len(line.split()) == 2 and line.split()[1].isdigit()} - {
        "total"
    }


def test_a_study_ends_with_a_self_contained_report(clone):
    assert clone.output.splitlines()[-1] == "report: results/tiny/report.html"
    report = (clone.folder / "results/tiny/report.html").read_text()
    assert "What the papers say and what was found here" in report
    assert 'src="http' not in report
    assert 'href="http' not in report.split("<body>")[0]


def test_every_task_is_scored_or_rejected(clone):
    tables = clone.folder / "results/tiny/tables"
    scored = set(pd.read_parquet(clone.folder / "data/tiny/scores.parquet")["task_id"])
    rejected = set(pd.read_csv(tables / "rejections.csv").query("run_id.isna()")["task_id"])
    assert scored | rejected == {"iris", "wine", "hayes-roth", "glass6"}


def test_nothing_is_done_twice(clone):
    assert "Nothing to be done" in clone.snakemake("--dry-run")


def test_other_settings_of_an_experiment_refit_nothing(clone):
    study = with_settings(clone, "other", disagreement={"permutations": 11, "bootstrap": 100})
    rules = scheduled(clone.snakemake("--dry-run", study=study))
    assert "disagreement" in rules
    assert not rules & {"fetch", "task_store", "score", "scores"}


def test_other_cores_and_batches_give_the_same_bytes(clone, fresh):
    study = with_settings(fresh, "cut", batches={"fetch": 3, "score": 2})
    every_table = "results/tiny/tables/claims.csv"
    fresh.run("snakemake", every_table, "--cores", "1", "--configfile", "config.yaml", str(study))
    assert fresh.tables() == clone.tables()


def test_a_clone_with_committed_results_still_computes(fresh):
    rules = scheduled(fresh.run("snakemake", "--cores", "1", "--dry-run").stdout)
    assert {"fetch", "scores", "disagreement", "claims"} <= rules


def test_a_corrupt_prediction_file_is_told_in_one_line(fresh):
    study = without_most_experiments(fresh, "slim")
    fresh.snakemake("data/tiny/tasks.csv", study=study)
    damaged = predictions_path(fresh.folder / "data/tiny", "wine")
    damaged.write_bytes(damaged.read_bytes()[:100])
    done = fresh.run("aucstudy", "run", str(study), check=False)
    assert done.returncode == 1
    told = {line for line in done.stdout.splitlines() if line.startswith("aucstudy: ")}
    assert len(told) == 1, "every job that reads the file tells the same line"
    assert "wine.parquet: not a readable Parquet file" in told.pop()
    assert "Traceback" not in done.stdout


def test_a_killed_study_goes_on_where_it_was(fresh, clone):
    study = without_most_experiments(fresh, "slim")
    process = subprocess.Popen(
        fresh.command("aucstudy", "run", str(study)), cwd=fresh.folder, env=fresh.environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    while not list((fresh.folder / "data/tiny/fetched").glob("*/tasks.csv")):
        assert process.poll() is None, "the study ended before it could be killed"
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    fresh.run("aucstudy", "run", str(study))
    whole = clone.tables()
    made = {name: table for name, table in fresh.tables().items() if not name.startswith("claims")}
    assert {"tasks.csv", "rejections.csv", "disagreement.csv"} <= set(made)
    assert made == {name: whole[name] for name in made}


def test_a_misspelt_key_stops_the_study_before_any_job(fresh):
    study = with_settings(fresh, "wrong", disagrement={})
    bare = ["snakemake", "--cores", "1", "--configfile", "config.yaml", str(study)]
    for words in (["aucstudy", "run", str(study)], bare):
        done = fresh.run(*words, check=False)
        assert done.returncode == 1
        assert "wrong.yaml: disagrement: unknown key" in done.stdout
        assert "did you mean 'disagreement'?" in done.stdout
        assert "Traceback" not in done.stdout
    assert not (fresh.folder / "data").exists()
