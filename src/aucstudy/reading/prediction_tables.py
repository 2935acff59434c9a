"""A user's table of predictions, whatever kind of file it is, as labels and scores."""

import csv
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from aucstudy.errors import InputError
from aucstudy.reading.arff import ArffError
from aucstudy.reading.column_files import (
    PARQUET,
    ColumnFile,
    DelimitedFile,
    NotANumber,
    Opened,
    ParquetFile,
    refuse_other_kinds,
)
from aucstudy.reading.labels import positive_rows
from aucstudy.reading.numbers import is_number
from aucstudy.reading.openml_file import OpenMLFile

_ARFF = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|%[^\n]*\n)*+@relation", re.IGNORECASE)
NOT_A_TABLE = (pa.ArrowException, csv.Error, UnicodeDecodeError)


class RepeatedRows(InputError):
    """A row is there more than once in a fold."""


@dataclass(frozen=True)
class ScoredTable:
    """The labels and scores of n rows.

    Attributes
    ----------
    y_true : (n,) bool array
        True where the row is of the positive class.
    scores : (n, m) float64 array, Fortran order
    names : the m columns of the scores.
    folds, row_ids, groups : (n,) integer arrays or None
        The fold of each row, which row it is, and of which patient, user or document, where the table says so.
    positive, negative : the classes; "not <positive>" where several are negative.
    exact : by column, the (n,) integers that float64 cannot tell apart: their ranks stand in `scores`.
    left_out : why each column is not among the scores, where all were asked for.
    notes : what a reader must know of how the table was read, a sentence each.
    """

    y_true: np.ndarray
    scores: np.ndarray
    names: tuple[str, ...]
    folds: np.ndarray | None
    positive: str
    negative: str = ""
    row_ids: np.ndarray | None = None
    exact: Mapping[str, np.ndarray] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    groups: np.ndarray | None = None


def read_scored_table(
    path: Path | str,
    *,
    label: str | None = None,
    scores: Sequence[str] = (),
    positive: str | None = None,
    fold: str | None = None,
    row: str | None = None,
    group: str | None = None,
    all_scores: bool = False,
) -> ScoredTable:
    """Read labels and scores out of a table, in one pass, and no column that is not asked for.

    Parameters
    ----------
    path : CSV, TSV, Parquet or ARFF, gzipped or not, by ending and first bytes; a pipe, or - for standard input.
    label : the column of the labels. An OpenML file may do without: `truth` or `correct`, whichever it has.
    scores : the columns of the scores. An OpenML file may do without: the confidence for `positive`.
    positive : the positive class, all others are negative; not needed for labels 0/1, -1/1 or False/True.
    fold : a column of folds. An OpenML file has its own: `repeat` and `fold`.
    row : a column that says which row each is: no row may be repeated in a fold.
    group : a column that says which rows belong together.
    all_scores : where `scores` names none, take every column of numbers that is neither one of these nor an index, nor
        looks like ids (whole numbers from 0 up, more than 100 different ones or named like ids).

    Raises
    ------
    InputError
        One line: the file, the column or row, what was there, what is wanted.
    """
    with open_columns(path) as table:
        label = label or table.own_label()
        others = [name for name in (label, fold, row, group) if name]
        every = all_scores and not scores
        names = table.all_scores(others) if every else tuple(dict.fromkeys(scores))
        table.load(others, names)
        where = f"{table.path}: column {label!r}"
        positive, negative, y_true, notes = positive_rows(where, table.text(label), positive)
        ids = table.without_ids(names) if every else {}
        names = tuple(name for name in names if name not in ids) or (table.own_score(positive),)
        values = np.empty((len(y_true), len(names)), order="F")
        try:
            for i, name in enumerate(names):
                values[:, i] = table.scores(name)
        except NotANumber as error:
            advice = "; correct it, or name the models with --score (in a study: scores)" if every else ""
            raise NotANumber(f"{error}{advice}") from None
        table.check_truth(label)
        folds = table.text(fold).codes if fold else table.own_folds()
        row_ids = table.text(row).codes if row else table.own_rows()
        groups = _groups(table, group) if group else None
        if row_ids is not None:
            _check_rows(table.path, row_ids, folds)
        left_out = {**table.left_out(others), **ids} if every else {}
    return ScoredTable(
        y_true, values, names, folds, positive, negative, row_ids,
        exact=table.exact, left_out=left_out, notes=(*table.notes, *notes), groups=groups,
    )  # fmt: skip


def _groups(table: ColumnFile, name: str) -> np.ndarray:
    """(n,) codes, with a note where what stands in the column looks like scores."""
    groups = table.text(name)
    if any(is_number(text) and not float(text).is_integer() for text in map(str, groups.categories[:1000])):
        table.notes.append(
            f"--group {name}: the column holds numbers with decimals, as scores do; one that says which rows are of "
            "one patient, user or document is wanted"
        )
    return groups.codes


@contextmanager
def open_columns(path: Path | str) -> Iterator[ColumnFile]:
    """Open a table by its ending and first bytes; whatever fails while it is read is one line of InputError."""
    try:
        opened = Opened(Path(path))
        with opened.unchanged():
            head = opened.read(1 << 12)
            refuse_other_kinds(opened.path, head)
            if opened.ending in ("parquet", "pq") or head.startswith(PARQUET):
                yield ParquetFile(opened)
            elif opened.ending == "arff" or _ARFF.match(head):
                if not head.strip():
                    raise InputError(
                        f"{opened.path}: the file is empty; a table with a header line is wanted"
                    )
                yield OpenMLFile(opened.path, opened.read())
            else:
                yield DelimitedFile(opened)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except ArffError as error:
        raise InputError(f"{path}: {error}") from None
    except (EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    except NOT_A_TABLE as error:
        raise InputError(f"{path}: not a readable table ({' '.join(str(error).split())[:200]})") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    except MemoryError:
        raise InputError(f"{path}: too large for the memory of this machine") from None


def _check_rows(path: Path, row_ids: np.ndarray, folds: np.ndarray | None) -> None:
    keys = [row_ids] if folds is None else [row_ids, folds]
    order = np.lexsort(keys)
    repeated = np.sort(order[1:][np.all([np.diff(key[order]) == 0 for key in keys], axis=0)])
    if len(repeated):
        another = f"another{'' if folds is None else ' of their fold'}"
        first = f"the first is row {repeated[0] + 1} of the data"
        raise RepeatedRows(
            f"{path}: {len(repeated)} rows are duplicates of {another}, {first}; each row is wanted once"
        )
