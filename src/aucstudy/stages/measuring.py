"""The jobs of an experiment: measure a batch of tasks, gather all tasks into tables, draw the figures."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from aucstudy import sources
from aucstudy.experiments.contract import Experiment
from aucstudy.experiments.inputs import Study, Task, two_class_tasks
from aucstudy.store.measured import read_frames, write_frames
from aucstudy.store.tables import write_table

Settings = Mapping[str, object]
NOTHING = "no task of this study can be measured here"


def measure(
    experiment: Experiment,
    store: Path,
    task_ids: Sequence[str],
    folder: Path,
    *,
    settings: Mapping[str, Settings],
    seed: int,
    source: Mapping | None = None,
    frames_of: Mapping[str, Iterable[Path]] | None = None,
) -> None:
    """Measure some tasks and write their frames, one Parquet file a frame, into a new folder.

    `settings` are those of `of_task` and `choose`; `source` is the study's configuration, where the experiment uses
    rows; `frames_of` has the folders of the measured batches of other experiments, by name.
    """
    room = experiment.load()
    tasks = two_class_tasks(store)
    if "choose" in settings:
        chosen = room.choose(tasks, seed=seed, **settings["choose"])
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
        made = room.of_task(Task(store, task_id, own, load_rows), seed=seed, **settings["of_task"])
        for key, frame in made.items():
            measured.setdefault(key, []).append(frame.assign(task_id=task_id))
    write_frames({key: _joined(frames) for key, frames in measured.items()}, folder)


def gather(
    experiment: Experiment,
    store: Path,
    measured: Sequence[Path],
    tables: Mapping[str, Path],
    *,
    settings: Settings,
    seed: int,
) -> None:
    """Make an experiment's tables of what all batches measured: a frame that is named like a table is one."""
    frames = _frames(measured, None)
    if frames:
        tasks = two_class_tasks(store)
        groups = tasks.set_index("task_id")["source_group"]
        place = {task_id: i for i, task_id in enumerate(tasks["task_id"])}
        frames = {key: _in_order(frame, place) for key, frame in frames.items()}
        frames = {
            key: frame.assign(source_group=frame["task_id"].map(groups)) for key, frame in frames.items()
        }
    empty = {name: pd.DataFrame(columns=list(table.columns)) for name, table in experiment.tables.items()}
    made = empty | {key: frame for key, frame in frames.items() if len(frame) or key not in empty}
    if experiment.has("over_all"):
        study = Study(store, next(iter(tables.values())).parent, made)
        made |= experiment.load().over_all(study, seed=seed, **settings)
    for name, path in tables.items():
        frame = made[name]
        write_table(frame[list(experiment.tables[name].columns)] if len(frame.columns) else empty[name], path)


def draw(
    experiment: Experiment,
    store: Path,
    tables: Path,
    files: Mapping[str, Mapping[str, str]],
    *,
    settings: Mapping[str, Settings],
) -> None:
    """Draw an experiment's figures, each to its files by format; they say so where its first table has no row."""
    from aucstudy.presentation.charts import nothing_drawn, save

    study, room = Study(store, tables), experiment.load()
    empty = experiment.tables and study.table(next(iter(experiment.tables))).empty
    for name, paths in files.items():
        save(nothing_drawn(NOTHING) if empty else getattr(room, name)(study, **settings[name]), paths)


def _frames(folders: Iterable[Path], task_ids: Sequence[str] | None) -> dict[str, pd.DataFrame]:
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
    order = frame["task_id"].map(place).argsort(kind="stable")
    return frame.iloc[order].reset_index(drop=True)
