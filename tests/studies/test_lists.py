"""The lists of data sets that studies bring are complete, and docs/data-sets.csv has each of their data sets."""

import re

import pandas as pd
import pytest
from table_checks import LARGE, LISTS, WIDE

from aucstudy.config import REPOSITORY
from aucstudy.learners.datasets import LEFT_OUT, PACKAGES, left_out_columns, listed, outcomes

PAGE = (REPOSITORY / "docs/data.md").read_text()
ROWS = outcomes(LISTS)


def test_two_studies_bring_lists_that_share_no_name_with_each_other_or_the_packages_own():
    assert [len(outcomes((path,))) for path in (WIDE, LARGE)] == [340, 26]
    assert len(ROWS) == 366
    assert not set(ROWS) & set(listed())


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_row_is_complete(path):
    for row in outcomes((path,)).values():
        assert row.table == path
        assert row.package in PACKAGES
        assert row.value
        assert row.licence
        assert row.simulated in ("", "partly", "yes")
        assert row.n_rows >= 100
        left_out = dict(left_out_columns(row.left_out))
        assert row.left_out == " ".join(map(":".join, left_out.items()))
        assert set(left_out.values()) <= set(LEFT_OUT)
        assert row.outcome not in left_out


def test_the_list_of_data_sets_has_every_set_with_its_outcome_and_licence():
    described = pd.read_csv(REPOSITORY / "docs/data-sets.csv", keep_default_na=False).set_index("data_set")
    assert described.index.is_unique
    assert set(described.index) == {row.dataset.replace("/raw/", "/") for row in ROWS.values()}
    for row in ROWS.values():
        data_set = described.loc[row.dataset.replace("/raw/", "/")]
        assert re.search(rf"(^|; ){re.escape(row.outcome)}: ", data_set["outcome_and_values"])
        assert data_set["source_group"] == row.source_group
        assert data_set["licence"] == row.licence.replace("|", "or")


def test_a_data_set_that_was_not_used_has_a_reason_and_is_in_no_list():
    not_used = pd.read_csv(REPOSITORY / "docs/data-sets-not-used.csv", keep_default_na=False)
    assert (not_used["reason"] != "").all()
    names = not_used["package"] + "/" + not_used["data_set"]
    used = {row.dataset for row in outcomes((WIDE,)).values()}
    assert not set(names[not_used["list"] == "wide"]) & used


def test_the_page_of_the_data_lists_every_simulated_set():
    rows = re.findall(r"(?m)^\| (?:drawn|made up|all cases|partly)[^|]*\|(.*)\|$", PAGE)
    on_page = set(re.findall(r"[\w.-]+", " ".join(rows).lower()))
    for row in (*ROWS.values(), *(row for row in listed().values() if row.default)):
        words = {row.source_group, row.name, getattr(row, "dataset", row.name).split("/")[-1].lower()}
        assert bool(words & on_page) == bool(row.simulated), row.name


@pytest.mark.parametrize(
    ("group", "sets"),
    [
        ("cps", {"voteincome-vote", "hi-whi", "benefits-ui", "unempdur-ui"}),
        ("hsb", {"collegedistance-income", "hsb82-minrty", "dee04-register"}),
        ("nhis", {"smokeban-smoker", "smoke-restaurn"}),
    ],
)
def test_sets_of_one_survey_are_one_group(group, sets):
    assert {ROWS[name].source_group for name in sets} == {group}
