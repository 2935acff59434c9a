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


@pytest.fixture
def read(saved):
    def call(scores, kind="csv"):
        path = saved(pd.DataFrame({"y": TRUTH, "s": scores}), kind)
        return read_scored_table(path, Columns(label="y", scores=["s"]))

    return call


@pytest.mark.parametrize("kind", ["csv", "parquet", "arff"])
@pytest.mark.parametrize("name", LARGE)
def test_large_integers_rank_as_they_are(read, kind, name):
    result = read(LARGE[name], kind)
    assert areas(result.y_true, result.scores[:, 0]) == areas(TRUTH, LARGE[name])
    assert (result.exact["s"] == LARGE[name]).all()
    thresholds = curve_points(result, "roc", 0)["threshold"][1:]
    assert thresholds.between(int(LARGE[name].min()), int(LARGE[name].max())).all()


def test_large_integers_as_text_of_a_parquet_file_rank_as_they_are(read):
    result = read(LARGE["int64"].astype(str), "parquet")
    assert areas(result.y_true, result.scores[:, 0]) == areas(TRUTH, LARGE["int64"])


def test_large_numbers_that_float64_tells_apart_come_as_they_are(read):
    values = 10.0 ** np.arange(N)
    result = read(values)
    assert (result.scores[:, 0] == values).all()
    assert not result.exact


@pytest.mark.parametrize("other", ["0.5", "1e3", "inf"])
def test_a_large_integer_beside_fractions_is_refused_by_name(read, other):
    with pytest.raises(
        InputError, match=r"column 's': 9007199254740993 in row 2 of the data has too many digits"
    ):
        read([other, str(2**53 + 1)] * (N // 2))


def test_integers_of_more_than_64_bits_that_would_tie_are_refused(read):
    for digits in (30, 45):
        with pytest.raises(InputError, match=r"column 's'.* of at most 64 bits"):
            read([str(10**digits + i) for i in range(N)])
