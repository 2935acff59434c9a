"""The files of a task: truth of its data set, and a run's score of the positive class, row by row."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from aucstudy.reading.arff import CONFIDENCE, Arff, ArffError, OpenMLPredictions
from aucstudy.reading.labels import same_labels
from aucstudy.store.rejections import Reason


class Unusable(Exception):
    """A task or run that cannot be used."""

    def __init__(self, reason: Reason, detail: str = ""):
        super().__init__(f"{reason.value}: {detail}")
        self.reason, self.detail = reason, detail


@contextmanager
def _readable(reason: Reason, prefix: str = "") -> Iterator[None]:
    try:
        yield
    except ArffError as error:
        raise Unusable(reason, f"{prefix}{error}") from None


@dataclass(frozen=True)
class Target:
    """Classes in the order of the data set, and (n,) `codes` into them, -1 where missing."""

    classes: tuple[str, ...]
    codes: np.ndarray

    @cached_property
    def counts(self) -> np.ndarray:
        return np.bincount(self.codes[self.known], minlength=len(self.classes))

    @cached_property
    def known(self) -> np.ndarray:
        return self.codes >= 0

    def positive_and_negative(self) -> tuple[int, int]:
        """Indices of the rarer class and of the other one; of two equal ones the later declared is positive.

        Unusable unless two classes occur.

        >>> Target(("yes", "no"), np.array([0, 1, 1])).positive_and_negative()
        (0, 1)
        >>> Target(("yes", "no"), np.array([0, 1])).positive_and_negative()
        (1, 0)
        """
        counts = self.counts
        present_classes = np.flatnonzero(counts)
        if len(present_classes) < 2:
            names = ", ".join(repr(self.classes[i]) for i in present_classes)
            raise Unusable(Reason.ONE_CLASS, f"of the target only {names or 'nothing'} occurs")
        if len(present_classes) > 2:
            raise Unusable(Reason.NOT_BINARY, f"{len(present_classes)} classes of the target occur")
        first, second = (int(i) for i in present_classes)
        return (first, second) if counts[first] < counts[second] else (second, first)


def read_target(body: bytes, name: str) -> Target:
    """The column `name` of an ARFF file; Unusable where it is missing, damaged or not nominal."""
    with _readable(Reason.TRUTH_UNAVAILABLE, "data set: "):
        file = Arff.from_bytes(body)
        column = file.index(name)
        if column is None:
            raise Unusable(Reason.TRUTH_UNAVAILABLE, f"the data set has no column {name!r}")
        labels = file.labels(column)
    classes = file.attributes[column]
    if classes.kind != "nominal":
        raise Unusable(Reason.NOT_BINARY, f"the target {name!r} is {classes.kind}, not nominal")
    values = [str(value) for value in labels.categories]
    order = same_labels(values, classes.values)
    if None in order:
        detail = f"the target holds {values[order.index(None)]!r}, which it does not declare"
        raise Unusable(Reason.TRUTH_UNAVAILABLE, detail)
    return Target(classes.values, np.array([*order, -1], dtype=np.int64)[labels.codes])


def read_parquet_target(
    body: bytes, name: str, classes: Sequence[str], n_rows: float = float("nan")
) -> Target:
    """The column `name` of a Parquet file, whose classes are in the file's order or else the description's.

    No checksum covers it: Unusable without the column, with other classes, or with other than `n_rows` (NaN: any).
    """
    try:
        column = parquet.ParquetFile(pa.BufferReader(body)).read(columns=[name]).column(name)
        in_order = pa.types.is_dictionary(column.type)
        coded = (column.unify_dictionaries() if in_order else column.dictionary_encode()).combine_chunks()
        codes = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
        values = coded.dictionary.to_pylist()
    except (KeyError, OSError, pa.ArrowException) as error:
        text = f"data set: no column {name!r} that can be read ({type(error).__name__}: {error})"
        raise Unusable(Reason.TRUTH_UNAVAILABLE, " ".join(text.split())[:300]) from None
    if not np.isnan(n_rows) and len(codes) != n_rows:
        detail = f"data set: {len(codes)} rows, the server lists {n_rows:g}"
        raise Unusable(Reason.TRUTH_UNAVAILABLE, detail)
    # nominal values that look like truth values are written as such
    spelt = str.lower if pa.types.is_boolean(coded.dictionary.type) else str
    class_of_value = same_labels([spelt(str(value)) for value in values], list(map(spelt, classes)))
    if None in class_of_value:
        detail = (
            f"the target holds {values[class_of_value.index(None)]!r}, which its description does not list"
        )
        raise Unusable(Reason.TRUTH_UNAVAILABLE, detail)
    order_of_classes = list(dict.fromkeys([*(class_of_value if in_order else []), *range(len(classes))]))
    code_of_value = np.array([*map(order_of_classes.index, class_of_value), -1], dtype=np.int64)
    return Target(tuple(classes[i] for i in order_of_classes), code_of_value[codes])


@dataclass(frozen=True)
class RunPredictions:
    """(n,) predictions of a run by repeat and row, of rows of known class.

    `fold` is None without folds; `score` is the uploaded confidence of the positive class.
    """

    row_id: np.ndarray
    repeat: np.ndarray
    fold: np.ndarray | None
    score: np.ndarray


def read_predictions(
    body: bytes, target: Target, positive: int, *, repeats: int = 1, folds: int = 10
) -> RunPredictions:
    """The predictions of a file of any dialect, with every row of known class once a repeat.

    Its own `correct` or `truth` column is not believed. Unusable has the reason.
    """
    with _readable(Reason.FILE_BROKEN):
        file = OpenMLPredictions(Arff.from_bytes(body))
        row_column = file.row_id
        confidences = _confidences(file, row_column, target)
        # With one repeat, each row but once is all that a column of repeats could tell.
        repeat_column, fold_column = file.repeat if repeats > 1 else None, file.fold
        keys = [column for column in (row_column, repeat_column, fold_column) if column is not None]
        numbers = file.arff.numbers([*keys, *confidences.values()])
    zero = file.without_confidence(numbers)
    n = len(zero)
    if not n:
        raise Unusable(Reason.ROWS_INCOMPLETE, "no row of data")
    row_id = _whole(numbers[row_column], len(target.codes), Reason.ROWS_INCOMPLETE, "row_id")
    repeat = np.zeros(n, np.int64)
    if repeat_column is not None:
        repeat = _whole(numbers[repeat_column], repeats, Reason.FOLDS_BROKEN, "repeat")
    order = _check_rows(repeat, row_id, target, repeats)
    _check_confidences(file, numbers)
    score = numbers[confidences[positive]]
    if zero.any():
        with _readable(Reason.FILE_BROKEN):
            score = _without_confidence(file, zero, score, target, positive, row_id)
    fold = None if fold_column is None else _folds(numbers[fold_column], folds)
    return RunPredictions(row_id[order], repeat[order], None if fold is None else fold[order], score[order])


def _confidences(file: OpenMLPredictions, row_column: int | None, target: Target) -> dict[int, int]:
    if row_column is None or not file.confidences:
        missing = "row_id" if row_column is None else f"{CONFIDENCE}<class>"
        raise Unusable(Reason.COLUMNS_MISSING, f"no column {missing}; it has {', '.join(file.names)[:200]}")
    codes = same_labels(file.classes, target.classes)
    present = set(np.flatnonzero(target.counts).tolist())
    if None in codes or len(set(codes)) < len(codes) or not present <= set(codes):
        ours, theirs = (", ".join(map(repr, names))[:200] for names in (target.classes, file.classes))
        raise Unusable(Reason.CLASSES_MISMATCH, f"confidences for {theirs}, the target's classes are {ours}")
    return dict(zip(codes, file.confidences, strict=True))


def _whole(values: np.ndarray, below: int, reason: Reason, name: str) -> np.ndarray:
    is_bad = ~((values >= 0) & (values < below) & (values == np.floor(values)))
    if is_bad.any():
        row = int(np.argmax(is_bad))
        raise Unusable(
            reason, f"{name} {values[row]:g} in row {row + 1} of the data, wanted 0 to {below - 1}"
        )
    return values.astype(np.int64)


def _check_rows(repeat: np.ndarray, row_id: np.ndarray, target: Target, repeats: int) -> np.ndarray:
    """The order by repeat and row of the entries of known class.

    Of rows without a class all are predicted or none: else a file has lost its end.
    """
    n = len(target.codes)
    key = repeat * n + row_id
    times = np.bincount(key, minlength=repeats * n)
    if times.max() > 1:
        repeat_of, row = divmod(int(times.argmax()), n)
        detail = f"row_id {row} stands {times.max()} times in repeat {repeat_of}"
        raise Unusable(Reason.ROWS_DUPLICATED, detail)
    class_known = np.tile(target.known, repeats)
    absent = np.flatnonzero((times == 0) & class_known)
    if len(absent):
        detail = f"{len(absent)} of {repeats * n} rows are not predicted, the first is row_id {absent[0] % n}"
        raise Unusable(Reason.ROWS_INCOMPLETE, detail)
    classless = times[~class_known]
    if 0 < np.count_nonzero(classless) < len(classless):
        of_all = f"{np.count_nonzero(classless == 0)} of {len(classless)}"
        detail = f"{of_all} rows whose class is missing are not predicted, others are"
        raise Unusable(Reason.ROWS_INCOMPLETE, detail)
    entries = np.full(repeats * n, -1)
    entries[key] = np.arange(len(key))
    return entries[class_known]


def _check_confidences(file: OpenMLPredictions, numbers: dict[int, np.ndarray]) -> None:
    for column in file.confidences:
        missing = np.flatnonzero(np.isnan(numbers[column]))
        if len(missing):
            values = f"{len(missing)} values of {file.names[column]!r} are missing"
            detail = f"{values}, the first in row {missing[0] + 1} of the data"
            raise Unusable(Reason.CONFIDENCE_MISSING, detail)


def _without_confidence(
    file: OpenMLPredictions,
    zero: np.ndarray,
    score: np.ndarray,
    target: Target,
    positive: int,
    row_id: np.ndarray,
) -> np.ndarray:
    """Scores by `prediction` in rows without confidence, as on the server.

    Some versions of the client wrote the truth there: then the run is Unusable.
    """
    if file.prediction is None:
        return score
    predicted_class = file.codes(file.prediction, target.classes)
    is_wrong = target.known[row_id] & (predicted_class != target.codes[row_id])
    truth = file.truth
    truth_differs = truth is not None and (file.codes(truth, target.classes) != target.codes[row_id]).any()
    if truth_differs and not is_wrong.any():
        detail = f"{zero.sum()} rows without confidence, and `prediction` holds the truth"
        raise Unusable(Reason.SWAPPED_COLUMNS, detail)
    return np.where(zero, (predicted_class == positive).astype(float), score)


def _folds(values: np.ndarray, folds: int) -> np.ndarray | None:
    if np.isnan(values).all():
        return None
    fold = _whole(values, folds, Reason.FOLDS_BROKEN, "fold")
    n = np.count_nonzero(np.bincount(fold))
    if n < folds:
        raise Unusable(Reason.FOLDS_BROKEN, f"{n} folds, wanted {folds}")
    return fold
