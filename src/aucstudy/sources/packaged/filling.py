"""Fill a task store with the packaged data sets: one task a data set, one run a flow drawn for it."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from math import ceil
from pathlib import Path

from threadpoolctl import threadpool_limits

from aucstudy.learners.cross_validation import prepare_folds
from aucstudy.learners.datasets import DataSet, at_most
from aucstudy.learners.packaged import load, predicted_seconds, source_file
from aucstudy.learners.tasks import Filled, fill_task
from aucstudy.learners.weka.bridge import Weka
from aucstudy.learners.weka.costs import task_seconds
from aucstudy.learners.weka.tasks import fill_weka_task
from aucstudy.sources.packaged.settings import Chosen, check, chosen, even_batch
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.task_store import write_store


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
    """Fit and score the flows of one batch of tasks, and write them as a task store.

    Predictions depend on `seed`, the task and the flow alone, not on what else is asked for. `fill_task` says what
    becomes of flows that fail.

    Parameters
    ----------
    folder : where the store of this batch is written.
    settings : the block `packaged` of a configuration, as `chosen` reads it.
    models_per_task, min_flows : how many flows are drawn per task, and how many usable ones a task must have.
    seed : of the folds, the draws and the learners.
    batch, batches : which batch this is, counted from 0, and of how many.
    progress : called with each task's id, rejected or not.

    Raises
    ------
    InputError
        The settings ask for what is not there (see `check`), or the folder cannot be written to.
    """
    check(settings, models_per_task=models_per_task, min_flows=min_flows)
    study = chosen(settings)
    filled = Filled()
    # Sums of one thread come out the same on any number of cores.
    with threadpool_limits(limits=1), _filling(study, folder, seed) as fill:
        for name in even_batch(_work(study, models_per_task, seed), batch, batches):
            data = at_most(load(name), study.rows, seed)
            filled += _unfit(data, study.folds) or fill(
                data,
                models_per_task=models_per_task,
                min_flows=min_flows,
                source="packaged",
                sha256=_sha256_of_source(name),
            )
            progress(name)
    write_store(folder, filled.tasks, filled.runs, filled.rejections)


@contextmanager
def _filling(study: Chosen, folder: Path, seed: int) -> Iterator[Callable[..., Filled]]:
    """What fills one task with the learners of the study; WEKA's Java machine is there as long as it is needed."""
    if study.learners == "weka":
        with Weka() as weka:
            yield partial(
                fill_weka_task,
                weka,
                folder,
                flows=study.flows,
                n_folds=study.folds,
                flow_seconds=study.flow_seconds,
                seed=seed,
            )
    else:
        yield lambda data, **asked: fill_task(
            folder, data, prepare_folds(data, study.folds, seed), study.flows, seed=seed, **asked
        )


def work(settings: Mapping[str, object], models: int, seed: int) -> dict[str, int]:
    """What fitting each task is predicted to take, in whole seconds."""
    return dict(_work(chosen(settings), models, seed))


@cache
def _work(study: Chosen, models: int, seed: int) -> dict[str, int]:
    if study.learners != "weka":
        return {name: ceil(predicted_seconds(name, study.rows)) for name in study.datasets}
    asked = {"folds": study.folds, "models": models, "flow_seconds": study.flow_seconds, "seed": seed}
    return {
        name: ceil(task_seconds(at_most(load(name), study.rows, seed), study.flows, **asked))
        for name in study.datasets
    }


def _sha256_of_source(name: str) -> str:
    """Of the data set's file in the installed package."""
    return hashlib.sha256(source_file(name).read_bytes()).hexdigest()


def _unfit(data: DataSet, n_folds: int) -> Filled | None:
    """Why a data set cannot be cross-validated, or None."""
    n_positive = int(data.target.sum())
    if n_positive == 0:
        detail = f"all {len(data.target)} rows are of class {data.negative_class}"
        return _rejected(data, Reason.CONSTANT_TARGET, detail)
    if n_positive < n_folds:
        detail = f"{n_positive} rows of class {data.positive_class} for {n_folds} folds"
        return _rejected(data, Reason.TOO_FEW_ROWS, detail)
    return None


def _rejected(data: DataSet, reason: Reason, detail: str) -> Filled:
    return Filled(rejections=[Rejection(data.name, "", Stage.FETCH, reason, detail)])
