"""A table in memory, whose columns are labels or numbers by their names: nothing is guessed, nothing is rounded."""

import difflib
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aucstudy.errors import InputError
from aucstudy.reading.labels import Labels, equal_numbers

_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_EXACT = 2**53  # from here on integers may share one float64
_LIKE_AN_INDEX = re.compile(
    r"|index|row|row[_. ]?names?|level_\d+|unnamed: \d+|\.\.\.\d+|__index_level_.*|.*id"
    r"|fold|rep|repeat|split|group|weight",
    re.IGNORECASE | re.DOTALL,
)


class MissingColumn(InputError):
    """A column that is asked for is not there."""


def check_name(where: str, names: Sequence[str], name: str) -> None:
    """Raise InputError unless exactly one of the columns is called `name`."""
    times = list(names).count(name)
    if times > 1:
        raise InputError(f"{where}: {times} columns are called {name!r}; one is needed")
    if not times:
        by_lower_case = {known.lower(): known for known in names}
        nearest = difflib.get_close_matches(name.lower(), by_lower_case, n=1)
        suggestion = f"did you mean {by_lower_case[nearest[0]]!r}? " if nearest else ""
        raise MissingColumn(f"{where}: no column {name!r}; {suggestion}the columns are {listed(names)}")


def listed(names: Sequence[str]) -> str:
    return ", ".join(names)[:300]


def is_numeric(kind: pa.DataType) -> bool:
    return pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind)


def is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def as_numpy(column: pa.Array | pa.ChunkedArray, missing: float) -> np.ndarray:
    """(n,) the numbers of a column, read only, and `missing` where there is none."""
    # Arrow's own `to_numpy` imports pandas, which takes longer than the rest of `aucstudy score`
    column = column.fill_null(missing) if column.null_count else column
    return np.from_dlpack(column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column)


def floats(column: pa.ChunkedArray) -> np.ndarray:
    """(n,) the float64 nearest to each cell, NaN where a cell is missing or is text that is no number.

    pyarrow.ArrowException for a column of another type, such as dates.

    >>> floats(pa.chunked_array([["0.5", " 1e2 ", "", "0,5"]]))
    array([  0.5, 100. ,   nan,   nan])
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.string())  # Arrow's own cast does not give the nearest double
    if is_text(column.type):
        column = pc.ascii_trim_whitespace(column.cast(pa.string()))
        is_number = pc.match_substring_regex(column, _NUMBER)
        column = pc.if_else(is_number, column, pa.nulls(len(column), pa.string()))
    elif not (is_numeric(column.type) or pa.types.is_boolean(column.type) or pa.types.is_null(column.type)):
        raise pa.ArrowInvalid(f"holds {column.type}, numbers are needed")
    return as_numpy(pc.cast(column, pa.float64(), safe=False), np.nan)


def _ties_what_differs(column: pa.ChunkedArray, values: np.ndarray) -> bool:
    """Whether float64 gives one value to numbers that differ: large integers, and decimals of many digits."""
    if pa.types.is_floating(column.type):
        return False
    if not (pa.types.is_decimal(column.type) or (np.abs(values) >= _EXACT).any()):
        return False
    return len({Decimal(str(value)) for value in column.unique().to_pylist()}) > len(np.unique(values))


@dataclass
class Table:
    """Columns of n rows by name.

    Attributes
    ----------
    where : the file, or what a table in memory is called, for messages.
    names : of the columns; several may have one name, as long as it is not asked for.
    columns : the columns; of a text file all are text.
    typed : whether the columns have types of their own; else a column holds numbers if some of its cells are numbers.
    notes : what a reader must know of how columns were read, a sentence each.
    """

    where: str
    names: tuple[str, ...]
    columns: tuple[pa.ChunkedArray, ...]
    typed: bool = True
    notes: list[str] = field(default_factory=list)

    def named(self, name: str) -> str:
        return f"{self.where}: column {name!r}"

    def column(self, name: str) -> pa.ChunkedArray:
        if self._times[name] != 1:
            check_name(self.where, self.names, name)
        return self._by_name[name]

    @cached_property
    def _times(self) -> Counter[str]:
        return Counter(self.names)

    @cached_property
    def _by_name(self) -> dict[str, pa.ChunkedArray]:
        return dict(zip(self.names, self.columns, strict=True))

    def labels(self, name: str) -> Labels:
        """(n,) texts without the blanks around them; 1.0 beside 1 is 1. InputError where one is missing."""
        column = self.column(name)
        try:
            if pa.types.is_dictionary(column.type):
                column = column.cast(column.type.value_type)
            if pa.types.is_floating(column.type):
                column = pc.if_else(pc.is_nan(column), None, column)
            encoded = column.cast(pa.string()).combine_chunks().dictionary_encode()
            encoded.validate(full=True)
        except pa.ArrowException as error:
            raise InputError(f"{self.named(name)} holds {column.type}, text is needed ({error})") from None
        texts = [value.strip() for value in encoded.dictionary.to_pylist()]
        if any("\0" in text for text in texts):
            raise InputError(f"{self.named(name)} holds a NUL byte; text is needed")
        codes = as_numpy(encoded.indices, -1)
        labels = Labels.of([*(text or None for text in equal_numbers(texts)), None])[codes]
        missing = np.flatnonzero(labels.codes < 0)
        if len(missing):
            raise InputError(
                f"{self.named(name)}: {len(missing)} values are missing, the first in row {missing[0] + 1} of the "
                "data; fill them in, or leave these rows out"
            )
        return labels

    def numbers(self, name: str) -> np.ndarray:
        """(n,) finite float64; InputError where a cell holds no such number, or two that differ would become one."""
        column = self.column(name)
        try:
            values = floats(column)
        except pa.ArrowException as error:
            raise InputError(f"{self.named(name)}: no numbers ({error})") from None
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            cell = column[int(wrong[0])]
            if is_text(column.type) and cell.is_valid:
                shown = repr(cell.as_buffer().to_pybytes().decode(errors="replace"))[:60]
            else:
                shown = repr(cell.as_py())[:60]
            raise InputError(
                f"{self.named(name)}: {len(wrong)} values are no finite numbers, the first is "
                f"{'missing' if shown in ('None', repr('')) else shown} in row {wrong[0] + 1} of the data"
            )
        if _ties_what_differs(column, values):
            raise InputError(f"{self.named(name)}: float64 ties numbers that differ; fewer digits are needed")
        return values

    def own_label(self) -> str:
        raise InputError(f"{self.where}: --label is missing; the columns are {listed(self.names)}")

    def own_score(self, positive: str) -> str:
        raise InputError(f"{self.where}: --score is missing; the columns are {listed(self.names)}")

    def own_folds(self) -> np.ndarray | None:
        """(n,) a number for each fold, None where the table does not say."""
        return None

    def own_rows(self) -> np.ndarray | None:
        """(n,) the rows of the data set, None where the table does not say."""
        return None

    def check_truth(self, label: str) -> None:
        """Raise InputError where the table shows that `label` is not the truth."""

    def score_columns(self, others: Collection[str]) -> tuple[tuple[str, ...], dict[str, str]]:
        """The columns of numbers but `others`, by type and name alone; and why each of the rest is none."""
        taken, left_out = [], {}
        for name, column in zip(self.names, self.columns, strict=True):
            if name in others:
                continue
            if _LIKE_AN_INDEX.fullmatch(name.strip()):
                left_out[name] = "is named like an index"
            elif why := self._no_numbers(name, column):
                left_out[name] = why
            else:
                taken.append(name)
        return tuple(taken), left_out

    def _no_numbers(self, name: str, column: pa.ChunkedArray) -> str:
        """Why a column is none of numbers, "" where it is one."""
        if not self.typed and is_text(column.type):
            cells = (pc.ascii_trim_whitespace(chunk) for chunk in column.chunks)
            has_number = any(pc.any(pc.match_substring_regex(part, _NUMBER)).as_py() for part in cells)
            return "" if has_number else "holds no numbers"
        if is_text(column.type):
            return "holds text"
        return "" if is_numeric(column.type) else f"holds {column.type}"
