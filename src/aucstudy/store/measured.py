"""Parquet files of what was measured: the metrics of every task and model, and the frames of the experiments.

The files have checksums of their pages, so reading shows that a file is damaged.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa

from aucstudy.errors import InputError
from aucstudy.metrics.registry import METRICS
from aucstudy.store.files import new_folder
from aucstudy.store.tables import read_parquet, write_parquet

SCORE_COLUMNS = (
    "task_id", "run_id", "flow_name", "aggregation", "n", "n_positive", "prevalence", *(entry.key for entry in METRICS),
    "n_folds_left_out",
)  # fmt: skip
REPETITION_MEAN = "repetition_mean"
# The list shows that a frame's file is gone. Without the list, the tables would be made from fewer tasks
# without an error, because the other batches have a frame of that name too.
LIST = "frames.txt"


def write_frame(frame: pd.DataFrame, path: Path | str) -> None:
    write_parquet(pa.Table.from_pandas(frame, preserve_index=False), path, write_page_checksum=True)


def read_frame(path: Path | str, advice: str) -> pd.DataFrame:
    """Return a frame that `write_frame` wrote. Raise the same errors as `read_parquet`."""
    # The metadata of pandas are dropped. Arrow's types are complete, and the metadata could contradict them.
    return read_parquet(path, advice).replace_schema_metadata().to_pandas()


def write_scores(scores: pd.DataFrame, path: Path | str) -> None:
    write_frame(
        scores.sort_values(["task_id", "run_id", "aggregation"], kind="stable", ignore_index=True), path
    )


def read_batches_of_scores(paths: Iterable[Path | str]) -> pd.DataFrame:
    """Return the scores of all batches in one frame, which has no column of flow names yet.

    Batches without tasks are left out, since they must not decide the type of a column.
    """
    frames = [read_frame(path, "delete it and run the study again") for path in paths]
    return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)


def read_scores(path: Path | str, aggregation: str | None = None, *, repeated: bool = False) -> pd.DataFrame:
    """Return the scores of one aggregation, or of all if `aggregation` is None.

    Tasks whose cross-validation has several repetitions are left out, unless `repeated` is true. Then the
    aggregation `repetition_mean` stands for the one that is asked for.

    Raise InputError if the file is missing, is damaged or lacks a column.
    """
    try:
        scores = read_frame(path, "delete it")
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    missing = [name for name in SCORE_COLUMNS if name not in scores]
    if missing:
        raise InputError(f"{path}: column {missing[0]!r} is missing; delete the file")
    is_repetition_mean = scores["aggregation"] == REPETITION_MEAN
    of_repeated_task = scores["task_id"].isin(scores.loc[is_repetition_mean, "task_id"])
    chosen = ~of_repeated_task
    if aggregation is not None:
        chosen &= scores["aggregation"] == aggregation
    if repeated:
        chosen |= is_repetition_mean
    return scores[chosen].reset_index(drop=True)


def write_frames(frames: Mapping[str, pd.DataFrame], folder: Path) -> None:
    """Write frames and the list of their names into a new folder, which replaces an old one."""
    with new_folder(folder) as temporary:
        for name, frame in frames.items():
            write_frame(frame, temporary / f"{name}.parquet")
        (temporary / LIST).write_text("".join(f"{name}\n" for name in sorted(frames)), encoding="utf-8")


def read_frames(folder: Path) -> dict[str, pd.DataFrame]:
    """Return the frames of a folder by their names, in sorted order.

    Raise InputError if a frame or the list of frames is damaged or missing.
    """
    advice = f"delete {folder} and run the study again"
    try:
        names = (folder / LIST).read_text(encoding="utf-8").split()
        return {name: read_frame(folder / f"{name}.parquet", advice) for name in names}
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{folder}: cannot be read ({error}); {advice}") from None
