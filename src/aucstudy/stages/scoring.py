"""The score stage: every area of every task and model, pooled over the folds and as the mean of the folds."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.metrics.folds import fold_areas
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.scores import SCORE_COLUMNS
from aucstudy.store.task_store import Predictions, read_predictions


def score_task(predictions: Predictions) -> tuple[pd.DataFrame, list[Rejection]]:
    """The areas of one task's models.

    Returns
    -------
    frame : two rows a model, `aggregation` pooled and fold_mean; without the column flow_name.
    rejections : a row for each fold with one class only, which no fold mean can hold; one for the whole task,
        and an empty frame, where all rows are of one class.
    """
    y, scores, folds = predictions.y_true, predictions.scores, predictions.folds
    if y.all() or not y.any():
        one_class = f"all {len(y)} rows are {'positive' if y.all() else 'negative'}"
        return _frame([]), [Rejection(predictions.task_id, "", Stage.SCORE, Reason.ONE_CLASS, one_class)]
    areas = fold_areas(y, scores, folds)
    left_out = np.flatnonzero(~areas.usable)
    facts = {
        "task_id": predictions.task_id,
        "run_id": list(predictions.run_ids),
        "n": len(y),
        "n_positive": int(y.sum()),
        "prevalence": float(y.mean()),
    }
    frame = _frame(
        [
            pd.DataFrame({**facts, "aggregation": "pooled", **areas.pooled, "n_folds_left_out": 0}),
            pd.DataFrame(
                {**facts, "aggregation": "fold_mean", **areas.mean, "n_folds_left_out": len(left_out)}
            ),
        ]
    )
    rejections = [
        Rejection(
            predictions.task_id, "", Stage.SCORE, Reason.FOLD_ONE_CLASS,
            f"fold {fold}: {areas.n_positive[fold]} positives of {areas.n_rows[fold]} rows; left out of the fold "
            f"means of all {len(predictions.run_ids)} runs",
        )
        for fold in left_out
    ]  # fmt: skip
    return frame, rejections


def _frame(parts: list[pd.DataFrame]) -> pd.DataFrame:
    columns = [name for name in SCORE_COLUMNS if name != "flow_name"]
    return pd.concat(parts, ignore_index=True)[columns] if parts else pd.DataFrame(columns=columns)


def score_tasks(
    store: Path | str, task_ids: Iterable[str], runs: pd.DataFrame
) -> tuple[pd.DataFrame, list[Rejection]]:
    """The areas of some tasks of a store, with the flow names that `runs` (runs.csv) gives their models."""
    scored = [score_task(read_predictions(store, task_id)) for task_id in task_ids]
    scores = pd.concat([frame for frame, _ in scored], ignore_index=True) if scored else _frame([])
    scores = scores.merge(runs[["task_id", "run_id", "flow_name"]], on=["task_id", "run_id"], how="left")
    unnamed = scores[scores["flow_name"].isna()]
    if len(unnamed):
        row = unnamed.iloc[0]
        raise InputError(f"{Path(store) / 'runs.csv'}: no row for run {row.run_id} of task {row.task_id}")
    return scores[list(SCORE_COLUMNS)], [rejection for _, rejections in scored for rejection in rejections]
