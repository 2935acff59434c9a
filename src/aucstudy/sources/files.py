"""The source `files`: prediction files of the user's own, one a task, one column of scores a model."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from aucstudy.errors import InputError
from aucstudy.reading.labels import NotBinary
from aucstudy.reading.prediction_tables import Columns, RepeatedRows, ScoredTable, read_scored_table
from aucstudy.reading.table_files import ending_of
from aucstudy.reading.tables import MissingColumn
from aucstudy.sources import fill
from aucstudy.statistics.seeds import generator
from aucstudy.store.files import sha256_of
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.task_store import (
    LONGEST_TASK_ID,
    Batch,
    Filled,
    Predictions,
    run_id,
    run_rows,
    task_row,
    write_predictions,
)

BRINGS_MODELS = True
PATHS = ("tasks",)

ENDINGS = (".csv", ".tsv", ".tab", ".parquet", ".pq")
MINORITY = "minority"


REASONS = {
    MissingColumn: Reason.COLUMNS_MISSING,
    RepeatedRows: Reason.ROWS_DUPLICATED,
    NotBinary: Reason.NOT_BINARY,
}


def prediction_files(settings: Mapping[str, Any]) -> dict[str, Path]:
    """The files of a study by task_id, which is the file's name without its endings.

    InputError where the folder is missing or empty, two files are of one task, or a name is too long.
    """
    tasks = settings["tasks"]
    paths = _in_folder(Path(tasks)) if isinstance(tasks, str) else [Path(path) for path in tasks]
    files: dict[str, Path] = {}
    for path in paths:
        if not path.is_file():
            raise InputError(f"files.tasks: {path}: no such file")
        task_id = path.name.removesuffix(".gz").rpartition(".")[0]
        if task_id in files:
            raise InputError(f"files.tasks: {files[task_id]} and {path} are both of task {task_id!r}")
        length = len(task_id.encode())
        if not 0 < length <= LONGEST_TASK_ID:
            raise InputError(
                f"files.tasks: {path}: a task's name of {length} bytes; 1 to {LONGEST_TASK_ID} before the ending are "
                "wanted"
            )
        files[task_id] = path
    return files


def _in_folder(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise InputError(
            f"files.tasks: {folder.absolute()} is no folder; a folder of prediction files is wanted"
        )
    paths = sorted(path for path in folder.iterdir() if ending_of(path) in ENDINGS and path.name[0] != ".")
    if not paths:
        raise InputError(f"files.tasks: {folder} holds no file that ends in {', '.join(ENDINGS)}")
    return paths


def input_files(settings: Mapping[str, Any]) -> dict[str, str]:
    return {str(path): sha256_of(path) for path in prediction_files(settings).values()}


def task_ids(settings: Mapping[str, Any]) -> list[str]:
    return list(prediction_files(settings))


def check(settings: Mapping[str, Any], *, models_per_task: int, min_flows: int) -> None:
    files = prediction_files(settings)
    stray = set(settings.get("groups", {})) - set(files)
    if stray:
        tasks = ", ".join(files)[:300]
        raise InputError(f"files.groups: no task {sorted(stray)[0]!r}; the tasks are {tasks}")
    scores = settings.get("scores", "all")
    if isinstance(scores, str) and scores != "all":
        raise InputError(f"files.scores: is {scores!r}; all or a list of columns is wanted")
    if isinstance(scores, list) and len(scores) < min_flows:
        raise InputError(f"files.scores: {len(scores)} columns, fewer than min_flows ({min_flows})")


def fetch(batch: Batch) -> None:
    files = prediction_files(batch.settings)
    fill(batch, dict.fromkeys(files, 1), lambda task_id: _filled(batch, task_id, files[task_id]))


def _filled(batch: Batch, task_id: str, path: Path) -> Filled:
    try:
        table = _read(path, batch.settings)
    except InputError as error:
        # by its name: the same files in another folder make the same tables
        detail = str(error).replace(str(path), path.name)
        reason = REASONS.get(type(error), Reason.FILE_BROKEN)
        return Filled(rejections=[Rejection(task_id, "", Stage.READ, reason, detail)])
    rejections = [
        Rejection(task_id, run_id(task_id, name), Stage.READ, Reason.NOT_A_SCORE, f"column {name!r} {why}")
        for name, why in (table.left_out or {}).items()
    ]
    if fault := _unusable(table, batch.min_flows):
        return Filled(rejections=[*rejections, Rejection(task_id, "", Stage.READ, *fault)])
    predictions, models = _predictions(task_id, table, batch)
    facts = task_row(
        predictions,
        positive_class=table.positive,
        negative_class=table.negative,
        source="files",
        source_group=batch.settings.get("groups", {}).get(task_id, task_id),
        n_candidates=len(table.names),
    )
    write_predictions(batch.folder, predictions, facts)
    # each model is a flow of its own
    runs = run_rows(predictions, models, [""] * len(models), sha256_of(path))
    return Filled([facts], runs, rejections)


def _read(path: Path, settings: Mapping[str, Any]) -> ScoredTable:
    scores, positive = settings.get("scores", "all"), settings.get("positive", MINORITY)
    columns = Columns(
        label=settings["label"],
        scores=() if scores == "all" else scores,
        positive=None if positive == MINORITY else positive,
        minority=positive == MINORITY,
        fold=settings.get("fold"),
        row=settings.get("row"),
    )
    return read_scored_table(path, columns)


def _unusable(table: ScoredTable, min_flows: int) -> tuple[Reason, str] | None:
    if table.y_true.all() or not table.y_true.any():
        return Reason.ONE_CLASS, f"all {len(table.y_true)} rows are of one class"
    if len(table.names) < min_flows:
        return Reason.TOO_FEW_FLOWS, f"{len(table.names)} columns of scores, {min_flows} are wanted"
    return None


def _predictions(task_id: str, table: ScoredTable, batch: Batch) -> tuple[Predictions, list[str]]:
    order = generator(batch.seed, task_id, "models").permutation(len(table.names))
    drawn_columns = np.sort(order[: batch.models_per_task])
    names = [table.names[i] for i in drawn_columns]
    n = len(table.y_true)
    predictions = Predictions(
        task_id=task_id,
        row_id=np.arange(n),
        repeat=np.zeros(n, int),
        fold=np.zeros(n, int) if table.folds is None else np.unique(table.folds, return_inverse=True)[1],
        y_true=table.y_true,
        scores=np.asfortranarray(table.scores[:, drawn_columns]),
        run_ids=tuple(run_id(task_id, name) for name in names),
    )
    return predictions, names
