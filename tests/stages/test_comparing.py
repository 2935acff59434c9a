"""Two versions of a table are identical, equal to 1e-9 or different, and then it is said where."""

import math

import pytest

from aucstudy.stages.comparing import Likeness, compare_tables

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


def test_numbers_nearer_than_the_tolerance_are_equal_and_the_largest_difference_is_kept(compare):
    compared = compare(TABLE.replace("0.25", "0.2500000009").replace("0.5", "0.5000000001"))
    assert compared.likeness is Likeness.EQUAL
    assert compared.largest.row == 2
    assert compared.largest.size == pytest.approx(9e-10)


def test_the_tolerance_is_relative_for_large_numbers(compare):
    assert compare("n\n2000000000001\n", "n\n2000000000000\n").likeness is Likeness.EQUAL
    assert compare("n\n2000000010000\n", "n\n2000000000000\n").likeness is Likeness.DIFFERS


def test_a_difference_names_row_column_and_both_numbers(compare):
    compared = compare(TABLE.replace("0.25", "0.26").replace("0.5", "0.5000000001"))
    assert compared.likeness is Likeness.DIFFERS
    assert str(compared) == (
        "t.csv: other numbers in row 2 of 3; the largest difference: row 2, area: 0.25 committed, 0.26 here"
    )


def test_a_missing_value_is_not_a_number(compare):
    compared = compare(TABLE.replace("iris,,3", "iris,0.1,3"))
    assert compared.likeness is Likeness.DIFFERS
    assert math.isinf(compared.largest.size)


def test_a_row_too_many_does_not_move_the_others(compare):
    compared = compare(TABLE.replace("wine", "sonar,0.7,1\nwine").replace("iris,0.25,2\n", "iris,0.25,2\n"))
    assert compared.likeness is Likeness.DIFFERS
    assert not compared.differences
    assert str(compared) == "t.csv: row 1 only in the one made here"


def test_another_text_is_a_row_of_each_table(compare):
    compared = compare(TABLE.replace("wine", "wines"))
    assert (compared.committed_only, compared.recomputed_only) == ((1,), (1,))


def test_other_columns_and_another_order_of_rows_are_differences(compare):
    assert "the columns are task, area; committed: task, area, rank" in str(compare("task,area\n"))
    moved = compare("task,area,rank\niris,0.25,2\niris,,3\nwine,0.5,1\n")
    assert moved.likeness is Likeness.DIFFERS
    assert str(moved) == "t.csv: the same rows in another order or form"


def test_only_the_first_rows_are_listed(compare):
    many = [f"t{i},{{}}\n" for i in range(8)]
    committed, other = ("task,area\n" + "".join(many).format(*[x] * 8) for x in ("0.1", "0.2"))
    assert "other numbers in 8 rows (1, 2, 3, 4, 5, ...) of 8" in str(compare(other, committed))
