"""Tables keep names as they are, and files with long names are written."""

import numpy as np
import pandas as pd
import pytest

from aucstudy.store.tables import read_table, write_table


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
