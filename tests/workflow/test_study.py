"""The whole workflow on a tiny study computes, resumes, repeats every byte and reports faults in one line."""

import pandas as pd
import pytest


def scheduled(output: str) -> set[str]:
    """Return the rules that a dry run says it would run."""
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
    provenance = (clone.folder / "results/tiny/provenance.html").read_text()
    assert "How the study was made" in provenance
    assert "report.html" in provenance


def test_the_report_links_the_file_of_every_table(clone):
    report = (clone.folder / "results/tiny/report.html").read_text()
    for path in (clone.folder / "results/tiny/tables").glob("*.csv"):
        assert f"tables/{path.name}" in report


def test_plain_snakemake_makes_the_report(clone):
    assert "results/tiny/report.html" in clone.snakemake("--summary")


def test_every_task_is_scored_or_rejected(clone):
    tables = clone.folder / "results/tiny/tables"
    scored = set(pd.read_parquet(clone.folder / "data/tiny/scores.parquet")["task_id"])
    rejected = set(pd.read_csv(tables / "rejections.csv").query("run_id.isna()")["task_id"])
    assert scored | rejected == {"iris", "wine", "hayes-roth", "glass6"}


def test_nothing_is_done_twice(clone):
    assert "Nothing to be done" in clone.run("aucstudy", "run", str(clone.study)).stdout


def test_settings_of_rankings_and_estimates_fit_and_measure_nothing_again(clone):
    study = clone.with_settings(
        "other",
        disagreement={"permutations": 11},
        multiverse={"redraws": 11},
    )
    rules = scheduled(clone.snakemake("--dry-run", study=study))
    assert {"tables_disagreement", "tables_multiverse", "claims"} <= rules
    assert not rules & {"fetch", "task_store", "score", "scores", "tables_noise"}
    assert not any(rule.startswith("measure_") for rule in rules)


@pytest.mark.whole
def test_other_cores_and_batches_give_the_same_bytes(clone, fresh):
    study = fresh.with_settings("cut", batches={"fetch": 3, "measure": 20})
    every_table = "results/tiny/tables/claims.csv"
    fresh.run("snakemake", every_table, "--cores", "1", "--configfile", "config.yaml", str(study))
    assert fresh.tables() == clone.tables()


@pytest.mark.whole
def test_a_clone_with_committed_results_still_computes(fresh):
    rules = scheduled(fresh.run("snakemake", "--cores", "1", "--dry-run").stdout)
    assert {"fetch", "scores", "tables_disagreement", "claims"} <= rules


@pytest.mark.parametrize(
    ("seed", "profile"),
    [
        *((seed, "profiles/default") for seed in range(2)),
        *(pytest.param(seed, "profiles/default", marks=pytest.mark.whole) for seed in range(2, 5)),
        pytest.param(5, "profiles/slurm", marks=pytest.mark.needs("slurm")),
    ],
)
def test_a_fresh_clone_is_planned_whatever_the_order_of_sets(fresh, seed, profile):
    fresh.environment["PYTHONHASHSEED"] = str(seed)
    plan = fresh.run("snakemake", "--cores", "1", "--dry-run", "--workflow-profile", profile)
    rules = scheduled(plan.stdout)
    assert {"fetch", "task_store", "score", "measure_noise", "tables_noise", "claims", "pages"} <= rules


def test_a_run_up_to_the_scores_ends_with_the_scores_and_no_report(fresh):
    one_task = {"datasets": ["iris"], "flows": ["naive_bayes", "zero_r"], "folds": 3}
    study = fresh.with_settings("part", packaged=one_task, models_per_task=2, min_flows=2)
    done = fresh.run("aucstudy", "run", str(study), "--", "--until", "scores")
    assert (fresh.folder / "data/tiny/scores.parquet").exists()
    assert not (fresh.folder / "results/tiny/report.html").exists()
    assert "report:" not in done.stdout


# These rules read the tables or the estimates of noise, or show them.
READS_NOISE = {"tables_answer", "estimates", "claims", "pages"}
EDITS = {
    "a comment in an experiment": (
        "experiments/noise.py", "# The level of each one-sided", "# The level of every one-sided",
        {"measure_noise", "tables_noise", *READS_NOISE},
    ),
    "a figure": ("figures/noise.py", "xlim=(-3, 103)", "xlim=(-4, 104)", {"tables_noise", *READS_NOISE}),
    "a caption": ("experiments/noise.md", "Right: each mark is a task where", "Right: each task where", {"pages"}),
}  # fmt: skip


@pytest.mark.whole
@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_of_an_experiment_reruns_it_and_what_reads_it(edited, edit):
    file, before, after, rerun = EDITS[edit]
    assert "Nothing to be done" in edited.snakemake("--dry-run")
    path = edited.folder / "src/aucstudy" / file
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after))
    assert scheduled(edited.snakemake("--dry-run")) - {"all", "code"} == rerun


@pytest.mark.whole
def test_an_edit_of_the_metrics_measures_everything_again_and_fetches_nothing(edited):
    path = edited.folder / "src/aucstudy/metrics/gains.py"
    path.write_text(path.read_text() + "\n# edited\n")
    rules = scheduled(edited.snakemake("--dry-run"))
    measured = {rule for rule in rules if rule.startswith("measure_")}
    assert len(measured) > 10
    assert {"score", "scores", "tables_papers", "claims"} <= rules
    assert "fetch" not in rules


@pytest.mark.whole
def test_files_that_only_look_newer_rerun_nothing(edited):
    for path in (edited.folder / "src").rglob("*.py"):
        path.touch()
    assert "Nothing to be done" in edited.snakemake("--dry-run")


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
