"""The rows that a task's predictions have in tasks.csv and runs.csv, where the task is named as its data set is."""

from collections.abc import Sequence

import numpy as np

from aucstudy.store.task_store import Predictions, describe_scores


def run_id(task_id: str, model: str) -> str:
    """The name of a run: unique over the study, and the name of its column of scores."""
    return f"{task_id}.{model}"


def task_row(
    predictions: Predictions,
    *,
    positive_class: str,
    negative_class: str,
    source: str,
    source_group: str,
    n_candidates: int,
) -> dict[str, object]:
    """The row of tasks.csv."""
    return {
        "task_id": predictions.task_id,
        "dataset_id": predictions.task_id,
        "dataset_name": predictions.task_id,
        "n_rows": len(predictions.y_true),
        "n_positive": int(predictions.y_true.sum()),
        "prevalence": float(predictions.y_true.mean()),
        "positive_class": positive_class,
        "negative_class": negative_class,
        "n_folds": int(predictions.folds.max()) + 1,
        "source": source,
        "source_group": source_group,
        "n_candidates": n_candidates,
    }


def run_rows(
    predictions: Predictions, models: Sequence[str], setup_ids: Sequence[str], sha256: str
) -> list[dict[str, object]]:
    """The rows of runs.csv, a model each, in the order of the predictions' columns.

    Parameters
    ----------
    models, setup_ids : m names of the models and of their settings.
    sha256 : of the file that the predictions or the data set came from.
    """
    return [
        {
            "task_id": predictions.task_id,
            "run_id": run,
            "flow_id": model,
            "flow_name": model,
            "setup_id": setup_id,
            "upload_time": "",
            "server_auroc": np.nan,
            "sha256": sha256,
            **describe_scores(predictions.scores[:, column]),
        }
        for column, (run, model, setup_id) in enumerate(
            zip(predictions.run_ids, models, setup_ids, strict=True)
        )
    ]
