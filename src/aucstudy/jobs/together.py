"""The jobs of experiments, several in a job.

What an earlier run made of the same code, settings, seed, data and libraries is kept; a job computes the rest.
"""

import logging
from collections.abc import Mapping, Sequence
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from aucstudy.experiments.contract import STUDY_FILES, Experiment, why_empty, with_what_they_read
from aucstudy.experiments.inputs import Study, two_class_tasks
from aucstudy.figures import charts
from aucstudy.jobs.job import Attempts
from aucstudy.jobs.measuring import Settings, chosen, gather, measure
from aucstudy.store.files import digest_of, file_digest, kept_or_made
from aucstudy.store.measured import Measured, folder_of, forget_frames, kept_frames, write_frames
from aucstudy.store.tables import TooFewRows
from aucstudy.store.task_store import predictions_path

# with another version of one of them everything is made anew
LIBRARIES = ("numpy", "scipy", "numba", "pandas", "scikit-learn", "matplotlib")
KINDS = ("png", "svg")
logger = logging.getLogger(__name__)


class Run(NamedTuple):
    """What an experiment in a job is computed with.

    Attributes
    ----------
    code : the digest of the code that is run.
    settings : by function and name.
    rows : see `sources.rows_config`.
    """

    code: str
    settings: Mapping[str, Settings]
    seed: int
    reads: Sequence[str] = ()
    rows: Mapping | None = None


class Folders(NamedTuple):
    data: Path
    tables: Path
    figures: Path

    @classmethod
    def of(cls, study: str) -> "Folders":
        results = Path("results", study)
        return cls(Path("data", study), results / "tables", results / "figures")


def measure_together(
    declared: Mapping[str, Experiment],
    runs: Mapping[str, Run],
    data: Path,
    task_ids: Sequence[str],
    attempts: Attempts,
    *,
    backwards: bool = False,
) -> dict[str, dict[str, Measured]]:
    """Where the frames of some tasks are, by experiment: those that are kept, and those that are measured now.

    Of two jobs that begin together one goes `backwards`: each compiles what the other finds compiled.
    """
    tasks = two_class_tasks(data)
    states = _states(data, tasks, task_ids)
    measured: dict[str, dict[str, Measured]] = {}
    for name in filter(runs.get, with_what_they_read(declared, reversed(runs) if backwards else runs)):
        experiment, run = declared[name], runs[name]
        frames_read = {needed: measured[needed] for needed in experiment.frames_of if needed in measured}
        work = partial(_measured, experiment, run, data, tasks, states, frames_read)
        if (frames := attempts.at(name, experiment.frames_of, work)) is not None:
            measured[name] = frames
    return measured


def _measured(
    experiment: Experiment,
    run: Run,
    data: Path,
    tasks: pd.DataFrame,
    states: Mapping[str, str],
    frames_read: Mapping[str, Mapping[str, Measured]],
) -> dict[str, Measured]:
    made_with = _made_with(run)
    keys = {
        task_id: digest_of(
            made_with, states[task_id], [frames[task_id].key for frames in frames_read.values()]
        )
        for task_id in chosen(experiment, tasks, list(states), run.settings, run.seed)
    }
    folder = data / "measured" / experiment.stem
    reused = kept_frames(folder, keys)
    missing = {task_id: key for task_id, key in keys.items() if task_id not in reused}
    new_folder = folder_of(folder, missing)
    if missing:
        frames_of = {name: {i: frames[i].folder for i in missing} for name, frames in frames_read.items()}
        options = {"seed": run.seed, "source": run.rows, "frames_of": frames_of}
        frames = measure(experiment, data, list(missing), settings=run.settings["of_task"], **options)
        write_frames(frames, new_folder, missing)
    logger.info("%s: measured %d of %d tasks", experiment.name, len(missing), len(keys))
    return reused | {task_id: Measured(new_folder, key) for task_id, key in missing.items()}


def gather_together(
    declared: Mapping[str, Experiment],
    runs: Mapping[str, Run],
    study: Folders,
    measured: Mapping[str, Mapping[str, Measured]],
    attempts: Attempts,
) -> None:
    """Make the tables of experiments, each after those it reads; frames that no table is made of are removed."""
    for name, run in runs.items():
        work = partial(_gathered, declared, name, run, study, measured.get(name, {}))
        attempts.at(name, run.reads, work)
    for name, frames in measured.items():
        forget_frames(study.data / "measured" / declared[name].stem, frames.values())


def _gathered(
    declared: Mapping[str, Experiment], name: str, run: Run, study: Folders, frames: Mapping[str, Measured]
) -> None:
    experiment = declared[name]
    files = {name: study.tables / file for name, file in experiment.files.items()}
    keys = {task_id: frame.key for task_id, frame in frames.items()}
    key = digest_of(_made_with(run), experiment.columns, keys, _read_by(declared, experiment, run, study))
    folders = {task_id: frame.folder for task_id, frame in frames.items()}
    settings = run.settings.get("over_all", {})
    make = partial(gather, experiment, study.data, folders, files, settings=settings, seed=run.seed)
    reused = kept_or_made(study.data / "gathered" / experiment.stem, key, list(files.values()), make)
    logger.info("%s: tables %s", experiment.name, "kept" if reused else "made")


def draw_together(
    declared: Mapping[str, Experiment], runs: Mapping[str, Run], study: Folders, attempts: Attempts
) -> None:
    for name, run in runs.items():
        attempts.at(name, (), partial(_drawn, declared, name, run, study))


def _drawn(declared: Mapping[str, Experiment], name: str, run: Run, study: Folders) -> None:
    experiment = declared[name]
    files = {
        name: {kind: str(study.figures / f"{name}.{kind}") for kind in KINDS} for name in experiment.figures
    }
    tables = [file_digest(study.tables / file) for file in experiment.files.values()]
    key = digest_of(_made_with(run), tables, _read_by(declared, experiment, run, study))
    make = partial(draw, declared, experiment, study.data, study.tables, files, settings=run.settings)
    paths = [Path(path) for figure_files in files.values() for path in figure_files.values()]
    reused = kept_or_made(study.data / "drawn" / experiment.stem, key, paths, make)
    logger.info("%s: figures %s", experiment.name, "kept" if reused else "drawn")


def draw(
    declared: Mapping[str, Experiment],
    experiment: Experiment,
    store: Path,
    tables: Path,
    files: Mapping[str, Mapping[str, str]],
    *,
    settings: Mapping[str, Settings],
) -> None:
    """Draw an experiment's figures, each to its files by format, or in its place why there is none."""
    study, drawings = Study(store, tables), experiment.load_drawings()
    for name, paths in files.items():
        try:
            for table in list(experiment.tables)[:1]:
                study.rows(table)
            figure = getattr(drawings, name)(study, **settings[name])
        except TooFewRows as missing:
            figure = why_empty(missing.table, declared) if study.table(missing.table).empty else str(missing)
        charts.save(figure, paths)


def _made_with(run: Run) -> dict[str, object]:
    return {**run._asdict(), "libraries": _libraries()}


@cache
def _libraries() -> dict[str, str]:
    return {name: version(name) for name in LIBRARIES}


def _states(data: Path, tasks: pd.DataFrame, task_ids: Sequence[str]) -> dict[str, str]:
    rows = tasks.set_index("task_id", drop=False).loc[list(task_ids)].astype(str).to_dict("index")
    return {
        task_id: digest_of(row, file_digest(predictions_path(data, task_id))) for task_id, row in rows.items()
    }


def _read_by(
    declared: Mapping[str, Experiment], experiment: Experiment, run: Run, study: Folders
) -> dict[str, object]:
    kinds = {*experiment.reads, *["tasks"] * experiment.has("of_task")}
    files = [path for kind in kinds for path in _files(study.data / STUDY_FILES[kind])]
    files += [study.tables / file for name in run.reads for file in declared[name].files.values()]
    return {f"{path.parent.name}/{path.name}": file_digest(path) for path in files}


def _files(path: Path) -> list[Path]:
    return sorted(path.glob("*.parquet")) if path.suffix == "" else [path]
