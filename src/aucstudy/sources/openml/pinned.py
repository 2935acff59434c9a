"""The frozen selection: which runs a fetch kept, with their sha256, for a later study to use and verify."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from aucstudy.errors import InputError
from aucstudy.sources.openml.parsing import Evaluation
from aucstudy.sources.openml.task import TaskJob
from aucstudy.store.tables import read_table, write_table

COLUMNS = ("task_id", "n_candidates", "run_id", "flow_id", "flow_name", "setup_id", "upload_time", "server_auroc", "sha256")  # fmt: skip  # noqa: E501


def write_pinned(
    path: Path, tasks: Iterable[Mapping[str, object]], runs: Iterable[Mapping[str, object]]
) -> None:
    """Write the selection of a finished fetch."""
    n_candidates = {task["task_id"]: task["n_candidates"] for task in tasks}
    rows = [{**run, "n_candidates": n_candidates[run["task_id"]]} for run in runs]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    write_table(frame.sort_values(["task_id", "run_id"], kind="stable"), path)


def read_pinned(path: Path | str) -> list[TaskJob]:
    """The tasks of a selection, each run its own place, so that none can take the place of another.

    Raises
    ------
    InputError
        The file lacks a column, or names a task or run that is no number.
    """
    frame = read_table(path, COLUMNS)
    for column in ("task_id", "run_id"):
        bad = frame[~frame[column].str.fullmatch(r"\d+")]
        if len(bad):
            raise InputError(
                f"{path}: {column} {bad[column].iloc[0]!r} in row {bad.index[0] + 2}; wanted a number"
            )
    jobs = []
    for task_id, rows in frame.groupby("task_id", sort=False):
        places = [
            [
                Evaluation(
                    task_id=row.task_id,
                    run_id=row.run_id,
                    flow_id=row.flow_id,
                    flow_name=row.flow_name,
                    setup_id=row.setup_id,
                    upload_time=row.upload_time,
                    auroc=float(row.server_auroc),
                )
            ]
            for row in rows.itertuples()
        ]
        sha256 = dict(zip(rows["run_id"], rows["sha256"], strict=True))
        jobs.append(TaskJob(str(task_id), places, int(rows["n_candidates"].iloc[0]), sha256))
    return sorted(jobs, key=lambda job: int(job.task_id))
