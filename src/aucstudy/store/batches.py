"""The batches of a task store: which tasks a job scores, or measures by an experiment.

A task's batch follows from its id alone, so that a task that is added or left out changes one batch. A batch's file has
the rows of tasks.csv and the SHA-256 of each task's predictions: it changes where one of them does, and is all that a
job of the batch depends on.
"""

import hashlib
from pathlib import Path

import pandas as pd

from aucstudy.errors import InputError
from aucstudy.store.files import sha256_of
from aucstudy.store.tables import read_store_table, write_table
from aucstudy.store.task_store import TASK_COLUMNS, predictions_path, read_tasks

DIGEST = "predictions_sha256"


def batch_of(task_id: str, n_batches: int) -> int:
    """The number of a task's batch, from 0.

    >>> batch_of("iris", 4), batch_of("wine", 4)
    (3, 0)
    """
    return int.from_bytes(hashlib.sha256(task_id.encode()).digest(), "big") % n_batches


def write_batches(store: Path, n_batches: int, folder: Path) -> None:
    """Write the file of each batch that has tasks: `<number>.csv`."""
    tasks = read_tasks(store)
    digests = [sha256_of(predictions_path(store, task_id)) for task_id in tasks["task_id"]]
    numbers = tasks["task_id"].map(lambda task_id: batch_of(task_id, n_batches))
    for number, rows in tasks.assign(**{DIGEST: digests}).groupby(numbers):
        write_table(rows, folder / f"{number}.csv")


def read_batch(path: Path) -> pd.DataFrame:
    """The tasks of a batch, in the order of tasks.csv; InputError where predictions are not those that it names."""
    tasks = read_store_table(path, (*TASK_COLUMNS, DIGEST))
    for task_id, digest in zip(tasks["task_id"], tasks[DIGEST], strict=True):
        predictions = predictions_path(path.parents[1], task_id)
        if sha256_of(predictions) != digest:
            advice = "delete the study's folders predictions and fetched, not raw, and run it again"
            raise InputError(f"{predictions}: is not the file that {path} names; {advice}")
    return tasks.drop(columns=DIGEST)
