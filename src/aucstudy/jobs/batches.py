"""How tasks are cut into the jobs that measure them. It changes how long a study takes, never a result."""

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from aucstudy.errors import InputError
from aucstudy.experiments.contract import Experiment
from aucstudy.sources import even_batches
from aucstudy.store.files import read_checked

# aimed at, of predicted time; starting a job costs about one
SECONDS_A_JOB = 60.0
# to walk down one row of one model once
SECONDS_A_CELL = 4e-8
# what a job asks a cluster for: to start, and this many times what is predicted, for slower processors
MINUTES_TO_START, MARGIN = 5, 4
# the libraries and their data; of a task, its scores and the copies and counts that are made of them
MEGABYTES_TO_START, BYTES_A_CELL = 1000, 400


class TaskSize(NamedTuple):
    task_id: str
    n_rows: int


def task_sizes(tasks_csv: Path | str) -> list[TaskSize]:
    """The tasks of both classes, in the order of tasks.csv, read without pandas."""
    try:
        return [
            TaskSize(row["task_id"], int(row["n_rows"]))
            for row in csv.DictReader(io.StringIO(read_checked(tasks_csv).decode(), newline=""))
            if 0 < int(row["n_positive"]) < int(row["n_rows"])
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{tasks_csv}: not a readable table of tasks ({error})") from None


def predicted_seconds(n_rows: int, n_models: int, passes: float) -> float:
    return n_rows * n_models * passes * SECONDS_A_CELL


def batches(
    sizes: Sequence[TaskSize], n_models: int, passes: float, n_batches: int | None = None, fewest: int = 1
) -> list[list[str]]:
    """Tasks in batches of even predicted time; task_ids in the order of `sizes`.

    There are `n_batches`, or as many as jobs of `SECONDS_A_JOB` need and no fewer than `fewest`; none is empty.

    >>> batches([TaskSize("a", 10), TaskSize("b", 30), TaskSize("c", 20)], 1, 1, n_batches=2)
    [['b'], ['a', 'c']]
    """
    seconds = {size.task_id: predicted_seconds(size.n_rows, n_models, passes) for size in sizes}
    if n_batches is None:
        n_batches = max(fewest, -int(-sum(seconds.values()) // SECONDS_A_JOB))
    task_batches = even_batches(seconds, max(1, min(n_batches, len(sizes))))
    order = {task_id: i for i, task_id in enumerate(seconds)}
    return [sorted(batch, key=order.__getitem__) for batch in task_batches]


class Needs(NamedTuple):
    minutes: int
    megabytes: int


def job_needs(sizes: Sequence[TaskSize], n_models: int, passes: float, attempt: int = 1) -> Needs:
    """Time for all tasks and memory for the largest, twice both at the second attempt.

    >>> job_needs([TaskSize("a", 100_000), TaskSize("b", 50_000)], n_models=30, passes=1000)
    Needs(minutes=17, megabytes=2200)
    """
    seconds = sum(predicted_seconds(size.n_rows, n_models, passes) for size in sizes)
    cells = max((size.n_rows for size in sizes), default=0) * n_models
    return Needs(
        attempt * math.ceil(MINUTES_TO_START + MARGIN * seconds / 60),
        attempt * math.ceil(MEGABYTES_TO_START + BYTES_A_CELL * cells / 1e6),
    )


def measuring_passes(experiments: Iterable[Experiment], config: Mapping) -> float:
    return sum(experiment.passes_of(config) for experiment in experiments)


def cut(config: Mapping, tasks_csv: Path | str, passes: float, fewest: int = 1) -> list[list[str]]:
    """The tasks of each job; one job of none where tasks.csv cannot be read, because the job says so in one line."""
    try:
        sizes = task_sizes(tasks_csv)
    except InputError:
        return [[]]
    return batches(sizes, config["models_per_task"], passes, config["batches"]["measure"], fewest)


def needs(
    config: Mapping, tasks_csv: Path | str, passes: float, task_ids: Sequence[str], attempt: int
) -> Needs:
    sizes = [size for size in task_sizes(tasks_csv) if size.task_id in task_ids] if task_ids else []
    return job_needs(sizes, config["models_per_task"], passes, attempt)
