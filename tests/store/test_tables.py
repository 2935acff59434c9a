"""Tables keep names as they are, and files with long names are written."""

import numpy as np
import pandas as pd
import pytest

from aucstudy.errors import InputError
from aucstudy.store.tables import read_table, study_table, write_table


@pytest.mark.parametrize("name", ["NA", "null", "nan", "None", "N/A", "NaN", "n/a", "1.0", "007"])
def test_a_name_is_never_read_as_missing(tmp_path, name):
    frame = pd.DataFrame({"task_id": [name, ""], "model": [name, "b"], "auroc": [0.5, np.nan]})
    if name in ("1.0", "007"):
        frame = frame.drop(columns="model")
    write_table(frame, tmp_path / "t.csv")
    pd.testing.assert_frame_equal(read_table(tmp_path / "t.csv"), frame)


def test_a_name_of_the_greatest_length_can_be_written(tmp_path):
    path = tmp_path / ("x" * 251 + ".csv")
    write_table(pd.DataFrame({"a": [1]}), path)
    assert read_table(path)["a"].tolist() == [1]
    assert list(tmp_path.iterdir()) == [path]


def test_a_table_of_the_study_that_was_cut_off_is_named(tmp_path):
    path = tmp_path / "t.csv"
    write_table(pd.DataFrame({"scope": ["across tasks", "median"], "estimate": [0.5, 0.25]}), path)
    body, message = path.read_bytes(), r"t\.csv: cut off in its last line; delete it and run the study again"
    assert len(study_table(tmp_path, "t")) == 2
    assert study_table(tmp_path, "absent") is None
    for length in (0, 5, len(body) // 2, len(body) - 1):
        path.write_bytes(body[:length])
        with pytest.raises(InputError, match=message):
            study_table(tmp_path, "t")


def test_a_packed_table_is_the_same_bytes_each_time_and_damage_is_told_in_one_line(tmp_path):
    frame, path = pd.DataFrame({"task_id": ["a", "b"], "x": [0.5, np.nan]}), tmp_path / "t.csv.gz"
    write_table(frame, path)
    body = path.read_bytes()
    write_table(frame, tmp_path / "again.csv.gz")
    assert (tmp_path / "again.csv.gz").read_bytes() == body
    pd.testing.assert_frame_equal(study_table(tmp_path, "t"), frame)
    pd.testing.assert_frame_equal(pd.read_csv(path), frame)
    for damaged in (body[:-9], body[:12] + b"\xff" + body[13:]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"t\.csv\.gz: not a readable CSV table") as refusal:
            read_table(path)
        assert "\n" not in str(refusal.value)
