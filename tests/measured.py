"""Tasks made in a test, measured as the workflow measures stored ones."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Task
from aucstudy.store.task_store import Predictions


def predictions_of(
    y_true: np.ndarray, scores: np.ndarray, task_id: str = "t", runs: Sequence[str] = (), n_folds: int = 5
) -> Predictions:
    """A task of (n, m) scores, dealt to folds row by row; runs are t.0, t.1, ... by default."""
    rows, scores = np.arange(len(y_true)), np.asfortranarray(scores, dtype=float)
    runs = tuple(runs) or tuple(f"{task_id}.{k}" for k in range(scores.shape[1]))
    return Predictions(task_id, rows, 0 * rows, rows % n_folds, np.asarray(y_true, dtype=bool), scores, runs)


def task_of(predictions: Predictions, **frames: pd.DataFrame) -> Task:
    """A task whose predictions are at hand instead of in a store."""
    task = Task(Path(), {"task_id": predictions.task_id}, frames)
    task.__dict__["predictions"] = predictions
    return task


def measured(
    module, tasks: Iterable[Predictions], source_groups: Mapping[str, str] | None = None, **settings: object
) -> dict[str, pd.DataFrame]:
    """The frames of all tasks by an experiment's `of_task`, one below the other; a task is its own group by default."""
    frames: dict[str, list[pd.DataFrame]] = {}
    for predictions in tasks:
        group = (source_groups or {}).get(predictions.task_id, predictions.task_id)
        for name, frame in module.of_task(task_of(predictions), seed=1, **settings).items():
            ids = {"task_id": predictions.task_id, "source_group": group}
            frames.setdefault(name, []).append(frame.assign(**ids))
    return {name: pd.concat(several, ignore_index=True) for name, several in frames.items()}
