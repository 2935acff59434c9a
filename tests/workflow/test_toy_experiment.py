"""A new experiment takes one file of computing and one page of words."""

import pytest

pytestmark = pytest.mark.whole

ROOM = '''"""How many models does each task have?"""

import pandas as pd

from aucstudy.presentation import charts


def of_task(task, *, times, seed):
    return {"toy": pd.DataFrame({"models": [times * len(task.predictions.run_ids)]})}


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


def test_a_toy_experiment_runs_to_its_table_figure_caption_and_finding(editable):
    folder = editable.folder
    rooms = folder / "src/aucstudy/experiments"
    (rooms / "toy.py").write_text(ROOM)
    (rooms / "toy.md").write_text(PAGE)
    study = editable.with_experiments("slim", "disagreement", "toy", toy={"times": 3})
    editable.run("aucstudy", "run", str(study))
    assert editable.tables()["toy.csv"] == b"task_id,models\nglass6,12\nhayes-roth,12\niris,12\nwine,12\n"
    assert {path.suffix for path in (folder / "results/tiny/figures").glob("toy_models.*")} == {
        ".png",
        ".svg",
    }
    page = (folder / "data/tiny/front_page.html").read_text()
    assert "There are 48 models." in page
    assert "How many models are there?" in page
    report = (folder / "results/tiny/report.html").read_text()
    assert "The models of each task, drawn." in report
    assert "toy_models.png" in report
    editable.run("mkdocs", "build", "--strict", "--site-dir", str(folder / "site"))
    described = (folder / "site/experiments/toy.html").read_text()
    assert "They are counted." in described
    assert "so often each model counts" in described
    assert "their number, times the setting" in (folder / "site/reference/tables.html").read_text()
