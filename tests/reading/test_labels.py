"""Labels: one class has one spelling, and a row without a class is refused."""

import re

import numpy as np
import pandas as pd
import pytest

from aucstudy.errors import InputError
from aucstudy.reading.prediction_tables import Columns, read_scored_table


@pytest.fixture
def read(saved):
    """Return a function that reads a table with each of the given labels ten times."""

    def call(*labels, kind="csv", **options):
        path = saved(pd.DataFrame({"y": [*labels] * 10, "s": range(10 * len(labels))}), kind)
        return read_scored_table(path, Columns(label="y", scores=["s"], **options))

    return call


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("labels", [("0", "1", "1.0"), ("0.0", "0", "+1", "1"), ("-1", "1", "1.")])
def test_numbers_of_equal_value_are_one_class(read, kind, labels):
    result = read(*labels, kind=kind)
    assert result.y_true.sum() == 10 * sum(float(label) == 1 for label in labels)
    assert (result.positive, result.negative) in {("1", "0"), ("1", "-1")}
    assert (read(*labels, kind=kind, positive="1.0").y_true == result.y_true).all()


@pytest.mark.parametrize(
    "labels",
    [("0", "1", "01"), ("true", "false", "TRUE"), ("yes", "no", "'yes'"), ("a", "A"), ("0", "1", "1e0")],
)
@pytest.mark.parametrize("given", [True, False])
def test_other_spellings_of_one_class_are_refused_by_name(read, labels, given):
    with pytest.raises(
        InputError, match=r"column 'y' holds ['\"].*['\"] and ['\"].*['\"], which look like one class"
    ):
        read(*labels, positive=labels[0] if given else None)


@pytest.mark.parametrize("missing", ["NA", "nan", "?", "null"])
def test_a_label_missing_beside_numbers_is_refused_with_its_row(read, missing):
    with pytest.raises(
        InputError, match=rf"10 labels are '{re.escape(missing)}' beside numbers, the first in row 3 of"
    ):
        read("0", "1", missing, positive="1")


def test_a_class_may_be_called_na(read):
    assert read("NA", "SA", positive="NA").y_true.sum() == 10


@pytest.mark.parametrize("labels", [("0", "1", "2"), ("-1", "0", "1"), ("0", "1", "true"), ("a", "b", "c")])
def test_a_third_class_is_refused_unless_one_is_named_and_then_told(read, labels):
    with pytest.raises(InputError, match="which one is positive"):
        read(*labels)
    (note,) = read(*labels, positive="1" if "1" in labels else "b").notes
    assert "all of" in note
    assert "are negative" in note


IDS = {
    "19 digits": [f"123456789012345678{i}" for i in range(10)],
    "hex": ["12e4567", "7e999", "12e4568", "1e2", "100", "1e400"],
    "versions": ["1.1", "1.10", "1.100", "2.0", "2.00"],
    "many digits": ["1" * 5000 + end for end in ("0", "1")],
}


@pytest.mark.parametrize("ending", ["csv", "parquet", "arff"])
@pytest.mark.parametrize(
    ("kind", "different"), [("19 digits", 10), ("hex", 6), ("versions", 4), ("many digits", 2)]
)
def test_ids_are_one_only_where_they_are_the_same_text_or_whole_number(saved, ending, kind, different):
    ids = IDS[kind]
    frame = pd.DataFrame({"y": [0, 1] * len(ids), "s": range(2 * len(ids)), "g": ids + ids[::-1]})
    path = saved(frame, ending)
    for option in ("group", "fold"):
        table = read_scored_table(path, Columns(label="y", scores=["s"], **{option: "g"}))
        assert len(set(table.groups if option == "group" else table.folds)) == different


def test_whole_numbers_of_19_digits_are_rows_and_classes_of_their_own(read, saved):
    frame = pd.DataFrame({"y": [0, 1] * 10, "s": range(20), "row_id": 1234567890123456780 + np.arange(20)})
    for kind in ("csv", "parquet", "arff"):
        row = None if kind == "arff" else "row_id"
        columns = Columns(label="y", scores=["s"], row=row)
        assert len(set(read_scored_table(saved(frame, kind), columns).row_ids)) == 20
    labels = ("1234567890123456780", "1234567890123456781")
    assert read(*labels, positive=labels[1]).y_true.sum() == 10


def test_a_class_that_is_nearly_1_does_not_make_itself_positive(read):
    with pytest.raises(InputError, match="which one is positive"):
        read("0", "1.0000001")
