"""A fixture that writes data frames of pandas as files of any kind."""

import pytest
from pandas.api.types import is_numeric_dtype


@pytest.fixture
def saved(tmp_path):
    """Return a function that writes a frame with labels `y` to a file of an ending and returns its path."""

    def call(frame, ending="csv"):
        path = tmp_path / f"t.{ending}"
        if ending == "parquet":
            frame.to_parquet(path)
        elif ending == "arff":
            kinds = {name: "numeric" if is_numeric_dtype(frame[name]) else "string" for name in frame} | {
                "y": "{0,1}"
            }
            head = "".join(f"@attribute {name} {kind}\n" for name, kind in kinds.items())
            rows = frame.to_csv(index=False, header=False)
            path.write_text(f"% a comment\n@relation r\n{head}@data\n{rows}")
        else:
            frame.to_csv(path, index=False)
        return path

    return call
