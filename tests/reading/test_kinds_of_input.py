"""Every kind of input is read, or refused with its name: gaps, separators, pipes, types of Parquet, NUL bytes."""

import io
import os
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

from aucstudy.commands.main import main
from aucstudy.errors import InputError
from aucstudy.reading.prediction_tables import read_scored_table

N = 300
TRUTH = np.arange(N) % 2
SCORE = np.random.default_rng(0).random(N).round(6)


def read(path, **options):
    return read_scored_table(path, **{"label": "y", "scores": ["s"], **options})


@pytest.fixture
def frame():
    return pd.DataFrame({"y": TRUTH, "s": SCORE, "gap": SCORE.astype(str), "note": "text", "id": range(N)})


@pytest.mark.parametrize("gap", ["", "NA", "?", "nan"])
@pytest.mark.parametrize("row", [1, 3, 261])
def test_a_gap_among_scores_is_refused_with_column_and_row_wherever_it_is(frame, tmp_path, gap, row):
    frame.loc[row - 1, "gap"] = gap
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(
        InputError, match=rf"column 'gap': 1 values are no numbers, .* in row {row} of the data"
    ):
        read(tmp_path / "t.csv", scores=(), all_scores=True)


def test_a_column_of_gaps_whose_numbers_come_late_is_refused(frame, tmp_path):
    frame.loc[:249, "gap"] = ""
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(InputError, match="column 'gap': 250 values are no numbers"):
        read(tmp_path / "t.csv", scores=(), all_scores=True)


def test_columns_that_are_left_out_are_listed_with_the_reason(frame, tmp_path, capsys):
    frame.assign(empty="").to_csv(tmp_path / "t.csv", index=False)
    found = read(tmp_path / "t.csv", scores=(), all_scores=True)
    assert found.names == ("s", "gap")
    assert found.left_out == {
        "note": "holds 'text' in row 1 of the data", "id": "is named like an index", "empty": "is empty",
    }  # fmt: skip
    assert main(["audit", str(tmp_path / "t.csv"), "--label", "y", "--resamples", "100"]) == 0
    assert "note: columns that are not taken for scores: 'note' holds 'text'" in capsys.readouterr().err
    frame.drop(columns="gap").to_parquet(tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet", scores=(), all_scores=True).left_out["note"].startswith("holds ")


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "txt"])
def test_a_separator_is_recognised_whatever_the_ending(frame, tmp_path, separator, ending):
    frame.to_csv(tmp_path / f"t.{ending}", index=False, sep=separator)
    assert (read(tmp_path / f"t.{ending}").scores[:, 0] == SCORE).all()


@pytest.mark.parametrize("separator", [";", "\t"])
def test_decimal_commas_are_recognised_and_told(frame, tmp_path, separator):
    frame.drop(columns="gap").to_csv(tmp_path / "t.csv", index=False, sep=separator, decimal=",")
    found = read(tmp_path / "t.csv", scores=(), all_scores=True)
    assert (found.scores[:, 0] == SCORE).all()
    assert "numbers are read with a decimal comma" in found.notes


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("y,s\n1,0,5\n0,0,25\n", "decimal commas, another separator than the comma is wanted"),
        ('y,s\n1,"0,5"\n0,"0,25"\n', "the first is '0,5' in row 1"),
        ("y;s\n1;0,5\n0;0.25\n", "the first is '0,5' in row 1"),
        ("y,s\n1,0.5\n0\0,0.25\n", "column 'y' holds a NUL byte"),
        ("y,s\n1,0.5\n0,0.25\0\n", "the first is '0.25\\x00' in row 2"),
    ],
)
def test_what_cannot_be_recognised_is_named(tmp_path, body, told):
    (tmp_path / "t.csv").write_bytes(body.encode())
    with pytest.raises(InputError) as error:
        read(tmp_path / "t.csv")
    assert told in str(error.value)


@pytest.fixture(params=["csv", "csv.gz", "parquet", "arff"])
def whole(request, frame, tmp_path):
    """The bytes of a table in some format."""
    path = tmp_path / f"whole.{request.param}"
    if request.param == "arff":
        rows = frame[["y", "s"]].to_csv(index=False, header=False)
        path.write_text(f"% a comment\n@relation r\n@attribute y {{0,1}}\n@attribute s real\n@data\n{rows}")
    elif request.param == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False)
    return path.read_bytes()


def test_a_dash_is_standard_input(whole, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(whole)))
    assert (read(Path("-")).scores[:, 0] == SCORE).all()


def test_pipes_and_process_substitution_are_read_once(whole):
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"):
        feeder = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=writing)
        os.close(writing)
        feeder.communicate(whole)
        assert (read(f"/dev/fd/{reading}").scores[:, 0] == SCORE).all()


def test_an_empty_pipe_and_one_without_an_end_are_refused(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(InputError, match="<stdin>: the file is empty"):
        read("-")
    with pytest.raises(InputError, match="/dev/zero: not a table"):
        read("/dev/zero")


def parquet(tmp_path, **columns):
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def test_decimals_of_parquet_are_numbers(tmp_path):
    scores = pa.array([Decimal(f"{value:.6f}") for value in SCORE], pa.decimal128(20, 6))
    found = read(parquet(tmp_path, y=TRUTH, s=scores), scores=(), all_scores=True)
    assert (found.scores[:, 0] == SCORE).all()


@pytest.mark.parametrize(
    "value", [datetime(2020, 1, 1), timedelta(1), b"x", [1.0], {"a": 1}, datetime(2020, 1, 1).date()], ids=str
)
def test_times_and_nested_values_of_parquet_are_no_scores(tmp_path, value):
    path = parquet(tmp_path, y=TRUTH, s=[value] * N, t=SCORE)
    with pytest.raises(InputError, match=r"column 's' holds .*, numbers are wanted"):
        read(path)
    found = read(path, scores=(), all_scores=True)
    assert found.names == ("t",)
    assert set(found.left_out) == {"s"}


def test_labels_of_parquet_that_are_no_text_are_named(tmp_path):
    with pytest.raises(InputError, match=r"column 'y' holds list<.*>, text or numbers are wanted"):
        read(parquet(tmp_path, y=[[1]] * N, s=SCORE))
    with pytest.raises(InputError, match="1 values are missing, the first in row 2"):
        read(parquet(tmp_path, y=pa.array([1.0, np.nan] + [0.0] * (N - 2)), s=SCORE))


def test_a_column_whose_name_begins_another_one_is_read_alone(tmp_path):
    found = read(parquet(tmp_path, **{"y": TRUTH, "s": SCORE, "s.1": -SCORE}))
    assert (found.scores[:, 0] == SCORE).all()


def test_a_class_that_an_arff_file_does_not_declare_is_refused(tmp_path):
    path = tmp_path / "t.arff"
    path.write_text("@relation r\n@attribute y {no,yes}\n@attribute s real\n@data\nno,1\nmaybe,2\nyes,3\n")
    with pytest.raises(
        InputError, match=r"column 'y': 'maybe' in row 2 of the data is not declared; .*'no', 'yes'"
    ):
        read(path, positive="yes")
