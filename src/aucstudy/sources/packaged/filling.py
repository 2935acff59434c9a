"""Fill a task store with the packaged data sets: one task a data set, one run a flow drawn for it."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from aucstudy.learners.cross_validation import Drawn, draw_flows, prepare_folds
from aucstudy.learners.datasets import DataSet, load, source_file
from aucstudy.sources.packaged.settings import Chosen, batch_of, check, chosen
from aucstudy.store.task_store import (
    Predictions,
    Reason,
    Rejection,
    Stage,
    describe_scores,
    write_predictions,
    write_store,
)


def fetch(
    folder: Path,
    settings: Mapping[str, object],
    *,
    models_per_task: int,
    min_flows: int,
    seed: int,
    batch: int,
    batches: int,
    progress: Callable[[str], None],
) -> None:
    """Fit and score the flows of one batch of tasks and write them as a task store.

    The predictions of a task depend on `seed`, the task and the flow alone: not on the batch it is in, nor on
    which other tasks and flows are asked for. A flow that fails is replaced by the next in the task's random
    order and becomes a rejection. `n_candidates` of a task is the number of flows chosen less those seen to
    fail; a task with fewer than `min_flows` of them is rejected.

    Parameters
    ----------
    folder : Path
        Where the store of this batch is written.
    settings : mapping
        The block `packaged` of a configuration: `datasets` ("default" or names), `flows` ("all" or names),
        `folds`.
    models_per_task, min_flows : int
        How many flows are drawn per task, and how many usable ones a task must have.
    seed : int
        Of the folds, the draws and the learners.
    batch, batches : int
        Which batch this is, counted from 0, and of how many.
    progress : callable
        Called with the task's id after each task, rejected or not.

    Raises
    ------
    InputError
        The settings ask for what is not there (see `check`), or the folder cannot be written to.
    """
    check(settings, models_per_task=models_per_task, min_flows=min_flows)
    study = chosen(settings)
    tasks, runs, rejections = [], [], []
    # Sums of one thread come out the same on any number of cores.
    with threadpool_limits(limits=1):
        for name in batch_of(study.datasets, batch, batches):
            data = load(name)
            task, task_runs, task_rejections = _fill(folder, data, study, models_per_task, min_flows, seed)
            tasks += task
            runs += task_runs
            rejections += task_rejections
            progress(name)
    write_store(folder, tasks, runs, rejections)


def run_id(task_id: str, flow_name: str) -> str:
    """The name of a run: unique over the study, and the name of its column of scores."""
    return f"{task_id}.{flow_name}"


def _fill(
    folder: Path, data: DataSet, study: Chosen, models_per_task: int, min_flows: int, seed: int
) -> tuple[list[dict[str, object]], list[dict[str, object]], list[Rejection]]:
    """Write the predictions of one task; its row of tasks.csv (or none), its runs and its rejections."""
    fault = _unfit(data, study.folds)
    if fault:
        return [], [], [fault]
    folds = prepare_folds(data, study.folds, seed)
    drawn = draw_flows(study.flows, folds, data.name, models_per_task, seed)
    rejections = [
        Rejection(data.name, run_id(data.name, name), Stage.FETCH, Reason.FIT_FAILED, f"{name}: {why}")
        for name, why in drawn.failures.items()
    ]
    n_candidates = len(study.flows) - len(drawn.failures)
    if n_candidates < min_flows:
        told = f"{n_candidates} of {len(study.flows)} flows are usable, min_flows is {min_flows}"
        return [], [], [*rejections, Rejection(data.name, "", Stage.FETCH, Reason.TOO_FEW_FLOWS, told)]
    fold_of_row = np.empty(len(data.target), dtype=np.int16)
    for number, fold in enumerate(folds):
        fold_of_row[fold.test] = number
    predictions = Predictions(
        task_id=data.name,
        row_id=np.arange(len(data.target)),
        repeat=np.zeros(len(data.target)),
        fold=fold_of_row,
        y_true=data.target,
        scores=drawn.scores,
        run_ids=tuple(run_id(data.name, flow.name) for flow in drawn.flows),
    )
    task = _task_facts(data, study.folds, n_candidates)
    write_predictions(folder, predictions, task)
    return [task], _run_facts(data.name, drawn), rejections


def _unfit(data: DataSet, n_folds: int) -> Rejection | None:
    """Why a data set cannot be cross-validated, or None."""
    n_positive = int(data.target.sum())
    if n_positive == 0:
        told = f"all {len(data.target)} rows are of class {data.negative_class}"
        return Rejection(data.name, "", Stage.FETCH, Reason.CONSTANT_TARGET, told)
    if n_positive < n_folds:
        told = f"{n_positive} rows of class {data.positive_class} for {n_folds} folds"
        return Rejection(data.name, "", Stage.FETCH, Reason.TOO_FEW_ROWS, told)
    return None


def _task_facts(data: DataSet, n_folds: int, n_candidates: int) -> dict[str, object]:
    n_positive = int(data.target.sum())
    return {
        "task_id": data.name,
        "dataset_id": data.name,
        "dataset_name": data.name,
        "n_rows": len(data.target),
        "n_positive": n_positive,
        "prevalence": n_positive / len(data.target),
        "positive_class": data.positive_class,
        "negative_class": data.negative_class,
        "n_folds": n_folds,
        "source": "packaged",
        "source_group": data.source_group,
        "n_candidates": n_candidates,
    }


def _run_facts(task_id: str, drawn: Drawn) -> list[dict[str, object]]:
    """Rows of runs.csv; `sha256` is that of the data set's file in the installed package."""
    digest = hashlib.sha256(source_file(task_id).read_bytes()).hexdigest()
    return [
        {
            "task_id": task_id,
            "run_id": run_id(task_id, flow.name),
            "flow_id": flow.name,
            "flow_name": flow.name,
            "setup_id": flow.setup_id,
            "upload_time": "",
            "server_auroc": np.nan,
            "sha256": digest,
            **describe_scores(drawn.scores[:, column]),
        }
        for column, flow in enumerate(drawn.flows)
    ]
