"""What the page on large tables shows runs, and its ways lead to the same bits."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aucstudy.metrics import areas_of_chunks

PAGE = Path(__file__).parents[2] / "docs" / "large-tables.md"


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Labels and scores, also in three parts in the folder `table`, where the example runs."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    outcome = rng.integers(0, 2, 900)
    frame = pd.DataFrame({"outcome": outcome, "model_a": (rng.normal(size=900) + outcome).round(2)})
    Path("table").mkdir()
    for part in range(3):
        frame[part::3].to_parquet(f"table/{part}.parquet")
    return frame


def block(language):
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(), re.S)
    return text


def test_the_example_runs(table, capsys):
    text = block("python")
    names: dict[str, object] = {}
    exec(text, names)
    assert names["result"] == areas_of_chunks([(table["outcome"], table["model_a"])])
    assert capsys.readouterr().out.startswith(str(names["result"].auroc))


@pytest.mark.whole
def test_the_rules_over_ranges_give_the_same_bits(table):
    Path("Snakefile").write_text(block("snakemake"))
    command = [sys.executable, "-m", "snakemake", "--cores", "1"]
    subprocess.run(command, check=True)
    assert Path("areas.txt").read_text() == str(areas_of_chunks([(table["outcome"], table["model_a"])]))
