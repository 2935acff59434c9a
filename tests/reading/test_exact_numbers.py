"""Integers that float64 cannot tell apart keep their order, or are refused by name."""

import numpy as np
import pandas as pd
import pytest

from aucstudy.errors import InputError
from aucstudy.metrics import areas
from aucstudy.reading.column_files import Columns
from aucstudy.reading.prediction_tables import read_scored_table
from aucstudy.scoring.tables import curve_points

N = 40
TRUTH = (np.random.default_rng(0).random(N) < 0.5).astype(int)
LARGE = {
    "int64": np.int64(2**62) + np.arange(N),
    "negative": -np.int64(2**60) - np.arange(N),
    "uint64": np.uint64(2**64 - 1) - np.arange(N, dtype=np.uint64),
}


def read(scores, tmp_path, kind="csv"):
    frame, path = pd.DataFrame({"y": TRUTH, "s": scores}), tmp_path / f"t.{kind}"
    if kind == "parquet":
        frame.to_parquet(path)
    else:
        head = "@relation r\n@attribute y {0,1}\n@attribute s numeric\n@data\n" if kind == "arff" else "y,s\n"
        path.write_text(head + frame.to_csv(index=False, header=False))
    return read_scored_table(path, Columns(label="y", scores=["s"]))


@pytest.mark.parametrize("kind", ["csv", "parquet", "arff"])
@pytest.mark.parametrize("name", LARGE)
def test_large_integers_rank_as_they_are(tmp_path, kind, name):
    result = read(LARGE[name], tmp_path, kind)
    assert areas(result.y_true, result.scores[:, 0]) == areas(TRUTH, LARGE[name])
    assert (result.exact["s"] == LARGE[name]).all()
    thresholds = curve_points(result, "roc", 0)["threshold"][1:]
    assert thresholds.between(int(LARGE[name].min()), int(LARGE[name].max())).all()


def test_large_integers_as_text_of_a_parquet_file_rank_as_they_are(tmp_path):
    result = read(LARGE["int64"].astype(str), tmp_path, "parquet")
    assert areas(result.y_true, result.scores[:, 0]) == areas(TRUTH, LARGE["int64"])


def test_large_numbers_that_float64_tells_apart_come_as_they_are(tmp_path):
    values = 10.0 ** np.arange(N)
    result = read(values, tmp_path)
    assert (result.scores[:, 0] == values).all()
    assert not result.exact


@pytest.mark.parametrize("other", ["0.5", "1e3", "inf"])
def test_a_large_integer_beside_fractions_is_refused_by_name(tmp_path, other):
    with pytest.raises(
        InputError, match=r"column 's': 9007199254740993 in row 2 of the data has too many digits"
    ):
        read([other, str(2**53 + 1)] * (N // 2), tmp_path)


def test_integers_of_more_than_64_bits_that_would_tie_are_refused(tmp_path):
    for digits in (30, 45):
        with pytest.raises(InputError, match=r"column 's'.* of at most 64 bits"):
            read([str(10**digits + i) for i in range(N)], tmp_path)
