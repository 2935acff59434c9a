"""The first two jobs of an experiment: measure a batch of tasks, and gather all tasks into tables."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from aucstudy import sources
from aucstudy.experiments.inputs import Study, Task, two_class_tasks
from aucstudy.experiments.registry import EXPERIMENTS
from aucstudy.store.frames import read_frames, write_frames
from aucstudy.store.tables import write_table


def measure(
    name: str,
    store: Path,
    task_ids: Sequence[str],
    folder: Path,
    *,
    settings: Mapping[str, object],
    seed: int,
    source: Mapping | None = None,
    frames_of: Mapping[str, Iterable[Path]] | None = None,
) -> None:
    """Measure some tasks and write their frames, one Parquet file a frame, into a new folder.

    Parameters
    ----------
    source : the configuration of the study's source, where the experiment uses rows.
    frames_of : the folders of the measured batches of other experiments, by name.
    """
    experiment = EXPERIMENTS[name]
    numbers = experiment.load("numbers")
    tasks = two_class_tasks(store)
    groups = tasks.set_index("task_id")["source_group"]
    if experiment.chooses:
        chosen = numbers.choose(tasks, seed=seed, **settings)
        task_ids = [task_id for task_id in task_ids if task_id in chosen]
    load_rows = None
    if source is not None and sources.has_rows(source):
        load_rows = partial(sources.rows, source, seed=seed)
    others = {
        key: defaultdict(partial(frame.head, 0), iter(frame.groupby("task_id", sort=False)))
        for folders in (frames_of or {}).values()
        for key, frame in _frames(folders, task_ids).items()
    }
    measured: dict[str, list[pd.DataFrame]] = {}
    for task_id in task_ids:
        own = {key: by_task[task_id] for key, by_task in others.items()}
        task = Task(store, task_id, groups[task_id], own, load_rows)
        for key, frame in numbers.of_task(task, seed=seed, **settings).items():
            measured.setdefault(key, []).append(frame)
    write_frames({key: _joined(frames) for key, frames in measured.items()}, folder)


def gather(
    name: str,
    store: Path,
    measured: Sequence[Path],
    tables: Mapping[str, Path],
    *,
    settings: Mapping[str, object],
    seed: int,
) -> None:
    """Make an experiment's tables of what was measured.

    Parameters
    ----------
    measured : the folders of all batches.
    tables : the path of each table.
    """
    experiment = EXPERIMENTS[name]
    folder = next(iter(tables.values())).parent
    frames = _frames(measured, None)
    if frames:
        place = {task_id: i for i, task_id in enumerate(two_class_tasks(store)["task_id"])}
        frames = {key: _in_order(frame, place) for key, frame in frames.items()}
    study = Study(store, folder, frames)
    made = experiment.load("numbers").over_all(study, seed=seed, **settings)
    for table, path in tables.items():
        write_table(made[table], path)


def _frames(folders: Iterable[Path], task_ids: Sequence[str] | None) -> dict[str, pd.DataFrame]:
    """The frames of measured batches joined by name, of some tasks or all."""
    by_name: dict[str, list[pd.DataFrame]] = {}
    for folder in map(Path, folders):
        for name, frame in read_frames(folder).items():
            chosen = frame if task_ids is None else frame[frame["task_id"].isin(task_ids)]
            by_name.setdefault(name, []).append(chosen)
    return {name: _joined(frames) for name, frames in by_name.items()}


def _joined(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Frames one below the other; empty ones must not decide the type of a column."""
    return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)


def _in_order(frame: pd.DataFrame, place: Mapping[str, int]) -> pd.DataFrame:
    return frame.sort_values("task_id", key=lambda ids: ids.map(place), kind="stable", ignore_index=True)
