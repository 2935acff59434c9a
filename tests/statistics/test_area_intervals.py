"""The docs and the audit state the coverage of intervals that the simulations counted."""

from itertools import product
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
    table = pd.read_csv(RESULTS / "area_intervals.csv")
    within_classes = table[table["sampling"] == "rows of each class"]
    names = {
        "AUROC": "auroc",
        "AUPR, AUCNPR": "aupr",
        "average precision": "average_precision",
        "AUPRG": "auprg",
    }
    methods = {"": "", ", DeLong": "delong_", ", bootstrap": "bootstrap_"}
    page = (BENCHMARKS.parent / "docs" / "intervals.md").read_text(encoding="utf-8")
    said = {}
    for line in page.splitlines():
        name, *numbers = (cell.strip() for cell in line.strip("| ").split("|"))
        if len(numbers) == 8 and numbers[0].endswith("%"):
            said[name] = numbers
    expected = {}
    for (name, area), (method, prefix) in product(names.items(), methods.items()):
        cells = within_classes[within_classes["area"] == area].filter(
            regex=f"^{prefix}(coverage|difference_coverage|type_1|power)$"
        )
        if cells.isna().all(axis=None):
            continue
        numbers = []
        for fact in ("coverage", "difference_coverage"):
            coverage = cells[prefix + fact]
            numbers += [percent(coverage.mean()), percent(coverage.min())]
            numbers.append(f"{(coverage < 0.92).sum()} of {len(cells)}")
        numbers += [percent(cells[f"{prefix}type_1"].max()), percent(cells[f"{prefix}power"].mean())]
        expected[name + method] = numbers
    assert said == expected
    wide = {
        area: percent((cells > 0.98).mean()) for area, cells in within_classes.groupby("area")["coverage"]
    }
    for name, area in names.items():
        assert f"\n| {name} | {wide[area]} |\n" in page
    assert f"each setting is simulated {within_classes['draws'].unique().item()} times" in " ".join(
        page.split()
    )
    others = table.drop(within_classes.index)[["coverage", "difference_coverage"]]
    of_one, of_differences = (percent(coverage) for coverage in others.min())
    assert (
        f"the coverage is at least {of_one} for intervals of one model "
        f"and at least {of_differences} for intervals of a difference"
    ) in " ".join(page.split())


def percent(share):
    return f"{100 * share:.0f} %"


def test_a_cell_of_the_edges_is_a_row_an_area(edges):
    rows = edges.cell("near perfect", 0.5, 10, 5, 1)
    assert [row["area"] for row in rows] == ["auroc", "aupr", "auprg", "average_precision"]
    committed = pd.read_csv(RESULTS / "area_intervals.csv")
    assert list(committed) == [*edges.COLUMNS, "commit", "processor"]
    assert all(set(row) <= set(edges.COLUMNS) for row in rows)


@pytest.mark.whole
def test_the_table_is_what_the_benchmark_counts(edges):
    """All samples of one setting with few rows are drawn again."""
    committed = pd.read_csv(RESULTS / "area_intervals.csv").set_index(
        ["design", "prevalence", "rarer", "area"]
    )
    for row in edges.cell("strong", 0.9, 10, edges.DRAWS, 38):
        key = row["design"], row["prevalence"], row["rarer"], row["area"]
        for column in ("coverage", "difference_coverage", "type_1", "bootstrap_coverage"):
            assert committed.loc[[key], column].iloc[0] == pytest.approx(row[column], abs=2e-3)


@pytest.mark.parametrize(
    "sampling", ["weights", "groups of 5", "10 folds", "prevalence .01 of .1", "rows at random"]
)
def test_the_default_is_tried_on_every_kind_of_sample(edges, sampling):
    rows = edges.cell_of_sampling(sampling, 20, "strong", 4, 1)
    committed = pd.read_csv(RESULTS / "area_intervals.csv")
    assert set(committed["sampling"]) == {edges.WITHIN_CLASSES, *edges.SAMPLINGS}
    assert {row["sampling"] for row in rows} == {sampling}
    assert np.mean([row["coverage"] for row in rows]) > 0.7


def test_no_cell_covers_less_than_the_rule_of_choice_allows():
    table = pd.read_csv(RESULTS / "area_intervals.csv")
    assert table["coverage"].min() > 0.91
    assert table["difference_coverage"].min() > 0.92
    assert table["type_1"].max() < 0.065
    # Of two perfect models, neither is ever shown to be better.
    assert (table.loc[table["design"] == "perfect", "type_1"] == 0).all()


def test_the_audit_says_what_its_intervals_cover():
    table = pd.read_csv(RESULTS / "area_intervals.csv")
    cells = table[["coverage", "difference_coverage"]].to_numpy()
    result = audit(np.arange(300) < 100, np.random.default_rng(1).random((300, 2)), resamples=100)
    ends = f"{100 * cells.min():.0f} to {100 * cells.max():.0f} %"
    assert f"of hard cases, such intervals contained the true value in {ends} of the samples." in " ".join(
        result.text().split()
    )
