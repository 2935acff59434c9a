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
    write_table(
        pd.DataFrame({"scope": ["across tasks", "median"], "estimate": [0.5, 0.25]}), tmp_path / "t.csv"
    )
    whole = (tmp_path / "t.csv").read_bytes()
    assert len(study_table(tmp_path, "t")) == 2
    assert study_table(tmp_path, "absent") is None
    for length in (0, 5, len(whole) // 2, len(whole) - 1):
        (tmp_path / "t.csv").write_bytes(whole[:length])
        with pytest.raises(
            InputError, match=r"t\.csv: cut off in its last line; delete it and run the study again"
        ):
            study_table(tmp_path, "t")
