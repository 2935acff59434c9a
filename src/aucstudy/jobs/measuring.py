"""What the jobs do for one experiment: measure tasks, and gather all tasks into tables."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from aucstudy import sources
from aucstudy.experiments.contract import Experiment
from aucstudy.experiments.inputs import Study, Task, two_class_tasks
from aucstudy.store.measured import read_frames
from aucstudy.store.tables import write_table

Settings = Mapping[str, object]


def measure(
    experiment: Experiment,
    store: Path,
    task_ids: Sequence[str],
    *,
    settings: Settings,
    seed: int,
    source: Mapping | None = None,
    frames_of: Mapping[str, Mapping[str, Path]] | None = None,
) -> dict[str, pd.DataFrame]:
    """The frames of some tasks that an experiment measures, by name.

    `source` is the configuration of a study whose rows are used; `frames_of` has the folder of each task's frames of
    other experiments.
    """
    of_task, load_rows = experiment.load().of_task, None
    if source is not None and sources.has_rows(source):
        load_rows = partial(sources.rows, source, seed=seed)
    frames_read = {
        key: defaultdict(partial(frame.head, 0), iter(frame.groupby("task_id", sort=False)))
        for folders in (frames_of or {}).values()
        for key, frame in _frames({task_id: folders[task_id] for task_id in task_ids}).items()
    }
    measured: dict[str, list[pd.DataFrame]] = defaultdict(list)
    for task_id in task_ids:
        frames = {key: by_task[task_id] for key, by_task in frames_read.items()}
        for key, frame in of_task(Task(store, task_id, frames, load_rows), seed=seed, **settings).items():
            measured[key].append(frame.assign(task_id=task_id))
    return {key: _joined(frames) for key, frames in measured.items()}


def chosen(
    experiment: Experiment,
    tasks: pd.DataFrame,
    task_ids: Sequence[str],
    settings: Mapping[str, Settings],
    seed: int,
) -> list[str]:
    if "choose" not in settings:
        return list(task_ids)
    chosen_ids = set(experiment.load().choose(tasks, seed=seed, **settings["choose"]))
    return [task_id for task_id in task_ids if task_id in chosen_ids]


def gather(
    experiment: Experiment,
    store: Path,
    measured: Mapping[str, Path],
    tables: Mapping[str, Path],
    *,
    settings: Settings,
    seed: int,
) -> None:
    """Make an experiment's tables and archives of the frames in each task's folder: of one, where it has the name."""
    frames = _frames(measured)
    if frames:
        tasks = two_class_tasks(store)
        groups = tasks.set_index("task_id")["source_group"]
        order = {task_id: i for i, task_id in enumerate(tasks["task_id"])}
        for key, frame in frames.items():
            rows = frame.iloc[frame["task_id"].map(order).argsort(kind="stable")].reset_index(drop=True)
            frames[key] = rows.assign(source_group=rows["task_id"].map(groups))
    heads = {name: pd.DataFrame(columns=columns) for name, columns in experiment.columns.items()}
    tables_made = heads | {key: frame for key, frame in frames.items() if len(frame) or key not in heads}
    if experiment.has("over_all"):
        study = Study(store, next(iter(tables.values())).parent, tables_made)
        tables_made |= experiment.load().over_all(study, seed=seed, **settings)
    for name, path in tables.items():
        frame = tables_made[name]
        write_table(frame[experiment.columns[name]] if len(frame.columns) else heads[name], path)


def _frames(measured: Mapping[str, Path]) -> dict[str, pd.DataFrame]:
    """The frames of tasks by name, each from the folder of the task: a folder may have older frames of others."""
    tasks: dict[Path, list[str]] = defaultdict(list)
    for task_id, folder in measured.items():
        tasks[folder].append(task_id)
    by_name: dict[str, list[pd.DataFrame]] = defaultdict(list)
    for folder, task_ids in tasks.items():
        for name, frame in read_frames(folder).items():
            by_name[name].append(frame[frame["task_id"].isin(task_ids)])
    return {name: _joined(frames) for name, frames in by_name.items()}


def _joined(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Frames one below the other; empty ones must not decide the type of a column."""
    return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)
