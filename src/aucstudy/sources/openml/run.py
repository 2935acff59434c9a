"""Fetching the description of one run and its uploaded scores of the positive class, row by row."""

import hashlib
from dataclasses import dataclass
from functools import partial
from xml.etree.ElementTree import Element

import numpy as np

from aucstudy.reading.arff import CONFIDENCE, Arff, OpenMLPredictions
from aucstudy.reading.labels import same_labels
from aucstudy.sources.openml.answers import PREFIX, child, error_text, numbers, parse_xml
from aucstudy.sources.openml.files import Unusable, read_file, readable
from aucstudy.sources.openml.lists import ListedRun
from aucstudy.sources.openml.settings import Settings
from aucstudy.sources.openml.task import Target
from aucstudy.sources.openml.transport import Session
from aucstudy.store.rejections import Reason

PRIVATE = {401, 403}


@dataclass(frozen=True)
class Run:
    """A run as the server describes it. `file` is the address of its predictions, or "" if it has none."""

    flow_id: str
    flow_name: str
    setup_id: str
    error: str
    file: str
    class_counts: tuple[float, ...]


@dataclass(frozen=True)
class RunPredictions:
    """The (n,) predictions of a run for the rows of known class, ordered by repeat and row.

    If the file has no folds, `fold` is None. The `score` is the uploaded confidence of the positive class.
    """

    row_id: np.ndarray
    repeat: np.ndarray
    fold: np.ndarray | None
    score: np.ndarray


@dataclass(frozen=True)
class UsableRun:
    listed: ListedRun
    described: Run
    predictions: RunPredictions
    sha256: str


def usable_run(
    session: Session,
    settings: Settings,
    listed: ListedRun,
    target: Target,
    positive: int,
    repeats: int,
    pinned_sha256: str = "",
) -> UsableRun:
    """Return the run with its predictions. Raise Unusable with the reason if it cannot be used."""
    run = described_run(session, settings.server, listed.run_id)
    if run.error:
        raise Unusable(Reason.SERVER_ERROR, run.error)
    if not run.file:
        raise Unusable(Reason.NO_PREDICTIONS_FILE)
    if target.from_parquet and run.class_counts and sorted(run.class_counts) != sorted(target.counts):
        detail = f"the server counted {run.class_counts} rows, the Parquet file has {target.counts.tolist()}"
        raise Unusable(Reason.TRUTH_UNAVAILABLE, detail)
    read = partial(read_predictions, target=target, positive=positive, repeats=repeats, folds=settings.folds)
    answer, predictions = read_file(session, run.file, read)
    if predictions is None:
        reason = Reason.FILE_PRIVATE if answer.status_code in PRIVATE else Reason.FILE_MISSING
        raise Unusable(reason, f"status {answer.status_code} for {run.file}")
    sha256 = hashlib.sha256(answer.content).hexdigest()
    if pinned_sha256 not in ("", sha256):
        raise Unusable(Reason.FILE_BROKEN, f"sha256 {sha256}, pinned is {pinned_sha256}")
    return UsableRun(listed, run, predictions, sha256)


def described_run(session: Session, server: str, run_id: str) -> Run:
    """Return the run as the server describes it.

    The function `get_run` of openml-python is not used. It fails on a run without predictions
    (https://github.com/openml/openml-python/issues/309) or with several data sets
    (https://github.com/openml/openml-python/issues/1102), and it drops the server's errors and arrays.
    """
    answer = session.get(f"{server.rstrip('/')}/run/{run_id}")
    if answer.status_code != 200:
        raise Unusable(Reason.SERVER_ERROR, error_text(answer.content))
    root: Element = parse_xml(answer.content)
    files = {child(e, "name"): child(e, "url") for e in root.iter(f"{PREFIX}file")}
    counts = [
        child(e, "array_data")
        for e in root.iter(f"{PREFIX}evaluation")
        if child(e, "name") == "number_of_instances" and e.get("fold") is None
    ]
    return Run(
        **{name: child(root, name) for name in ("flow_id", "flow_name", "setup_id")},
        error=child(root, "error") or child(root, "error_message"),
        file=files.get("predictions", ""),
        class_counts=numbers(counts[0]) if counts else (),
    )


def recorded_auroc(listed: ListedRun, described: Run, target: Target, positive: int) -> float:
    """Return the server's AUROC of the positive class, or else its mean over the classes, or NaN.

    Some engines have the classes in reverse order. The counts of the classes show this.
    """
    per_class = list(listed.per_class)
    if len(per_class) == len(target.classes):
        counts = tuple(target.counts)
        if described.class_counts == counts[::-1] != counts:
            per_class.reverse()
        if np.isfinite(per_class[positive]):
            return per_class[positive]
    return listed.auroc


def read_predictions(
    body: bytes, target: Target, positive: int, *, repeats: int = 1, folds: int = 10
) -> RunPredictions:
    """Return the predictions in a file of any dialect, with each row of known class once per repeat.

    The true classes are never taken from its column `correct` or `truth`. Raise Unusable with the reason if
    the file cannot be used.
    """
    with readable(Reason.FILE_BROKEN):
        file = OpenMLPredictions(Arff(body))
        row_column = file.row_id
        confidences = _confidences(file, row_column, target)
        # With one repeat, its column could only say that each row occurs once, which is checked anyway.
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
        with readable(Reason.FILE_BROKEN):
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
            reason, f"{name} {values[row]:g} in row {row + 1} of the data, expected 0 to {below - 1}"
        )
    return values.astype(np.int64)


def _check_rows(repeat: np.ndarray, row_id: np.ndarray, target: Target, repeats: int) -> np.ndarray:
    """Return the positions of the entries of known class, ordered by repeat and row.

    Raise Unusable if a row of known class is missing or a row is repeated in a repeat. Of the rows without a
    class, all or none must be predicted, because otherwise the file may have lost its end.
    """
    n = len(target.codes)
    key = repeat * n + row_id
    times = np.bincount(key, minlength=repeats * n)
    if times.max() > 1:
        repeat_of, row = divmod(int(times.argmax()), n)
        detail = f"row_id {row} occurs {times.max()} times in repeat {repeat_of}"
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
    """Return the scores, with those of rows without confidence replaced by `prediction`, as on the server.

    In these rows (where `zero` is true) the score becomes 1 if the positive class is predicted, else 0. Raise
    Unusable if `prediction` holds the true class, which some versions of the client wrote there.
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
        raise Unusable(Reason.FOLDS_BROKEN, f"{n} folds, expected {folds}")
    return fold
