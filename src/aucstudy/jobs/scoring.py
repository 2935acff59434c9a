"""The work of scoring: every metric of each task and model, pooled over the folds and as their mean."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.metrics.areas import fold_areas
from aucstudy.metrics.registry import further_metrics, metric_named
from aucstudy.store.measured import REPETITION_MEAN, SCORE_COLUMNS
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.task_store import Predictions, read_predictions

# The OpenML server uses this tolerance itself: values of different engines within it are taken for equal. Old
# engines wrote 6 digits.
TOLERANCE = 1e-4


def score_task(predictions: Predictions) -> tuple[pd.DataFrame, list[Rejection]]:
    """Return the metrics of a task's models, and the rejections.

    Each model has two rows, with the aggregation pooled and fold_mean. Flow names are not included. A fold
    with one class is a rejection. A task with one class is a rejection too, and its frame is empty.

    If each row was predicted in several repetitions, the aggregations are pooled, which a server's metrics are
    compared with, and repetition_mean, the mean of the metrics of each repetition. Such a task is a rejection
    too, since only the experiment `disagreement` uses it.
    """
    y, scores, folds = predictions.y_true, predictions.scores, predictions.folds
    if y.all() or not y.any():
        one_class = f"all {len(y)} rows are {'positive' if y.all() else 'negative'}"
        return _frame([]), [Rejection(predictions.task_id, "", Stage.SCORE, Reason.ONE_CLASS, one_class)]
    n_repeats = len(np.unique(predictions.repeat))
    if n_repeats > 1:
        folds = np.unique(predictions.repeat, return_inverse=True)[1]
    areas = fold_areas(y, scores, folds)
    left_out = np.flatnonzero(~areas.usable)
    fold_names = predictions.fold_names or range(len(areas.usable))
    facts = {
        "task_id": predictions.task_id,
        "run_id": list(predictions.run_ids),
        "n": len(y),
        "n_positive": int(y.sum()),
        "prevalence": float(y.mean()),
    }
    mean_name = "fold_mean" if n_repeats == 1 else REPETITION_MEAN
    frames = [
        pd.DataFrame({**facts, "aggregation": name, **values, "n_folds_left_out": n})
        for name, values, n in (("pooled", areas.pooled, 0), (mean_name, areas.mean, len(left_out)))
    ]
    rejections = [
        Rejection(
            predictions.task_id, "", Stage.SCORE, Reason.FOLD_ONE_CLASS,
            f"fold {fold_names[fold]}: {areas.n_positive[fold]} positives of {areas.n_rows[fold]} rows; left out of "
            f"the fold means of all {len(predictions.run_ids)} runs",
        )
        for fold in left_out
    ]  # fmt: skip
    if n_repeats > 1:
        detail = f"each row stands {n_repeats} times; only the experiment disagreement uses the task"
        rejections.append(Rejection(predictions.task_id, "", Stage.SCORE, Reason.REPEATED, detail))
    return _frame(frames), rejections


def _frame(frames: list[pd.DataFrame]) -> pd.DataFrame:
    columns = [name for name in SCORE_COLUMNS if name != "flow_name"]
    columns += [entry.key for entry in further_metrics()]
    return pd.concat(frames, ignore_index=True)[columns] if frames else pd.DataFrame(columns=columns)


def score_tasks(
    store: Path | str, task_ids: Iterable[str], metrics: Iterable[str] = ()
) -> tuple[pd.DataFrame, list[Rejection]]:
    """Return the metrics of some tasks, without flow names, and the rejections.

    Besides the metrics of the package, there are those of the files that `metrics` names, see `registry.metric_named`.
    """
    for name in metrics:
        metric_named(name)
    scored = [score_task(read_predictions(store, task_id)) for task_id in task_ids]
    scores = pd.concat([frame for frame, _ in scored], ignore_index=True) if scored else _frame([])
    return scores, [rejection for _, rejections in scored for rejection in rejections]


def with_flow_names(scores: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """Return the scores with the flow of each run. A run without a row in runs.csv raises InputError."""
    scores = scores.merge(runs[["task_id", "run_id", "flow_name"]], on=["task_id", "run_id"], how="left")
    unnamed = scores[scores["flow_name"].isna()]
    if len(unnamed):
        row = unnamed.iloc[0]
        raise InputError(f"runs.csv: no row for run {row.run_id} of task {row.task_id}")
    further_columns = [name for name in scores if name not in SCORE_COLUMNS]
    return scores[[*SCORE_COLUMNS, *further_columns]]


def compare_with_server(runs: pd.DataFrame, scores: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare the pooled AUROC of each run with the server's.

    Return the tables server_check, with one row, and server_check_exceptions, with the largest difference
    first.

    >>> runs = pd.DataFrame({"task_id": ["3", "3"], "run_id": ["1", "2"], "flow_name": ["a", "b"],
    ...                      "upload_time": ["2014", "2015"], "server_auroc": [0.75, float("nan")]})
    >>> scores = pd.DataFrame({"task_id": ["3", "3"], "run_id": ["1", "2"], "aggregation": "pooled",
    ...                        "auroc": [0.75003, 0.5]})
    >>> compare_with_server(runs, scores)[0][["n_runs", "n_compared", "n_agree", "share"]].iloc[0].to_list()
    [2.0, 1.0, 1.0, 1.0]
    """
    pooled_areas = scores.loc[scores["aggregation"] == "pooled", ["task_id", "run_id", "auroc"]]
    run_columns = ["task_id", "run_id", "flow_name", "upload_time"]
    table = runs[[*run_columns, "server_auroc"]].merge(pooled_areas, on=["task_id", "run_id"], how="inner")
    table["difference"] = table["auroc"] - table["server_auroc"]
    compared_runs = table[table["server_auroc"].notna()]
    agrees = compared_runs["difference"].abs() <= TOLERANCE
    summary = {
        "n_runs": len(table),
        "n_compared": len(compared_runs),
        "n_agree": int(agrees.sum()),
        "share": agrees.mean() if len(compared_runs) else np.nan,
        "largest_difference": table["difference"].abs().max(),
    }
    exceptions = compared_runs[~agrees].assign(agrees=False)
    exceptions = exceptions.sort_values("difference", key=np.abs, ascending=False, kind="stable")
    return pd.DataFrame([summary]), exceptions[
        [*run_columns, "auroc", "server_auroc", "difference", "agrees"]
    ]
