"""What was measured, on disk as Parquet: the areas of every task and model, and the frames of tasks by experiment.

Tasks that an experiment measured together have a folder with a file a frame. A task's key is a digest of all that its
frames depend on; a job takes what is there under its key.
"""

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pyarrow as pa

from aucstudy.area_names import AREAS
from aucstudy.errors import InputError
from aucstudy.store.files import digest_of, new_folder, read_checked, write_with_digest
from aucstudy.store.tables import read_parquet, write_parquet

SCORE_COLUMNS = (
    "task_id", "run_id", "flow_name", "aggregation", "n", "n_positive", "prevalence", *AREAS,
    "n_folds_left_out",
)  # fmt: skip
# Without it a file that vanished would be no fault: the other batches have a frame of that name too, and the tables
# would be made of fewer tasks.
LIST = "frames.txt"
KEYS = "keys.json"


def write_scores(scores: pd.DataFrame, path: Path | str) -> None:
    sorted_scores = scores.sort_values(["task_id", "run_id", "aggregation"], kind="stable", ignore_index=True)
    write_parquet(pa.Table.from_pandas(sorted_scores, preserve_index=False), path)


def read_scores(path: Path | str, aggregation: str | None = None) -> pd.DataFrame:
    """Scores of one aggregation or all; InputError where the file is missing, damaged or lacks a column."""
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


def write_frames(
    frames: Mapping[str, pd.DataFrame], folder: Path, keys: Mapping[str, str] | None = None
) -> None:
    """Write frames into a new folder, with the list of their files and each task's key."""
    with new_folder(folder) as temporary:
        for name, frame in frames.items():
            table = pa.Table.from_pandas(frame, preserve_index=False)
            write_parquet(table, temporary / f"{name}.parquet")
        frame_list = "".join(f"{name}.parquet\n" for name in sorted(frames))
        (temporary / LIST).write_text(frame_list, encoding="utf-8")
        (temporary / KEYS).write_text(json.dumps(keys or {}), encoding="utf-8")


def read_frames(folder: Path) -> dict[str, pd.DataFrame]:
    """The frames of a folder by sorted name; InputError where one is damaged, missing or not listed, or the list is."""
    # what is whole stays: a job that measures looks at what is there
    advice = f"delete {folder.parents[1]}/*.json and run the study again"
    paths = sorted(folder.glob("*.parquet"))
    on_disk = {path.name for path in paths}
    try:
        expected_files = set((folder / LIST).read_bytes().decode(errors="replace").split())
    except OSError as error:
        raise InputError(f"{folder / LIST}: cannot be read ({error.strerror}); {advice}") from None
    if unexpected := sorted(expected_files ^ on_disk):
        unlisted, gone = f"is not listed in {LIST}", f"no such file, though {LIST} lists it"
        fault = unlisted if unexpected[0] in on_disk else gone
        raise InputError(f"{folder / unexpected[0]}: {fault}; {advice}")
    return {path.stem: read_parquet(path, advice).to_pandas() for path in paths}


class Measured(NamedTuple):
    """Where a task's frames are, and their key."""

    folder: Path
    key: str


def folder_of(folder: Path, keys: Mapping[str, str]) -> Path:
    """The folder of tasks that are measured together."""
    return folder / digest_of(dict(keys))


def kept_frames(folder: Path, keys: Mapping[str, str]) -> dict[str, Measured]:
    """Of each task what an experiment measured under its key, in folders that are whole."""
    frames = {}
    for path in sorted(folder.glob(f"[!.]*/{KEYS}")):
        try:
            same_keys = json.loads(path.read_bytes()).items() & keys.items()
            if same_keys:
                read_frames(path.parent)
        except (InputError, OSError, ValueError, AttributeError):
            continue
        frames |= {task_id: Measured(path.parent, key) for task_id, key in same_keys}
    return frames


def forget_frames(folder: Path, used: Iterable[Measured]) -> None:
    in_use = {measured.folder for measured in used}
    for path in set(folder.glob("*")) - in_use:
        shutil.rmtree(path, ignore_errors=True)


def write_index(measured: Mapping[str, Mapping[str, Measured]], path: Path) -> None:
    index: dict[str, dict[str, list[str]]] = {name: {} for name in measured}
    for name, tasks in measured.items():
        for task_id, (folder, key) in tasks.items():
            index[name][task_id] = [str(folder.relative_to(path.parent)), key]
    write_with_digest(path, json.dumps(index, indent=1).encode())


def read_indexes(paths: Sequence[Path]) -> dict[str, dict[str, Measured]]:
    """By experiment and task, of all batches, where the frames are."""
    measured: dict[str, dict[str, Measured]] = {}
    for path in paths:
        try:
            index = json.loads(read_checked(path))
        except (OSError, ValueError) as error:
            raise InputError(f"{path}: cannot be read ({error}); delete it and run the study again") from None
        for name, tasks in index.items():
            tasks = {task_id: Measured(path.parent / folder, key) for task_id, (folder, key) in tasks.items()}
            measured.setdefault(name, {}).update(tasks)
    return measured
