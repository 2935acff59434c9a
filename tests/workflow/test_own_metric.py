"""A study takes a file with a metric of its own as it takes a file with a source, also in the processes of its jobs."""

import shutil

import pandas as pd
import pytest
from clones import ROOT

pytestmark = pytest.mark.whole


def test_a_study_compares_a_metric_of_its_own_and_measures_again_if_its_file_changes(fresh):
    file = fresh.folder / "mine.py"
    shutil.copy(ROOT / "tests/metrics/own/partial_auroc.py", file)
    study = fresh.with_experiments(
        "own", "answer", "disagreement", "multiverse", metrics=["aupr", "./mine.py"]
    )
    fresh.run("aucstudy", "run", str(study))
    tables = fresh.folder / "results/tiny/tables"
    before = pd.read_csv(tables / "disagreement_tasks.csv")
    assert set(zip(before["first"], before["second"], strict=True)) == {("aupr", "partial_auroc")}
    scores = pd.read_parquet(fresh.folder / "data/tiny/scores.parquet")
    assert scores["partial_auroc"].between(0.4, 1).all()
    page = (fresh.folder / "results/tiny/report.html").read_text()
    assert "aupr and partial_auroc pick different best models in" in page
    assert (fresh.folder / "results/tiny/figures/rank_heat_map.png").exists()
    file.write_text(file.read_text().replace("RATE = 0.2", "RATE = 0.9"))
    fresh.run("aucstudy", "run", str(study))
    again = pd.read_parquet(fresh.folder / "data/tiny/scores.parquet")
    assert (again["partial_auroc"] != scores["partial_auroc"]).any()
    assert again["auroc"].equals(scores["auroc"])
    study.write_text(study.read_text().replace("./mine.py", "./yours.py"))
    refused = fresh.run("aucstudy", "run", str(study), check=False)
    assert refused.returncode == 1
    assert refused.stdout.rstrip().endswith("yours.py: no such file; a Python file with a METRIC is needed")
