"""The task store, a folder that every source fills and every later stage reads.

It holds `tasks.csv` with a row for each task, `runs.csv` with a row for each run, and `rejections.csv`. Each
task has a file `predictions/<task_id>.parquet`, with a row for each test prediction and a column of scores
for each model.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from aucstudy.errors import InputError
from aucstudy.store.rejections import Rejection, commonest, read_rejections, write_rejections
from aucstudy.store.tables import link_or_copy, read_parquet, read_store_table, write_parquet, write_sorted

SCHEMA_VERSION = 1
TASK_COLUMNS = (
    "task_id", "dataset_id", "dataset_name", "n_rows", "n_positive", "prevalence", "positive_class",
    "negative_class", "n_folds", "source", "source_group", "n_candidates",
)  # fmt: skip
# These columns are only in studies that cut large data sets, have simulated data sets, hold rows out, or have
# cross-validations with several repetitions.
FURTHER_COLUMNS = (
    "n_rows_whole", "simulated", "split", "trained", "trained_at", "n_training", "n_training_positive", "closed",
    "n_repeats",
)  # fmt: skip
RUN_COLUMNS = (
    "task_id", "run_id", "flow_id", "flow_name", "setup_id", "upload_time", "n_distinct_scores", "hard",
    "server_auroc", "sha256",
)  # fmt: skip
KEY_COLUMNS = {"row_id": pa.int32(), "repeat": pa.int16(), "fold": pa.int16(), "y_true": pa.bool_()}


@dataclass(frozen=True)
class Batch:
    """One batch of the tasks of a study. Its `number` counts from 0, and there are `n_batches`."""

    folder: Path  # the task store that the batch is fetched into
    settings: Mapping[str, Any]  # the source's block of the configuration
    models_per_task: int
    min_flows: int
    seed: int
    number: int = 0
    n_batches: int = 1
    progress: Callable[[str], object] = str  # called with the id of each task, used or rejected


@dataclass(frozen=True)
class Filled:
    """The rows to write to the tables of a task store."""

    tasks: list[dict[str, object]] = field(default_factory=list)
    runs: list[dict[str, object]] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)

    def __add__(self, more: "Filled") -> "Filled":
        return Filled(self.tasks + more.tasks, self.runs + more.runs, self.rejections + more.rejections)


@dataclass(frozen=True)
class Predictions:
    """The test predictions of one task, with n rows and m models."""

    task_id: str
    row_id: np.ndarray  # (n,) integers: the number of the row in the data set
    repeat: np.ndarray  # (n,) integers
    fold: np.ndarray  # (n,) integers: the fold of this repeat in which the row was predicted
    y_true: np.ndarray  # (n,) bool
    scores: np.ndarray  # (n, m) float64, Fortran order, higher for more likely positive
    run_ids: tuple[str, ...]  # the m models, in the order of the columns
    # The name of each number in `fold`, where the user's folds have names. There is only one repeat then.
    fold_names: tuple[str, ...] = ()

    @property
    def folds(self) -> np.ndarray:
        """(n,) the number of each row's pair of repeat and fold. The pairs are sorted and counted from 0."""
        repeat, fold = np.asarray(self.repeat, dtype=np.int64), np.asarray(self.fold, dtype=np.int64)
        pair = repeat * (np.ptp(fold) + 1 if len(fold) else 1) + fold
        return np.unique(pair, return_inverse=True)[1]


def run_id(task_id: str, model: str) -> str:
    """Return an id, unique in the study, for a run whose source gives it none."""
    return f"{task_id}.{model}"


def task_row(predictions: Predictions, **facts: object) -> dict[str, object]:
    """Return the row of tasks.csv for a task.

    The `facts` of the source are added, and they replace what is set here under the same name.
    """
    return {
        "task_id": predictions.task_id,
        "dataset_id": predictions.task_id,
        "dataset_name": predictions.task_id,
        "n_rows": len(predictions.y_true),
        "n_positive": int(predictions.y_true.sum()),
        "prevalence": float(predictions.y_true.mean()),
        "n_folds": int(predictions.folds.max()) + 1,
        **facts,
    }


def run_row(predictions: Predictions, column: int, **facts: object) -> dict[str, object]:
    """Return the row of runs.csv for one column of scores.

    The `facts` are flow_id, flow_name, setup_id and sha256, which is that of the file of the scores or of the
    data. A server's runs also have upload_time and server_auroc.
    """
    return {
        "task_id": predictions.task_id,
        "run_id": predictions.run_ids[column],
        "upload_time": "",
        "server_auroc": np.nan,
        **describe_scores(predictions.scores[:, column]),
        **facts,
    }


def run_rows(
    predictions: Predictions, models: Sequence[str], setup_ids: Sequence[str], sha256: str
) -> list[dict[str, object]]:
    """Return the rows of runs.csv if each model is a flow of its own."""
    return [
        run_row(predictions, column, flow_id=model, flow_name=model, setup_id=setup_id, sha256=sha256)
        for column, (model, setup_id) in enumerate(zip(models, setup_ids, strict=True))
    ]


def describe_scores(scores: np.ndarray) -> dict[str, object]:
    """Return the number of distinct scores, and as `hard` whether all scores are 0 or 1."""
    distinct = np.unique(scores)
    return {"n_distinct_scores": len(distinct), "hard": bool(np.isin(distinct, (0.0, 1.0)).all())}


def predictions_path(folder: Path | str, task_id: str) -> Path:
    return Path(folder) / "predictions" / f"{task_id}.parquet"


def write_predictions(folder: Path | str, predictions: Predictions, facts: Mapping[str, object]) -> None:
    """Write the predictions of one task. Its row of tasks.csv, `facts`, becomes the metadata of the file."""
    columns = {
        name: pa.array(getattr(predictions, name).astype(kind.to_pandas_dtype()), kind)
        for name, kind in KEY_COLUMNS.items()
    }
    for i, run in enumerate(predictions.run_ids):
        columns[run] = pa.array(predictions.scores[:, i], pa.float64())
    described = {"schema_version": SCHEMA_VERSION, **facts}
    if predictions.fold_names:
        described["fold_names"] = list(predictions.fold_names)
    metadata = json.dumps(described, sort_keys=True, default=str)
    table = pa.table(columns).replace_schema_metadata({"aucstudy": metadata})
    write_parquet(table, predictions_path(folder, predictions.task_id), compression="zstd")


def write_store(
    folder: Path | str,
    tasks: Iterable[Mapping[str, object]],
    runs: Iterable[Mapping[str, object]],
    rejections: Iterable[Rejection],
) -> None:
    folder = Path(folder)
    write_sorted(folder / "runs.csv", pd.DataFrame(list(runs), columns=list(RUN_COLUMNS)))
    write_rejections(folder / "rejections.csv", rejections)
    table = pd.DataFrame(list(tasks))
    columns = [*TASK_COLUMNS, *(name for name in FURTHER_COLUMNS if name in table)]
    write_sorted(folder / "tasks.csv", table.reindex(columns=columns))


def read_predictions(folder: Path | str, task_id: str) -> Predictions:
    """Return the predictions of one task.

    Raise InputError if the file is missing, damaged or of another schema version. Also raise it if a column
    is missing or repeated, if there is no row or no model, if a value is missing, or if a row is repeated
    within a repeat.
    """
    path = predictions_path(folder, task_id)
    advice = "delete the study's folders predictions and fetched, not raw, and run it again"
    try:
        table = read_parquet(path, advice)
        fault = _fault_of_table(table) or _fault(predictions := _from_table(table, task_id))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file, though tasks.csv lists task {task_id}; {advice}") from None
    except pa.ArrowException as error:
        fault = " ".join(str(error).split())[:200]
    if fault:
        raise InputError(f"{path}: {fault}; {advice}")
    return predictions


def _from_table(table: pa.Table, task_id: str) -> Predictions:
    keys = {name: table[name].cast(kind).to_numpy() for name, kind in KEY_COLUMNS.items()}
    run_ids = tuple(name for name in table.column_names if name not in KEY_COLUMNS)
    scores = np.empty((table.num_rows, len(run_ids)), order="F")
    for i, run in enumerate(run_ids):
        scores[:, i] = table[run].cast(pa.float64()).to_numpy()
    fold_names = tuple(json.loads(table.schema.metadata[b"aucstudy"]).get("fold_names", ()))
    return Predictions(task_id=task_id, scores=scores, run_ids=run_ids, fold_names=fold_names, **keys)


def _fault_of_table(table: pa.Table) -> str:
    try:
        metadata = json.loads((table.schema.metadata or {}).get(b"aucstudy", b"{}"))
    except ValueError:
        return "its description is no JSON"
    version = metadata.get("schema_version") if isinstance(metadata, dict) else None
    if version != SCHEMA_VERSION:
        return f"schema version {version}, expected {SCHEMA_VERSION}"
    names = table.column_names
    missing = [name for name in KEY_COLUMNS if name not in names]
    if missing:
        return f"column {missing[0]!r} is missing"
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        return f"{names.count(repeated[0])} columns are called {repeated[0]!r}"
    gaps = [name for name in KEY_COLUMNS if table[name].null_count]
    return f"column {gaps[0]!r} has {table[gaps[0]].null_count} empty values" if gaps else ""


def _fault(predictions: Predictions) -> str:
    if not predictions.run_ids:
        return "no model's column"
    if not len(predictions.row_id):
        return "no rows"
    if np.isnan(predictions.scores).any():
        missing = np.argwhere(np.isnan(predictions.scores))
        row, column = missing[0]
        return f"{len(missing)} scores are NaN, the first of run {predictions.run_ids[column]} in row {row}"
    keys = pd.DataFrame({"repeat": predictions.repeat, "row_id": predictions.row_id})
    repeated = np.flatnonzero(keys.duplicated())
    if len(repeated):
        return f"row_id {keys['row_id'][repeated[0]]} is repeated in repeat {keys['repeat'][repeated[0]]}"
    return ""


def read_tasks(folder: Path | str) -> pd.DataFrame:
    return read_store_table(Path(folder) / "tasks.csv", TASK_COLUMNS)


def read_runs(folder: Path | str) -> pd.DataFrame:
    return read_store_table(Path(folder) / "runs.csv", RUN_COLUMNS)


def merge_stores(batches: Iterable[Path | str], folder: Path | str) -> None:
    """Merge the task stores of batches into one, with their tasks, runs and linked predictions.

    The rejections are not merged here, because later stages add more. Raise InputError if no task is left, or
    if a task is in two batches.
    """
    batches, folder = [Path(batch) for batch in batches], Path(folder)
    # The table of a batch without tasks lacks the further columns, whether or not the study has them.
    filled = [tasks for batch in batches if not (tasks := read_tasks(batch)).empty]
    if not filled:
        rejections = [r for batch in batches for r in read_rejections(batch / "rejections.csv")]
        raise InputError(f"{folder}: no task is left after selection ({commonest(rejections)})")
    tasks = pd.concat(filled, ignore_index=True)
    repeated = tasks["task_id"][tasks["task_id"].duplicated()]
    if len(repeated):
        raise InputError(f"{folder}: task {repeated.iloc[0]} was fetched by two batches")
    for batch in batches:
        for task_id in read_tasks(batch)["task_id"]:
            link_or_copy(predictions_path(batch, task_id), predictions_path(folder, task_id))
    write_sorted(folder / "runs.csv", pd.concat([read_runs(batch) for batch in batches], ignore_index=True))
    write_sorted(folder / "tasks.csv", tasks)
