"""Two versions of a table are identical, equal to 1e-9 or different, and a difference is located."""

import gzip

import pytest

from aucstudy.verify import Likeness, compare_tables

TABLE = "task,area,rank\nwine,0.5,1\niris,0.25,2\niris,,3\n"


@pytest.fixture
def compare(tmp_path):
    def compared(recomputed, committed=TABLE):
        for folder, text in (("committed", committed), ("recomputed", recomputed)):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / "t.csv").write_text(text)
        return compare_tables(tmp_path / "committed/t.csv", tmp_path / "recomputed/t.csv")

    return compared


def test_the_same_bytes_are_identical(compare):
    assert compare(TABLE).likeness is Likeness.IDENTICAL


def test_packed_tables_are_compared_by_their_rows(tmp_path):
    for folder, text, level in (("a", TABLE, 9), ("b", TABLE, 1), ("c", TABLE.replace("0.25", "0.3"), 9)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "t.csv.gz").write_bytes(gzip.compress(text.encode(), level, mtime=0))
    packed = [tmp_path / folder / "t.csv.gz" for folder in "abc"]
    assert compare_tables(*packed[:2]).likeness in (Likeness.IDENTICAL, Likeness.EQUAL)
    assert compare_tables(*packed[::2]).likeness is Likeness.DIFFERS


def test_numbers_nearer_than_the_tolerance_are_equal(compare):
    compared = compare(TABLE.replace("0.25", "0.2500000009").replace("0.5", "0.5000000001"))
    assert compared.likeness is Likeness.EQUAL


def test_the_tolerance_is_relative_for_large_numbers(compare):
    assert compare("id,n\na,2000000000001.5\n", "id,n\na,2000000000000.5\n").likeness is Likeness.EQUAL
    assert compare("id,n\na,2000000010000.5\n", "id,n\na,2000000000000.5\n").likeness is Likeness.DIFFERS


@pytest.mark.parametrize(
    ("recomputed", "committed", "said"),
    [
        pytest.param(TABLE.replace("0.25", "0.26"), TABLE, 'column name="area"', id="a number"),
        pytest.param(
            TABLE.replace("iris,,3", "iris,0.1,3"), TABLE, 'column name="area"', id="a missing value"
        ),
        pytest.param(TABLE.replace("wine", "wines"), TABLE, 'column name="task"', id="a text"),
        pytest.param("id,n\na,2\n", "id,n\na,1\n", 'column name="n"', id="a whole number"),
        pytest.param(TABLE + "sonar,0.7,1\n", TABLE, "shape mismatch", id="a row too many"),
        pytest.param("task,area\nwine,0.5\n", "task,rank\nwine,1\n", "columns", id="a column"),
    ],
)
def test_a_difference_is_told_in_one_line_that_names_where_it_is(compare, recomputed, committed, said):
    compared = compare(recomputed, committed)
    assert compared.likeness is Likeness.DIFFERS
    assert said in compared.why
    assert "\n" not in compared.why


def test_rows_in_another_order_are_a_difference(compare):
    assert compare("task,area,rank\niris,0.25,2\niris,,3\nwine,0.5,1\n").likeness is Likeness.DIFFERS
