"""The example of the page on large tables runs, and has the areas of the whole table."""

import re
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.metrics import areas_of_chunks

PAGE = Path(__file__).parents[2] / "docs" / "large-tables.md"


def test_the_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    outcome = rng.integers(0, 2, 900)
    frame = pd.DataFrame({"outcome": outcome, "model_a": (rng.normal(size=900) + outcome).round(2)})
    Path("table").mkdir()
    for part in range(3):
        frame[part::3].to_parquet(f"table/{part}.parquet")
    (example,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    names: dict[str, object] = {}
    exec(example, names)
    assert names["result"] == areas_of_chunks([(frame["outcome"], frame["model_a"])])
    assert capsys.readouterr().out.startswith(str(names["result"].auroc))
