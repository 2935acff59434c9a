"""Labels: one class has one spelling, and a row without a class is refused."""

import re

import pandas as pd
import pytest

from aucstudy.errors import InputError
from aucstudy.reading.prediction_tables import read_scored_table


@pytest.fixture
def read(tmp_path):
    """A function that reads a table of the given labels, each of them ten times."""

    def call(*labels, kind="csv", **options):
        frame = pd.DataFrame({"y": [*labels] * 10, "s": range(10 * len(labels))})
        path = tmp_path / f"t.{kind}"
        frame.to_parquet(path) if kind == "parquet" else frame.to_csv(path, index=False)
        return read_scored_table(path, label="y", scores=["s"], **options)

    return call


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("labels", [("0", "1", "1.0"), ("0.0", "0", "+1", "1"), ("-1", "1", "1e0")])
def test_numbers_of_equal_value_are_one_class(read, kind, labels):
    result = read(*labels, kind=kind)
    assert result.y_true.sum() == 10 * sum(float(label) == 1 for label in labels)
    assert (result.positive, result.negative) in {("1", "0"), ("1", "-1")}
    assert (read(*labels, kind=kind, positive="1.0").y_true == result.y_true).all()


@pytest.mark.parametrize(
    "labels", [("0", "1", "01"), ("true", "false", "TRUE"), ("yes", "no", "'yes'"), ("a", "A")]
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
