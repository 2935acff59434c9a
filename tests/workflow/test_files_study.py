"""A study of the user's own files follows their changes and needs no folds."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from aucstudy.store.batches import batch_of
from aucstudy.store.task_store import read_tasks

pytestmark = pytest.mark.whole
N_BATCHES = 4


def files_study(fresh, name, **changes):
    """Write the files example with few experiments and other keys of `files`, and return its path."""
    content = yaml.safe_load((fresh.folder / "studies/files-example.yaml").read_text())
    content["files"] |= {
        "tasks": [
            str(fresh.folder / f"studies/files-example/{name}.csv")
            for name in ("wine-first", "diabetes-high")
        ]
    }
    content["files"] |= changes
    content["experiments"] = ["disagreement", "thresholds", "thresholds.fold_averages", "selection.favour"]
    path = fresh.folder / f"{name}.yaml"
    content |= {"disagreement": {"permutations": 5}, "batches": {"measure": N_BATCHES}}
    path.write_text(yaml.safe_dump(content))
    return path


def test_a_changed_an_added_and_a_missing_file_make_the_tasks_again(fresh):
    study = files_study(fresh, "own", tasks=str(fresh.folder / "studies/files-example"))
    fresh.snakemake("data/files-example/tasks.csv", study=study)
    store = fresh.folder / "data/files-example"
    before = read_tasks(store).set_index("task_id")["n_positive"]
    folder = fresh.folder / "studies/files-example"
    wine = folder / "wine-first.csv"
    rows = wine.read_text().splitlines()
    header = rows[0].split(",").index("label")
    cells = rows[1].split(",")
    other = next(row.split(",")[header] for row in rows[2:] if row.split(",")[header] != cells[header])
    cells[header] = other
    wine.write_text("\n".join([rows[0], ",".join(cells), *rows[2:]]) + "\n")
    (folder / "an{o}ther<b>.csv").write_text((folder / "diabetes-high.csv").read_text())
    (folder / "iris-versicolor.csv").unlink()
    fresh.snakemake("data/files-example/tasks.csv", study=study)
    after = read_tasks(store).set_index("task_id")["n_positive"]
    assert abs(after["wine-first"] - before["wine-first"]) == 1
    # Braces and angle brackets have a meaning to Snakemake.
    assert set(after.index) - set(before.index) == {"an{o}ther<b>"}
    assert set(before.index) - set(after.index) == {"iris-versicolor"}


def test_an_added_file_measures_its_batch_alone(fresh):
    folder = fresh.folder / "studies/files-example"
    study = files_study(fresh, "own", tasks=str(folder))
    measured = fresh.folder / "data/files-example/measured/thresholds"
    fresh.run("aucstudy", "run", str(study))
    made_at = {batch.name: batch.stat().st_mtime_ns for batch in measured.iterdir()}
    assert len(made_at) > 1
    (folder / "added.csv").write_text((folder / "diabetes-high.csv").read_text())
    fresh.run("aucstudy", "run", str(study))
    again = {
        batch.name for batch in measured.iterdir() if batch.stat().st_mtime_ns != made_at.get(batch.name)
    }
    assert again == {str(batch_of("added", N_BATCHES))}


def test_a_listed_file_that_vanished_is_named_before_any_job(fresh):
    study = files_study(fresh, "vanished")
    (fresh.folder / "studies/files-example/wine-first.csv").unlink()
    done = fresh.run("aucstudy", "run", str(study), check=False)
    assert done.returncode == 1
    assert "wine-first.csv" in done.stdout
    assert "Traceback" not in done.stdout


def test_a_study_without_folds_ends_with_a_report_that_says_what_is_missing(fresh):
    fresh.run("aucstudy", "run", str(files_study(fresh, "unfolded", fold=None)))
    tables = fresh.tables("files-example")
    assert b"\nthresholds," not in tables["estimates.csv"]
    assert re.search(rb"\nFK-notune,.*,too few data", tables["claims.csv"])
    assert b"\nFK-select," not in tables["claims.csv"]
    assert (fresh.folder / "results/files-example/report.html").exists()


def test_a_study_beside_its_files_is_read_and_made_outside_the_checkout(fresh, tmp_path_factory):
    """Paths in the study file start from its folder; data and results go where the command says."""
    own = tmp_path_factory.mktemp("own")
    shutil.copytree(fresh.folder / "studies/files-example", own / "f")
    study = files_study(fresh, "own", tasks="f").rename(own / "own.yaml")
    target = "data/files-example/fetched/0"
    planned = fresh.snakemake("-n", target, study=study)
    assert "fetch" in planned
    for directory in (None, own / "made"):
        options = ["--directory", str(directory)] if directory else []
        command = fresh.command("aucstudy", "run", str(study), *options)
        done = subprocess.run(
            command, cwd=own, env=fresh.environment, capture_output=True, text=True, check=True
        )
        report = Path("made" if directory else "", "results/files-example/report.html")
        assert done.stdout.splitlines()[-1] == f"report: {report}"
        assert (own / report).exists()
        assert len(read_tasks(own / report.parents[2] / "data/files-example")) == 5
    assert not (fresh.folder / "data").exists()
