"""What docs and the audit say that intervals cover is what the simulations counted."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from aucstudy.audit import audit

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
RESULTS = BENCHMARKS.parent / "results" / "benchmarks"


@pytest.fixture
def edges(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import area_intervals_edges

    return area_intervals_edges


def test_the_truth_is_what_a_large_sample_has(edges):
    y, normal = np.arange(200_000) < 100_000, np.random.default_rng(1).standard_normal((200_000, 3))
    for name in ("five levels", "tied", "crossing"):
        design = edges.DESIGNS[name]
        scores = edges.scored(design, design.strengths, y, normal)
        for strength, column in zip(design.strengths, scores.T, strict=True):
            assert edges.areas(y, column)[:5] == pytest.approx(edges.truth(name, strength, 0.5), abs=0.01)


def test_the_page_says_what_the_table_says():
    table = pd.read_csv(RESULTS / "area_intervals_edges.csv")
    names = {
        "AUROC": "auroc",
        "AUPR, AUCNPR": "aupr",
        "average precision": "average_precision",
        "AUPRG": "auprg",
    }
    page = (BENCHMARKS.parent / "docs" / "metrics.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in page.splitlines()
        if line.startswith("|") and line.count("%") == 9
    ]
    assert [row[0] for row in rows] == list(names)
    for name, *numbers in rows:
        cells = table[table["area"] == names[name]]
        expected = []
        for coverage in (cells["coverage"], cells["difference_coverage"]):
            expected += [percent(coverage.mean()), percent(coverage.min())]
            expected.append(f"{(coverage < 0.92).sum()} of {len(cells)}")
        expected += [percent(cells["type_1"].max()), percent(cells["power"].mean())]
        influence = cells[["influence_coverage", "influence_difference_coverage"]].min().min()
        expected += [percent(influence), percent(cells["influence_type_1"].max())]
        assert numbers == [*expected, percent(cells["influence_power"].mean())]
    wide = {area: f"{100 * (cells > 0.98).mean():.0f} %" for area, cells in table.groupby("area")["coverage"]}
    assert (
        f"more than 98 % in {wide['auroc']} of the cells of AUROC, {wide['aupr']} of AUPR, "
        f"{wide['average_precision']} of average precision and {wide['auprg']} of AUPRG"
    ) in " ".join(page.split())
    assert f"A cell is {table['draws'].unique().item()} samples" in page


def percent(share):
    return f"{100 * share:.0f} %"


def test_a_cell_of_the_edges_is_a_row_an_area(edges):
    rows = edges.cell("near perfect", 0.5, 10, 5, 1)
    assert [row[3] for row in rows] == ["auroc", "aupr", "auprg", "average_precision"]
    assert list(pd.read_csv(RESULTS / "area_intervals_edges.csv", nrows=0)) == edges.COLUMNS
    assert all(len(row) == len(edges.COLUMNS) for row in rows)


def test_the_default_is_tried_on_every_kind_of_sample(edges):
    table = edges.coverage_by_sampling(2, 1)
    committed = pd.read_csv(RESULTS / "area_intervals_designs.csv")
    facts = [column for column in table if column not in ("coverage", "draws")]
    assert list(table) == list(committed)
    assert set(map(tuple, table[facts].to_numpy())) == set(map(tuple, committed[facts].to_numpy()))
    assert table["coverage"].mean() > 0.8


def test_the_audit_says_what_its_intervals_cover():
    table = pd.read_csv(RESULTS / "area_intervals_edges.csv")
    cells = table[["coverage", "difference_coverage"]].to_numpy()
    result = audit(np.arange(300) < 100, np.random.default_rng(1).random((300, 2)), resamples=100)
    assert f"of hard cases they covered {100 * cells.min():.0f} to {100 * cells.max():.0f} %." in " ".join(
        result.text().split()
    )
