"""A user's table of predictions, whatever kind of file it is, as labels and scores."""

import csv
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from aucstudy.errors import InputError
from aucstudy.reading.arff import CONFIDENCE, NUMERIC, TRUTH, Arff, ArffError, OpenMLPredictions
from aucstudy.reading.column_files import (
    PARQUET,
    ColumnFile,
    Columns,
    DelimitedFile,
    NotANumber,
    Opened,
    ParquetFile,
    refuse_other_kinds,
    whole_texts,
)
from aucstudy.reading.labels import Labels, equal_numbers, positive_rows, same_labels
from aucstudy.reading.numbers import is_number, too_large

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
    weight : (n,) finite weights of at least 0, not all 0; None where every row counts as one.
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
    weight: np.ndarray | None = None

    def cases(self) -> np.ndarray | None:
        """(n,) the case of each row where some case has several, as repeated cross-validation gives; else None."""
        if self.row_ids is None:
            return None
        case = np.unique(self.row_ids, return_inverse=True)[1].reshape(-1)
        size, positives = np.bincount(case), np.bincount(case, self.y_true)
        mixed = np.flatnonzero(((positives > 0) & (positives < size))[case])
        if len(mixed):
            raise ValueError(
                f"row {mixed[0] + 1} of the data is of a case that is positive in one row and negative in another; "
                "one label a case is wanted (leave out the column of rows if its numbers begin anew in each fold)"
            )
        return case if size.max() > 1 else None

    def without_weightless(self) -> "ScoredTable":
        if self.weight is None or self.weight.all():
            return self
        has_weight = self.weight > 0
        fields = {name: getattr(self, name) for name in ("y_true", "folds", "row_ids", "groups", "weight")}
        rows = {name: None if values is None else values[has_weight] for name, values in fields.items()}
        rows["exact"] = {name: values[has_weight] for name, values in self.exact.items()}
        return replace(self, scores=np.asfortranarray(self.scores[has_weight]), **rows)


def read_scored_table(
    path: Path | str | ColumnFile, columns: Columns, *, all_scores: bool = False
) -> ScoredTable:
    """Read labels and scores out of a table, in one pass, and no column that is not asked for.

    Parameters
    ----------
    path : CSV, TSV, Parquet or ARFF, gzipped or not; a pipe, or - for standard input; a table that is open already.
    all_scores : where no scores are named, take every column of numbers that is not one of `columns`, an index or ids.

    Raises
    ------
    InputError
        One line: the file, the column or row, what was there, what is wanted.
    """
    fold, row, group, weight = columns.fold, columns.row, columns.group, columns.weight
    repeat = columns.repeat
    with open_columns(path) as table:
        label = columns.label or table.own_label()
        texts = [name for name in (label, fold, row, group, repeat) if name]
        not_scores = [*texts, weight] if weight else texts
        takes_all = all_scores and not columns.scores
        names = table.all_scores(not_scores) if takes_all else tuple(dict.fromkeys(columns.scores))
        table.load(texts, list(dict.fromkeys([*names, weight] if weight else names)))
        where = f"{table.path}: column {label!r}"
        positive, negative, y_true, notes = positive_rows(where, table.text(label), columns.positive)
        ids = table.without_ids(names) if takes_all else {}
        names = tuple(name for name in names if name not in ids) or (table.own_score(positive),)
        values = np.empty((len(y_true), len(names)), order="F")
        try:
            for i, name in enumerate(names):
                values[:, i] = table.scores(name)
        except NotANumber as error:
            advice = "; correct it, or name the models with --score (in a study: scores)" if takes_all else ""
            raise NotANumber(f"{error}{advice}") from None
        table.check_truth(label)
        folds = table.text(fold).codes if fold else table.own_folds()
        row_ids = table.text(row).codes if row else table.own_rows()
        if repeat:
            if row_ids is None:
                raise InputError(
                    f"{table.path}: --repeat {repeat!r} wants --row too: a column that says which rows are of one case"
                )
            folds = _crossed(table.text(repeat).codes, *([] if folds is None else [folds]))
        groups = _groups(table, group) if group else None
        if row_ids is not None:
            _check_rows(table.path, row_ids, folds)
        weights = _weights(table, weight) if weight else None
        left_out = {**table.left_out(not_scores), **ids} if takes_all else {}
    return ScoredTable(
        y_true, values, names, folds, positive, negative, row_ids,
        exact=table.exact, left_out=left_out, notes=(*table.notes, *notes), groups=groups,
        weight=weights,
    )  # fmt: skip


def _groups(table: ColumnFile, name: str) -> np.ndarray:
    """(n,) codes, with a note where what stands in the column looks like scores."""
    groups = table.text(name)
    if any(is_number(text) and not float(text).is_integer() for text in map(str, groups.categories[:1000])):
        table.notes.append(
            f"--group {name}: the column holds numbers with decimals, as scores do; one that names the patient, user "
            "or document is wanted"
        )
    return groups.codes


def _weights(table: ColumnFile, name: str) -> np.ndarray:
    weights, where = table.numbers(name), f"{table.path}: column {name!r}"
    # where float64 cannot tell them apart, their ranks stand in for scores
    weights = np.asarray(table.exact.pop(name, weights), dtype=float)
    wrong_rows = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong_rows):
        found = f"{weights[wrong_rows[0]]:g} in {table.place(wrong_rows[0])}"
        raise InputError(f"{where}: {found} is no weight; a finite one of at least 0 is wanted in every row")
    if not weights.any():
        raise InputError(f"{where}: all weights are 0; one above 0 is wanted in rows of each class")
    return weights


def _crossed(*codes: np.ndarray) -> np.ndarray:
    return np.unique(np.column_stack(codes), axis=0, return_inverse=True)[1].reshape(-1)


@contextmanager
def open_columns(path: Path | str | ColumnFile) -> Iterator[ColumnFile]:
    """Open a table by its ending and first bytes; whatever fails while it is read is one line of InputError."""
    shown = path.path if isinstance(path, ColumnFile) else path
    try:
        if isinstance(path, ColumnFile):
            yield path
            return
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
        raise InputError(f"{shown}: no such file") from None
    except ArffError as error:
        raise InputError(f"{shown}: {error}") from None
    except (EOFError, zlib.error) as error:
        raise InputError(f"{shown}: cannot be read ({error})") from None
    except NOT_A_TABLE as error:
        raise InputError(f"{shown}: not a readable table ({' '.join(str(error).split())[:200]})") from None
    except OSError as error:
        raise InputError(f"{shown}: cannot be read ({error.strerror or error})") from None
    except MemoryError:
        raise InputError(f"{shown}: too large for the memory of this machine") from None


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


class OpenMLFile(ColumnFile):
    """An ARFF file: one as the uploaders of OpenML write it knows its own labels, scores, folds and rows."""

    def __init__(self, path: Path, body: bytes) -> None:
        self.file = OpenMLPredictions(Arff.from_bytes(body))
        super().__init__(path, self.file.names)

    def load(self, texts: Sequence[str], numbers: Sequence[str]) -> None:
        """The file is in memory already."""
        for name in (*texts, *numbers):
            self.check(name)

    def text(self, name: str) -> Labels:
        labels = self.file.arff.labels(self._index(name))
        missing = np.flatnonzero(labels.codes < 0)
        if len(missing):
            raise self._missing(name, missing)
        self._check_declared(name, labels)
        return Labels.of(equal_numbers([str(value) for value in labels.categories]))[labels.codes]

    def _check_declared(self, name: str, labels: Labels) -> None:
        declared = self.file.arff.attributes[self._index(name)]
        same_class = same_labels([str(value) for value in labels.categories], declared.values)
        if declared.kind == "nominal" and None in same_class:
            row = int(np.argmax(labels.codes == same_class.index(None)))
            fault = f"{str(labels.categories[labels.codes[row]])[:60]!r} in row {row + 1} of the data is not declared"
            classes = ", ".join(map(repr, declared.values))[:200]
            raise InputError(f"{self._where(name)}: {fault}; the declared classes are {classes}")

    def numbers(self, name: str) -> np.ndarray:
        column = self._index(name)
        values = self.file.arff.numbers([column])[column]
        missing = np.flatnonzero(np.isnan(values))
        if len(missing):
            raise self._not_a_number(name, "missing", missing)
        return self._in_exact_order(name, pa.chunked_array([values]), values) if too_large(values) else values

    def scores(self, name: str) -> np.ndarray:
        """A confidence counts as on the server: where all are zero, the predicted class has 1."""
        values = self.numbers(name)
        if self.file.prediction is None or self._index(name) not in self.file.confidences:
            return values
        zero = self.file.without_confidence(self._confidences())
        if not zero.any():
            return values
        n = zero.sum()
        note = f"{n} rows have no confidence above zero: their prediction counts, as on OpenML's server"
        self.notes += [note] if note not in self.notes else []
        self.text(self.names[self.file.prediction])  # refuses what is missing or not declared
        predicted = self.file.codes(self.file.prediction, self.file.classes)
        return np.where(zero, predicted == self.file.confidences.index(self._index(name)), values)

    def all_scores(self, not_scores: Sequence[str]) -> tuple[str, ...]:
        """None by name where there are confidences: which one is meant, the positive class says."""
        return () if self.file.confidences else super().all_scores(not_scores)

    def why_no_scores(self, name: str) -> str:
        kind = self.file.arff.attributes[self._index(name)].kind
        return "" if kind in NUMERIC else f"is {kind}"

    def own_label(self) -> str:
        if self.file.truth is None:
            missing = "--label is missing, and there is no column truth or correct"
            raise InputError(f"{self.path}: {missing}; the columns are {self.listed()}")
        return self.names[self.file.truth]

    def own_score(self, positive: str) -> str:
        index = same_labels([positive], self.file.classes)[0]
        if index is None:
            class_names = ", ".join(map(repr, self.file.classes))[:300] or "no class"
            missing = f"no column {CONFIDENCE}{positive}"
            raise InputError(f"{self.path}: {missing}; there are confidences for {class_names}")
        return self.names[self.file.confidences[index]]

    def own_folds(self) -> np.ndarray | None:
        keys = self._keys(self.file.repeat, self.file.fold)
        return _crossed(*keys) if keys else None

    def own_rows(self) -> np.ndarray | None:
        keys = self._keys(self.file.row_id)
        return keys[0] if keys else None

    def check_truth(self, label: str) -> None:
        """Versions 0.11 to 0.13.0 of the Python client wrote the truth into `prediction`.

        Then what stands in `correct` is the most confident class in every row, and `prediction` is not.
        """
        if label.lower() not in TRUTH or self.file.prediction is None or not self.file.confidences:
            return
        self._check_declared(self.names[self.file.prediction], self.file.arff.labels(self.file.prediction))
        confidences = np.column_stack([*self._confidences().values()])
        rows, surest = np.arange(len(confidences)), confidences.max(axis=1)

        def is_surest(column: int) -> np.ndarray:
            codes = self.file.codes(column, self.file.classes)
            return (codes >= 0) & (confidences[rows, codes] == surest)

        if is_surest(self._index(label)).all() and not is_surest(self.file.prediction).all():
            raise InputError(
                f"{self.path}: the columns 'prediction' and {label!r} were swapped by the uploader "
                f"({label!r} is the most confident class in every row, 'prediction' is not), so the truth is in "
                "doubt; if you trust it, give --label prediction"
            )

    def _index(self, name: str) -> int:
        return self.file.arff.index(name)

    def _confidences(self) -> dict[int, np.ndarray]:
        return {column: self.numbers(self.names[column]) for column in self.file.confidences}

    def _keys(self, *columns: int | None) -> list[np.ndarray]:
        present = [column for column in columns if column is not None]
        keys = self.file.arff.numbers(present, integers=present)
        if any(np.isnan(values).any() for values in keys.values()):
            return []
        # ids that float64 would tie are told apart as text
        return [self.text(self.names[i]).codes if too_large(keys[i]) else keys[i] for i in present]

    def _whole_numbers(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray | None:
        texts = np.asarray(self.file.arff.labels(self._index(name)), dtype=object)
        return whole_texts(pa.chunked_array([pa.array(texts, pa.string())]), self._where(name))
