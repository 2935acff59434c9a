"""Rejections, which say why a task or a run was looked at and not used."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import pandas as pd

from aucstudy.store.tables import read_store_table, write_sorted

REJECTION_COLUMNS = ("task_id", "run_id", "stage", "reason", "detail")


class Stage(StrEnum):
    SELECT = "select"
    FETCH = "fetch"
    READ = "read"
    SCORE = "score"


class Reason(StrEnum):
    NOT_BINARY = "not_binary"
    WRONG_PROCEDURE = "wrong_procedure"
    TOO_FEW_FLOWS = "too_few_flows"
    NOT_ACTIVE = "not_active"
    REPEATED = "repeated"
    NOT_EVALUATED = "not_evaluated"
    TOO_FEW_ROWS = "too_few_rows"
    TOO_MANY_ROWS = "too_many_rows"
    ONE_CLASS = "one_class"
    SERVER_ERROR = "server_error"
    NO_PREDICTIONS_FILE = "no_predictions_file"
    FILE_MISSING = "file_missing"
    FILE_PRIVATE = "file_private"
    FILE_BROKEN = "file_broken"
    COLUMNS_MISSING = "columns_missing"
    CLASSES_MISMATCH = "classes_mismatch"
    CONFIDENCE_MISSING = "confidence_missing"
    NOT_A_SCORE = "not_a_score"
    NOT_READ = "not_read"
    ROWS_INCOMPLETE = "rows_incomplete"
    ROWS_DUPLICATED = "rows_duplicated"
    FOLDS_BROKEN = "folds_broken"
    SWAPPED_COLUMNS = "swapped_columns"
    TRUTH_UNAVAILABLE = "truth_unavailable"
    FIT_FAILED = "fit_failed"
    SIMULATED = "simulated"
    TOO_COSTLY = "too_costly"
    CONSTANT_TARGET = "constant_target"
    TOO_FEW_POSITIVES = "too_few_positives"
    OTHER_OF_GROUP = "other_of_group"
    HELD_BACK = "held_back"
    FOLD_ONE_CLASS = "fold_one_class"


@dataclass(frozen=True)
class Rejection:
    """A task or a run that was looked at and not used. The `run_id` of a rejected task is ""."""

    task_id: str
    run_id: str
    stage: Stage
    reason: Reason
    detail: str = ""


def write_rejections(path: Path | str, rejections: Iterable[Rejection]) -> None:
    """Write the rejections as a sorted table, without duplicates."""
    rows = [
        (r.task_id, r.run_id, r.stage.value, r.reason.value, " ".join(r.detail.split())) for r in rejections
    ]
    write_sorted(Path(path), pd.DataFrame(rows, columns=list(REJECTION_COLUMNS)).drop_duplicates())


def read_rejections(path: Path | str) -> list[Rejection]:
    return [
        Rejection(row.task_id, row.run_id, Stage(row.stage), Reason(row.reason), row.detail)
        for row in read_store_table(Path(path), REJECTION_COLUMNS).itertuples()
    ]


def commonest(rejections: Sequence[Rejection]) -> str:
    """Return the three commonest reasons as a text of one line, each with its first example.

    The rejections of runs count only if no task is rejected.
    """
    task_rejections = [r for r in rejections if not r.run_id] or rejections
    reasons = []
    for reason, n in Counter(r.reason for r in task_rejections).most_common(3):
        first = next(r for r in task_rejections if r.reason == reason)
        remainder = f" and {n - 1} more" if n > 1 else ""
        reasons.append(f"{first.task_id or 'selection'}{remainder}: {reason} {first.detail[:100]}")
    return "; ".join(reasons) or "none was asked for"
