"""Reading the files of the source `files` as tasks, each with its predictions or with a rejection."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from aucstudy.errors import InputError
from aucstudy.reading.labels import NotBinary
from aucstudy.reading.prediction_tables import Columns, RepeatedRows, ScoredTable, read_scored_table
from aucstudy.reading.tables import MissingColumn
from aucstudy.statistics.seeds import generator
from aucstudy.store.files import sha256_of
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.task_store import (
    Batch,
    Filled,
    Predictions,
    run_id,
    run_rows,
    task_row,
    write_predictions,
)

REASONS = {
    MissingColumn: Reason.COLUMNS_MISSING,
    RepeatedRows: Reason.ROWS_DUPLICATED,
    NotBinary: Reason.NOT_BINARY,
}
# Messages of the reader name options of the commands. In a study these are keys of the block `files`.
OPTIONS = re.compile(r"--(label|positive|fold|row)\b")
SCORES = re.compile(r"--score( \(or scores\)| \(in Python and in a study: scores\))?")


def not_read(files_beside: Mapping[Path, str], folder: Path | str) -> list[Rejection]:
    """Return a rejection for each file that is not read. Its task id is the path relative to `folder`."""
    return [
        Rejection(path.relative_to(folder).as_posix(), "", Stage.SELECT, Reason.NOT_READ, why)
        for path, why in files_beside.items()
    ]


def filled(batch: Batch, task_id: str, path: Path, positive: str | None) -> Filled:
    """Write the predictions of one file and return its rows of the task store, or only rejections.

    If `positive` is None, the smaller class is positive.
    """
    try:
        table = _read(path, batch.settings, positive)
    except InputError as error:
        # The file is named without its folder, so that the same files in another folder make the same tables.
        detail = in_words_of_a_study(str(error).replace(str(path), path.name))
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
    runs = run_rows(predictions, models, [""] * len(models), sha256_of(path))
    return Filled([facts], runs, rejections)


def in_words_of_a_study(message: str) -> str:
    """A message of the reader with the keys of a study file in place of the commands' options.

    >>> in_words_of_a_study("which one is positive? Give --positive")
    'which one is positive? Give files.positive'
    """
    return OPTIONS.sub(r"files.\1", SCORES.sub("files.scores", message))


def _read(path: Path, settings: Mapping[str, Any], positive: str | None) -> ScoredTable:
    scores = settings.get("scores", "all")
    columns = Columns(
        label=settings["label"],
        scores=() if scores == "all" else scores,
        positive=positive,
        minority=positive is None,
        fold=settings.get("fold"),
        row=settings.get("row"),
    )
    return read_scored_table(path, columns, asks=False)


def _unusable(table: ScoredTable, min_flows: int) -> tuple[Reason, str] | None:
    if table.y_true.all() or not table.y_true.any():
        return Reason.ONE_CLASS, f"all {len(table.y_true)} rows are of one class"
    if len(table.names) < min_flows:
        return Reason.TOO_FEW_FLOWS, f"{len(table.names)} columns of scores, {min_flows} are needed"
    return None


def _predictions(task_id: str, table: ScoredTable, batch: Batch) -> tuple[Predictions, list[str]]:
    order = generator(batch.seed, task_id, "models").permutation(len(table.names))
    drawn_columns = np.sort(order[: batch.models_per_task])
    names = [table.names[i] for i in drawn_columns]
    n = len(table.y_true)
    folds, fold_names = np.zeros(n, int), ()
    if table.folds is not None:
        codes, folds = np.unique(table.folds, return_inverse=True)
        fold_names = tuple(table.fold_names[code] for code in codes) if table.fold_names else ()
    predictions = Predictions(
        task_id=task_id,
        row_id=np.arange(n),
        repeat=np.zeros(n, int),
        fold=folds,
        y_true=table.y_true,
        scores=np.asfortranarray(table.scores[:, drawn_columns]),
        run_ids=tuple(run_id(task_id, name) for name in names),
        fold_names=fold_names,
    )
    return predictions, names
