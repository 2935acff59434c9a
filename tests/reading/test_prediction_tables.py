"""Columns of predictions are chosen by type and name, never by their values, and the choice is reported."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from aucstudy.errors import InputError
from aucstudy.reading.prediction_tables import Columns, RepeatedRows, read_scored_table
from aucstudy.reading.table_files import table_of
from aucstudy.reading.tables import MissingColumn

N = 300
TRUTH = np.arange(N) % 2
SCORE = np.random.default_rng(0).random(N).round(6)


@pytest.fixture
def frame():
    return pd.DataFrame({"y": TRUTH, "a": SCORE, "b": SCORE[::-1]})


def read(path, **options):
    return read_scored_table(path, Columns(**{"label": "y", **options}))


VALUES = {
    "decision values": 20 * SCORE - 10,
    "percents": 100 * SCORE,
    "one above 1": np.where(np.arange(N) == 7, 1.0000001, SCORE),
    "ids": np.arange(N) // 2,
    "another number in each row": np.arange(N),
    "0 and 1": TRUTH,
    "one value": np.zeros(N),
}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("kind", VALUES)
def test_no_column_of_numbers_is_left_out_for_its_values(frame, saved, ending, kind):
    result = read(saved(frame.assign(odd=VALUES[kind]), ending))
    assert (result.names, result.left_out) == (("a", "b", "odd"), {})
    assert (result.scores[:, 2] == VALUES[kind]).all()


LIKE_AN_INDEX = (
    "", "id", "index", "ID", "Unnamed: 0", "level_0", "rownames", "row_id", "...1", "patient_id", "customerid",
    "__index_level_0__", "fold", "weight", "group", "caseId", "docID", "a-id", "a.id", "a id", "patient", "case_no",
    "cv_fold", "sample_weight", "splits", "rep",
)  # fmt: skip
LIKE_AN_OPTION = {
    "fold": "--fold", "cv_fold": "--fold", "splits": "--fold", "rep": "--repeat", "weight": "--weight",
    "sample_weight": "--weight", "group": "--group",
}  # fmt: skip


@pytest.mark.parametrize("rows", [20, N])
@pytest.mark.parametrize("name", LIKE_AN_INDEX)
def test_a_column_named_like_an_index_is_left_out_at_any_length_unless_named(frame, tmp_path, name, rows):
    frame = frame.assign(index=np.arange(N)).rename(columns={"index": name})[:rows]
    frame.to_csv(tmp_path / "t.csv", index=False)
    for source in (tmp_path / "t.csv", table_of("frame", frame)):
        result = read(source)
        why = LIKE_AN_OPTION.get(name)
        reason = f"is named like a column for {why}" if why else "is named like an index"
        assert (result.names, dict(result.left_out)) == (("a", "b"), {name: reason})
        assert read(source, scores=["a", name]).names == ("a", name)


def test_what_other_options_name_is_no_score(frame, saved):
    frame = frame.assign(part=TRUTH, ward=np.arange(N), mass=1.0, case=np.arange(N), time=0)
    options = {"fold": "part", "group": "ward", "weight": "mass", "row": "case", "repeat": "time"}
    result = read(saved(frame), **options)
    assert (result.names, result.left_out) == (("a", "b"), {})


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_is_taken_and_what_is_not_is_said(frame, saved, ending):
    frame = frame.assign(note="text", day=pd.Timestamp("2020-01-01"), id=1, flag=TRUTH == 1, empty=None)
    result = read(saved(frame, ending))
    assert result.names == ("a", "b")
    assert set(result.left_out) == {"note", "day", "id", "flag", "empty"}
    assert result.choice().startswith("Columns taken as models: 'a', 'b'. Columns left out: 'note' (holds ")
    assert "'id' (is named like an index)" in result.choice()
    assert read(saved(frame, ending), scores=["a"]).choice() == ""


@pytest.mark.parametrize("cell", ["", "NA", "?", "nan", "n.d.", "3+"])
@pytest.mark.parametrize("row", [1, 261])
def test_a_column_of_numbers_with_another_cell_is_refused_and_hides_no_model(frame, saved, cell, row):
    frame = frame.astype({"b": str})
    frame.loc[row - 1, "b"] = cell
    told = rf"column 'b': 1 values are no finite numbers, the first is .* in row {row} of the data; correct it, or name"
    with pytest.raises(InputError, match=told):
        read(saved(frame))
    assert read(saved(frame), scores=["a"]).names == ("a",)


def test_a_missing_value_in_a_frame_is_refused(frame):
    frame.loc[3, "b"] = np.nan
    with pytest.raises(
        InputError, match="frame: column 'b': 1 values are no finite numbers, the first is missing in ro"
    ):
        read(table_of("frame", frame))


def test_many_columns_are_told_in_a_line(frame):
    table = table_of("wide", pd.DataFrame({"y": TRUTH} | {f"m{i}": SCORE for i in range(1000)}))
    assert "'m9' and 990 more. Columns left out: none" in read(table).choice()


@pytest.mark.parametrize(
    "labels",
    [
        TRUTH == 1,
        pd.array(TRUTH == 1, "boolean"),
        pd.Categorical(TRUTH == 1),
        TRUTH,
        pd.array(TRUTH, "Int64"),
        TRUTH.astype(float),
        np.where(TRUTH == 1, "TRUE", "FALSE"),
    ],
    ids=["bool", "boolean", "category", "0/1", "Int64", "float", "text"],
)
@pytest.mark.parametrize("ending", ["csv", "parquet", None])
def test_true_names_the_positive_class_of_bool_and_of_0_and_1(frame, saved, labels, ending):
    frame = frame.assign(y=labels)
    source = table_of("frame", frame) if ending is None else saved(frame, ending)
    assert (read(source, positive="True").y_true == (TRUTH == 1)).all()
    assert (read(source, positive="false").y_true == (TRUTH == 0)).all()


def test_frames_of_any_library_are_read_column_by_column(frame):
    arrow = pa.Table.from_pandas(frame)
    for table in (frame, arrow, dict(frame), {"y": list(TRUTH), "a": SCORE, "b": pa.array(SCORE[::-1])}):
        assert (read(table_of("frame", table)).scores == frame[["a", "b"]].to_numpy()).all()
    with pytest.raises(InputError, match="frame: no table \\(columns of 2, 300 rows"):
        table_of("frame", {"y": TRUTH, "a": SCORE[:2]})


class OfPandas3(pd.Series):
    """A column that offers itself to Arrow, as columns of pandas 3 do.

    Arrow fails to read it if it holds objects of several types.
    """

    def __arrow_c_stream__(self, requested_schema=None):
        chunks = pa.chunked_array([pa.array(self.to_numpy(), from_pandas=True)])
        return chunks.__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("kind", [pd.Series, OfPandas3])
def test_a_column_of_objects_of_several_types_is_left_out_as_text(frame, kind):
    columns = {**frame, "mixed": kind([1, "a", None] * (N // 3), dtype=object)}
    assert dict(read(table_of("frame", columns)).left_out) == {"mixed": "holds text"}


def test_a_row_may_stand_once_in_a_fold(frame, saved):
    rows = frame.assign(row=np.arange(N) // 2, fold=np.arange(N) % 2)
    assert len(read(saved(rows), row="row", fold="fold").y_true) == N
    with pytest.raises(
        RepeatedRows,
        match=r"150 rows are duplicates of another, the first is row 2 of the data; each row is needed once \(give "
        "--group row in place of --row if these rows belong together, or --model if the rows of several models are "
        r"stacked, or --fold or --repeat if a case was predicted several times\)",
    ):
        read(saved(rows), row="row")
    with pytest.raises(
        RepeatedRows, match=r"of their fold, .* or --repeat if a case was predicted several times\)"
    ):
        read(saved(rows.assign(fold=0)), row="row", fold="fold")
    large = frame.assign(row=[str(10**18 + i) for i in range(N)])
    assert len(set(read(saved(large), row="row").row_ids)) == N


@pytest.mark.parametrize("weight", [-1.0, np.inf, np.nan])
def test_weights_are_finite_numbers_of_at_least_0(frame, saved, weight):
    rows = frame.assign(w=1.0)
    assert (read(saved(rows.assign(w=2.5)), weight="w").weight == 2.5).all()
    rows.loc[5, "w"] = weight
    with pytest.raises(InputError, match=r"column 'w'.* in row 6 of the data"):
        read(saved(rows), weight="w")
    with pytest.raises(InputError, match="all weights are 0"):
        read(saved(rows.assign(w=0)), weight="w")


def test_a_column_that_is_not_there_is_told_by_its_nearest(frame, saved):
    with pytest.raises(MissingColumn, match=r"t\.csv: no column 'Y'; did you mean 'y'\?"):
        read(saved(frame), label="Y")


def test_the_rarer_class_may_be_positive(frame):
    table = table_of("frame", frame.assign(y=np.where(np.arange(N) < 100, "rare", "common")))
    assert read(table, minority=True).positive == "rare"
