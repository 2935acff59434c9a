"""Numbers in text are read in one way a column, or refused where two ways fit."""

import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from aucstudy.errors import InputError
from aucstudy.reading.prediction_tables import Columns, read_scored_table
from aucstudy.reading.table_files import table_of
from aucstudy.reading.written_numbers import PLAIN, decimal_sign, finite_numbers, seem_numbers


def read(folder, cells, separator=";", **options):
    """Return the scores of a file with a column `s` of these cells."""
    path = folder / "t.csv"
    quote = '"' if separator == "," else ""
    rows = [f"{i % 2}{separator}{quote}{cell}{quote}" for i, cell in enumerate(cells)]
    path.write_text("\n".join([f"y{separator}s", *rows]) + "\n")
    return read_scored_table(path, Columns(label="y", **options)).scores[:, 0].tolist()


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["0,5", "-,25", "3", "+1,5E-05"], [0.5, -0.25, 3, 1.5e-5]),
        (["4.321,5", "1,5", "7.654.321"], [4321.5, 1.5, 7654321]),
        (["4,321.5", "1.5", "7,654,321"], [4321.5, 1.5, 7654321]),
        (["4\u00a0321,5", "1,5", "\u00a02\u202f000"], [4321.5, 1.5, 2000]),
        (["12,5 %", "7%", "100\u00a0%"], [0.125, 0.07, 1]),
        (["[0.5]", "[ 1 ]"], [0.5, 1]),
        (["2,345", "0,5"], [2.345, 0.5]),
        (["0,345", "1"], [0.345, 1]),
        (["1234,567", "1"], [1234.567, 1]),
        (["2.345", "0.5"], [2.345, 0.5]),
        (["2.345", "9999"], [2.345, 9999]),
        (["2,345", "9999"], [2.345, 9999]),
        (["12", "999"], [12, 999]),
    ],
)
@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_column_is_read_where_one_way_fits_all_of_its_cells(tmp_path, cells, values, separator):
    assert read(tmp_path, cells, separator) == values


@pytest.mark.parametrize(
    ("cells", "decimal", "values"),
    [
        (["2,345", "17"], ",", [2.345, 17]),
        (["2,345", "17"], ".", [2345, 17]),
        (["2.345", "17"], ",", [2345, 17]),
        (["2.345", "17"], ".", [2.345, 17]),
    ],
)
@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_column_that_fits_two_readings_is_refused_and_the_option_decides(
    tmp_path, cells, decimal, values, separator
):
    told = rf"column 's': '{cells[0]}' in row 1 of the data fits two readings, .*; give --decimal , or --decimal \."
    with pytest.raises(InputError, match=told):
        read(tmp_path, cells, separator)
    assert read(tmp_path, cells, separator, decimal=decimal) == values


def test_another_column_shows_the_decimal_sign_of_the_file(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("y;a;b\n1;2,345;0,5\n0;17;0,25\n")
    assert read_scored_table(path, Columns("y")).scores.tolist() == [[2.345, 0.5], [17, 0.25]]
    path.write_text("y;a;b;c\n1;2.345;0.5;x\n0;17;0.25;1,5\n")
    assert read_scored_table(path, Columns("y", ["a", "b"])).scores.tolist() == [[2.345, 0.5], [17, 0.25]]
    path.write_text("y;a;b;c\n1;2,345;0,5;0.5\n0;17;0,25;0.5\n")
    with pytest.raises(InputError, match="column 'a': '2,345' in row 1 of the data fits two readings"):
        read_scored_table(path, Columns("y"))
    # A point between thousands is read only where a cell holds both signs.
    path.write_text("y;a;b\n1;2.345;0,5\n0;17;0,25\n")
    with pytest.raises(InputError, match=r"column 'a': '2\.345' in row 1 of the data fits two readings"):
        read_scored_table(path, Columns("y"))


@pytest.mark.parametrize(
    ("cells", "separator", "told"),
    [
        (["0,5", "0.25"], ";", "1 values are no finite numbers, the first is '0,5' in row 1"),
        (["0,5", "0,25"], ",", "the first is '0,5' in row 1 of the data; --decimal , reads decimal commas"),
        (["0,5", "n. a."], ";", "1 values are no finite numbers, the first is 'n. a.' in row 2"),
        (["0,5", ""], ";", "the first is missing in row 2"),
        (["5%", "7"], ";", "the first is '5%' in row 1"),
        (["[1]", "7"], ";", r"the first is '\[1\]' in row 1"),
        (["7.654.321", "17"], ";", r"the first is '7\.654\.321' in row 1"),
        (["4.321,5", "43.21,5"], ";", r"the first is '43\.21,5' in row 2"),
        (["2,345", "2,346"], ",", "'2,345' in row 1 of the data fits two readings"),
        (["1 234", "17"], ";", "the first is '1 234' in row 1"),
        (["1'234", "17"], ";", "in row 1"),
        (["1e-3%", "2%"], ";", "the first is '1e-3%' in row 1"),
    ],
)
def test_what_is_not_read_is_refused_by_column_row_and_cell(tmp_path, cells, separator, told):
    with pytest.raises(InputError, match=f"column 's': .*{told}"):
        read(tmp_path, cells, separator)


def test_a_file_of_a_spreadsheet_in_europe_is_read_as_the_same_file_with_points(tmp_path):
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(
        {"y": np.arange(90) % 2, "age": rng.integers(20, 90, 90), "net": rng.normal(size=90).round(4)}
    )
    path = tmp_path / "t.csv"
    text = frame.to_csv(index=False, sep=";", decimal=",", lineterminator="\r\n")
    path.write_bytes(("\ufeff" + text).encode())
    result = read_scored_table(path, Columns("y"))
    assert result.names == ("age", "net")
    assert (result.scores == frame[["age", "net"]]).all(axis=None)


@pytest.mark.parametrize("cells", [["0,5", "0,25"], ["1 234", "17"], ["5%", "7"], ["1'000", "2'000"]])
def test_a_column_that_looks_like_numbers_is_never_left_out(tmp_path, cells):
    path = tmp_path / "t.csv"
    path.write_text("y,age,s\n" + "".join(f'{i},{20 + i},"{cell}"\n' for i, cell in enumerate(cells)))
    with pytest.raises(InputError, match=r"column 's'.*or name the models with --score"):
        read_scored_table(path, Columns("y"))
    assert read_scored_table(path, Columns("y", ["age"])).names == ("age",)


@pytest.mark.parametrize("frame", [pd.DataFrame, pa.table])
def test_text_of_a_frame_that_looks_like_numbers_is_never_left_out(frame):
    columns = {"y": [0, 1], "age": [30, 40]}
    with pytest.raises(InputError, match="column 's': holds text that looks like numbers, such as '0,5'"):
        read_scored_table(table_of("frame", frame({**columns, "s": ["0,5", "0,25"]})), Columns("y"))
    codes = frame({**columns, "place": ["01234", "20000"], "day": ["01.02.2020", "03.04.2020"]})
    assert dict(read_scored_table(table_of("frame", codes), Columns("y")).left_out) == dict.fromkeys(
        ("place", "day"), "holds text"
    )


def test_dates_versions_and_ranges_do_not_look_like_numbers():
    texts = pa.chunked_array([["2020-01-02", "01.02.2020", "1.2.3", "10-20", "12:30", "3+", "a1", "", None]])
    assert not any(seem_numbers(texts).to_pylist())


@pytest.mark.parametrize(
    ("cells", "sign"),
    [(["0,5", ""], ","), (["0.5"], "."), (["1", "2,345"], None), (["0,5", "a"], None), ([], None)],
)
def test_a_column_shows_a_decimal_sign_only_if_all_of_its_cells_agree(cells, sign):
    assert decimal_sign(pa.chunked_array([pa.array(cells, pa.string())])) == sign


def test_what_is_read_without_the_pattern_of_plain_numbers_fits_it():
    rng = np.random.default_rng(0)
    signs = np.array(list("0123.eE+-naif xXpP_,dD\t"))
    texts = ["".join(rng.choice(signs, rng.integers(7))) for _ in range(10_000)]
    read = [text for text in texts if finite_numbers(pa.chunked_array([[text]])) is not None]
    assert len(read) > 200
    assert all(re.fullmatch(PLAIN.strip("^$"), text) for text in read)
