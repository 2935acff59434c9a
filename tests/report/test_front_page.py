"""The first page of the report links what stands beside it."""

import re

import pandas as pd

from aucstudy.claims.verdicts import Evidence
from aucstudy.report.front_page import front_page


def test_every_table_and_the_audit_page_are_linked(tmp_path):
    frames = {
        "claims": {"id": ["x"], "claim": ["c"], "verdict": ["holds"], "note": [""]},
        "claims_values": {key: ["x"] for key in ("id", "item", "published", "unit", "rule")}
        | {"here": [1.0], "low": [0.5], "high": [2.0]},
        "tasks": {"prevalence": [0.1], "source_group": ["g"], "n_rows": [10]},
        "rejections": {"reason": [], "stage": []},
    }
    for name, frame in frames.items():
        pd.DataFrame(frame).to_csv(tmp_path / f"{name}.csv", index=False)
    tables = sorted(tmp_path.glob("*.csv"))
    page = front_page(Evidence(tmp_path, "openml"), "mine", tmp_path, [], tables, audited=True)
    assert re.findall(r'href="([^"]*)"', page) == [
        "audit.html",
        *(f"tables/{name}.csv" for name in sorted(frames)),
    ]
    assert "more than 150 kB" in page
    assert "audit.html" not in front_page(Evidence(tmp_path, "openml"), "mine", tmp_path, [], tables)
