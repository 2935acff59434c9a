"""Columns that are not used and may matter are asked about, and no others are."""

import numpy as np
import pandas as pd
import pytest

from aucstudy.reading.prediction_tables import Columns, read_scored_table
from aucstudy.reading.questions import Kind
from aucstudy.reading.table_files import table_of

N = 120


def frame(**columns):
    rng = np.random.default_rng(4)
    return pd.DataFrame({"y": np.arange(N) % 2, "a": rng.random(N), "b": rng.random(N)} | columns)


def asked(source, **options):
    """Return the kind and the column of each question."""
    table = read_scored_table(source, Columns(**{"label": "y", **options}))
    return [(question.kind, question.column) for question in table.questions]


@pytest.fixture(params=["csv", "parquet", None])
def source(request, saved):
    """Return a function that gives a frame as a file or as a table in memory."""
    return lambda data: saved(data, request.param) if request.param else table_of("frame", data)


UNITS = ("patient_id", "subject", "UserId", "customer no", "case", "CASE_NUMBER", "group", "id", "age_group")


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("scores", [(), ("a",), ("a", "b")])
def test_a_unit_whose_values_repeat_is_asked_about(source, name, scores):
    table = frame(**{name: np.arange(N) // 3})
    assert asked(source(table.assign(**{name: [f"u{i}" for i in table[name]]})), scores=scores) == [
        (Kind.REPEATED, name)
    ]
    if name != "age_group":  # Only a column with such a name is no model.
        assert asked(source(table), scores=scores) == [(Kind.REPEATED, name)]


@pytest.mark.parametrize("values", [np.zeros(N, int), np.arange(N), np.r_[np.arange(61), np.zeros(59, int)]])
def test_a_unit_with_one_value_or_with_one_for_most_rows_is_not_asked_about(source, values):
    assert asked(source(frame(patient_id=values))) == []


def test_a_column_that_an_option_names_is_not_asked_about(source):
    table = source(frame(patient_id=np.arange(N) // 3, case=np.arange(N)))
    assert asked(table, group="patient_id") == []
    result = read_scored_table(table, Columns("y", row="case"))
    [question] = result.questions
    assert question.options == ("--group",)
    assert (question.n_values, question.n_rows) == (40, N)


@pytest.mark.parametrize(
    ("name", "option", "key"),
    [
        ("fold", "--fold", "fold"),
        ("Split", "--fold", "fold"),
        ("repeat", "--repeat", ""),
        ("weight", "--weight", "weight"),
    ],
)
def test_a_column_named_like_an_option_is_asked_about_by_that_option(source, name, option, key):
    table = source(frame(**{name: np.arange(N) % 5 + 1}))
    [question] = read_scored_table(table, Columns("y")).questions
    assert (question.kind, question.column, question.options) == (Kind.OPTION, name, (option,))
    assert question.sentence.startswith(f"Column {name!r} is not used. Give {option} {name} ")
    if key:
        assert asked(table, **{key: name}) == []


@pytest.mark.parametrize(("n_values", "is_asked"), [(1, False), (2, True), (50, True), (51, False)])
def test_text_beside_one_score_may_name_stacked_models(source, n_values, is_asked):
    table = frame(learner=[f"m{i % n_values}" for i in range(N)]).drop(columns="b")
    assert asked(source(table)) == [(Kind.STACKED, "learner")] * is_asked
    assert asked(source(table), scores=["a"]) == [(Kind.STACKED, "learner")] * is_asked
    assert asked(source(frame(learner=table["learner"]))) == []


def test_numbers_of_few_values_are_no_stacked_models(source):
    table = source(frame(hard=np.arange(N) % 2, part=np.arange(N) % 5 / 10))
    assert asked(table, scores=["a"]) == []


def test_no_models_are_stacked_where_each_case_has_one_row(source):
    table = frame(learner=np.where(np.arange(N) % 3, "u", "v"), case=np.arange(N)).drop(columns="b")
    assert asked(source(table), row="case") == []


def test_a_header_of_numbers_alone_is_asked_about(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("1,0.9\n0,0.2\n1,0.7\n")
    assert asked(path, label="1") == [(Kind.NO_HEADER, "1")]
    with pytest.raises(
        Exception, match=r"no column 'y'; the columns are 1, 0\.9; the first line looks like data"
    ):
        asked(path)
    with pytest.raises(Exception, match=r"--label is missing; .*; the first line looks like data"):
        asked(path, label=None)
    path.write_text("y,0.9\n0,0.2\n1,0.7\n")
    assert asked(path) == []
    assert asked(table_of("frame", {"1": [0, 1], "2": [0.5, 0.7]}), label="1") == []


PLAIN = (
    "hybrid",
    "grid",
    "sigmoid",
    "rapid",
    "ridge",
    "svm",
    "group_lasso",
    "case_weighted",
    "userknn",
    "weighted",
    "folded",
)


def test_files_without_such_columns_are_asked_nothing(source):
    result = read_scored_table(source(frame(**{name: np.arange(N) // 3 for name in PLAIN})), Columns("y"))
    assert result.names == ("a", "b", *PLAIN)
    assert result.questions == ()
