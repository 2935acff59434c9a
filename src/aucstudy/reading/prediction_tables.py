"""A user's table of predictions, from CSV, TSV, Parquet or an OpenML predictions ARFF, as labels and scores."""

import csv
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from aucstudy.errors import InputError
from aucstudy.reading.arff_header import ArffError
from aucstudy.reading.column_files import ColumnFile, NotANumber
from aucstudy.reading.delimited import DelimitedFile
from aucstudy.reading.labels import positive_rows
from aucstudy.reading.numbers import is_number
from aucstudy.reading.opened import PARQUET, Opened
from aucstudy.reading.openml_file import OpenMLFile
from aucstudy.reading.parquet import ParquetFile

_ARFF = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s+|%[^\n]*\n)*@relation", re.IGNORECASE)
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
    names : tuple of m str
        The columns of the scores.
    folds : (n,) integer array or None
    positive : str
        The positive class.
    negative : str
        The other class, or "not <positive>" where there are several.
    row_ids : (n,) array of codes or None
        Which row each is, where the table says so.
    exact : dict
        By column, the (n,) integers that float64 cannot tell apart: their ranks stand in `scores`.
    left_out : dict
        Why each column is not among the scores, where all were asked for.
    notes : tuple of str
        What a reader must know of how the table was read, a sentence each.
    groups : (n,) array of codes or None
        Which patient, user or document each row is of.
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
    fold : a column that numbers or names folds. An OpenML file has its own: `repeat` and `fold`.
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
        positive, rest, y_true = positive_rows(f"{table.path}: column {label!r}", table.text(label), positive)
        ids = table.without_ids(names) if every else {}
        names = tuple(name for name in names if name not in ids) or (table.own_score(positive),)
        values = _values(table, names, len(y_true), every)
        table.check_truth(label)
        folds = table.text(fold).codes if fold else table.own_folds()
        row_ids = table.text(row).codes if row else table.own_rows()
        groups = _groups(table, group) if group else None
        _check_rows(table.path, row_ids, folds)
        left_out = {**table.left_out(others), **ids} if every else {}
    negative, notes = _against(positive, rest)
    return ScoredTable(
        y_true, values, names, folds, positive, negative, row_ids,
        exact=table.exact, left_out=left_out, notes=(*table.notes, *notes), groups=groups,
    )  # fmt: skip


def _values(table: ColumnFile, names: Sequence[str], n: int, every: bool) -> np.ndarray:
    """(n, m) the scores; `every` says that no column of them was asked for by its name."""
    values = np.empty((n, len(names)), order="F")
    for i, name in enumerate(names):
        try:
            values[:, i] = table.scores(name)
        except NotANumber as error:
            advice = "; correct it, or name the models with --score (in a study: scores)" if every else ""
            raise NotANumber(f"{error}{advice}") from None
    return values


def _groups(table: ColumnFile, name: str) -> np.ndarray:
    """(n,) codes of the groups, with a note where what stands there looks like scores."""
    groups = table.text(name)
    if any(is_number(text) and not float(text).is_integer() for text in map(str, groups.categories[:1000])):
        table.notes.append(
            f"--group {name}: the column holds numbers with decimals, as scores do; one that says which rows are of "
            "one patient, user or document is wanted"
        )
    return groups.codes


def _against(positive: str, rest: tuple[str, ...]) -> tuple[str, list[str]]:
    """The name of what stands against the positive class, and a note where that is more than one class."""
    if len(rest) == 1:
        return rest[0], []
    several = f"{positive!r} is positive, all of {', '.join(map(repr, rest))[:200]} are negative"
    return f"not {positive}", [several] if rest else []


@contextmanager
def open_columns(path: Path | str) -> Iterator[ColumnFile]:
    """Open a table by its ending and first bytes; whatever fails while it is read is one line.

    Raises
    ------
    InputError
        The file is missing, empty, unreadable, or no table.
    """
    try:
        yield _table(Opened(Path(path)))
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


def _table(opened: Opened) -> ColumnFile:
    head = opened.head()
    if opened.ending in ("parquet", "pq") or head.startswith(PARQUET):
        return ParquetFile(opened)
    if opened.ending == "arff" or _ARFF.match(head):
        if not head.strip():
            raise InputError(f"{opened.path}: the file is empty; a table with a header line is wanted")
        return OpenMLFile(opened.path, opened.whole())
    return DelimitedFile(opened)


def _check_rows(path: Path, row_ids: np.ndarray | None, folds: np.ndarray | None) -> None:
    if row_ids is None:
        return
    keys = pd.DataFrame({"row": row_ids, "fold": 0 if folds is None else folds})
    repeated = np.flatnonzero(keys.duplicated())
    if len(repeated):
        raise RepeatedRows(
            f"{path}: {len(repeated)} rows are duplicates of another{'' if folds is None else ' of their fold'}, the "
            f"first is row {repeated[0] + 1} of the data; each row is wanted once"
        )
