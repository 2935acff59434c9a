"""Two versions of a table are identical, equal to 1e-9 or different, and then it is said where."""

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
    assert str(compare_tables(*packed[::2])).startswith("t.csv.gz: row 2 of 3 with other cells")


def test_numbers_nearer_than_the_tolerance_are_equal_and_the_largest_difference_is_kept(compare):
    compared = compare(TABLE.replace("0.25", "0.2500000009").replace("0.5", "0.5000000001"))
    assert compared.likeness is Likeness.EQUAL
    assert compared.largest.row == 2
    assert compared.largest.size == pytest.approx(9e-10)


def test_the_tolerance_is_relative_for_large_numbers(compare):
    assert compare("id,n\na,2000000000001\n", "id,n\na,2000000000000\n").likeness is Likeness.EQUAL
    assert compare("id,n\na,2000000010000\n", "id,n\na,2000000000000\n").likeness is Likeness.DIFFERS


def test_a_difference_names_row_column_and_both_numbers(compare):
    compared = compare(TABLE.replace("0.25", "0.26").replace("0.5", "0.5000000001"))
    assert compared.likeness is Likeness.DIFFERS
    assert str(compared) == (
        "t.csv: row 2 of 3 with other cells; the largest: row 2, area: 0.25 committed, 0.26 here"
    )


@pytest.mark.parametrize(("before", "after"), [("", "0.1"), ("0.1; 0.2", "0.1; 0.3")])
def test_a_missing_value_and_another_text_are_differences_without_a_size(compare, before, after):
    compared = compare(f"id,here\na,1\nb,{after}\n", f"id,here\na,1\nb,{before}\n")
    assert compared.likeness is Likeness.DIFFERS
    assert compared.largest is None
    assert (
        str(compared)
        == f"t.csv: row 2 of 2 with other cells; the first: row 2, here: {before} committed, {after} here"
    )


def test_whole_numbers_are_part_of_the_key_only_where_rows_need_them(compare):
    committed = "first,rank,count\na,1,5\na,2,7\na,3,9\n"
    compared = compare("first,rank,count\na,1,5\na,3,8\n", committed)
    assert compared.committed_only == (2,)
    assert [(difference.row, difference.column) for difference in compared.differences] == [(3, "count")]


def test_a_row_too_many_does_not_move_the_others(compare):
    compared = compare(TABLE.replace("wine", "sonar,0.7,1\nwine"))
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
    assert "8 rows (1, 2, 3, 4, 5, ...) of 8 with other cells" in str(compare(other, committed))
