"""A user's table of predictions, from CSV, TSV, Parquet or an OpenML predictions ARFF, as labels and scores."""

import gzip
import io
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from aucstudy.arff import Arff, ArffError
from aucstudy.errors import InputError
from aucstudy.labels import same_labels

CONFIDENCE = "confidence."
TRUTH = ("truth", "correct")
POSITIVE_BY_ITSELF = ({"0", "1"}, {"-1", "1"}, {"false", "true"})


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
    """

    y_true: np.ndarray
    scores: np.ndarray
    names: tuple[str, ...]
    folds: np.ndarray | None
    positive: str


def read_scored_table(
    path: Path | str,
    *,
    label: str | None = None,
    scores: Sequence[str] = (),
    positive: str | None = None,
    fold: str | None = None,
) -> ScoredTable:
    """Read labels and scores out of a table.

    Parameters
    ----------
    path : CSV, TSV, Parquet or ARFF, gzipped or not; told apart by the ending, ARFF also by its first line.
    label : the column of the labels. An OpenML file may do without: `truth` or `correct`, whichever it has.
    scores : the columns of the scores. An OpenML file may do without: the confidence for `positive`.
    positive : the positive class, all others are negative. Not needed where the labels are 0/1, -1/1 or
        False/True.
    fold : a column that numbers or names folds. An OpenML file has its own: `repeat` and `fold`.

    Raises
    ------
    InputError
        One line: the file, the column or row, what was there, what is wanted.
    """
    table = _read(Path(path))
    label = label or table.label()
    labels = table.text(label)
    positive, y_true = _positive(f"{path}: column {label!r}", labels, positive)
    names = tuple(dict.fromkeys(scores)) or table.confidence(positive)
    values = np.empty((len(y_true), len(names)), order="F")
    for i, name in enumerate(names):
        values[:, i] = table.numbers(name)
    table.check_not_swapped(label)
    return ScoredTable(y_true, values, names, table.folds(fold), positive)


class _Table:
    """Columns of text by name; what is particular to OpenML files is added by a subclass."""

    def __init__(self, path: Path, columns: pd.DataFrame):
        self.path, self.columns = path, columns

    def label(self) -> str:
        raise InputError(f"{self.path}: --label is missing; the columns are {self._names()}")

    def confidence(self, positive: str) -> tuple[str, ...]:
        raise InputError(f"{self.path}: --score is missing; the columns are {self._names()}")

    def check_not_swapped(self, label: str) -> None:
        """Only OpenML files have the two columns that can be."""

    def folds(self, name: str | None) -> np.ndarray | None:
        return None if name is None else pd.factorize(self.text(name))[0]

    def column(self, name: str) -> pd.Series:
        if name not in self.columns:
            raise InputError(f"{self.path}: no column {name!r}; the columns are {self._names()}")
        found = self.columns[name]
        if isinstance(found, pd.DataFrame):
            raise InputError(f"{self.path}: {found.shape[1]} columns are called {name!r}; one is wanted")
        return found

    def text(self, name: str) -> np.ndarray:
        """The values of a column as text; none may be missing."""
        found = self.column(name)
        missing = np.flatnonzero(found.isna() | (found.astype(str).str.strip() == ""))
        if len(missing):
            raise InputError(
                f"{self.path}: column {name!r}: {len(missing)} values are missing, the first in row {missing[0] + 1} "
                "of the data"
            )
        return np.array([_as_text(value) for value in found], dtype=object)

    def numbers(self, name: str) -> np.ndarray:
        """The values of a column as numbers; none may be missing."""
        found = self.column(name)
        try:
            values = found.to_numpy(dtype=float, na_value=np.nan)
        except (TypeError, ValueError):
            values = np.array([_as_number(value) for value in found])
        missing = np.flatnonzero(np.isnan(values))
        if len(missing):
            first = found.iloc[missing[0]]
            raise InputError(
                f"{self.path}: column {name!r}: {len(missing)} values are no numbers, the first is "
                f"{'missing' if pd.isna(first) or first == '' else repr(first)} in row {missing[0] + 1} of the data"
            )
        return values

    def _names(self) -> str:
        return ", ".join(map(str, self.columns.columns))[:300]


class _OpenMLFile(_Table):
    """A predictions file as the uploaders of OpenML write it."""

    def __init__(self, path: Path, file: Arff):
        self.path, self.file = path, file
        self.columns = pd.DataFrame(columns=[attribute.name for attribute in file.attributes])

    def column(self, name: str) -> pd.Series:
        super().column(name)
        at = self.file.index(name)
        if self.file.attributes[at].kind in ("numeric", "real", "integer"):
            return pd.Series(self.file.numbers([at])[at])
        return pd.Series(self.file.labels(at).astype(object))

    def label(self) -> str:
        at = self.file.index(*TRUTH)
        if at is None:
            raise InputError(
                f"{self.path}: --label is missing, and there is no column truth or correct; "
                f"the columns are {self._names()}"
            )
        return self.file.attributes[at].name

    def confidence(self, positive: str) -> tuple[str, ...]:
        names = self._confidences()
        at = same_labels([positive], list(names))[0]
        if at is None:
            raise InputError(
                f"{self.path}: no column {CONFIDENCE}{positive}; there are confidences for "
                f"{', '.join(map(repr, names))[:300] or 'no class'}"
            )
        return (list(names.values())[at],)

    def folds(self, name: str | None) -> np.ndarray | None:
        if name is not None:
            return super().folds(name)
        at = [
            i
            for i in (self.file.index("repeat", "repeat_nr"), self.file.index("fold", "fold_nr"))
            if i is not None
        ]
        found = self.file.numbers(at, whole=at)
        if not at or any(np.isnan(values).any() for values in found.values()):
            return None
        return np.unique(np.column_stack([found[i] for i in at]), axis=0, return_inverse=True)[1].reshape(-1)

    def check_not_swapped(self, label: str) -> None:
        """Versions 0.11 to 0.13.0 of the Python client wrote the truth into `prediction`.

        Then what stands in `correct` is the most confident class in every row, and `prediction` is not.
        """
        names = self._confidences()
        predicted = self.file.index("prediction")
        if label.lower() not in TRUTH or predicted is None or not names:
            return
        confidences = np.column_stack([self.numbers(column) for column in names.values()])
        rows = np.arange(len(confidences))
        surest = confidences.max(axis=1)

        def is_surest(column: str) -> np.ndarray:
            found = pd.Categorical(self.column(column))
            meant = same_labels([str(name) for name in found.categories], list(names))
            codes = np.array([*(-1 if i is None else i for i in meant), -1])[found.codes]
            return (codes >= 0) & (confidences[rows, codes] == surest)

        if is_surest(label).all() and not is_surest(self.file.attributes[predicted].name).all():
            raise InputError(
                f"{self.path}: the columns 'prediction' and {label!r} were swapped by the uploader "
                f"({label!r} is the most confident class in every row, 'prediction' is not), so the truth is in "
                "doubt; if you trust it, give --label prediction"
            )

    def _confidences(self) -> dict[str, str]:
        """The columns of the confidences by their class."""
        columns = [a.name for a in self.file.attributes if a.name.lower().startswith(CONFIDENCE)]
        return {name[len(CONFIDENCE) :]: name for name in columns}


def _read(path: Path) -> _Table:
    ending = "".join(path.suffixes[-2:]).lower().removesuffix(".gz").rpartition(".")[2]
    try:
        if ending in ("parquet", "pq"):
            return _Table(path, pq.ParquetFile(path).read().to_pandas())
        body = path.read_bytes()
        if body.startswith(b"\x1f\x8b"):
            body = gzip.decompress(body)
        if not body.strip():
            raise InputError(f"{path}: the file is empty; a table with a header line is wanted")
        if ending == "arff" or body.lstrip()[:9].lower() == b"@relation":
            return _OpenMLFile(path, Arff.from_bytes(body))
        separator = "\t" if ending in ("tsv", "tab") else ","
        return _Table(path, _text_table(body, separator))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except ArffError as error:
        raise InputError(f"{path}: {error}") from None
    except pa.ArrowException as error:
        raise InputError(f"{path}: not a readable Parquet file ({_line(error)})") from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise InputError(f"{path}: not a readable table ({_line(error)})") from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"{path}: cannot be read ({getattr(error, 'strerror', None) or _line(error)})"
        ) from None


def _text_table(body: bytes, separator: str) -> pd.DataFrame:
    """All columns as text; the header line as it is, so that a name that stands twice is seen."""
    encoding = "utf-8-sig"
    try:
        body.decode(encoding)
    except UnicodeDecodeError:
        encoding = "latin-1"
    options = {"sep": separator, "header": None, "dtype": str, "keep_default_na": False, "encoding": encoding}
    table = pd.read_csv(io.BytesIO(body), **options)
    names = table.iloc[0].tolist()
    return table.iloc[1:].set_axis(names, axis=1).reset_index(drop=True)


def _positive(where: str, labels: np.ndarray, positive: str | None) -> tuple[str, np.ndarray]:
    """The positive class and which rows are of it."""
    if not len(labels):
        raise InputError(f"{where}: no rows of data")
    values = sorted(set(labels))
    told = ", ".join(map(repr, values[:10])) + (", ..." if len(values) > 10 else "")
    if positive is None:
        lowered = {_plain_number(value).lower() for value in values}
        known = [pair for pair in POSITIVE_BY_ITSELF if lowered <= pair]
        if not known:
            raise InputError(f"{where} holds {told}: which one is positive? Give --positive")
        positive = next((v for v in values if _plain_number(v).lower() in ("1", "true")), "1")
        return positive, labels == positive
    at = same_labels([positive], values)[0]
    if at is None:
        raise InputError(f"{where}: --positive {positive!r} is not among its values {told}")
    return values[at], labels == values[at]


def _plain_number(value: str) -> str:
    """`1.0` as `1`; other text as it is."""
    try:
        return f"{float(value):g}"
    except ValueError:
        return value


def _as_text(value: object) -> str:
    return str(value).strip()


def _as_number(value: object) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
