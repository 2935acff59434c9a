"""The batches of a task store. A job scores, or measures for an experiment, the tasks of one batch.

The batch of a task follows from its id alone, so a task that is added or left out changes only one batch.
The file of a batch holds the rows of its tasks in tasks.csv and the SHA-256 of the predictions of each task.
The jobs of a batch depend on this file. It changes if a row or the predictions of a task change.
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
    """Return the number of the batch of a task, counted from 0.

    >>> batch_of("iris", 4), batch_of("wine", 4)
    (3, 0)
    """
    return int.from_bytes(hashlib.sha256(task_id.encode()).digest(), "big") % n_batches


def write_batches(store: Path, n_batches: int, folder: Path) -> None:
    """Write the file `<number>.csv` of each batch. That of a batch without tasks has only the header."""
    tasks = read_tasks(store)
    digests = [sha256_of(predictions_path(store, task_id)) for task_id in tasks["task_id"]]
    numbers = tasks["task_id"].map(lambda task_id: batch_of(task_id, n_batches))
    rows = tasks.assign(**{DIGEST: digests})
    for number in range(n_batches):
        write_table(rows[numbers == number], folder / f"{number}.csv")


def read_batch(path: Path) -> pd.DataFrame:
    """Return the rows of the tasks of a batch, in the order of tasks.csv.

    Raise InputError if the SHA-256 of the predictions of a task is not the one in the file of the batch.
    """
    tasks = read_store_table(path, (*TASK_COLUMNS, DIGEST))
    for task_id, digest in zip(tasks["task_id"], tasks[DIGEST], strict=True):
        predictions = predictions_path(path.parents[1], task_id)
        if sha256_of(predictions) != digest:
            advice = "delete the study's folders predictions and fetched, not raw, and run it again"
            raise InputError(f"{predictions}: is not the file that {path} names; {advice}")
    return tasks.drop(columns=DIGEST)
