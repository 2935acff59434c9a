"""Tables of predictions: only the columns asked for are read, and what is wrong is told with its place."""

import gzip

import numpy as np
import pandas as pd
import pytest

from aucstudy.errors import InputError
from aucstudy.reading.column_files import Columns, DelimitedFile
from aucstudy.reading.prediction_tables import read_scored_table


def read(path, **options):
    return read_scored_table(
        path, Columns(**{"label": "label", "scores": ["svm"], "positive": "spam", **options})
    )


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "id": range(6),
            "label": ["spam", "ham", "ham", " spam", "ham", "ham"],
            "lr score": [0.9, 0.1, 0.2, 0.8, 0.3, 0.1],
            "svm": [3, -1, -2, 1, 0, -3],
            "note": list("abcdef"),
            "fold": [0, 0, 0, 1, 1, 1],
        }
    )


def test_all_scores_are_the_columns_of_numbers_that_are_no_index(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        columns = Columns(label="label", positive="spam", fold="fold")
        result = read_scored_table(tmp_path / name, columns, all_scores=True)
        assert result.names == ("lr score", "svm")
        assert result.y_true.tolist() == [True, False, False, True, False, False]
        assert (result.positive, result.negative) == ("spam", "ham")
        assert result.folds.tolist() == [0, 0, 0, 1, 1, 1]
        assert result.scores[:, 1].tolist() == [3, -1, -2, 1, 0, -3]


def test_a_column_that_is_not_asked_for_is_not_read(frame, tmp_path):
    text = frame.astype(object).to_csv(index=False).replace(",a,", ',"\xff",')
    (tmp_path / "t.csv").write_bytes(text.encode("latin-1"))
    assert read(tmp_path / "t.csv").scores.shape == (6, 1)


@pytest.mark.parametrize(
    ("change", "options", "refused"),
    [
        ({}, {"scores": ["lr_score"]}, "no column 'lr_score'; did you mean 'lr score'?"),
        ({}, {"label": "Label"}, "no column 'Label'; did you mean 'label'?"),
        ({"row": [1, 2, 3, 4, 4, 5]}, {"row": "row", "fold": "fold"}, "the first is row 5 of the data; each row"),
        ({"svm": ["1", "2", "x", "nan", "5", "6"]}, {}, "2 values are no numbers, the first is 'x' in row 3"),
        ({"label": list("abcabc")}, {"positive": None}, "holds 'a', 'b', 'c': which one is positive?"),
        ({"label": [None, *"abcab"]}, {}, "1 value is missing, in row 1 of the data (line 2 of the file)"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_with_its_place(frame, tmp_path, change, options, refused):
    frame.assign(**change).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(InputError) as error:
        read(tmp_path / "t.csv", **options)
    assert refused in str(error.value)
    assert str(tmp_path / "t.csv") in str(error.value)
    assert "\n" not in str(error.value)


def test_the_same_row_may_stand_in_two_folds(frame, tmp_path):
    frame.assign(row=[1, 2, 3, 1, 2, 3]).to_csv(tmp_path / "t.csv", index=False)
    assert len(read(tmp_path / "t.csv", row="row", fold="fold").y_true) == 6


@pytest.mark.parametrize(
    ("name", "body", "refused"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"\n\n", "is empty"),
        ("a.csv", b"label,svm\n", "no rows of data"),
        ("a.csv", b"\x7fELF\x02\0\0\0" * 1000, "not a table"),
        ("a.csv", b"x" * (1 << 21), "not a table"),
        ("a.parquet", b"PAR1 torn", "not a readable Parquet file"),
        ("a.parquet", b"", "not a readable Parquet file"),
        ("a.arff", b"@relation r\n@attribute label", "no @data line"),
        ("a.arff", b"@relation r\n@attribute label {0,1}\n@attribute svm real\n@data\n0,1\n1\n", "line 6"),
        ("a.csv.gz", gzip.compress(b"label,svm\n1,1\n" * 99)[:-9], "cannot be read"),
        ("a.csv", b"label,svm\n1,2\n0,1,2\n", "not a readable table"),
    ],
    ids=[
        "empty", "empty lines", "header only", "binary", "one long line", "torn Parquet", "empty Parquet", "torn ARFF",
        "short ARFF row", "torn gzip", "ragged",
    ],
)  # fmt: skip
def test_a_file_that_is_no_table_is_told_in_one_line(tmp_path, name, body, refused):
    (tmp_path / name).write_bytes(body)
    with pytest.raises(InputError) as error:
        read(tmp_path / name, positive=None)
    assert refused in str(error.value)
    assert str(error.value).count("\n") == 0
    assert len(str(error.value)) < 500


def test_a_huge_file_that_is_no_table_is_refused_without_reading_it(tmp_path):
    path = tmp_path / "huge.csv"
    with path.open("wb") as stream:
        stream.truncate(2 << 30)  # a hole: it takes no room on the disk
    with pytest.raises(InputError, match="not a table"):
        read(path, positive=None)


def test_scores_come_as_the_nearest_doubles(tmp_path):
    numbers = np.random.default_rng(1).random(200) * 10.0 ** np.arange(-100, 100)
    frame = pd.DataFrame({"label": np.arange(200) % 2, "s": numbers})
    frame.to_csv(tmp_path / "t.csv", index=False, float_format="%.17g")
    result = read(tmp_path / "t.csv", scores=["s"], positive=None)
    assert (result.scores[:, 0] == numbers).all()


def test_a_byte_order_mark_and_windows_lines_are_no_trouble(tmp_path):
    (tmp_path / "t.csv").write_bytes("\ufefflabel,s\r\n1,0.5\r\n0,0.25\r\n".encode())
    assert read(tmp_path / "t.csv", scores=["s"], positive=None).scores.tolist() == [
        [0.5],
        [0.25],
    ]


def test_columns_beyond_the_sampled_bytes_are_not_read_one_by_one(tmp_path, monkeypatch):
    """Of 6,000 columns each alone was read to see whether it holds numbers: minutes."""
    names = [f"m{i}" for i in range(6000)]
    row = ",".join(["0.12345678901234567"] * len(names))
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(["label," + ",".join(names), f"1,{row}", f"0,{row}"]))
    monkeypatch.setattr(DelimitedFile, "_filled", lambda file, name: pytest.fail(f"{name} was read alone"))
    assert len(read_scored_table(path, Columns(label="label"), all_scores=True).names) == len(names)
