"""Every kind of input is read, or refused with its name: gaps, separators, pipes, types of Parquet, NUL bytes."""

import io
import os
import re
import subprocess
import sys
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from aucstudy.commands.main import main
from aucstudy.errors import InputError
from aucstudy.reading.column_files import ColumnFile, Columns, DelimitedFile
from aucstudy.reading.prediction_tables import read_scored_table

N = 300
TRUTH = np.arange(N) % 2
SCORE = np.random.default_rng(0).random(N).round(6)


def read(path, **options):
    return read_scored_table(path, Columns(**{"label": "y", "scores": ["s"], **options}))


def read_all(path, **options):
    return read_scored_table(path, Columns(label="y", **options), all_scores=True)


def written(folder, body):
    (folder / "t.csv").write_bytes(body.encode())
    return folder / "t.csv"


@pytest.fixture
def frame():
    return pd.DataFrame({"y": TRUTH, "s": SCORE, "gap": SCORE.astype(str), "note": "text", "id": range(N)})


@pytest.mark.parametrize("gap", ["", "NA", "?", "nan"])
@pytest.mark.parametrize("row", [1, 3, 261])
def test_a_gap_among_scores_is_refused_with_column_and_row_wherever_it_is(frame, saved, gap, row):
    frame.loc[row - 1, "gap"] = gap
    told = rf"column 'gap': 1 value is no number: .* in row {row} of the data \(line {row + 1} of the file\);"
    with pytest.raises(InputError, match=f"{told} correct it, or name the models with --score"):
        read_all(saved(frame))


@pytest.mark.parametrize(
    ("last", "cell", "told"),
    [
        (249, "", "column 'gap': 250 values are no numbers"),
        (29, "n.d.", r"'gap': 30 values are no numbers, the first is 'n\.d\.' in row 1 .*line 2 "),
    ],
)
def test_a_column_of_gaps_or_of_nine_numbers_in_ten_is_refused_for_the_others(frame, saved, last, cell, told):
    frame.loc[:last, "gap"] = cell
    with pytest.raises(InputError, match=told):
        read_all(saved(frame))


def test_a_column_of_fewer_numbers_is_one_of_text(frame, saved):
    frame.loc[:30, "gap"] = "n.d."
    assert read_all(saved(frame)).names == ("s",)


def test_columns_that_are_left_out_are_listed_with_the_reason(frame, saved, capsys):
    path = saved(frame.assign(empty=""))
    result = read_all(path)
    assert result.names == ("s", "gap")
    assert result.left_out == {
        "note": "holds text", "id": "is named like an index", "empty": "is empty",
    }  # fmt: skip
    assert main(["audit", str(path), "--label", "y", "--resamples", "100"]) == 0
    assert "note: columns that are not taken for scores: 'note' holds text;" in capsys.readouterr().err
    path = saved(frame.drop(columns="gap"), "parquet")
    assert read_all(path).left_out["note"].startswith("holds ")


PATIENTS = np.arange(N) // 2


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("name", "values", "why"),
    [
        ("ward", PATIENTS, "150 different ones in 300 rows, as ids do: --group ward resamples"),
        ("patient_id", PATIENTS % 40, "40 different ones in 300 rows, as ids do: --group patient_id"),
        ("ward", np.arange(N), "holds another whole number in every row, as an index does"),
        ("tenure", 1 + np.arange(N) % 71, "has numbers beyond 0 and 1"),
        ("charges", 20 * SCORE, "has numbers beyond 0 and 1"),
    ],
)
def test_numbers_that_look_like_ids_or_unlike_the_others_are_no_model_unless_asked_for(
    frame, saved, ending, name, values, why
):
    path = saved(frame.assign(gap=SCORE, **{name: values}), ending)
    result = read_all(path)
    assert result.names == ("s", "gap")
    assert why in result.left_out[name]
    assert any(f"{name!r} is not taken for scores: it" in note and why in note for note in result.notes)
    assert any("name all models with --score" in note for note in result.notes)
    assert read(path, scores=["s", name]).names == ("s", name)
    if "beyond" in why:  # but of two columns neither is like most
        assert read_all(path, fold="gap").names == ("s", name)


@pytest.mark.parametrize(
    "values", [PATIENTS % 21, PATIENTS - 75, PATIENTS / 150], ids=["0..20", "-75..74", "shares"]
)
def test_whole_numbers_of_few_values_or_of_both_signs_and_fractions_stay_a_model(frame, saved, values):
    frame["gap"] = 9 * SCORE
    assert "risk" in read_all(saved(frame.assign(risk=values))).names


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_no_value_of_a_column_of_text_is_shown_but_that_it_may_name_groups(frame, saved, ending):
    frame = frame.assign(patient=[f"MRN{i:05d}" for i in PATIENTS])
    result = read_all(saved(frame, ending))
    assert "MRN" not in str(result.notes)
    assert result.left_out["patient"].startswith(
        "holds text that stands in several rows (--group patient resamples"
    )


def test_the_line_of_a_bad_cell_counts_empty_lines(tmp_path):
    with pytest.raises(InputError, match=r"it is 'x' in row 2 of the data \(line 4 of the file\)$"):
        read(written(tmp_path, "y,s\n1,1\n\n0,x\n"))


def test_a_column_of_scores_given_as_groups_is_told(frame, saved):
    path = saved(frame)
    assert "--group gap: the column holds numbers with decimals" in read(path, group="gap").notes[0]
    assert read(path, group="id").notes == ()


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "txt"])
def test_a_separator_is_recognised_whatever_the_ending(frame, tmp_path, separator, ending):
    frame.to_csv(tmp_path / f"t.{ending}", index=False, sep=separator)
    assert (read(tmp_path / f"t.{ending}").scores[:, 0] == SCORE).all()


@pytest.mark.parametrize("separator", [";", "\t"])
def test_decimal_commas_are_recognised_and_told(frame, tmp_path, separator):
    frame.drop(columns="gap").to_csv(tmp_path / "t.csv", index=False, sep=separator, decimal=",")
    result = read_all(tmp_path / "t.csv")
    assert (result.scores[:, 0] == SCORE).all()
    assert "numbers are read with a decimal comma" in result.notes


@pytest.mark.parametrize(
    ("body", "raised"),
    [
        ("y,s\n1,0,5\n0,0,25\n", "decimal commas, another separator than the comma is wanted"),
        ('y,s\n1,"0,5"\n0,"0,25"\n', "the first is '0,5' in row 1"),
        ("y;s\n1;0,5\n0;0.25\n", "it is '0,5' in row 1"),
        ("y,s\n1,0.5\n0\0,0.25\n", "column 'y' holds a NUL byte"),
        ("y,s\n1,0.5\n0,0.25\0\n", "it is '0.25\\x00' in row 2"),
    ],
)
def test_what_cannot_be_recognised_is_named(tmp_path, body, raised):
    with pytest.raises(InputError, match=re.escape(raised)):
        read(written(tmp_path, body))


@pytest.fixture(params=["csv", "csv.gz", "parquet", "arff"])
def whole(request, frame, saved):
    """The bytes of a table in some format."""
    return saved(frame, request.param).read_bytes()


@pytest.fixture
def standard_input(monkeypatch):
    return lambda body: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(body)))


def test_a_dash_is_standard_input(whole, standard_input):
    standard_input(whole)
    assert (read(Path("-")).scores[:, 0] == SCORE).all()


def test_pipes_and_process_substitution_are_read_once(whole):
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"):
        feeder = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=writing)
        os.close(writing)
        feeder.communicate(whole)
        assert (read(f"/dev/fd/{reading}").scores[:, 0] == SCORE).all()


def test_an_empty_a_closed_and_an_endless_stream_are_refused(standard_input, monkeypatch):
    standard_input(b"")
    with pytest.raises(InputError, match="<stdin>: the file is empty"):
        read("-")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="<stdin>: standard input is closed; a table is wanted"):
        read("-")
    for path in ("/dev/zero", "/dev/urandom"):
        with pytest.raises(InputError, match=f"{path}: not a table"):
            read(path)


TEXT = "y,s\n0,0.5\n1,0.7\n"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (TEXT.encode("utf-16"), "text in UTF-16; the same saved as UTF-8 is wanted"),
        (TEXT.encode("utf-16-be"), "text in UTF-16"),
        (TEXT.encode("utf-16-le"), "text in UTF-16"),
        (b"PK\x03\x04\x14\0\x06\0", "a zip archive, as Excel's files are; the sheet saved as CSV is wanted"),
        (bytes.fromhex("d0cf11e0a1b11ae1"), "a file of an old Excel; the sheet saved as CSV"),
        (TEXT.replace("\n", "\r").encode(), "a carriage return stands in its first line"),
        ((TEXT * 100_000).replace("\n", "\r").encode(), "a carriage return stands in its first line"),
        (
            TEXT.replace("s", '"a\nb"', 1).encode(),
            "a quoted name in the header goes on in the next line: 'y,\"a'",
        ),
        (TEXT.replace(",", ";").replace("s", '"a\r\nb"', 1).encode(), "a quoted name in the header goes on"),
    ],
)
@pytest.mark.parametrize("ending", ["csv", "parquet", "pipe"])
def test_what_is_no_table_of_ours_is_called_what_it_is(tmp_path, standard_input, body, said, ending):
    if ending == "parquet" and said.startswith("a "):
        ending = "tsv"
    path = "-" if ending == "pipe" else tmp_path / f"t.{ending}"
    standard_input(body) if ending == "pipe" else path.write_bytes(body)
    with pytest.raises(InputError, match=re.escape(said)):
        read(path)


def test_a_quote_inside_a_name_is_a_letter_of_it(tmp_path):
    path = written(tmp_path, TEXT.replace("s", '5" screen', 1))
    assert read(path, scores=['5" screen']).scores.shape == (2, 1)


@pytest.mark.parametrize("ending", ["csv", "parquet", "arff"])
@pytest.mark.parametrize("after", ["appended", "one row", "gone", "rewritten"])
def test_a_file_that_changes_while_it_is_read_is_refused(frame, saved, monkeypatch, ending, after):
    frame = frame[["y", "s"]].assign(s=2**60 + frame["id"])  # large numbers are read a second time
    path = saved(frame, ending)
    later_rows = {"appended": pd.concat([frame, frame]), "one row": frame[:1], "rewritten": frame[:-1]}
    numbers = ColumnFile.numbers

    def change(*given):
        path.unlink() if after == "gone" else saved(later_rows[after], ending)
        return numbers(*given)

    monkeypatch.setattr(ColumnFile, "numbers", change)
    with pytest.raises(InputError, match=rf"t\.{ending}: was changed while it was read; a file that stays"):
        read(path)


def test_columns_read_at_two_times_with_other_numbers_of_rows_are_refused(frame, saved, monkeypatch):
    path = saved(frame.assign(s=2**60 + frame["id"]))
    monkeypatch.setattr(DelimitedFile, "_whole_numbers", lambda *_: pa.chunked_array([pa.array([2**60])]))
    with pytest.raises(InputError, match="column 's' had 300 rows and then 1; is it being written"):
        read(path)


@pytest.mark.parametrize(("cells", "noted"), [
    (("2,775", "555"), True), (("+2,000", "1000"), True), (("2,775", "0,555"), False), (("2,775", "5,55"), False),
    (("2775", "555"), False),
])  # fmt: skip
def test_thousands_that_may_be_decimals_are_told(tmp_path, cells, noted):
    rows = "".join(f"{y};{s};1,5\n" for y, s in zip((0, 1) * 10, cells * 10, strict=True))
    notes = read(written(tmp_path, f"y;s;t\n{rows}"), scores=["s", "t"]).notes
    assert any("'s' holds whole numbers and numbers with three decimals" in note for note in notes) == noted
    assert not any("'t' holds" in note for note in notes)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_of_one_name_are_refused_where_they_are_wanted(tmp_path, ending):
    path = tmp_path / f"t.{ending}"
    columns = [pa.array([0, 1] * 10), pa.array(range(20)), pa.array(range(20)), pa.array(["a"] * 20)]
    table = pa.table(columns, names=["y", "s", "s", "t"])
    pq.write_table(table, path) if ending == "parquet" else csv.write_csv(table, path)
    for reader in (read, read_all):
        with pytest.raises(InputError, match="2 columns are called 's'; one is wanted"):
            reader(path)


def parquet(tmp_path, **columns):
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def test_decimals_of_parquet_are_numbers(tmp_path):
    scores = pa.array([Decimal(f"{value:.6f}") for value in SCORE], pa.decimal128(20, 6))
    assert (read_all(parquet(tmp_path, y=TRUTH, s=scores)).scores[:, 0] == SCORE).all()


@pytest.mark.parametrize(
    "value", [datetime(2020, 1, 1), timedelta(1), b"x", [1.0], {"a": 1}, datetime(2020, 1, 1).date()], ids=str
)
def test_times_and_nested_values_of_parquet_are_no_scores(tmp_path, value):
    path = parquet(tmp_path, y=TRUTH, s=[value] * N, t=SCORE)
    with pytest.raises(InputError, match=r"column 's' holds .*, numbers are wanted"):
        read(path)
    result = read_all(path)
    assert result.names == ("t",)
    assert set(result.left_out) == {"s"}


def test_labels_of_parquet_that_are_no_text_are_named(tmp_path):
    with pytest.raises(InputError, match=r"column 'y' holds list<.*>, text or numbers are wanted"):
        read(parquet(tmp_path, y=[[1]] * N, s=SCORE))
    with pytest.raises(InputError, match="1 value is missing, in row 2 of the data; a value is wanted"):
        read(parquet(tmp_path, y=pa.array([1.0, np.nan] + [0.0] * (N - 2)), s=SCORE))


def test_a_column_whose_name_begins_another_one_is_read_alone(tmp_path):
    result = read(parquet(tmp_path, **{"y": TRUTH, "s": SCORE, "s.1": -SCORE}))
    assert (result.scores[:, 0] == SCORE).all()


def test_a_class_that_an_arff_file_does_not_declare_is_refused(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text("@relation r\n@attribute y {no,yes}\n@attribute s real\n@data\nno,1\nmaybe,2\nyes,3\n")
    with pytest.raises(
        InputError, match=r"column 'y': 'maybe' in row 2 of the data is not declared; .*'no', 'yes'"
    ):
        read(path, positive="yes")


def test_the_schema_of_a_parquet_file_is_made_once_however_many_columns_there_are(tmp_path, monkeypatch):
    path, calls = tmp_path / "wide.parquet", []
    pq.write_table(pa.table({"y": [0, 1, 0, 1]} | {f"m{i}": [0.1, 0.2, 0.3, 0.4] for i in range(300)}), path)

    class Counted(pq.ParquetFile):
        @property
        def schema_arrow(self):
            calls.append(1)
            return super().schema_arrow

    monkeypatch.setattr(pq, "ParquetFile", Counted)
    assert len(read_all(path).names) == 300
    assert len(calls) < 10
