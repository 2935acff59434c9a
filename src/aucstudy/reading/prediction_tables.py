"""A user's table of predictions, from CSV, TSV, Parquet or an OpenML predictions ARFF, as labels and scores."""

import gzip
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.reading.arff import Arff, ArffError
from aucstudy.reading.class_names import same_labels
from aucstudy.reading.column_files import READ_ERRORS, ColumnFile, DelimitedFile, ParquetFile
from aucstudy.reading.openml_file import TRUTH, OpenMLFile

POSITIVE_BY_ITSELF = ({"0", "1"}, {"-1", "1"}, {"false", "true"})
NOT_SCORES = ("", "id", "index", "row", "row_id", "fold", "repeat", "weight")  # where all scores are meant


class RepeatedRows(InputError):
    """A row stands twice in a fold."""


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
    """

    y_true: np.ndarray
    scores: np.ndarray
    names: tuple[str, ...]
    folds: np.ndarray | None
    positive: str
    negative: str = ""
    row_ids: np.ndarray | None = None


def read_scored_table(
    path: Path | str,
    *,
    label: str | None = None,
    scores: Sequence[str] = (),
    positive: str | None = None,
    fold: str | None = None,
    row: str | None = None,
    all_scores: bool = False,
) -> ScoredTable:
    """Read labels and scores out of a table, in one pass, and no column that is not asked for.

    Parameters
    ----------
    path : CSV, TSV, Parquet or ARFF, gzipped or not; told apart by the ending, ARFF also by its first line.
    label : the column of the labels. An OpenML file may do without: `truth` or `correct`, whichever it has.
    scores : the columns of the scores. An OpenML file may do without: the confidence for `positive`.
    positive : the positive class, all others are negative. Not needed where the labels are 0/1, -1/1 or
        False/True.
    fold : a column that numbers or names folds. An OpenML file has its own: `repeat` and `fold`.
    row : a column that says which row each is: no row may stand twice in a fold.
    all_scores : where `scores` names none, take every column of numbers that is not one of the other columns or
        named like an index.

    Raises
    ------
    InputError
        One line: the file, the column or row, what was there, what is wanted.
    """
    path = Path(path)
    with open_columns(path) as table:
        label = label or _label(table)
        names = tuple(dict.fromkeys(scores))
        if not names and all_scores and not isinstance(table, OpenMLFile):
            names = _numeric_columns(table, {label, fold, row})
        if not names and not isinstance(table, OpenMLFile):
            raise InputError(f"{path}: --score is missing; the columns are {table.told()}")
        table.load([name for name in (label, fold, row) if name], names)
        positive, negative, y_true = _positive(f"{path}: column {label!r}", table.text(label), positive)
        if not names:
            names = (table.confidence(positive),)
        values = np.empty((len(y_true), len(names)), order="F")
        for i, name in enumerate(names):
            values[:, i] = table.numbers(name)
        if isinstance(table, OpenMLFile):
            table.check_not_swapped(label)
        folds = table.text(fold).codes if fold else getattr(table, "own_folds", lambda: None)()
        row_ids = table.text(row).codes if row else getattr(table, "own_rows", lambda: None)()
        _check_rows(path, row_ids, folds)
    return ScoredTable(y_true, values, names, folds, positive, negative, row_ids)


@contextmanager
def open_columns(path: Path) -> Iterator[ColumnFile]:
    """Open a table by its ending and first bytes; whatever fails while it is read is one line.

    Raises
    ------
    InputError
        The file is missing, empty, unreadable, or no table.
    """
    try:
        yield _open(path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except ArffError as error:
        raise InputError(f"{path}: {error}") from None
    except (EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    except READ_ERRORS as error:
        kind = "Parquet file" if _ending(path) in ("parquet", "pq") else "table"
        raise InputError(f"{path}: not a readable {kind} ({' '.join(str(error).split())[:200]})") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from None
    except MemoryError:
        raise InputError(f"{path}: too large for the memory of this machine") from None


def _ending(path: Path) -> str:
    return "".join(path.suffixes[-2:]).lower().removesuffix(".gz").rpartition(".")[2]


def _open(path: Path) -> ColumnFile:
    ending = _ending(path)
    if ending in ("parquet", "pq"):
        return ParquetFile(path)
    with path.open("rb") as stream:
        start = stream.read(1 << 12)
    if start[:2] == b"\x1f\x8b":
        with gzip.open(path) as stream:
            start = stream.read(1 << 12)
    if start[:4] == b"PAR1":
        return ParquetFile(path)
    if ending == "arff" or start.lstrip()[:9].lower() == b"@relation":
        if not start.strip():
            raise InputError(f"{path}: the file is empty; a table with a header line is wanted")
        body = path.read_bytes()
        return OpenMLFile(path, Arff.from_bytes(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body))
    return DelimitedFile(path, "\t" if ending in ("tsv", "tab") else ",")


def _label(table: ColumnFile) -> str:
    at = table.file.index(*TRUTH) if isinstance(table, OpenMLFile) else None
    if at is None:
        also = ", and there is no column truth or correct" if isinstance(table, OpenMLFile) else ""
        raise InputError(f"{table.path}: --label is missing{also}; the columns are {table.told()}")
    return table.names[at]


def _numeric_columns(table: ColumnFile, others: set[str | None]) -> tuple[str, ...]:
    for name in others - {None}:
        table.check(name)
    return tuple(
        name
        for name in table.names
        if name not in others and name.strip().lower() not in NOT_SCORES and table.numeric(name)
    )


def _check_rows(path: Path, row_ids: np.ndarray | None, folds: np.ndarray | None) -> None:
    if row_ids is None:
        return
    keys = pd.DataFrame({"row": row_ids, "fold": 0 if folds is None else folds})
    twice = np.flatnonzero(keys.duplicated())
    if len(twice):
        raise RepeatedRows(
            f"{path}: {len(twice)} rows are duplicates of another{'' if folds is None else ' of their fold'}, the "
            f"first is row {twice[0] + 1} of the data; each row is wanted once"
        )


def _positive(where: str, labels: pd.Categorical, positive: str | None) -> tuple[str, str, np.ndarray]:
    """The positive class, what stands against it, and which rows are positive."""
    if not len(labels):
        raise InputError(f"{where}: no rows of data")
    counts = np.bincount(labels.codes, minlength=len(labels.categories))
    values = sorted(str(value) for value in labels.categories[counts > 0])
    told = ", ".join(map(repr, values[:10])) + (", ..." if len(values) > 10 else "")
    if positive is None:
        lowered = {_plain_number(value).lower() for value in values}
        if not any(lowered <= pair for pair in POSITIVE_BY_ITSELF):
            raise InputError(f"{where} holds {told}: which one is positive? Give --positive")
        positive = next((v for v in values if _plain_number(v).lower() in ("1", "true")), "1")
    else:
        at = same_labels([positive], values)[0]
        if at is None:
            raise InputError(f"{where}: --positive {positive!r} is not among its values {told}")
        positive = values[at]
    others = [value for value in values if value != positive]
    negative = others[0] if len(others) == 1 else f"not {positive}"
    return positive, negative, np.asarray(labels == positive)


def _plain_number(value: str) -> str:
    """`1.0` as `1`; other text as it is."""
    try:
        return f"{float(value):g}"
    except ValueError:
        return value
