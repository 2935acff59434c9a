"""The first page of the report links what stands beside it."""

import json
import re

import pandas as pd

from aucstudy.claims.verdicts import Evidence
from aucstudy.presentation.style import nothing_drawn, save
from aucstudy.report.front_page import front_page


def evidence_in(folder):
    frames = {
        "claims": {"id": ["x"], "claim": ["c"], "verdict": ["holds"], "note": [""]},
        "claims_values": {key: ["x"] for key in ("id", "item", "published", "unit", "rule")}
        | {"here": [1.0], "low": [0.5], "high": [2.0]},
        "tasks": {"prevalence": [0.1], "source_group": ["g"], "n_rows": [10]},
        "rejections": {"reason": [], "stage": []},
    }
    for name, frame in frames.items():
        pd.DataFrame(frame).to_csv(folder / f"{name}.csv", index=False)
    return Evidence(folder, "openml"), sorted(folder.glob("*.csv"))


def test_every_table_and_the_audit_page_are_linked(tmp_path):
    evidence, tables = evidence_in(tmp_path)
    page = front_page(evidence, "mine", tmp_path, [], tables, audited=True)
    assert re.findall(r'href="([^"]*)"', page) == [
        "audit.html",
        *(f"tables/{table.name}" for table in tables),
    ]
    assert "more than 150 kB" in page
    assert "audit.html" not in front_page(evidence, "mine", tmp_path, [], tables)


def test_every_figure_has_its_caption_as_text_alternative(tmp_path):
    evidence, _ = evidence_in(tmp_path)
    save(nothing_drawn("none"), {kind: str(tmp_path / f"drawn.{kind}") for kind in ("png", "svg")})
    findings = {"question": "Why?", "sentences": ["So."], "figures": {"drawn": 'Left: "a" < b.'}}
    (tmp_path / "findings.json").write_text(json.dumps(findings))
    page = front_page(evidence, "mine", tmp_path, [tmp_path])
    assert re.findall(r'<img [^>]*alt="([^"]*)"', page) == ["Left: &#34;a&#34; &lt; b."]
    assert len(re.findall("<img ", page)) == 1
