"""A table in memory, whose columns are read by name as labels or as numbers.

Missing or invalid values are errors, and so are numbers that would become equal by rounding.
"""

import difflib
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aucstudy.errors import InputError
from aucstudy.reading.column_names import is_index, option_of
from aucstudy.reading.labels import MISSING_BESIDE_NUMBERS, Labels, equal_numbers
from aucstudy.reading.written_numbers import (
    COMMA,
    PLAIN,
    TwoReadings,
    are_plain,
    decimal_sign,
    finite_numbers,
    plain_numbers,
    seem_numbers,
)

NOT_UTF_8 = "holds text that is not UTF-8 (but perhaps Latin-1); save the file as UTF-8"
_EXACT = 2**53  # From here on, different integers may have the same float64.
# Numbers of 15 digits differ as float64 if they differ, unless they are as small as 1e-308.
_DIGITS, _TINY = 15, 1e-290


class MissingValues(InputError):
    """A cell of a column of labels or numbers is empty, or holds a word such as NA."""


class MissingColumn(InputError):
    """A requested column does not exist."""


def check_name(where: str, names: Sequence[str], name: str, advice: str = "") -> None:
    """Raise InputError unless exactly one of the columns is called `name`. The `advice` ends its message."""
    times = list(names).count(name)
    if times > 1:
        raise InputError(f"{where}: {times} columns are called {name!r}; one is needed")
    if not times:
        by_lower_case = {known.lower(): known for known in names}
        nearest = difflib.get_close_matches(name.lower(), by_lower_case, n=1)
        suggestion = f"did you mean {by_lower_case[nearest[0]]!r}? " if nearest else ""
        raise MissingColumn(
            f"{where}: no column {name!r}; {suggestion}the columns are {listed(names)}{advice}"
        )


def listed(names: Sequence[str]) -> str:
    return ", ".join(names)[:300]


def advice_on_header(names: Sequence[str]) -> str:
    """Return the end of a message about the first line of a text file whose names are all numbers, or ""."""
    # Arrow imports pandas for an array of texts. Most first lines have a name without a digit and need none.
    if not all(re.search("[0-9]", name) for name in names):
        return ""
    seems_data = pc.all(seem_numbers(pa.chunked_array([pa.array(names, pa.string())])), min_count=1).as_py()
    return "; the first line looks like data, and a line of names is needed" if seems_data else ""


def is_numeric(kind: pa.DataType) -> bool:
    return pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind)


def is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def as_numpy(column: pa.Array | pa.ChunkedArray, missing: float) -> np.ndarray:
    """Return the (n,) numbers of a column as a read-only array, with `missing` for each missing one."""
    # Arrow's own `to_numpy` imports pandas, which takes longer than the rest of `aucstudy score`.
    column = column.fill_null(missing) if column.null_count else column
    return np.from_dlpack(column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column)


def floats(column: pa.ChunkedArray) -> np.ndarray:
    """Return the (n,) float64 nearest to each cell, NaN where a cell is missing or is text that is no number.

    Raise pyarrow.ArrowException for a column of another type, such as dates.

    >>> floats(pa.chunked_array([["0.5", " 1e2 ", "", "0,5"]]))
    array([  0.5, 100. ,   nan,   nan])
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.string())  # Arrow's own cast does not give the nearest float64.
    if is_text(column.type):
        column = pc.ascii_trim_whitespace(column.cast(pa.string()))
        if (numbers := finite_numbers(column)) is not None:
            return as_numpy(numbers, np.nan)
        is_number = pc.match_substring_regex(column, PLAIN)
        column = pc.if_else(is_number, column, pa.nulls(len(column), pa.string()))
    elif not (is_numeric(column.type) or pa.types.is_boolean(column.type) or pa.types.is_null(column.type)):
        raise pa.ArrowInvalid(f"holds {column.type}, numbers are needed")
    return as_numpy(pc.cast(column, pa.float64(), safe=False), np.nan)


def _first_tie(column: pa.ChunkedArray, values: np.ndarray) -> int | None:
    """Return the first row whose number differs from that of an earlier row, but is equal to it as float64.

    This happens to large integers, to numbers of many digits, and to texts of very small numbers.
    """
    if pa.types.is_floating(column.type):
        return None
    if is_text(column.type):
        longest = pc.max(pc.binary_length(column)).as_py() or 0
        may_tie = longest > _DIGITS or (np.abs(values) < _TINY).any()
    else:
        may_tie = pa.types.is_decimal(column.type) or (np.abs(values) >= _EXACT).any()
    if not may_tie:
        return None
    ordered = np.sort(values)
    tied = ordered[1:][ordered[1:] == ordered[:-1]]
    # If the numbers differ as float64, their texts, which take longer, need no comparison.
    if not tied.size:
        return None
    rows = np.flatnonzero(np.isin(values, tied))
    # An array of Arrow that is made of its buffer needs no pandas, which `pa.array` would import.
    index = pa.Array.from_buffers(pa.int64(), len(rows), [None, pa.py_buffer(rows.astype(np.int64))])
    column, values = column.take(index), values[rows]
    if pc.count_distinct(column).as_py() == np.unique(tied).size:
        return None
    first_number: dict[float, Decimal] = {}
    for row, number, value in zip(rows.tolist(), column.to_pylist(), values.tolist(), strict=True):
        exact = Decimal(str(number))
        if first_number.setdefault(value, exact) != exact:
            return row
    return None


@dataclass
class Table:
    """Columns of n rows by name.

    Attributes
    ----------
    where : the file, or the name that messages give to a table in memory.
    names : names of the columns. Several columns may have the same name as long as it is not requested.
    columns : the columns. Those of a text file are all text.
    separator : the sign between the values of a text file, or None for columns with types of their own. A
        column of a text file holds numbers if some of its cells do.
    decimal : the decimal sign of numbers in text, or None if the columns must show it.
    notes : what a reader must know about how columns were read, each in a sentence.
    row_numbers : the index of each row in the data as they were given, or None if no row was left out.
    """

    where: str
    names: tuple[str, ...]
    columns: tuple[pa.ChunkedArray, ...]
    separator: str | None = None
    decimal: str | None = None
    notes: list[str] = field(default_factory=list)
    row_numbers: np.ndarray | None = None

    def row_number(self, index: int) -> int:
        """Return the number of a row in the data as they were given, counted from 1."""
        return int(index if self.row_numbers is None else self.row_numbers[index]) + 1

    def without_missing(self, label: str, scores: Collection[str]) -> "Table":
        """Return the table without the rows that have no label or no score, and with a note on their number.

        A score is missing if it is null, NaN, empty, or a word such as NA. A label is missing if it is null, NaN or
        empty, or is such a word where all others are numbers.
        """
        words = [_missing_word(self.column(name)) for name in scores]
        labels = _missing_word(self.column(label))
        if is_text(self.column(label).type):
            others = self.column(label).filter(pc.invert(labels)).cast(pa.string())
            if not are_plain(pc.utf8_trim_whitespace(others)):
                labels = _missing_word(self.column(label), words=("",))
        kept = ~np.any([as_numpy(mask.cast(pa.uint8()), 0) for mask in (labels, *words)], axis=0)
        if kept.all():
            return self
        n_missing, first = int((~kept).sum()), int(np.argmin(kept))
        note = (
            f"{self.where}: {n_missing:,} of {len(kept):,} rows have no label or no score and are left out, the first "
            f"is row {first + 1} of the data"
        )
        columns = tuple(column.filter(pa.array(kept)) for column in self.columns)
        return replace(self, columns=columns, notes=[*self.notes, note], row_numbers=np.flatnonzero(kept))

    def named(self, name: str) -> str:
        return f"{self.where}: column {name!r}"

    def column(self, name: str) -> pa.ChunkedArray:
        if self._times[name] != 1:
            check_name(self.where, self.names, name, self._advice_on_header)
        return self._by_name[name]

    @cached_property
    def _times(self) -> Counter[str]:
        return Counter(self.names)

    @cached_property
    def _by_name(self) -> dict[str, pa.ChunkedArray]:
        return dict(zip(self.names, self.columns, strict=True))

    def labels(self, name: str) -> Labels:
        """Return the (n,) texts of a column without blanks around them. Beside 1, the label 1.0 becomes 1.

        Raise InputError if a label is missing.
        """
        column = self.column(name)
        try:
            if pa.types.is_dictionary(column.type):
                column = column.cast(column.type.value_type)
            if pa.types.is_floating(column.type):
                column = pc.if_else(pc.is_nan(column), None, column)
            encoded = column.cast(pa.string()).combine_chunks().dictionary_encode()
            encoded.validate(full=True)
        except pa.ArrowException as error:
            if "UTF8" in str(error):
                raise InputError(f"{self.named(name)} {NOT_UTF_8}") from None
            raise InputError(f"{self.named(name)} holds {column.type}, text is needed ({error})") from None
        texts = [value.strip() for value in encoded.dictionary.to_pylist()]
        if any("\0" in text for text in texts):
            raise InputError(f"{self.named(name)} holds a NUL byte; text is needed")
        codes = as_numpy(encoded.indices, -1)
        labels = Labels.of([*(text or None for text in equal_numbers(texts)), None])[codes]
        missing = np.flatnonzero(labels.codes < 0)
        if len(missing):
            raise MissingValues(
                f"{self.named(name)}: {len(missing)} values are missing, the first in row "
                f"{self.row_number(missing[0])} of the data; fill them in, or leave these rows out"
            )
        return labels

    def numbers(self, name: str) -> np.ndarray:
        """Return the (n,) numbers of a column as float64.

        Raise InputError if a cell holds no finite number, or if numbers that differ would become equal.
        """
        column = self.column(name)
        try:
            numbers = self._in_plain_writing(name, column)
            values = floats(numbers)
        except pa.ArrowException as error:
            if "UTF8" in str(error):
                raise InputError(f"{self.named(name)} {NOT_UTF_8}") from None
            raise InputError(f"{self.named(name)}: no numbers ({error})") from None
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            shown = _shown(column[int(wrong[0])])
            raise (MissingValues if _is_missing(column[int(wrong[0])]) else InputError)(
                f"{self.named(name)}: {len(wrong)} values are no finite numbers, the first is "
                f"{shown or 'missing'} in row {self.row_number(wrong[0])} of the data{self._advice(column)}"
            )
        tie = _first_tie(numbers, values)
        if tie is not None:
            raise InputError(
                f"{self.named(name)}: float64 ties numbers that differ: {_shown(column[tie])} in row "
                f"{self.row_number(tie)} of the data and one in an earlier row; fewer digits are needed"
            )
        return values

    def _in_plain_writing(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return a column of texts as plain numbers, and any other column as it is."""
        if not is_text(column.type):
            return column
        column = column.cast(pa.string())
        try:
            return plain_numbers(column, self.separator, self.decimal)
        except TwoReadings:
            pass  # The other columns may show the decimal sign.
        try:
            return plain_numbers(column, self.separator, self.decimal, self._decimal_sign)
        except TwoReadings as error:
            raise InputError(
                f"{self.named(name)}: {_shown(column[error.cell])} in row {self.row_number(error.cell)} of the data "
                "fits two readings, a decimal sign and a sign between thousands; give --decimal , or --decimal ."
            ) from None

    @cached_property
    def _decimal_sign(self) -> str | None:
        """The decimal sign of the columns of text, or None if none shows it or two columns differ."""
        texts = [column.cast(pa.string()) for column in self.columns if is_text(column.type)]
        signs = {decimal_sign(column) for column in texts} - {None}
        return signs.pop() if len(signs) == 1 else None

    def _advice(self, column: pa.ChunkedArray) -> str:
        if self.decimal or not is_text(column.type) or decimal_sign(column.cast(pa.string())) != COMMA:
            return ""
        return "; --decimal , reads decimal commas"

    @property
    def header_seems_data(self) -> bool:
        """Whether every name in the first line of a text file is a number."""
        return self.separator is not None and bool(advice_on_header(self.names))

    @property
    def _advice_on_header(self) -> str:
        return "" if self.separator is None else advice_on_header(self.names)

    def own_label(self) -> str:
        columns = f"{listed(self.names)}{self._advice_on_header}"
        raise InputError(f"{self.where}: --label is missing; the columns are {columns}")

    def own_columns(self) -> Collection[str]:
        """Return the columns of which the format of the file says what they hold."""
        return ()

    def own_score(self, positive: str) -> str:
        raise InputError(f"{self.where}: --score is missing; the columns are {listed(self.names)}")

    def own_folds(self) -> np.ndarray | None:
        """Return the (n,) number of the fold of each row, or None if the table does not say."""
        return None

    def own_rows(self) -> np.ndarray | None:
        """Return the (n,) row of the data set for each row, or None if the table does not say."""
        return None

    def check_truth(self, label: str) -> None:
        """Raise InputError if the table shows that the column `label` does not hold the true classes."""

    def score_columns(self, others: Collection[str]) -> tuple[tuple[str, ...], dict[str, str]]:
        """Return the columns to take as scores, and for each column that is left out the reason.

        Columns of numbers are taken unless they are in `others`, or their names are those of an index or of a column
        for an option. In a text file, a column of numbers is one with a number in some cell. Raise InputError if a
        typed column holds text, but looks like numbers in every cell.
        """
        taken, left_out = [], {}
        for name, column in zip(self.names, self.columns, strict=True):
            if name in others:
                continue
            if option := option_of(name):
                left_out[name] = f"is named like a column for {option}"
            elif is_index(name):
                left_out[name] = "is named like an index"
            elif why := self._no_numbers(name, column):
                self._refuse_numbers_in_text(name, column)
                left_out[name] = why
            else:
                taken.append(name)
        return tuple(taken), left_out

    def holds_words(self, name: str, column: pa.ChunkedArray) -> bool:
        """Return whether a column holds text, none of which is a number in a text file."""
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        return is_text(column.type) and bool(self._no_numbers(name, column))

    def _no_numbers(self, name: str, column: pa.ChunkedArray) -> str:
        """Return the reason why a column does not hold numbers, or "" if it does."""
        if self.separator is not None and is_text(column.type):
            texts = column.cast(pa.string())
            for rows in (texts[:100], texts):  # The first rows show most columns of numbers.
                if pc.any(pc.match_substring_regex(pc.ascii_trim_whitespace(rows), PLAIN)).as_py():
                    return ""
            return "" if pc.any(seem_numbers(texts)).as_py() else "holds no numbers"
        if is_text(column.type):
            return "holds text"
        return "" if is_numeric(column.type) else f"holds {column.type}"

    def _refuse_numbers_in_text(self, name: str, column: pa.ChunkedArray) -> None:
        # Texts of digits alone may be codes, such as those of places.
        if self.separator is not None or not is_text(column.type):
            return
        texts = column.cast(pa.string()).drop_null()
        texts = texts.filter(pc.not_equal(pc.utf8_trim_whitespace(texts), ""))
        has_sign = pc.any(pc.match_substring_regex(texts, r"[.,%\[]")).as_py()
        if has_sign and pc.all(seem_numbers(texts)).as_py():
            raise InputError(
                f"{self.named(name)}: holds text that looks like numbers, such as {_shown(texts[0])}; numbers are "
                "needed, or name the models with --score (or scores)"
            )


def _missing_word(
    column: pa.ChunkedArray, words: Sequence[str] = ("", *MISSING_BESIDE_NUMBERS)
) -> pa.ChunkedArray:
    """Return whether each cell of a column is missing. In a text the `words` stand for a missing one."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if is_text(column.type):
        texts = pc.utf8_lower(pc.utf8_trim_whitespace(column.cast(pa.string())))
        return pc.fill_null(pc.is_in(texts, pa.array(words)), True)
    return pc.is_null(column, nan_is_null=True)


def _is_missing(cell: pa.Scalar) -> bool:
    """Return whether a cell is null, NaN, empty or a word such as NA. It need not be valid UTF-8."""
    if is_text(cell.type) and cell.is_valid:
        text = cell.as_buffer().to_pybytes().decode(errors="replace").strip().lower()
        return text in ("", *MISSING_BESIDE_NUMBERS)
    return not cell.is_valid or cell.as_py() != cell.as_py()


def _shown(cell: pa.Scalar) -> str:
    """Return a cell for a message, or "" if it is missing or empty."""
    if is_text(cell.type) and cell.is_valid:
        shown = repr(cell.as_buffer().to_pybytes().decode(errors="replace"))[:60]
    else:
        shown = repr(cell.as_py())[:60]
    return "" if shown in ("None", repr("")) else shown
