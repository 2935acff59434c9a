"""The benchmark of the report: the study that it runs is one, and has every table of the default study."""

import base64
import json
from pathlib import Path

import pytest
import yaml
from browsing import in_browser

from aucstudy.config import load_config
from aucstudy.experiments.contract import studied
from aucstudy.report.table_page import write_table_pages

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)


def test_the_study_of_the_pages_is_valid_and_leaves_no_experiment_out(tmp_path):
    from page_opening import study_of_pages

    (tmp_path / "study.yaml").write_text(yaml.safe_dump(study_of_pages(12)))
    config = load_config(tmp_path / "study.yaml")
    assert config["study"] == "pages-12"
    # refitting needs rows, which its source does not have
    left_out = {one.name for one in studied(load_config())} - {one.name for one in studied(config)}
    assert left_out == {"downsampling.refitting"}


@in_browser
def test_a_report_is_opened_and_its_table_searched_and_sorted(tmp_path):
    from page_opening import measure_report

    table, page = tmp_path / "disagreement_tasks.csv", tmp_path / "disagreement_tasks.html"
    table.write_text("task_id,n\nmade-7,3\nmade-8,2\n")
    write_table_pages([table], [page])
    shown = {"data_uri": f"data:text/html;base64,{base64.b64encode(page.read_bytes()).decode()}"}
    results = json.dumps({"shown/disagreement_tasks.html": shown})
    report = tmp_path / "report.html"
    report.write_text(
        f"<!doctype html><meta charset=utf-8><p>report</p><script>var results = {results}</script>"
    )
    row = measure_report(2, report)
    assert list(row) == ["tasks", "megabytes", "first_paint_s", "search_ms", "sort_ms"]
    assert row["tasks"] == 2
    assert min(row.values()) > 0
