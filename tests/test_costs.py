"""docs/costs.md states the costs that follow from the measured unit costs."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def costs(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import costs

    return costs


def test_the_document_agrees_with_the_measured_tables(costs):
    text = costs.DOCUMENT.read_text(encoding="utf-8")
    assert text == costs.with_section(text, costs.section()), "run python benchmarks/costs.py"


def test_costs_are_the_unit_costs_times_the_runs(costs, tmp_path):
    (tmp_path / "fetch_speed.csv").write_text(
        "tasks,models,requests,runs asked for,runs rejected,client cpu seconds,raw kB a run,store kB a run\n"
        "10,30,900,310,10,3,10,5\n"
    )
    (tmp_path / "scale.csv").write_text(
        "tasks,rule,jobs,seconds,cpu_seconds,peak_mb,longest_job\n20,score,1,9,9,500,9\n"
        "20,whole run,9,99,216,1200,9\n"
    )
    table = costs.costs(costs.units(tmp_path))["ten million runs"]
    assert table["requests"] == "30,000,000"
    assert table["time of fetching, with one request a second"] == "350 days"
    assert table["computing time of the client during the fetch"] == "28 h"
    assert table["size of the server's raw answers (about the amount of data transferred)"] == "100 GB"
    assert table["core time from the task store to the report"] == "42 days"
    memory = "memory of the largest job of a batch, if no task has more rows than the largest made-up task"
    assert table[memory] == "1.2 GB"
    # The price is for 28 core hours of the client and 1,000 of the study at .05, and for 153 GB over a year
    # at .02 a month.
    assert table["price in all"] == "88 USD"
