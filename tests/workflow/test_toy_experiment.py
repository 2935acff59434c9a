"""A new experiment needs a file that computes, a file that draws and a page of words."""

import pytest

pytestmark = pytest.mark.whole

MODULE = '''"""How many models does each task have?"""

import pandas as pd


def of_task(task, *, times, seed):
    return {"toy": pd.DataFrame({"models": [times * len(task.predictions.run_ids)]})}
'''
DRAWINGS = '''"""A bar a task."""

from aucstudy.figures import charts


def toy_models(study):
    figure, axis = charts.panels(height=2)
    table = study.table("toy")
    axis.bar(table["task_id"], table["models"])
    return figure
'''
PAGE = """---
question: disagreement
category: Toys
settings:
  times: {default: 2, minimum: 1, help: so often each model counts}
tables:
  toy:
    caption: The models of each task.
    columns:
      task_id:
      models: their number, times the setting
figures:
  toy_models: The models of each task, drawn.
limits:
  - It is a toy.
---
# How many models are there?

They are counted.

## Findings
There are {{ table("toy").models.sum() }} models.
"""


def write_experiment(folder, sound="", broken=""):
    package = folder / "src/aucstudy"
    for file, text in {
        "experiments/toy.py": MODULE,
        "figures/toy.py": DRAWINGS,
        "experiments/toy.md": PAGE,
    }.items():
        (package / file).write_text(text.replace(sound, broken) if sound else text)


def test_a_toy_experiment_runs_to_its_table_figure_caption_and_finding(editable):
    folder = editable.folder
    write_experiment(folder)
    study = editable.with_experiments("slim", "disagreement", "toy", toy={"times": 3})
    editable.run("aucstudy", "run", str(study))
    assert editable.tables()["toy.csv"] == b"task_id,models\nglass6,12\nhayes-roth,12\niris,12\nwine,12\n"
    assert {path.suffix for path in (folder / "results/tiny/figures").glob("toy_models.*")} == {
        ".png",
        ".svg",
    }
    page = (folder / "results/tiny/report.html").read_text()
    assert "There are 48 models." in page
    assert "How many models are there?" in page
    assert "The models of each task, drawn." in page
    assert '<figure id="figure-toy_models">' in page
    assert "toy_models.png" in (folder / "results/tiny/provenance.html").read_text()
    editable.run("mkdocs", "build", "--strict", "--site-dir", str(folder / "site"))
    described = (folder / "site/experiments/toy.html").read_text()
    assert "They are counted." in described
    assert "so often each model counts" in described
    assert "their number, times the setting" in (folder / "site/reference/tables.html").read_text()


@pytest.mark.parametrize(
    ("sound", "broken"),
    [
        ("return {", "1 // (task.task_id != 'wine')\n    return {"),
        ("table = study", "1 // 0\n    table = study"),
    ],
    ids=["in a measure", "in a figure"],
)
def test_an_experiment_that_fails_takes_the_report_from_no_other(editable, sound, broken):
    folder = editable.folder
    write_experiment(folder, sound, broken)
    study = editable.with_experiments("slim", "disagreement", "decomposition", "toy", toy={"times": 3})
    # These files are from an earlier run, in which the experiment did not fail.
    stale = [folder / "results/tiny" / name for name in ("tables/toy.csv", "figures/toy_models.png")]
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("task_id,models\nwine,12\n")
    line = "toy: ZeroDivisionError: integer division or modulo by zero (traceback in results/tiny/logs/"
    for _ in range(2):
        done = editable.run("aucstudy", "run", str(study), check=False)
        assert done.returncode == 1, done.stdout
        assert f"aucstudy: experiment {line}" in done.stdout.splitlines()[-2][:200]
        assert done.stdout.splitlines()[-1] == "report without these: results/tiny/report.html"
        assert not any(path.exists() for path in stale)
        assert line in (folder / "results/tiny/report.html").read_text()
    before = editable.tables()
    write_experiment(folder)
    assert editable.run("aucstudy", "run", str(study)).stdout.endswith("report: results/tiny/report.html\n")
    made = editable.tables()
    assert made.pop("toy.csv") == b"task_id,models\nglass6,12\nhayes-roth,12\niris,12\nwine,12\n"
    assert made == before
    assert "toy: " not in (folder / "results/tiny/report.html").read_text()
