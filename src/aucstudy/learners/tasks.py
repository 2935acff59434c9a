"""A data set and its flows as a task of the store: fitted, scored and written, or rejected with the reason."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from aucstudy.learners.cross_validation import (
    Fold,
    Named,
    ScoresOf,
    Split,
    cross_validated_scores,
    draw_flows,
)
from aucstudy.learners.datasets import DataSet
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.task_store import Predictions, run_id, run_rows, task_row, write_predictions


@dataclass(frozen=True)
class Filled:
    """What one or more tasks add to the tables of a store: rows of tasks.csv and runs.csv, and rejections."""

    tasks: list[dict[str, object]] = field(default_factory=list)
    runs: list[dict[str, object]] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)

    def __add__(self, other: "Filled") -> "Filled":
        return Filled(self.tasks + other.tasks, self.runs + other.runs, self.rejections + other.rejections)


def fill_task(
    folder: Path,
    data: DataSet,
    folds: Sequence[Fold | Split],
    flows: Sequence[Named],
    *,
    models_per_task: int,
    min_flows: int,
    seed: int,
    source: str,
    sha256: str,
    scores_of: ScoresOf = cross_validated_scores,
) -> Filled:
    """Draw, fit and score the flows of one task and write its predictions.

    A flow that fails is replaced by the next in the task's random order and becomes a rejection. `n_candidates` is
    the number of flows less those seen to fail; a task with fewer than `min_flows` of them is rejected.

    Parameters
    ----------
    folds : a number of each row's fold is its place here; every row is tested in one of them.
    source : the name of the source, for tasks.csv.
    sha256 : of what the data set was read from, for runs.csv.
    scores_of : how a flow is fitted and scored; it raises FlowFailed where it cannot be.
    """
    drawn = draw_flows(flows, folds, data.name, models_per_task, seed, scores_of)
    rejections = [
        Rejection(data.name, run_id(data.name, name), Stage.FETCH, Reason.FIT_FAILED, f"{name}: {why}")
        for name, why in drawn.failures.items()
    ]
    n_candidates = len(flows) - len(drawn.failures)
    if n_candidates < min_flows:
        detail = f"{n_candidates} of {len(flows)} flows are usable, min_flows is {min_flows}"
        rejections.append(Rejection(data.name, "", Stage.FETCH, Reason.TOO_FEW_FLOWS, detail))
        return Filled(rejections=rejections)
    n = len(data.target)
    fold_of_row = np.empty(n, dtype=np.int16)
    for number, fold in enumerate(folds):
        fold_of_row[fold.test] = number
    predictions = Predictions(
        task_id=data.name,
        row_id=np.arange(n),
        repeat=np.zeros(n),
        fold=fold_of_row,
        y_true=data.target,
        scores=drawn.scores,
        run_ids=tuple(run_id(data.name, flow.name) for flow in drawn.flows),
    )
    task = task_row(
        predictions,
        positive_class=data.positive_class,
        negative_class=data.negative_class,
        source=source,
        source_group=data.source_group,
        n_candidates=n_candidates,
    )
    if data.n_rows_whole is not None:
        task["n_rows_whole"] = data.n_rows_whole
    write_predictions(folder, predictions, task)
    names, setup_ids = ([getattr(flow, key) for flow in drawn.flows] for key in ("name", "setup_id"))
    return Filled([task], run_rows(predictions, names, setup_ids, sha256), rejections)
