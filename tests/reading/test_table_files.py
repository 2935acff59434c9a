"""Every kind of file is read as what it says or refused. Nothing is left out or rounded in silence."""

import gzip
import io
import os
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from aucstudy.errors import InputError
from aucstudy.reading import table_files
from aucstudy.reading.prediction_tables import Columns, read_scored_table

N = 300
TRUTH = np.arange(N) % 2
SCORE = np.random.default_rng(0).random(N).round(6)


def read(path, **options):
    return read_scored_table(path, Columns(**{"label": "y", "scores": ["s"], **options}))


@pytest.fixture
def frame():
    return pd.DataFrame({"y": TRUTH, "s": SCORE, "note": "text"})


def written(folder, body, name="t.csv"):
    (folder / name).write_bytes(body if isinstance(body, bytes) else body.encode())
    return folder / name


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("ending", ["csv", "tsv", "txt", "csv.gz"])
def test_commas_tabs_and_semicolons_separate_whatever_the_ending(frame, tmp_path, separator, ending):
    frame.to_csv(tmp_path / f"t.{ending}", index=False, sep=separator)
    assert (read(tmp_path / f"t.{ending}").scores[:, 0] == SCORE).all()


@pytest.mark.parametrize("ending", ["parquet", "parquet.gz", "PQ"])
def test_parquet_is_read_gzipped_or_not(frame, tmp_path, ending):
    body = io.BytesIO()
    frame.to_parquet(body)
    body = body.getvalue()
    path = written(tmp_path, gzip.compress(body) if ending.endswith("gz") else body, f"t.{ending}")
    assert (read(path).scores[:, 0] == SCORE).all()


def test_scores_come_as_the_nearest_doubles(tmp_path):
    numbers = np.random.default_rng(1).random(N) * 10.0 ** np.arange(-N // 2, N // 2)
    frame = pd.DataFrame({"y": TRUTH, "s": numbers})
    frame.to_csv(tmp_path / "t.csv", index=False, float_format="%.17g")
    assert (read(tmp_path / "t.csv").scores[:, 0] == numbers).all()


def test_a_byte_order_mark_windows_lines_and_blanks_are_no_trouble(tmp_path):
    path = written(tmp_path, "\ufeffy,s\r\n 1 , 0.5 \r\n\r\n0,+2.5e-1\r\n")
    assert read(path).scores.tolist() == [[0.5], [0.25]]


@pytest.mark.parametrize("rows", [3, 80_000])
@pytest.mark.parametrize("text", ["a\nba\nb", "a\r\nb", 'he said "x,\ny"'])
@pytest.mark.parametrize("ending", ["csv", "csv.gz"])
def test_line_breaks_in_quotes_are_read_in_files_of_any_size(tmp_path, rows, text, ending):
    frame = pd.DataFrame({"note": text, "y": np.arange(rows) % 2, "s": np.arange(rows) / rows})
    frame.to_csv(tmp_path / f"t.{ending}", index=False)
    assert (read(tmp_path / f"t.{ending}").scores[:, 0] == frame["s"]).all()


@pytest.mark.parametrize(("separator", "ending"), [(";", "csv"), ("\t", "csv"), ("\t", "tsv")])
def test_a_comma_in_a_name_divides_nothing_where_the_rows_have_no_commas(tmp_path, separator, ending):
    path = written(tmp_path, "y|s|net (3, wide)\n1|.5|2\n0|.25|1\n".replace("|", separator), f"t.{ending}")
    assert read(path, scores=()).names == ("s", "net (3, wide)")


@pytest.mark.parametrize("coding", ["utf-16", "utf-32", "utf-8-sig"])
def test_text_of_any_unicode_coding_is_known_by_its_byte_order_mark(tmp_path, coding):
    assert read(written(tmp_path, "y\ts\r\n1\t0,5\r\n0\t0,25\r\n".encode(coding))).scores.tolist() == [
        [0.5],
        [0.25],
    ]


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_line_break_in_the_first_row_does_not_hide_the_separator(frame, tmp_path, separator):
    frame[["note", "y", "s"]].assign(note="one\ntwo").to_csv(tmp_path / "t.csv", index=False, sep=separator)
    assert (read(tmp_path / "t.csv").scores[:, 0] == SCORE).all()


@pytest.mark.parametrize(
    "rows",
    [
        '1,0.5,"a\n0,0.2,b\n1,0.1,c\n',  # The quote never ends.
        '1,0.5,"a\n0,0.2,b\n1,0.1,"c\n0,0.7,d\n',  # The quote ends in another row.
        '1,0.5,"a" b\n0,0.2,c\n',
    ],
)
def test_a_quote_without_its_end_swallows_no_rows(tmp_path, rows):
    with pytest.raises(InputError, match="not a readable table"):
        read(written(tmp_path, f"y,s,note\n{rows}"))


@pytest.mark.parametrize(
    ("body", "raised"),
    [
        ("", "the first line is empty"),
        ("\n\n", "the first line is empty"),
        ("y,s\n", "column 'y': no rows of data"),
        ("y,s\n1,2\n0,1,2\n", "one column has no name, as R's write.table writes"),
        ('"y","s"\n"1",1,0.5\n"2",0,0.1\n', "one column has no name"),
        ("y,s\n1,0,5\n0,0,25\n", "or numbers have decimal commas"),
        ("y,s\n1\n0,1\n", "not a readable table"),
        (
            'y,s\n1,"0,5"\n0,"0,25"\n',
            "column 's': 2 values are no finite numbers, the first is '0,5' in row 1",
        ),
        ("y;s\n1;0,5\n0;0.25\n", "the first is '0,5' in row 1"),
        ("y;s\n1;2.775.000\n0;1.5\n", "the first is '2.775.000' in row 1"),
        ("y,s\n1,0.5\n0,\n", "the first is missing in row 2"),
        ("y,s\n1,0.5\n0,NA\n", "the first is 'NA' in row 2"),
        ("y,s\n1,0.5\n0,nan\n", "the first is 'nan' in row 2"),
        ("y,s\n1,-inf\n0,1\n", "the first is '-inf' in row 1"),
        ("y,s\n1,1e999\n0,1e9999\n", "2 values are no finite numbers"),
        ("y,s\n1,1_0\n0,0x10\n", "2 values are no finite numbers"),
        ("y,s\n1,0.5\n,1\n", "column 'y': 1 values are missing, the first in row 2"),
        ("y,s\n1,0.5\n0\0,0.25\n", "column 'y' holds a NUL byte"),
        ("y,s\n1,0.5\n0,0.25\0\n", "the first is '0.25"),
        ("y,s,s\n1,2,3\n", "2 columns are called 's'"),
        ("y,S\n1,2\n", "no column 's'; did you mean 'S'?"),
        ('y,"a\nb",s\n1,2,3\n', "not a readable table"),
        ("y,s\r1,2\r0,3\r", "not a readable table"),
        ("y,s\n1,0.5\n0,0.7\n".encode("utf-16")[:-1], "not a readable table"),
        ("y,s\n1,0.5\n0,0.7\n".encode("utf-16-le"), "no column 'y'"),
        ("ÿ,s\n".encode("latin-1"), "the first line holds text that is not UTF-8"),
        (
            "y,s\nÿ,1\nn,0\n".encode("latin-1"),
            "column 'y' holds text that is not UTF-8 (but perhaps Latin-1); save the file as UTF-8",
        ),
        ("y,s\n\xe9,0.5\ne,0.7\n".encode("latin-1"), "not UTF-8"),
        (
            b"PK\x03\x04\x14\0\x06\0",
            "is a workbook or another archive, not text; a workbook must be saved as",
        ),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 99, "is a workbook or another archive"),
        ("y;s, of all\n1;0,5\n0;0,25\n", "the values may be divided by ',' or ';'"),
        (b"\x7fELF\x02\0\0\0" * 1000, "no column 'y'"),
    ],
)
def test_what_cannot_be_read_is_refused_by_file_and_column(tmp_path, body, raised):
    path = written(tmp_path, body)
    with pytest.raises(InputError) as error:
        read(path)
    assert raised in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("t.parquet", b"PAR1 torn"),
        ("t.parquet", b""),
        ("t.arff", b"@relation r\n@attribute y"),
        ("t.csv.gz", gzip.compress(b"y,s\n" + b"1,0.5\n0,0.25\n" * 99, mtime=0)[:-9]),
        ("t.csv.gz", b"y,s\n1,0.5\n0,0.2\n"),
        ("t.csv", None),
        ("t.csv", "a folder"),
    ],
)
def test_a_torn_or_missing_file_is_refused(tmp_path, name, body):
    if body == "a folder":
        (tmp_path / name).mkdir()
    elif body is not None:
        written(tmp_path, body, name)
    with pytest.raises(InputError, match=str(tmp_path / name)):
        read(tmp_path / name)


def test_a_column_that_is_not_asked_for_is_not_read(tmp_path):
    assert read(written(tmp_path, b"y,note,s\n1,\xff,2\n0,b,3\n")).scores.tolist() == [[2], [3]]
    result = read(written(tmp_path, b"y,note,s\n1,\xff,2\n0,b,3\n"), scores=())
    assert (result.names, dict(result.left_out)) == (("s",), {"note": "holds no numbers"})


def test_a_column_whose_name_begins_another_one_is_read_alone(tmp_path):
    pq.write_table(pa.table({"y": TRUTH, "s": SCORE, "s.1": -SCORE}), tmp_path / "t.parquet")
    assert (read(tmp_path / "t.parquet").scores[:, 0] == SCORE).all()


def test_a_dash_is_standard_input_and_a_pipe_is_a_file(frame, monkeypatch):
    body = frame.to_csv(index=False).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(body)))
    assert (read("-").scores[:, 0] == SCORE).all()
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"):
        feeder = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=writing)
        os.close(writing)
        feeder.communicate(body)
        assert (read(f"/dev/fd/{reading}").scores[:, 0] == SCORE).all()
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        read("-")


@pytest.mark.parametrize("change", ["appended", "gone", "rewritten"])
def test_a_file_that_changes_while_it_is_read_is_refused(frame, saved, monkeypatch, change):
    path, whole = saved(frame), table_files._whole

    def and_then_changed(given):
        body = whole(given)
        path.unlink() if change == "gone" else saved(frame if change == "appended" else frame[:-1])
        if change == "appended":
            with path.open("a") as stream:
                stream.write("1,0.5,\n")
        return body

    monkeypatch.setattr(table_files, "_whole", and_then_changed)
    with pytest.raises(InputError, match="was changed while it was read"):
        read(path)


LARGE = {
    "int64": np.int64(2**62) + np.arange(N),
    "uint64": np.uint64(2**64 - 1) - np.arange(N, dtype=np.uint64),
    "text": [str(10**30 + i) for i in range(N)],
    "decimals": [Decimal(f"1.{i:025}") for i in range(N)],
    "beside a fraction": ["0.5", str(2**53), str(2**53 + 1), *map(str, range(N - 3))],
    "text of 18 digits": [f"0.{123456789012345678 + i}" for i in range(N)],
    "text below all doubles": [*map(str, range(N - 2)), "3e-390", "2e-395"],
}


@pytest.mark.parametrize("ending", ["csv", "parquet", "arff"])
@pytest.mark.parametrize("kind", LARGE)
def test_numbers_that_float64_would_tie_are_refused(saved, kind, ending):
    with pytest.raises(InputError, match="column 's': float64 ties numbers that differ"):
        read(saved(pd.DataFrame({"y": TRUTH, "s": LARGE[kind]}), ending))


def test_the_row_of_a_number_that_float64_ties_is_given(tmp_path):
    path = written(tmp_path, "y,s\n1,5e-390\n0,5e-390\n0,1\n1,7e-390\n")
    with pytest.raises(InputError, match="'7e-390' in row 4 of the data and one in an earlier row"):
        read(path)


@pytest.mark.parametrize("zeros", [0, 9])
def test_one_number_in_several_spellings_is_no_tie(tmp_path, zeros):
    path = written(
        tmp_path, f"y,s\n1,0.1234567890123456{'0' * zeros}\n0,0.1234567890123456\n0,1e-400\n1,10e-401\n"
    )
    values = [0.1234567890123456, 0.1234567890123456, 0, 0]
    assert read(path).scores[:, 0].tolist() == values


@pytest.mark.parametrize("ending", ["csv", "parquet", "arff"])
def test_large_numbers_that_float64_tells_apart_come_as_they_are(saved, ending):
    values = np.sort(np.concatenate([10.0 ** np.arange(N - 1), [2.0**53]]))
    assert (read(saved(pd.DataFrame({"y": TRUTH, "s": values}), ending)).scores[:, 0] == values).all()


@pytest.mark.parametrize(
    "scores",
    [
        pa.array([Decimal(f"{value:.6f}") for value in SCORE], pa.decimal128(20, 6)),
        pa.array(SCORE).dictionary_encode(),
        pa.array(map(str, SCORE)),
        pa.array(map(str, SCORE), pa.large_string()),
        pa.array(map(str, SCORE), pa.string_view()),
    ],
    ids=["decimal", "dictionary", "text", "large text", "text view"],
)
def test_every_type_of_parquet_that_holds_numbers_is_read_where_it_is_named(tmp_path, scores):
    pq.write_table(pa.table({"y": TRUTH, "s": scores}), tmp_path / "t.parquet")
    assert (read(tmp_path / "t.parquet").scores[:, 0] == SCORE).all()


@pytest.mark.parametrize(
    "value", [pd.Timestamp("2020-01-01"), pd.Timedelta("1D"), b"x", [1.0], {"a": 1}], ids=str
)
def test_times_and_nested_values_of_parquet_are_no_scores(tmp_path, value):
    pq.write_table(pa.table({"y": TRUTH, "s": SCORE, "t": [value] * N}), tmp_path / "t.parquet")
    result = read(tmp_path / "t.parquet", scores=())
    assert result.names == ("s",)
    assert result.left_out["t"].startswith("holds ")
    with pytest.raises(InputError, match="column 't': no numbers"):
        read(tmp_path / "t.parquet", scores=["t"])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_of_one_name_are_refused_where_they_are_wanted(tmp_path, ending):
    columns = [pa.array([0, 1] * 10), pa.array(range(20)), pa.array(range(20)), pa.array(["a"] * 20)]
    table = pa.table(columns, names=["y", "s", "s", "t"])
    path = tmp_path / f"t.{ending}"
    pq.write_table(table, path) if ending == "parquet" else csv.write_csv(table, path)
    for options in ({}, {"scores": ()}):
        with pytest.raises(InputError, match="2 columns are called 's'; one is needed"):
            read(path, **options)
    table = table.rename_columns(["y", "t", "t", "s"])
    pq.write_table(table, path) if ending == "parquet" else csv.write_csv(table.drop_columns("s"), path)
    assert read(path, scores=["y"]).scores.shape == (20, 1)


def test_a_cell_of_numbers_that_is_no_text_in_utf_8_is_refused_as_such(tmp_path):
    path = written(tmp_path, b"y,s\n1,0.5\n0,\xff\n")
    with pytest.raises(InputError, match="column 's' holds text that is not UTF-8"):
        read(path)
