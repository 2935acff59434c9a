"""A table on disk whose columns are read by name: what every kind of file offers to who reads predictions."""

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from aucstudy.errors import InputError
from aucstudy.reading.class_names import equal_numbers
from aucstudy.reading.column_kinds import is_numeric, is_text, why_id
from aucstudy.reading.numbers import exact_integers, first_inexact, order_is_kept, parsed, too_large

# where all scores are meant
NOT_SCORES = ("", "id", "index", "row", "row_id", "fold", "repeat", "weight")
PANDAS_INDEX = "__index_level_"
WHOLE = pa.decimal128(38, 0)


class MissingColumn(InputError):
    """A column that is asked for is not there."""


class NotANumber(InputError):
    """A cell of a column of numbers holds none."""


class ColumnFile:
    """A table on disk: its labels, scores, folds and rows by the names of their columns.

    A kind of file says which columns it has, reads them as Arrow columns (`_columns`), and tells numbers from text
    (`why_no_scores`). One that knows its own labels, scores, folds or rows overrides the methods `own_...`.

    Attributes
    ----------
    path : Path
    names : list of str
        The columns, as the header gives them.
    notes : list of str
        What a reader must know of how the columns were read, a sentence each.
    exact : dict
        (n,) int64 or uint64 array of a column whose integers float64 cannot tell apart, by its name.
    """

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self.path, self.names = path, list(names)
        self.notes: list[str] = []
        self.exact: dict[str, np.ndarray] = {}
        self._loaded: Mapping[str, pa.ChunkedArray] = {}

    def check(self, name: str) -> None:
        """Raise InputError, with the nearest name, where there is no such column or there are two."""
        times = self.names.count(name)
        if times > 1:
            raise InputError(f"{self.path}: {times} columns are called {name!r}; one is wanted")
        if not times:
            near = difflib.get_close_matches(name, self.names, n=1) or [
                known for known in self.names if known.lower() == name.lower()
            ]
            meant = f"did you mean {near[0]!r}? " if near else ""
            raise MissingColumn(f"{self.path}: no column {name!r}; {meant}the columns are {self.listed()}")

    def load(self, texts: Sequence[str], numbers: Sequence[str]) -> None:
        """Read some columns as text and others as numbers, all in one pass."""
        for name in (*texts, *numbers):
            self.check(name)
        self._loaded = self._columns(tuple(texts), tuple(numbers))

    def text(self, name: str) -> pd.Categorical:
        """(n,) texts of a loaded column, without blanks around them; 1.0 beside 1 is 1; none may be missing."""
        labels = _categorical(self._loaded[name], self._where(name))
        self._refuse_missing(name, labels)
        return labels

    def _refuse_missing(self, name: str, labels: pd.Categorical) -> None:
        missing = np.flatnonzero(labels.codes < 0)
        if len(missing):
            values = (
                "1 value is missing,"
                if len(missing) == 1
                else f"{len(missing)} values are missing, the first"
            )
            raise InputError(
                f"{self._where(name)}: {values} in {self.place(missing[0])}; a value is wanted in every row: fill it "
                "in, or leave the row out"
            )

    def place(self, row: int) -> str:
        """Where a row of the data, numbered from 0, stands."""
        return f"row {row + 1} of the data"

    def numbers(self, name: str) -> np.ndarray:
        """(n,) float64 values of a loaded column; none may be missing or NaN.

        Integers that float64 cannot tell apart come as their ranks, which order and tie as they do; the integers
        themselves stand in `exact`.
        """
        column = self._loaded[name]
        values = self._float64(name, column)
        missing = np.flatnonzero(np.isnan(values))
        if len(missing):
            first = column[int(missing[0])].as_py()
            cell = "missing" if first is None or first == "" else repr(first)
            raise self._not_a_number(name, cell, missing)
        return self._in_exact_order(name, column, values)

    def _not_a_number(self, name: str, cell: str, missing: np.ndarray) -> NotANumber:
        values = (
            "1 value is no number: it"
            if len(missing) == 1
            else f"{len(missing)} values are no numbers, the first"
        )
        return NotANumber(f"{self._where(name)}: {values} is {cell} in {self.place(missing[0])}")

    def scores(self, name: str) -> np.ndarray:
        """(n,) float64 scores in a column."""
        return self.numbers(name)

    def all_scores(self, others: Sequence[str]) -> tuple[str, ...]:
        """Every column of numbers that is not one of `others` or named like an index; a note tells the rest."""
        for name in others:
            self.check(name)
        left_out = self.left_out(others)
        if left_out:
            reasons = "; ".join(f"{name!r} {why}" for name, why in left_out.items())
            self.notes.append(f"columns that are not taken for scores: {reasons}")
        return tuple(name for name in self.names if name not in others and name not in left_out)

    def left_out(self, others: Sequence[str]) -> dict[str, str]:
        """Why each column that is neither a score nor one of `others` is none."""
        reasons = {
            name: "is named like an index" if _like_an_index(name) else self.why_no_scores(name)
            for name in self.names
            if name not in others
        }
        return {name: why for name, why in reasons.items() if why}

    def without_ids(self, names: Sequence[str]) -> dict[str, str]:
        """Why some of the loaded columns of numbers hold ids and no scores, with a note on each."""
        ids = {name: why for name in names if (why := why_id(name, self._loaded.get(name)))}
        self.notes += [f"{name!r} is not taken for scores: it {why}" for name, why in ids.items()]
        return ids

    def own_label(self) -> str:
        """The column of the labels, where none is asked for."""
        raise InputError(f"{self.path}: --label is missing; the columns are {self.listed()}")

    def own_score(self, positive: str) -> str:
        """The column of the scores for a class, where none is asked for."""
        raise InputError(f"{self.path}: --score is missing; the columns are {self.listed()}")

    def own_folds(self) -> np.ndarray | None:
        """(n,) a number for each (repeat, fold), None where the file does not say."""
        return None

    def own_rows(self) -> np.ndarray | None:
        """(n,) the rows of the data set, None where the file does not say."""
        return None

    def check_truth(self, label: str) -> None:
        """Raise InputError where the file shows that `label` is not the truth."""

    def listed(self) -> str:
        """The names of the columns, for a message."""
        return ", ".join(map(str, self.names))[:300]

    def why_no_scores(self, name: str) -> str:
        """Why a column holds no scores, by what it holds or declares; "" where it holds numbers."""
        raise NotImplementedError

    def _columns(self, texts: tuple[str, ...], numbers: tuple[str, ...]) -> Mapping[str, pa.ChunkedArray]:
        raise NotImplementedError

    def _where(self, name: str) -> str:
        return f"{self.path}: column {name!r}"

    def _float64(self, name: str, column: pa.ChunkedArray) -> np.ndarray:
        """(n,) the nearest float64 to each value, NaN where it is none."""
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        kind = column.type
        if is_text(kind):
            return parsed(column.to_pylist())
        if not (is_numeric(kind) or pa.types.is_null(kind)):
            raise InputError(f"{self._where(name)} holds {kind}, numbers are wanted")
        if pa.types.is_decimal(kind):
            column = pc.cast(column, pa.string())  # Arrow's own cast does not give the nearest double
        return pc.cast(column, pa.float64(), safe=False).to_numpy()

    def _in_exact_order(self, name: str, column: pa.ChunkedArray, values: np.ndarray) -> np.ndarray:
        """The values, or the ranks of the integers where float64 ties some of them that differ."""
        if not too_large(values) and not pa.types.is_decimal(column.type):
            return values
        whole = self._whole_numbers(name, column)
        if whole is None or order_is_kept(whole, values):
            return values
        integers = exact_integers(whole)
        if integers is None:
            raise InputError(
                f"{self._where(name)}: float64 ties numbers that differ; integers of at most 64 bits or fewer digits "
                "are wanted"
            )
        self.exact[name] = integers
        return np.unique(integers, return_inverse=True)[1].astype(float)

    def _whole_numbers(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray | None:
        """A column with all its digits, None where it holds floating-point numbers."""
        if pa.types.is_floating(column.type):
            return None
        return whole_texts(column, self._where(name)) if is_text(column.type) else column


def whole_texts(texts: pa.ChunkedArray, where: str) -> pa.ChunkedArray | None:
    """Texts as decimals where all are whole numbers; None where some are not and no whole one loses digits.

    Raises
    ------
    InputError
        A whole number beside fractions has more digits than float64 holds.
    """
    texts = pc.utf8_trim_whitespace(texts)
    if pc.all(pc.match_substring_regex(texts, r"^[+-]?[0-9]{1,38}$")).as_py():
        return pc.cast(texts, WHOLE)
    at = first_inexact(texts.to_pylist())
    if at is None:
        return None
    raise InputError(
        f"{where}: {texts[at].as_py()} in row {at + 1} of the data has more digits than can be held beside fractions; "
        "whole numbers of at most 64 bits alone, or fewer digits, are wanted"
    )


def _like_an_index(name: str) -> bool:
    return name.strip().lower() in NOT_SCORES or name.startswith(PANDAS_INDEX)


def _categorical(column: pa.ChunkedArray, where: str) -> pd.Categorical:
    """The texts of a column without blanks around them; code -1 where one is missing."""
    if not pa.types.is_dictionary(column.type):
        if pa.types.is_floating(column.type):
            column = pc.if_else(pc.is_nan(column), None, column)
        try:
            column = column.cast(pa.string()).dictionary_encode()
        except pa.ArrowNotImplementedError:
            raise InputError(f"{where} holds {column.type}, text or numbers are wanted") from None
    encoded = column.unify_dictionaries().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0) if encoded.num_chunks else pa.array([], pa.string()).dictionary_encode()
    names = ["" if value is None else str(value).strip() for value in encoded.dictionary.to_pylist()]
    if any("\0" in name for name in names):
        raise InputError(f"{where} holds a NUL byte; text is wanted")
    names = equal_numbers(names)
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    kept = sorted({name for name in names if name})
    place = {name: i for i, name in enumerate(kept)}
    codes = np.array([*(place.get(name, -1) for name in names), -1])[codes]
    return pd.Categorical.from_codes(codes, kept)
