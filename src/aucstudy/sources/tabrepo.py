"""The source `tabrepo`: the test predictions that TabRepo and TabArena publish, from local folders in their layout.

Salinas and Erickson 2024. A folder, or `model_predictions` in it, has for each data set and fold a folder
`<dataset>/<fold>` with

* `metadata.json`: `models`, `dtype` and `pred_test_shape`, which is (models, rows) for two classes;
* `pred-test.dat`: the probabilities of class 1, as plain floats in the byte order of the machine;
* `label-test.csv.zip`, rows by their number and class, or since 2026 `labels.dat`: the length of a JSON header as four
  bytes, the header, the labels of validation and then those of the test.

TabArena has a folder for each method: those that are listed are put together. A data set is a task, with the models
that predict all of its folds.
"""

import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
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

FLOATS = ("float16", "float32", "float64")
DAMAGED = (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile)
Folds = dict[int, list[Path]]


class _NotBinary(InputError):
    pass


def _folds(settings: Mapping[str, Any]) -> dict[str, Folds]:
    by_name: dict[str, Folds] = {}
    for folder in map(Path, _listed(settings["folders"])):
        inside = folder / "model_predictions"
        folds = (inside if inside.is_dir() else folder).glob("*/*/metadata.json")
        paths = sorted(path.parent for path in folds if path.parent.name.isdecimal())
        if not paths:
            raise InputError(
                f"tabrepo.folders: {folder} holds no <dataset>/<fold>/metadata.json; TabRepo's layout is wanted"
            )
        for path in paths:
            if str(int(path.name)) != path.name:
                raise InputError(f"{path}: a fold without leading zeros is wanted ({int(path.name)})")
            by_name.setdefault(path.parent.name, {}).setdefault(int(path.name), []).append(path)
    names = settings.get("datasets", "all")
    names = sorted(by_name) if names == "all" else _listed(names)
    for name in names:
        if name not in by_name:
            raise InputError(f"tabrepo.datasets: no data set {name!r}; there are {', '.join(by_name)[:300]}")
        if len(name.encode()) > LONGEST_TASK_ID:
            raise InputError(
                f"tabrepo.datasets: {name}: at most {LONGEST_TASK_ID} bytes of a name are wanted"
            )
    return {name: dict(sorted(by_name[name].items())) for name in names}


def _listed(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


def task_ids(settings: Mapping[str, Any]) -> list[str]:
    return list(_folds(settings))


def input_files(settings: Mapping[str, Any]) -> dict[str, str]:
    """The SHA-256 of what describes each fold: the predictions themselves may be hundreds of gigabytes."""
    paths = (
        path / "metadata.json"
        for folds in _folds(settings).values()
        for folders in folds.values()
        for path in folders
    )
    return {str(path): sha256_of(path) for path in paths}


def check(settings: Mapping[str, Any], *, models_per_task: int, min_flows: int) -> None:
    _folds(settings)
    models = settings.get("models", "all")
    if models != "all" and (isinstance(models, str) or len(models) < min_flows):
        raise InputError(
            f"tabrepo.models: is {models!r}; all or a list of at least min_flows ({min_flows}) is wanted"
        )


def fetch(batch: Batch) -> None:
    """One task a data set; one that cannot be used becomes a rejection."""
    folds = _folds(batch.settings)
    fill(batch, dict.fromkeys(folds, 1), lambda name: _filled(batch, name, folds[name]))


def _filled(batch: Batch, name: str, folds: Folds) -> Filled:
    rejections: list[Rejection] = []
    try:
        described, rejections = _models(name, folds, batch.settings.get("models", "all"))
        order = generator(batch.seed, name, "models").permutation(len(described))
        models = [list(described)[i] for i in np.sort(order[: batch.models_per_task])]
        if len(described) < batch.min_flows:
            few = f"{len(described)} models predict every fold, {batch.min_flows} are wanted"
            rejected = Rejection(name, "", Stage.READ, Reason.TOO_FEW_FLOWS, few)
            return Filled(rejections=[*rejections, rejected])
        predictions, positive = _predictions(name, folds, described, models, batch.settings["positive"])
    except InputError as error:
        reason = Reason.NOT_BINARY if isinstance(error, _NotBinary) else Reason.FILE_BROKEN
        detail = _without_folders(str(error), batch.settings)
        return Filled(rejections=[*rejections, Rejection(name, "", Stage.READ, reason, detail)])
    classes = {"positive_class": str(positive), "negative_class": str(1 - positive)}
    facts = {"source": "tabrepo", "source_group": name, "n_candidates": len(described)}
    task = task_row(predictions, **classes, **facts)
    write_predictions(batch.folder, predictions, task)
    return Filled([task], run_rows(predictions, models, [""] * len(models), ""), rejections)


def _without_folders(text: str, settings: Mapping[str, Any]) -> str:
    """A fault without the folders of the study: the same files in another folder make the same tables."""
    for folder in _listed(settings["folders"]):
        text = text.replace(f"{folder}{os.sep}", "")
    return text


def _models(
    name: str, folds: Folds, chosen: str | list[str]
) -> tuple[dict[str, dict[int, tuple[Path, int]]], list[Rejection]]:
    """Of each model that predicts every fold the folder and its row there, by fold; a rejection of each other one."""
    rows: dict[str, dict[int, tuple[Path, int]]] = {}
    for fold, paths in folds.items():
        for path in paths:
            for i, model in enumerate(_described(path)["models"]):
                if chosen == "all" or model in chosen:
                    before, _ = rows.setdefault(model, {}).setdefault(fold, (path, i))
                    if rows[model][fold] != (path, i):
                        raise InputError(
                            f"{path / 'metadata.json'}: model {model!r} is in {before / 'metadata.json'} too; one "
                            "prediction by each model is wanted"
                        )
    left_out = [
        Rejection(
            name,
            run_id(name, model),
            Stage.READ,
            Reason.ROWS_INCOMPLETE,
            f"predicts nothing of fold {min(missing)}",
        )
        for model in sorted(rows)
        if (missing := set(folds) - set(rows[model]))
    ]
    return {model: rows[model] for model in sorted(rows) if len(rows[model]) == len(folds)}, left_out


def _described(path: Path) -> dict[str, Any]:
    try:
        described = json.loads((path / "metadata.json").read_text(encoding="utf-8"))
        models, shape, dtype = (described[key] for key in ("models", "pred_test_shape", "dtype"))
        named = isinstance(models, list) and all(isinstance(model, str) and model for model in models)
        sized = isinstance(shape, list) and all(type(size) is int and size > 0 for size in shape)
        if not (named and sized and dtype in FLOATS and len(shape) in (2, 3) and shape[0] == len(models)):
            raise ValueError(f"models {models!s:.60}, pred_test_shape {shape!s:.60}, dtype {dtype!s:.60}")
    except DAMAGED as error:
        keys = "models, pred_test_shape and dtype as TabRepo writes them"
        raise InputError(
            f"{path / 'metadata.json'}: {type(error).__name__}: {error}; {keys} are wanted"
        ) from None
    return described


def _predictions(
    name: str, folds: Folds, rows_of: Mapping, models: list[str], positive: str
) -> tuple[Predictions, int]:
    """The predictions of some models, and which class is positive: 1, or 0 where that is the rarer and is asked for."""
    rows, repeats, labels, scores = [], [], [], []
    repeat_of: dict[int, int] = {}
    for fold in folds:
        first = rows_of[models[0]][fold][0]
        row_ids, y = _labels(first)
        for model in models:
            path = rows_of[model][fold][0]
            model_rows, model_y = _labels(path)
            if not np.array_equal(model_y, y):
                raise InputError(f"{path}: other labels than {first}")
            if row_ids is not None and model_rows is not None and not np.array_equal(model_rows, row_ids):
                raise InputError(f"{path}: other row numbers than {first}")
        if row_ids is None:  # without numbers no two folds are known to share a row
            row_ids = np.arange(len(y)) + sum(map(len, rows))
        # a fold with a row that was there before is of a further repeat
        repeat = max((repeat_of[row] + 1 for row in row_ids.tolist() if row in repeat_of), default=0)
        repeat_of |= dict.fromkeys(row_ids.tolist(), repeat)
        rows.append(row_ids)
        repeats.append(repeat)
        labels.append(y)
        scores.append(
            np.column_stack(
                [_scores(path, row, len(y)) for path, row in (rows_of[model][fold] for model in models)]
            )
        )
    sizes = list(map(len, labels))
    truth, matrix = np.concatenate(labels), np.concatenate(scores)
    chosen = 0 if positive == "minority" and truth.mean() > 0.5 else 1
    predictions = Predictions(
        task_id=name,
        row_id=np.concatenate(rows),
        repeat=np.repeat(repeats, sizes),
        fold=np.repeat(list(folds), sizes),
        y_true=truth == chosen,
        # of the probability the opposite and no complement, which would tie what differs
        scores=np.asfortranarray(matrix if chosen else -matrix),
        run_ids=tuple(run_id(name, model) for model in models),
    )
    return predictions, chosen


def _scores(path: Path, row: int, n: int) -> np.ndarray:
    described = _described(path)
    shape, file = described["pred_test_shape"], path / "pred-test.dat"
    if len(shape) == 3 and shape[2] != 2:
        raise _NotBinary(f"{file}: probabilities of {shape[2]} classes, of two are wanted")
    try:
        stored = np.fromfile(file, described["dtype"], np.prod(shape[1:]), offset=row * _bytes(described))
        size = file.stat().st_size
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from None
    full_size = shape[0] * _bytes(described)
    if size != full_size or shape[1] != n:
        raise InputError(f"{file}: {size} bytes for {n} labels; {full_size} for {shape[1]} rows are wanted")
    values = stored.reshape(shape[1:]).astype(float)
    values = values[:, 1] if values.ndim == 2 else values
    if np.isnan(values).any():
        raise InputError(
            f"{file}: model {described['models'][row]!r} has no number in row {np.isnan(values).argmax()}"
        )
    return values


def _bytes(described: Mapping[str, Any]) -> int:
    return int(np.prod(described["pred_test_shape"][1:])) * np.dtype(described["dtype"]).itemsize


def _labels(path: Path) -> tuple[np.ndarray | None, np.ndarray]:
    """(n,) the numbers of the rows where the file has them, and their classes, 0 or 1."""
    new = path / "labels.dat"
    file = new if new.is_file() else path / "label-test.csv.zip"
    try:
        if file == new:
            blob = file.read_bytes()
            start = 4 + int.from_bytes(blob[:4], "little")
            header = json.loads(blob[4:start])
            before = np.dtype(header["val"]["dtype"]).itemsize * header["val"]["n"]
            labels = np.frombuffer(blob, header["test"]["dtype"], header["test"]["n"], start + before)
            rows = None
        else:
            table = pd.read_csv(file, index_col=0)
            labels, rows = table.iloc[:, 0].to_numpy(), _row_numbers(table.index)
    except (*DAMAGED, IndexError) as error:
        raise InputError(f"{file}: not readable as labels ({' '.join(str(error).split())[:200]})") from None
    if not np.isin(labels, (0, 1)).all() or len(np.unique(labels)) < 2:
        shown = ", ".join(map(str, np.unique(labels)[:5]))
        raise _NotBinary(f"{file}: the labels are {shown}; both 0 and 1 and nothing else are wanted")
    return rows, labels.astype(int)


def _row_numbers(index: pd.Index) -> np.ndarray:
    if not pd.api.types.is_integer_dtype(index):
        raise ValueError(f"row numbers such as {index[0]!r}; whole ones are wanted")
    if index.has_duplicates:
        raise ValueError(f"row number {index[index.duplicated()][0]} is there twice; each is wanted once")
    return index.to_numpy(dtype=np.int64)
