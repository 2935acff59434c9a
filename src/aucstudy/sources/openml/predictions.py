"""The predictions reader: the bytes of a run's file to the score of the positive class, row by row."""

from dataclasses import dataclass

import numpy as np

from aucstudy.reading.arff import CONFIDENCE, Arff, ArffError, OpenMLPredictions
from aucstudy.reading.labels import same_labels
from aucstudy.sources.openml.target import Target, Unusable
from aucstudy.store.rejections import Reason


@dataclass(frozen=True)
class RunPredictions:
    """The predictions of one run, by repeat and row: one entry for each repeat and row whose class is known.

    Attributes
    ----------
    row_id, repeat : (n,) integer arrays
        The row of the data set, from 0, and the repeat.
    fold : (n,) integer array or None
        None where the file has no usable folds.
    score : (n,) float64 array
        The confidence for the positive class, as uploaded.
    """

    row_id: np.ndarray
    repeat: np.ndarray
    fold: np.ndarray | None
    score: np.ndarray


def read_predictions(
    body: bytes, target: Target, positive: int, *, repeats: int = 1, folds: int = 10
) -> RunPredictions:
    """Read an OpenML predictions file of whatever dialect against the truth of its task.

    Parameters
    ----------
    body : bytes
        The file as it came.
    target : Target
        The task's classes and truth: the file's own `correct` or `truth` column is never used.
    positive : int
        The positive class, an index into `target.classes`.
    repeats, folds : int
        The cross-validation that the file must hold: every row of the data set once a repeat. Rows whose class
        is missing may be left out.

    Raises
    ------
    Unusable
        With one of the reasons file_broken, columns_missing, classes_mismatch, confidence_missing,
        rows_incomplete, rows_duplicated, folds_broken, swapped_columns.
    """
    try:
        file = OpenMLPredictions(Arff.from_bytes(body))
        confidences = _confidences(file, target)
        # With one repeat, each row but once is all that a column of repeats could tell.
        repeat_at = file.repeat if repeats > 1 else None
        keys = [column for column in (file.row_id, repeat_at, file.fold) if column is not None]
        numbers = file.arff.numbers([*keys, *confidences.values()], whole=keys)
    except ArffError as error:
        raise Unusable(Reason.FILE_BROKEN, str(error)) from None
    n = len(numbers[file.row_id])
    if not n:
        raise Unusable(Reason.ROWS_INCOMPLETE, "no row of data")
    row_id = _whole(numbers[file.row_id], len(target.codes), Reason.ROWS_INCOMPLETE, "row_id")
    repeat = np.zeros(n, np.int64)
    if repeat_at is not None:
        repeat = _whole(numbers[repeat_at], repeats, Reason.FOLDS_BROKEN, "repeat")
    order = _check_rows(repeat, row_id, target, repeats)
    _check_confidences(file, numbers)
    score = numbers[confidences[positive]]
    zero = file.without_confidence(numbers)
    if zero.any():
        score = _without_confidence(file, zero, score, target, positive, row_id)
    fold = None if file.fold is None else _folds(numbers[file.fold], folds)
    return RunPredictions(
        row_id=row_id[order],
        repeat=repeat[order],
        fold=None if fold is None else fold[order],
        score=score[order],
    )


def _confidences(file: OpenMLPredictions, target: Target) -> dict[int, int]:
    """The column of the confidence for each class, which is an index into the target's."""
    if file.row_id is None or not file.confidences:
        missing = "row_id" if file.row_id is None else f"{CONFIDENCE}<class>"
        raise Unusable(Reason.COLUMNS_MISSING, f"no column {missing}; it has {', '.join(file.names)[:200]}")
    meant = same_labels(file.classes, target.classes)
    wanted = set(np.flatnonzero(target.counts).tolist())
    if None in meant or len(set(meant)) < len(meant) or not wanted <= set(meant):
        raise Unusable(
            Reason.CLASSES_MISMATCH,
            f"confidences for {', '.join(map(repr, file.classes))[:200]}, "
            f"the target's classes are {', '.join(map(repr, target.classes))[:200]}",
        )
    return dict(zip(meant, file.confidences, strict=True))


def _whole(values: np.ndarray, below: int, reason: Reason, name: str) -> np.ndarray:
    """The values as integers from 0 to `below` - 1, or Unusable."""
    bad = ~((values >= 0) & (values < below) & (values == np.floor(values)))
    if bad.any():
        at = int(np.argmax(bad))
        raise Unusable(reason, f"{name} {values[at]:g} in row {at + 1} of the data, wanted 0 to {below - 1}")
    return values.astype(np.int64)


def _check_rows(repeat: np.ndarray, row_id: np.ndarray, target: Target, repeats: int) -> np.ndarray:
    """The order by repeat and row of the entries whose class is known; each such row must be there once a repeat."""
    n = len(target.codes)
    key = repeat * n + row_id
    times = np.bincount(key, minlength=repeats * n)
    if times.max() > 1:
        at = int(times.argmax())
        raise Unusable(
            Reason.ROWS_DUPLICATED, f"row_id {at % n} stands {times[at]} times in repeat {at // n}"
        )
    absent = np.flatnonzero((times == 0) & np.tile(target.known, repeats))
    if len(absent):
        raise Unusable(
            Reason.ROWS_INCOMPLETE,
            f"{len(absent)} of {repeats * n} rows are not predicted, the first is row_id {absent[0] % n}",
        )
    place = np.full(repeats * n, -1)
    place[key] = np.arange(len(key))
    return place[(place >= 0) & np.tile(target.known, repeats)]


def _check_confidences(file: OpenMLPredictions, numbers: dict[int, np.ndarray]) -> None:
    for column in file.confidences:
        missing = np.flatnonzero(np.isnan(numbers[column]))
        if len(missing):
            raise Unusable(
                Reason.CONFIDENCE_MISSING,
                f"{len(missing)} values of {file.names[column]!r} are missing, "
                f"the first in row {missing[0] + 1} of the data",
            )


def _without_confidence(
    file: OpenMLPredictions,
    zero: np.ndarray,
    score: np.ndarray,
    target: Target,
    positive: int,
    row_id: np.ndarray,
) -> np.ndarray:
    """Scores where some rows have no confidence above zero: there the `prediction` counts, as on the server.

    Some versions of the client wrote the truth into `prediction`; then there is nothing to go by.
    """
    if file.prediction is None:
        return score
    predicted = file.codes(file.prediction, target.classes)
    wrong = target.known[row_id] & (predicted != target.codes[row_id])
    truth_differs = (
        file.truth is not None and (file.codes(file.truth, target.classes) != target.codes[row_id]).any()
    )
    if truth_differs and not wrong.any():
        raise Unusable(
            Reason.SWAPPED_COLUMNS, f"{zero.sum()} rows without confidence, and `prediction` holds the truth"
        )
    return np.where(zero, (predicted == positive).astype(float), score)


def _folds(values: np.ndarray, folds: int) -> np.ndarray | None:
    """The folds as integers, None where they are missing throughout."""
    if np.isnan(values).all():
        return None
    fold = _whole(values, folds, Reason.FOLDS_BROKEN, "fold")
    n = np.count_nonzero(np.bincount(fold))
    if n < folds:
        raise Unusable(Reason.FOLDS_BROKEN, f"{n} folds, wanted {folds}")
    return fold
