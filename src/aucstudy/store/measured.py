"""What was measured, on disk as Parquet: the areas of every task and model, and the frames of a batch of tasks."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa

from aucstudy.area_names import AREAS
from aucstudy.errors import InputError
from aucstudy.store.files import new_folder
from aucstudy.store.tables import read_parquet, write_parquet

SCORE_COLUMNS = (
    "task_id", "run_id", "flow_name", "aggregation", "n", "n_positive", "prevalence", *AREAS,
    "n_folds_left_out",
)  # fmt: skip
# Without it a file that vanished would be no fault: the other batches have a frame of that name too, and the tables
# would be made of fewer tasks.
LIST = "frames.txt"


def write_scores(scores: pd.DataFrame, path: Path | str) -> None:
    ordered = scores.sort_values(["task_id", "run_id", "aggregation"], kind="stable", ignore_index=True)
    write_parquet(pa.Table.from_pandas(ordered, preserve_index=False), path)


def read_scores(path: Path | str, aggregation: str | None = None) -> pd.DataFrame:
    """Read scores, those of one aggregation or all; InputError where the file is missing, damaged or lacks a column."""
    try:
        # Arrow's types say all; what pandas wrote beside them could only contradict them.
        scores = read_parquet(path, "delete it").replace_schema_metadata().to_pandas()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    missing = [name for name in SCORE_COLUMNS if name not in scores]
    if missing:
        raise InputError(f"{path}: column {missing[0]!r} is missing; delete the file")
    if aggregation is None:
        return scores
    return scores[scores["aggregation"] == aggregation].reset_index(drop=True)


def write_frames(frames: Mapping[str, pd.DataFrame], folder: Path) -> None:
    """Write frames by name into a new folder, a file each, and the list of these files."""
    with new_folder(folder) as temporary:
        for name, frame in frames.items():
            table = pa.Table.from_pandas(frame, preserve_index=False)
            write_parquet(table, temporary / f"{name}.parquet")
        listed = "".join(f"{name}.parquet\n" for name in sorted(frames))
        (temporary / LIST).write_text(listed, encoding="utf-8")


def read_frames(folder: Path) -> dict[str, pd.DataFrame]:
    """The frames of a folder by name, in the order of their names.

    InputError where a file is damaged, missing or not listed. A folder without a list, of an earlier version, is taken.
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
