"""The sources `tabrepo` and `amlb`: the test predictions behind leaderboards, from local folders in their layouts.

A folder `<dataset>/<fold>` is in one of two layouts, which its files tell apart. TabRepo and TabArena (Salinas and
Erickson 2024; in `model_predictions` of a folder for each method) have

* `metadata.json`: `models`, `dtype` and `pred_test_shape`, which is (models, rows) for two classes;
* `pred-test.dat`: the probabilities of class 1 as plain floats;
* `label-test.csv.zip`, rows by their number and class, or since 2026 `labels.dat`: the length of a JSON header in four
  bytes, the header, the labels of validation and of the test.

The AutoML benchmark (Gijsbers et al. 2024; in `predictions` of a folder for each session) has

* `predictions.csv`: a column of probabilities for each class, in sorted order, then `predictions` and `truth`;
* `metadata.json`, where it was saved: `framework`, the model's name; else the session's name up to its first dot.

A data set is a task, with the models of all folders that predict each of its folds.
"""

import json
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.sources import fill
from aucstudy.sources.files import drawn_models, stored
from aucstudy.store.files import sha256_of
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.task_store import LONGEST_TASK_ID, Batch, Filled, Predictions, run_id

BRINGS_MODELS = True
PATHS = ("folders",)

FLOATS = ("float16", "float32", "float64")
DAMAGED = (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile)
# where a folder may hold <dataset>/<fold>; of the last, the sessions of the AutoML benchmark
INSIDE = ("model_predictions", "predictions", ".", "*/predictions")


class _NotBinary(InputError):
    pass


@dataclass(frozen=True)
class _TabRepo:
    """A fold in TabRepo's layout: models by their place in one file."""

    path: Path
    source = "tabrepo"
    predicted = True
    classes = ("0", "1")

    @property
    def file(self) -> Path:
        return self.path / "metadata.json"

    @cached_property
    def described(self) -> dict[str, Any]:
        try:
            metadata = json.loads(self.file.read_text(encoding="utf-8"))
            models, shape, dtype = (metadata[key] for key in ("models", "pred_test_shape", "dtype"))
            named = isinstance(models, list) and all(isinstance(model, str) and model for model in models)
            sized = isinstance(shape, list) and all(type(size) is int and size > 0 for size in shape)
            if not (named and sized and dtype in FLOATS and len(shape) in (2, 3) and shape[0] == len(models)):
                raise ValueError(f"models {models!s:.60}, pred_test_shape {shape!s:.60}, dtype {dtype!s:.60}")
        except DAMAGED as error:
            keys = "models, pred_test_shape and dtype as TabRepo writes them"
            raise InputError(f"{self.file}: {type(error).__name__}: {error}; {keys} are wanted") from None
        return metadata

    @property
    def models(self) -> list[str]:
        return self.described["models"]

    @cached_property
    def labels(self) -> tuple[np.ndarray | None, np.ndarray]:
        """(n,) the numbers of the rows where the file has them, and their classes, 0 or 1."""
        labels_file = self.path / "labels.dat"
        file = labels_file if labels_file.is_file() else self.path / "label-test.csv.zip"
        try:
            if file == labels_file:
                blob = file.read_bytes()
                start = 4 + int.from_bytes(blob[:4], "little")
                header = json.loads(blob[4:start])
                n_before = np.dtype(header["val"]["dtype"]).itemsize * header["val"]["n"]
                labels = np.frombuffer(blob, header["test"]["dtype"], header["test"]["n"], start + n_before)
                rows = None
            else:
                table = pd.read_csv(file, index_col=0)
                labels, rows = table.iloc[:, 0].to_numpy(), _row_numbers(table.index)
        except (*DAMAGED, IndexError) as error:
            raise InputError(
                f"{file}: not readable as labels ({' '.join(str(error).split())[:200]})"
            ) from None
        if not np.isin(labels, (0, 1)).all() or len(np.unique(labels)) < 2:
            shown = ", ".join(map(str, np.unique(labels)[:5]))
            raise _NotBinary(f"{file}: the labels are {shown}; 0 and 1 are wanted")
        return rows, labels.astype(int)

    def scores(self, model: str) -> np.ndarray:
        n, row, shape = len(self.labels[1]), self.models.index(model), self.described["pred_test_shape"]
        file, dtype = self.path / "pred-test.dat", np.dtype(self.described["dtype"])
        if len(shape) == 3 and shape[2] != 2:
            raise _NotBinary(f"{file}: probabilities of {shape[2]} classes, of two are wanted")
        cells = int(np.prod(shape[1:]))
        try:
            probabilities = np.fromfile(file, dtype, cells, offset=row * cells * dtype.itemsize)
            size = file.stat().st_size
        except OSError as error:
            raise InputError(f"{file}: cannot be read ({error.strerror})") from None
        full_size = shape[0] * cells * dtype.itemsize
        if size != full_size or shape[1] != n:
            raise InputError(
                f"{file}: {size} bytes for {n} labels; {full_size} for {shape[1]} rows are wanted"
            )
        values = probabilities.reshape(shape[1:]).astype(float)
        return _numbers(values[:, 1] if values.ndim == 2 else values, file, model)


@dataclass(frozen=True)
class _Amlb:
    path: Path
    source = "amlb"

    @property
    def predicted(self) -> bool:
        """A framework that failed leaves at most its metadata."""
        return self.file.is_file()

    @property
    def file(self) -> Path:
        return self.path / "predictions.csv"

    @cached_property
    def models(self) -> list[str]:
        metadata = self.path / "metadata.json"
        session = self.path.parents[2].name.partition(".")[0]
        try:
            framework = session
            if metadata.is_file():
                framework = json.loads(metadata.read_text(encoding="utf-8"))["framework"]
        except DAMAGED as error:
            raise InputError(
                f"{metadata}: {type(error).__name__}: {error}; the key framework is wanted"
            ) from None
        if not (isinstance(framework, str) and framework):
            raise InputError(f"{metadata}: framework is {framework!r}; a name is wanted")
        return [framework]

    @cached_property
    def table(self) -> pd.DataFrame:
        try:
            table = pd.read_csv(self.file, dtype={"predictions": str, "truth": str}, keep_default_na=False)
        except (OSError, ValueError) as error:
            raise InputError(
                f"{self.file}: not readable as CSV ({' '.join(str(error).split())[:200]})"
            ) from None
        names = list(table)
        if not {"predictions", "truth"} <= set(names):
            columns = ", ".join(names)[:200]
            raise InputError(f"{self.file}: the columns are {columns}; predictions and truth are wanted")
        return table

    @property
    def classes(self) -> tuple[str, ...]:
        names = list(self.table)
        return tuple(names[: names.index("predictions")])

    @cached_property
    def labels(self) -> tuple[None, np.ndarray]:
        """(n,) 1 where the truth is the second class; the rows have no numbers."""
        truth, classes = self.table["truth"].to_numpy(), self.classes
        if len(classes) != 2:
            fault = f"probabilities of {len(classes)} classes" if classes else "no column of probabilities"
            raise _NotBinary(f"{self.file}: {fault}, of two are wanted")
        truth_values = set(truth)
        if truth_values == {"0", "1"}:  # the benchmark may have encoded the classes
            classes = ("0", "1")
        if truth_values != set(classes):
            shown = ", ".join(sorted(truth_values)[:5])
            raise _NotBinary(f"{self.file}: truth is {shown}; {classes[0]} and {classes[1]} are wanted")
        return None, (truth == classes[1]).astype(int)

    def scores(self, model: str) -> np.ndarray:
        values = pd.to_numeric(self.table.iloc[:, 1], errors="coerce").to_numpy(dtype=float)
        return _numbers(values, self.file, model)


Fold = _TabRepo | _Amlb
Folds = dict[int, list[Fold]]


def _numbers(values: np.ndarray, file: Path, model: str) -> np.ndarray:
    if np.isnan(values).any():
        raise InputError(f"{file}: model {model!r} has no number in row {np.isnan(values).argmax()}")
    return values


def _fold_in(path: Path) -> Fold:
    is_amlb = (path / "predictions.csv").is_file() or path.parents[1].name == "predictions"
    return _Amlb(path) if is_amlb else _TabRepo(path)


def _folds(settings: Mapping[str, Any]) -> dict[str, Folds]:
    by_name: dict[str, Folds] = {}
    for folder in map(Path, _listed(settings["folders"])):
        files = (path for inside in INSIDE for path in folder.glob(f"{inside}/*/*/*"))
        paths = {file.parent for file in files if file.name in ("metadata.json", "predictions.csv")}
        folds = sorted(path for path in paths if path.name.isdecimal())
        if not folds:
            raise InputError(
                f"folders: {folder} holds no <dataset>/<fold>/metadata.json or predictions.csv; one of these is wanted"
            )
        for path in folds:
            if str(int(path.name)) != path.name:
                raise InputError(f"{path}: a fold without leading zeros is wanted ({int(path.name)})")
            by_name.setdefault(path.parent.name, {}).setdefault(int(path.name), []).append(_fold_in(path))
    names = settings.get("datasets", "all")
    names = sorted(by_name) if names == "all" else _listed(names)
    for name in names:
        if name not in by_name:
            raise InputError(f"datasets: no data set {name!r}; there are {', '.join(by_name)[:300]}")
        if len(name.encode()) > LONGEST_TASK_ID:
            raise InputError(f"datasets: {name}: at most {LONGEST_TASK_ID} bytes of a name are wanted")
    return {name: dict(sorted(by_name[name].items())) for name in names}


def _listed(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


def task_ids(settings: Mapping[str, Any]) -> list[str]:
    return list(_folds(settings))


def input_files(settings: Mapping[str, Any]) -> dict[str, str]:
    """The SHA-256 of what describes each fold: TabRepo's predictions themselves may be hundreds of gigabytes."""
    folds_of_datasets = (
        fold for folds in _folds(settings).values() for same_fold in folds.values() for fold in same_fold
    )
    paths = (fold.file for fold in folds_of_datasets if fold.predicted)
    return {str(path): sha256_of(path) for path in paths}


def check(settings: Mapping[str, Any], *, models_per_task: int, min_flows: int) -> None:
    _folds(settings)
    models = settings.get("models", "all")
    if models != "all" and (isinstance(models, str) or len(models) < min_flows):
        raise InputError(
            f"models: is {models!r}; all or a list of at least min_flows ({min_flows}) is wanted"
        )


def fetch(batch: Batch) -> None:
    folds = _folds(batch.settings)
    fill(batch, dict.fromkeys(folds, 1), lambda name: _filled(batch, name, folds.pop(name)))


def _filled(batch: Batch, name: str, folds: Folds) -> Filled:
    rejections: list[Rejection] = []
    try:
        names, rejections = _models(name, folds, batch.settings.get("models", "all"))
        models = [list(names)[i] for i in drawn_models(batch, name, len(names))]
        if len(names) < batch.min_flows:
            fault = f"{len(names)} models predict every fold, {batch.min_flows} are wanted"
            rejection = Rejection(name, "", Stage.READ, Reason.TOO_FEW_FLOWS, fault)
            return Filled(rejections=[*rejections, rejection])
        predictions, (negative, positive) = _predictions(name, names, models, batch.settings["positive"])
    except InputError as error:
        reason = Reason.NOT_BINARY if isinstance(error, _NotBinary) else Reason.FILE_BROKEN
        detail = _without_folders(str(error), batch.settings)
        return Filled(rejections=[*rejections, Rejection(name, "", Stage.READ, reason, detail)])
    classes = {"positive_class": positive, "negative_class": negative}
    first = next(iter(folds.values()))[0]
    facts = {"source": first.source, "source_group": name, "n_candidates": len(names)}
    return Filled(rejections=rejections) + stored(batch, predictions, models, "", **classes, **facts)


def _without_folders(text: str, settings: Mapping[str, Any]) -> str:
    """A fault without the folders of the study: the same files in another folder make the same tables."""
    for folder in _listed(settings["folders"]):
        text = text.replace(f"{folder}{os.sep}", "")
    return text


def _models(
    name: str, folds: Folds, chosen: str | list[str]
) -> tuple[dict[str, dict[int, Fold]], list[Rejection]]:
    """By model that predicts every fold, where it does; a rejection of each other one."""
    folds_by_model: dict[str, dict[int, Fold]] = {}
    for number, same_fold in folds.items():
        for fold in same_fold:
            for model in fold.models:
                if chosen == "all" or model in chosen:
                    model_folds = folds_by_model.setdefault(model, {})
                    if not fold.predicted:
                        continue
                    if number in model_folds:
                        raise InputError(
                            f"{fold.file}: model {model!r} is in {model_folds[number].file} too; one prediction by "
                            "each model is wanted"
                        )
                    model_folds[number] = fold
    complete, rejections = {}, []
    for model, model_folds in sorted(folds_by_model.items()):
        if missing := set(folds) - set(model_folds):
            detail = f"predicts nothing of fold {min(missing)}"
            rejection = Rejection(name, run_id(name, model), Stage.READ, Reason.ROWS_INCOMPLETE, detail)
            rejections.append(rejection)
        else:
            complete[model] = model_folds
    return complete, rejections


def _predictions(
    name: str, folds_of_models: Mapping[str, dict[int, Fold]], models: list[str], positive: str
) -> tuple[Predictions, tuple[str, str]]:
    """The predictions of some models, and the negative and the positive class: the second, or the rarer if wanted."""
    rows, repeats, labels, scores = [], [], [], []
    repeat_of: dict[int, int] = {}
    numbers = list(folds_of_models[models[0]])
    for number in numbers:
        first_fold, *further_folds = (folds_of_models[model][number] for model in models)
        row_ids, y = first_fold.labels
        for fold in further_folds:
            its_rows, its_y = fold.labels
            if not np.array_equal(its_y, y):
                raise InputError(f"{fold.path}: other labels than {first_fold.path}")
            if row_ids is not None and its_rows is not None and not np.array_equal(its_rows, row_ids):
                raise InputError(f"{fold.path}: other row numbers than {first_fold.path}")
        if row_ids is None:  # without numbers no two folds are known to share a row
            row_ids = np.arange(len(y)) + sum(map(len, rows))
        # a fold with a row that was there before is of a further repeat
        repeat = max((repeat_of[row] + 1 for row in row_ids.tolist() if row in repeat_of), default=0)
        repeat_of |= dict.fromkeys(row_ids.tolist(), repeat)
        rows.append(row_ids)
        repeats.append(repeat)
        labels.append(y)
        scores.append(np.column_stack([folds_of_models[model][number].scores(model) for model in models]))
    sizes = list(map(len, labels))
    truth, matrix = np.concatenate(labels), np.concatenate(scores)
    positive_index = 0 if positive == "minority" and truth.mean() > 0.5 else 1
    predictions = Predictions(
        task_id=name,
        row_id=np.concatenate(rows),
        repeat=np.repeat(repeats, sizes),
        fold=np.repeat(numbers, sizes),
        y_true=truth == positive_index,
        # of the probability the opposite and no complement, which would tie what differs
        scores=np.asfortranarray(matrix if positive_index else -matrix),
        run_ids=tuple(run_id(name, model) for model in models),
    )
    classes = first_fold.classes
    return predictions, (classes[1 - positive_index], classes[positive_index])


def _row_numbers(index: pd.Index) -> np.ndarray:
    if not pd.api.types.is_integer_dtype(index):
        raise ValueError(f"row numbers such as {index[0]!r}; whole ones are wanted")
    if index.has_duplicates:
        raise ValueError(f"row number {index[index.duplicated()][0]} is there twice; each is wanted once")
    return index.to_numpy(dtype=np.int64)
