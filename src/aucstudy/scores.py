"""The score stage: every area of every task and model, pooled over the folds and as the mean of the folds."""

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa

from aucstudy.area_names import AREAS
from aucstudy.errors import InputError
from aucstudy.metrics import areas_many
from aucstudy.store import Predictions, Reason, Rejection, Stage, read_predictions, read_tasks
from aucstudy.tables import write_whole

SCORE_COLUMNS = (
    "task_id", "run_id", "flow_name", "aggregation", "n", "n_positive", "prevalence", *AREAS,
    "n_folds_left_out",
)  # fmt: skip


class FoldAreas(NamedTuple):
    """The areas of m models, each a (m,) array by name: pooled, and as the mean of the folds that have both classes.

    `n_rows` and `n_positive` are those of each fold, `usable` says which have both classes. Without one that has,
    the means are NaN.
    """

    pooled: dict[str, np.ndarray]
    mean: dict[str, np.ndarray]
    n_rows: np.ndarray
    n_positive: np.ndarray
    usable: np.ndarray


def fold_areas(y_true: np.ndarray, scores: np.ndarray, folds: np.ndarray | None, **options) -> FoldAreas:
    """Every area of (n, m) scores, pooled and as the mean over the folds.

    Parameters
    ----------
    folds : (n,) numbers from 0; None for one fold, whose mean is the pooled area.
    **options : as for `aucstudy.metrics.areas_many`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # who calls is told of one-class folds by `usable`
        pooled = areas_many(y_true, scores, **options)
        by_fold = None if folds is None else areas_many(y_true, scores, groups=folds, **options)
    whole = {area: getattr(pooled, area) for area in AREAS}
    if by_fold is None:
        n_positive = np.array([np.count_nonzero(y_true)])
        usable = (n_positive > 0) & (n_positive < len(y_true))
        return FoldAreas(whole, whole, np.array([len(y_true)]), n_positive, usable)
    n_rows, n_positive = np.bincount(folds), np.bincount(folds, weights=y_true).astype(int)
    usable = (n_positive > 0) & (n_positive < n_rows)
    undefined = np.full(scores.shape[1], np.nan)
    return FoldAreas(
        whole,
        {area: getattr(by_fold, area)[usable].mean(axis=0) if usable.any() else undefined for area in AREAS},
        n_rows,
        n_positive,
        usable,
    )


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
        told = f"all {len(y)} rows are {'positive' if y.all() else 'negative'}"
        return _frame([]), [Rejection(predictions.task_id, "", Stage.SCORE, Reason.ONE_CLASS, told)]
    found = fold_areas(y, scores, folds)
    left_out = np.flatnonzero(~found.usable)
    facts = {
        "task_id": predictions.task_id,
        "run_id": list(predictions.run_ids),
        "n": len(y),
        "n_positive": int(y.sum()),
        "prevalence": float(y.mean()),
    }
    frame = _frame(
        [
            pd.DataFrame({**facts, "aggregation": "pooled", **found.pooled, "n_folds_left_out": 0}),
            pd.DataFrame(
                {**facts, "aggregation": "fold_mean", **found.mean, "n_folds_left_out": len(left_out)}
            ),
        ]
    )
    rejections = [
        Rejection(
            predictions.task_id, "", Stage.SCORE, Reason.FOLD_ONE_CLASS,
            f"fold {fold}: {found.n_positive[fold]} positives of {found.n_rows[fold]} rows; left out of the fold "
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


def write_scores(scores: pd.DataFrame, path: Path | str) -> None:
    """Write scores in the order of task, run and aggregation."""
    ordered = scores.sort_values(["task_id", "run_id", "aggregation"], kind="stable", ignore_index=True)
    write_whole(path, lambda temporary: ordered.to_parquet(temporary, index=False))


def read_scores(path: Path | str, aggregation: str | None = None) -> pd.DataFrame:
    """Read scores, those of one aggregation or all.

    Raises
    ------
    InputError
        The file is missing, is no Parquet, or lacks a column.
    """
    try:
        scores = pd.read_parquet(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            f"{path}: not a readable Parquet file ({str(error).splitlines()[0]}); delete it"
        ) from error
    missing = [name for name in SCORE_COLUMNS if name not in scores]
    if missing:
        raise InputError(f"{path}: column {missing[0]!r} is missing; delete the file")
    return (
        scores if aggregation is None else scores[scores["aggregation"] == aggregation].reset_index(drop=True)
    )


def scored_tasks(store: Path | str) -> pd.DataFrame:
    """The rows of tasks.csv whose task has scores: those of two classes, which every experiment needs."""
    scored = set(read_scores(Path(store) / "scores.parquet")["task_id"])
    tasks = read_tasks(store)
    return tasks[tasks["task_id"].isin(scored)].reset_index(drop=True)
