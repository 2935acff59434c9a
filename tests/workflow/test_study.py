"""The whole workflow on a tiny study: it computes, resumes, repeats to the byte and tells faults in one line."""

import os
import re
import signal
import subprocess
import time

import pandas as pd
import pytest

from aucstudy.store.task_store import predictions_path


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


def test_the_report_links_the_file_of_every_table(clone):
    report = (clone.folder / "results/tiny/report.html").read_text()
    for path in (clone.folder / "results/tiny/tables").glob("*.csv"):
        assert f"tables/{path.name}" in report
    assert "data:text/csv" not in report


def test_every_task_is_scored_or_rejected(clone):
    tables = clone.folder / "results/tiny/tables"
    scored = set(pd.read_parquet(clone.folder / "data/tiny/scores.parquet")["task_id"])
    rejected = set(pd.read_csv(tables / "rejections.csv").query("run_id.isna()")["task_id"])
    assert scored | rejected == {"iris", "wine", "hayes-roth", "glass6"}


def test_nothing_is_done_twice(clone):
    report = clone.folder / "results/tiny/report.html"
    made = report.stat().st_mtime_ns
    assert "Nothing to be done" in clone.run("aucstudy", "run", str(clone.study)).stdout
    assert report.stat().st_mtime_ns == made


def test_settings_of_rankings_and_estimates_fit_and_measure_nothing_again(clone):
    study = clone.with_settings(
        "other",
        disagreement={"permutations": 11},
        multiverse={"redraws": 11},
        selection={"splits": 10, "bootstrap": 101},
    )
    rules = scheduled(clone.snakemake("--dry-run", study=study))
    assert {"gather_scores", "gather_measured"} <= rules
    assert not rules & {"fetch", "task_store", "score", "scores"}
    assert not any(rule.startswith("measure_") for rule in rules)


@pytest.mark.whole
def test_other_cores_and_batches_give_the_same_bytes(clone, fresh):
    study = fresh.with_settings("cut", batches={"fetch": 3, "score": 2, "measure": 20})
    every_table = "results/tiny/tables/claims.csv"
    fresh.run("snakemake", every_table, "--cores", "1", "--configfile", "config.yaml", str(study))
    assert fresh.tables() == clone.tables()


@pytest.mark.whole
def test_a_clone_with_committed_results_still_computes(fresh):
    rules = scheduled(fresh.run("snakemake", "--cores", "1", "--dry-run").stdout)
    assert {"fetch", "scores", "gather_scores", "claims"} <= rules


SHOWING = {"pages", "all"}
# the figures are cut evenly into two jobs: one figure is in either
DRAWING = {"draw_first", "draw_second"}
GATHERED = {"gather_measured", "draw", "claims"}
EDITS = {
    # a comment measures nothing; what gathers, draws and judges reads rooms as whole files
    "a comment in a room": ("experiments/noise.py", "# of each one-sided", "# of every one-sided", GATHERED),
    "a figure": ("figures/noise.py", "xlim=(-3, 103)", "xlim=(-4, 104)", {"draw"}),
    "a caption": ("experiments/noise.md", "Each swap of best models", "Every swap of best models", set()),
    "a table": (
        "experiments/noise.py", "SWAP_LEVEL = 0.025", "SWAP_LEVEL = 0.02",
        {"measure_predictions", *GATHERED},
    ),
    "a display": ("metrics/displays.py", "ROC", "the ROC", set()),
}  # fmt: skip


@pytest.mark.whole
@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_reruns_what_uses_the_code_and_nothing_else(edited, edit):
    file, before, after, rerun = EDITS[edit]
    assert "Nothing to be done" in edited.snakemake("--dry-run")
    path = edited.folder / "src/aucstudy" / file
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))
    rules = scheduled(edited.snakemake("--dry-run"))
    assert len(rules & DRAWING) <= (2 if rerun >= GATHERED else 1)
    assert {"draw" if rule in DRAWING else rule for rule in rules - SHOWING} == rerun


@pytest.mark.whole
def test_an_edit_computes_what_uses_the_code_and_nothing_else(edited):
    file, before, after, _ = EDITS["a table"]
    path = edited.folder / "src/aucstudy" / file
    path.write_text(path.read_text().replace(before, after))
    for log in (edited.folder / "results/tiny/logs").glob("*.log"):
        log.unlink()
    edited.snakemake()
    logs = "".join(log.read_text() for log in (edited.folder / "results/tiny/logs").glob("*.log"))
    measured = dict(re.findall(r"(\S+): measured (\d+) of", logs))
    assert {name for name, number in measured.items() if number != "0"} == {"noise"}
    assert set(re.findall(r"(\S+): tables made", logs)) == {"noise"}
    # the edit changes no number of the answer's tables
    assert set(re.findall(r"(\S+): figures drawn", logs)) <= {"noise", "answer"}
    assert len(measured) > 10


@pytest.mark.whole
def test_an_edit_of_the_seeds_reruns_whatever_draws(edited):
    path = edited.folder / "src/aucstudy/statistics/seeds.py"
    path.write_text(path.read_text() + "\n# edited\n")
    rules = scheduled(edited.snakemake("--dry-run"))
    # the jobs that measure are planned once the tasks are fetched again
    assert {"fetch", "task_store", "gather_measured"} <= rules
    assert not rules & {"gather_papers", "draw_papers"}


@pytest.mark.whole
def test_a_corrupt_prediction_file_is_told_in_one_line(fresh):
    study = fresh.with_experiments("slim", "disagreement")
    fresh.snakemake("data/tiny/tasks.csv", study=study)
    damaged = predictions_path(fresh.folder / "data/tiny", "wine")
    damaged.write_bytes(damaged.read_bytes()[:100])
    done = fresh.run("aucstudy", "run", str(study), check=False)
    assert done.returncode == 1
    told = {line for line in done.stdout.splitlines() if line.startswith("aucstudy: ")}
    assert len(told) == 1, "every job that reads the file tells the same line"
    assert "wine.parquet: not a readable Parquet file" in told.pop()
    assert "Traceback" not in done.stdout


@pytest.mark.whole
def test_a_killed_study_goes_on_where_it_was(fresh, clone):
    study = fresh.with_experiments("slim", "disagreement")
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
    study = fresh.with_settings("wrong", disagrement={})
    bare = ["snakemake", "--cores", "1", "--configfile", "config.yaml", str(study)]
    for words in (["aucstudy", "run", str(study)], bare):
        done = fresh.run(*words, check=False)
        assert done.returncode == 1
        assert "wrong.yaml: disagrement: unknown key" in done.stdout
        assert "did you mean 'disagreement'?" in done.stdout
        assert "Traceback" not in done.stdout
    assert not (fresh.folder / "data").exists()
