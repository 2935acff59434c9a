"""What was measured on a batch of tasks: a folder with a Parquet file a frame, and the list of these files.

Without the list a file that vanished would be no fault: the other batches have a frame of that name too, and the
tables would be made of fewer tasks.
"""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa

from aucstudy.errors import InputError
from aucstudy.store.folders import new_folder
from aucstudy.store.parquet import read_parquet, write_parquet

LIST = "frames.txt"


def write_frames(frames: Mapping[str, pd.DataFrame], folder: Path) -> None:
    """Write frames by name into a new folder."""
    with new_folder(folder) as temporary:
        for name, frame in frames.items():
            table = pa.Table.from_pandas(frame, preserve_index=False)
            write_parquet(table, temporary / f"{name}.parquet")
        listed = "".join(f"{name}.parquet\n" for name in sorted(frames))
        (temporary / LIST).write_text(listed, encoding="utf-8")


def read_frames(folder: Path) -> dict[str, pd.DataFrame]:
    """The frames of a folder by name, in the order of their names.

    Raises
    ------
    InputError
        A file is damaged, missing or not listed. A folder without a list, of an earlier version, is taken as it is.
    """
    advice = f"delete {folder} and run the study again"
    paths = sorted(folder.glob("*.parquet"))
    there = {path.name for path in paths}
    try:
        listed = set((folder / LIST).read_bytes().decode(errors="replace").split())
    except FileNotFoundError:
        listed = there
    if odd := sorted(listed ^ there):
        fault = f"is not listed in {LIST}" if odd[0] in there else f"no such file, though {LIST} lists it"
        raise InputError(f"{folder / odd[0]}: {fault}; {advice}")
    return {path.stem: read_parquet(path, advice).to_pandas() for path in paths}
