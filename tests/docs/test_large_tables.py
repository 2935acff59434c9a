"""The example of large tables in docs/costs.md runs and gives the metrics of the whole table."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aucstudy.metrics import areas
from aucstudy.metrics.registry import keys

AREAS = keys()

PAGE = Path(__file__).parents[2] / "docs" / "costs.md"


def test_the_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    outcome = rng.integers(0, 2, 900)
    frame = pd.DataFrame({"outcome": outcome, "model_a": (rng.normal(size=900) + outcome).round(2)})
    Path("table").mkdir()
    for part in range(3):
        frame[part::3].to_parquet(f"table/{part}.parquet")
    example, _ = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)  # The other one needs Spark.
    names: dict[str, object] = {}
    exec(example, names)
    exact = areas(frame["outcome"], frame["model_a"])
    assert names["result"] == pytest.approx({area: getattr(exact, area) for area in AREAS}, rel=1e-12)
    assert capsys.readouterr().out.startswith(str(names["result"]["auroc"]))
