"""The work for one experiment: measure a batch of tasks, gather all batches into tables, draw figures."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd

from aucstudy import sources
from aucstudy.estimates import estimates_of, joined, read_estimates
from aucstudy.experiments.contract import Experiment, why_empty
from aucstudy.experiments.inputs import Study, Task, usable_tasks
from aucstudy.figures import charts
from aucstudy.store.batches import read_batch
from aucstudy.store.measured import read_frames
from aucstudy.store.tables import TooFewRows, write_table
from aucstudy.store.task_store import read_tasks

Settings = Mapping[str, object]
ESTIMATES = "estimates"


def measure(
    experiment: Experiment,
    batch: Path,
    *,
    settings: Mapping[str, Settings],
    seed: int,
    source: Mapping | None = None,
    frames_of: Sequence[Path] = (),
) -> dict[str, pd.DataFrame]:
    """Return the frames that an experiment measures on a batch of tasks, by name.

    Parameters
    ----------
    batch : the batch's file in a task store.
    settings : the keyword arguments of the experiment's functions `of_task` and `choose`.
    source : the configuration of the study, if the experiment uses the rows of its tasks.
    frames_of : the folders of the frames that other experiments measured on this batch.
    """
    store, module = batch.parents[1], experiment.load()
    tasks = usable_tasks(read_batch(batch))
    if "choose" in settings:
        chosen = module.choose(usable_tasks(read_tasks(store)), seed=seed, **settings["choose"])
        tasks = tasks[tasks["task_id"].isin(chosen)]
    load_rows = None
    if source is not None and sources.has_rows(source):
        load_rows = partial(sources.rows, source, seed=seed)
    read = {key: frame for folder in frames_of for key, frame in read_frames(folder).items()}
    measured: dict[str, list[pd.DataFrame]] = defaultdict(list)
    for facts in tasks.to_dict("records"):
        task_id = facts["task_id"]
        frames = {key: frame[frame["task_id"] == task_id] for key, frame in read.items()}
        task = Task(store, facts, frames, load_rows)
        for key, frame in module.of_task(task, seed=seed, **settings["of_task"]).items():
            measured[key].append(frame.assign(task_id=task_id))
    return {key: _joined(frames) for key, frames in measured.items()}


def make_tables(
    experiment: Experiment,
    store: Path,
    measured: Iterable[Path],
    tables: Path,
    *,
    settings: Mapping[str, Settings],
    seed: int,
    weight: str,
    estimates: Path | None = None,
) -> None:
    """Make an experiment's tables and archives in the folder `tables`, from the frames of all batches.

    A table that the experiment's `over_all` does not make is the frame of the same name. If the experiment has
    quantities, their estimates are written to the file `estimates`.
    """
    frames = _gathered(store, measured)
    heads = {name: pd.DataFrame(columns=columns) for name, columns in experiment.columns.items()}
    tables_made = heads | {key: frame for key, frame in frames.items() if len(frame) or key not in heads}
    study = Study(store, tables, tables_made, experiment.repeated, weight=weight)
    # An experiment that only draws has no such file.
    module = experiment.load() if experiment.file.exists() else None
    if experiment.has("by_task"):
        tables_made |= module.by_task(study, seed=seed, **settings["by_task"])
    if estimates is not None:
        part = estimates_of(experiment.name, module.QUANTITIES, tables_made, study.tasks, seed=seed)
        study = replace(study, frames=tables_made, estimates=part)
        write_table(part, estimates)
    if experiment.has("over_all"):
        tables_made |= module.over_all(study, seed=seed, **settings["over_all"])
    for name, file in experiment.files.items():
        frame = tables_made[name]
        write_table(frame[experiment.columns[name]] if len(frame.columns) else heads[name], tables / file)


def _gathered(store: Path, measured: Iterable[Path]) -> dict[str, pd.DataFrame]:
    """Return the frames of all batches by name, in the order of tasks.csv, with each task's source group."""
    by_name: dict[str, list[pd.DataFrame]] = defaultdict(list)
    for folder in measured:
        for name, frame in read_frames(folder).items():
            by_name[name].append(frame)
    if not by_name:
        return {}
    groups = usable_tasks(read_tasks(store)).set_index("task_id")["source_group"]
    order = {task_id: i for i, task_id in enumerate(groups.index)}
    frames = {}
    for name, parts in by_name.items():
        frame = _joined(parts)
        rows = frame.iloc[frame["task_id"].map(order).argsort(kind="stable")].reset_index(drop=True)
        frames[name] = rows.assign(source_group=rows["task_id"].map(groups))
    return frames


def _joined(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return the frames one below the other.

    Empty ones are left out, since they must not decide the type of a column.
    """
    return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)


def draw(
    experiment: Experiment,
    declared: Mapping[str, Experiment],
    store: Path,
    tables: Path,
    figures: Path,
    *,
    settings: Mapping[str, Settings],
    weight: str,
    brings_models: bool = False,
    estimates: Sequence[Path] = (),
) -> None:
    """Draw each of an experiment's figures as PNG and SVG.

    `estimates` are the files of the experiment's estimates and of those that it reads. If a table has too few rows,
    the files contain the reason why there is no figure.
    """
    of_experiments = joined(map(read_estimates, estimates))
    study = Study(
        store,
        tables,
        repeated=experiment.repeated,
        estimates=of_experiments,
        weight=weight,
        brings_models=brings_models,
    )
    drawings = experiment.load_drawings()
    for name in experiment.figures:
        try:
            for table in list(experiment.tables)[:1]:
                study.rows(table)
            figure = getattr(drawings, name)(study, **settings[name])
        except TooFewRows as missing:
            figure = _why_not_drawn(experiment, declared, study, missing)
        charts.save(figure, {kind: str(figures / f"{name}.{kind}") for kind in ("png", "svg")})


def _why_not_drawn(
    experiment: Experiment, declared: Mapping[str, Experiment], study: Study, missing: TooFewRows
) -> str:
    if missing.table == ESTIMATES:
        has_estimates = (study.estimates["experiment"] == experiment.name).any()
        return str(missing) if has_estimates else experiment.empty
    return why_empty(missing.table, declared) if study.table(missing.table).empty else str(missing)
