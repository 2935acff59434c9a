"""Functions that make tasks in a test and measure them as the workflow measures stored tasks."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.estimates import estimates_of
from aucstudy.experiments.inputs import Task
from aucstudy.store.task_store import Predictions


def predictions_of(
    y_true: np.ndarray, scores: np.ndarray, task_id: str = "t", runs: Sequence[str] = (), n_folds: int = 5
) -> Predictions:
    """Make a task of (n, m) scores; rows go to the folds in turn. By default the runs are t.0, t.1, ..."""
    rows, scores = np.arange(len(y_true)), np.asfortranarray(scores, dtype=float)
    runs = tuple(runs) or tuple(f"{task_id}.{k}" for k in range(scores.shape[1]))
    return Predictions(task_id, rows, 0 * rows, rows % n_folds, np.asarray(y_true, dtype=bool), scores, runs)


def task_of(predictions: Predictions, **frames: pd.DataFrame) -> Task:
    """Make a task that holds its predictions instead of reading them from a store."""
    task = Task(Path(), {"task_id": predictions.task_id}, frames)
    task.__dict__["predictions"] = predictions
    return task


def measured(
    module, tasks: Iterable[Predictions], source_groups: Mapping[str, str] | None = None, **settings: object
) -> dict[str, pd.DataFrame]:
    """Return the frames of an experiment's `of_task`, those of all tasks one below the other.

    By default a task is its own source group.
    """
    frames: dict[str, list[pd.DataFrame]] = {}
    for predictions in tasks:
        group = (source_groups or {}).get(predictions.task_id, predictions.task_id)
        for name, frame in module.of_task(task_of(predictions), seed=1, **settings).items():
            ids = {"task_id": predictions.task_id, "source_group": group}
            frames.setdefault(name, []).append(frame.assign(**ids))
    return {name: pd.concat(several, ignore_index=True) for name, several in frames.items()}


def estimates(
    module, frames: Mapping[str, pd.DataFrame], *names: str, weight: str | None = "task", **facts: object
) -> pd.DataFrame:
    """Return the estimates of an experiment's quantities, of all of them or of those with these names.

    A task has the source group of its frames, or else is its own. `facts` are further columns of tasks.csv. Without a
    `weight` they are those of both weights.
    """
    rows = pd.concat(frames.values())
    if "source_group" not in rows:
        rows = rows.assign(source_group=rows["task_id"])
    tasks = rows[["task_id", "source_group"]].dropna().drop_duplicates("task_id")
    tasks = tasks.assign(**{"n_positive": 50, "prevalence": 0.2, **facts})
    quantities = [quantity for quantity in module.QUANTITIES if not names or quantity.name in names]
    table = estimates_of("tested", quantities, frames, tasks, seed=1)
    return table if weight is None else table[table["weight"] == weight].reset_index(drop=True)
