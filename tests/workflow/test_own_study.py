"""The files shown in docs/own-study.md are a study that runs outside of the checkout as the page says."""

import os
import re
import subprocess
import sys

import pandas as pd
import pytest
from clones import ROOT

pytestmark = pytest.mark.whole


def files_of_the_page(folder):
    page = (ROOT / "docs/own-study.md").read_text(encoding="utf-8")
    blocks = re.findall(r'```\w+ title="([^"]+)"\n(.*?)```\n', page, re.DOTALL)
    assert [name for name, _ in blocks] == [
        f"coins/{name}" for name in ("study.yaml", "source.py", "hits.md", "hits.py", "hits_figures.py")
    ]
    for name, text in blocks:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def run(folder, *words):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        [sys.executable, "-m", "aucstudy", *words], cwd=folder, env=environment, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_a_folder_outside_of_the_checkout_brings_its_source_and_its_experiment(tmp_path):
    files_of_the_page(tmp_path)
    done = run(tmp_path, "run", "coins")
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("report: results/coins/report.html\n")
    results = tmp_path / "results/coins"
    hits = pd.read_csv(results / "tables/hits.csv")
    assert len(hits) == 8 * 4
    by_model = hits.assign(model=hits["run_id"].str.rpartition(".")[2]).groupby("model")["hits"].mean()
    assert by_model["sharp"] > by_model["blurred"] > by_model["upside_down"]
    assert set(pd.read_csv(results / "tables/tasks.csv")["source"]) == {"coins"}
    assert (results / "figures/hits_by_model.png").exists()
    page = (results / "report.html").read_text()
    assert "How many heads are among the rows with the highest scores?" in page
    assert re.search(r"The best model of a task has \d+&nbsp;% heads", page)
    assert (
        "The share of heads among the rows with the highest scores of each model. Each point is a task."
        in page
    )
    # Nothing is measured again if nothing changed, and a change of the experiment's file is noticed.
    again = run(tmp_path, "run", "coins")
    assert "Nothing to be done" in again.stdout
    source = tmp_path / "coins/hits.py"
    source.write_text(source.read_text().replace("mean(axis=0)", "mean(axis=0) / 2"))
    assert run(tmp_path, "run", "coins").returncode == 0
    halved = pd.read_csv(results / "tables/hits.csv")["hits"]
    assert (2 * halved - hits["hits"]).abs().max() < 1e-9
    # The source checks its own settings.
    study = tmp_path / "coins/study.yaml"
    study.write_text(study.read_text().replace("tasks: 8", "tasks: 0"))
    refused = run(tmp_path, "run", "coins")
    assert refused.returncode == 1
    assert refused.stdout == "aucstudy: source_settings.tasks: a number of tasks is needed\n"
