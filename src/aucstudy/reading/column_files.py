"""Tables whose columns are read by name, only the ones asked for: CSV and TSV, Parquet, and tables in memory."""

import csv as plain_csv
import difflib
import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from aucstudy.errors import InputError
from aucstudy.reading.labels import Labels, equal_numbers
from aucstudy.reading.numbers import (
    GAPS,
    NUMBERS,
    SAMPLED,
    as_numpy,
    exact_integers,
    is_gap,
    is_number,
    is_numeric,
    is_text,
    order_is_kept,
    parsed,
    too_large,
    whole_texts,
    why_id,
    why_text,
    within_1,
)

GROUPED = r"^\s*[+-]?[1-9]\d{0,2},\d{3}\s*$"  # as thousands are, and decimals may be
LONGEST_HEADER = 1 << 20  # bytes; a longer first line is no header of a table
# where all scores are meant
NOT_SCORES = ("", "id", "index", "row", "row_id", "fold", "rep", "repeat", "split", "weight")
PANDAS_INDEX = "__index_level_"
SEPARATORS = (",", "\t", ";", "|")


class MissingColumn(InputError):
    """A column that is asked for is not there."""


class NotANumber(InputError):
    """A cell of a column of numbers holds none."""


@dataclass(frozen=True)
class Columns:
    """Which columns of a table of predictions are read, and which class is positive.

    An OpenML file may do without `label` (its `truth` or `correct`), `scores` (its confidence for `positive`), `fold`
    (its `repeat` and `fold`) and `row`. All classes but `positive` are negative; labels 0/1, -1/1 and False/True need
    none. No `row` may be repeated in a fold; rows of one `group` belong together.
    """

    label: str | None = None
    scores: Sequence[str] = ()
    positive: str | None = None
    fold: str | None = None
    row: str | None = None
    group: str | None = None
    repeat: str | None = None
    weight: str | None = None


class ColumnFile:
    """A table: its labels, scores, folds and rows by the names of their columns. InputError names column and row.

    A kind of table has `_columns` and `why_no_scores`; one that knows its own labels, scores, folds or rows also
    `own_...`.

    Attributes
    ----------
    notes : what a reader must know of how the columns were read, a sentence each.
    exact : by its name, the (n,) int64 or uint64 integers of a column that float64 cannot tell apart.
    """

    def __init__(self, path: Path | str, names: Sequence[str]) -> None:
        self.path, self.names = path, list(names)
        self._times = Counter(self.names)
        self.notes: list[str] = []
        self.exact: dict[str, np.ndarray] = {}
        self._loaded: Mapping[str, pa.ChunkedArray] = {}

    def own_label(self) -> str:
        raise InputError(f"{self.path}: --label is missing; the columns are {self.listed()}")

    def own_score(self, positive: str) -> str:
        raise InputError(f"{self.path}: --score is missing; the columns are {self.listed()}")

    def own_folds(self) -> np.ndarray | None:
        """(n,) a number for each (repeat, fold), None where the file does not say."""
        return None

    def own_rows(self) -> np.ndarray | None:
        """(n,) the rows of the data set, None where the file does not say."""
        return None

    def check_truth(self, label: str) -> None:
        """Raise InputError where the file shows that `label` is not the truth."""

    def why_no_scores(self, name: str) -> str:
        """Why a column holds no scores; "" where it holds numbers."""
        raise NotImplementedError

    def _columns(self, texts: tuple[str, ...], numbers: tuple[str, ...]) -> Mapping[str, pa.ChunkedArray]:
        raise NotImplementedError

    def _column(self, name: str) -> pa.ChunkedArray:
        return self._loaded[name]

    def _labels(self, name: str) -> Labels:
        return categorical(self._column(name), self.where(name))

    def _whole_numbers(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray | None:
        """A column with all its digits, None where it holds floating-point numbers."""
        if pa.types.is_floating(column.type):
            return None
        return whole_texts(column, self.where(name)) if is_text(column.type) else column

    def place(self, row: int) -> str:
        return f"row {row + 1} of the data"

    def listed(self) -> str:
        return ", ".join(map(str, self.names))[:300]

    def where(self, name: str) -> str:
        return f"{self.path}: column {name!r}"

    def check(self, name: str) -> None:
        times = self._times[name]
        if times > 1:
            raise InputError(f"{self.path}: {times} columns are called {name!r}; one is wanted")
        if not times:
            by_lower_case = {known.lower(): known for known in self.names}
            nearest = difflib.get_close_matches(name.lower(), by_lower_case, n=1)
            suggestion = f"did you mean {by_lower_case[nearest[0]]!r}? " if nearest else ""
            raise MissingColumn(
                f"{self.path}: no column {name!r}; {suggestion}the columns are {self.listed()}"
            )

    def all_scores(self, not_scores: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
        """Every column of numbers but `not_scores` and those named like an index; why the rest are left out."""
        for name in not_scores:
            self.check(name)
        reasons = {
            name: "is named like an index" if _like_an_index(name) else self.why_no_scores(name)
            for name, times in self._times.items()
            # `check` refuses a name that several columns have
            if name not in not_scores and (times == 1 or _like_an_index(name))
        }
        left_out = {name: why for name, why in reasons.items() if why}
        if left_out:
            shown = "; ".join(f"{name!r} {why}" for name, why in left_out.items())
            self.notes.append(f"columns that are not taken for scores: {shown}")
        return tuple(name for name in self.names if name not in not_scores and name not in left_out), left_out

    def load(self, texts: Sequence[str], numbers: Sequence[str]) -> None:
        for name in (*texts, *numbers):
            self.check(name)
        self._loaded = self._columns(tuple(texts), tuple(numbers))

    def without_ids(self, names: Sequence[str]) -> dict[str, str]:
        """Why some loaded columns hold ids, or numbers unlike the others', with a note on each."""
        reasons = {name: why for name in names if (why := why_id(name, self._loaded.get(name)))}
        is_within_1 = {name: within_1(self._loaded.get(name)) for name in names if name not in reasons}
        beyond = [name for name, within in is_within_1.items() if within is False]
        if 2 * len(beyond) < len(is_within_1):
            why = "has numbers beyond 0 and 1, unlike most columns; if it is a model, name all models with --score"
            reasons |= dict.fromkeys(beyond, why)
        self.notes += [f"{name!r} is not taken for scores: it {why}" for name, why in reasons.items()]
        return reasons

    def text(self, name: str) -> Labels:
        """(n,) texts of a loaded column; 1.0 beside 1 is 1; none may be missing."""
        labels = self._labels(name)
        missing = np.flatnonzero(labels.codes < 0)
        if len(missing):
            n = len(missing)
            values = "1 value is missing," if n == 1 else f"{n} values are missing, the first"
            raise InputError(
                f"{self.where(name)}: {values} in {self.place(missing[0])}; a value is wanted in every row: fill it "
                "in, or leave the row out"
            )
        return labels

    def scores(self, name: str) -> np.ndarray:
        return self.numbers(name)

    def numbers(self, name: str) -> np.ndarray:
        """(n,) float64 values of a loaded column; none may be missing or NaN.

        Integers that float64 cannot tell apart come as their ranks, and stand themselves in `exact`.
        """
        column = self._column(name)
        values = self._float64(name, column)
        missing = np.flatnonzero(np.isnan(values))
        if len(missing):
            n, first = len(missing), column[int(missing[0])].as_py()
            shown = "missing" if first is None or first == "" else repr(first)
            numbers = "1 value is no number: it" if n == 1 else f"{n} values are no numbers, the first"
            raise NotANumber(f"{self.where(name)}: {numbers} is {shown} in {self.place(missing[0])}")
        if too_large(values) or pa.types.is_decimal(column.type):
            return self._in_exact_order(name, column, values)
        return values

    def _float64(self, name: str, column: pa.ChunkedArray) -> np.ndarray:
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        kind = column.type
        if is_text(kind):
            return parsed(column.to_pylist())
        if not (is_numeric(kind) or pa.types.is_null(kind)):
            raise InputError(f"{self.where(name)} holds {kind}, numbers are wanted")
        if pa.types.is_decimal(kind):
            column = pc.cast(column, pa.string())  # Arrow's own cast does not give the nearest double
        return as_numpy(pc.cast(column, pa.float64(), safe=False), np.nan)

    def _in_exact_order(self, name: str, column: pa.ChunkedArray, values: np.ndarray) -> np.ndarray:
        """The values, or the ranks of the integers where float64 ties some of them that differ."""
        with_all_digits = self._whole_numbers(name, column)
        if with_all_digits is not None and len(with_all_digits) != len(values):
            raise InputError(
                f"{self.where(name)} had {len(values)} rows and then {len(with_all_digits)}; is it being written?"
            )
        if with_all_digits is None or order_is_kept(with_all_digits, values):
            return values
        integers = exact_integers(with_all_digits)
        if integers is None:
            raise InputError(
                f"{self.where(name)}: float64 ties numbers that differ; integers of at most 64 bits or fewer digits "
                "are wanted"
            )
        self.exact[name] = integers
        return np.unique(integers, return_inverse=True)[1].astype(float)


def _like_an_index(name: str) -> bool:
    return name.strip().lower() in NOT_SCORES or name.startswith(PANDAS_INDEX)


def categorical(column: pa.ChunkedArray, where: str) -> Labels:
    """The texts of a column without blanks around them; code -1 where one is missing."""
    if not pa.types.is_dictionary(column.type):
        if pa.types.is_floating(column.type):
            column = pc.if_else(pc.is_nan(column), None, column)
        try:
            column = column.cast(pa.string()).dictionary_encode()
        except pa.ArrowNotImplementedError:
            raise InputError(f"{where} holds {column.type}, text or numbers are wanted") from None
    encoded = column.unify_dictionaries().combine_chunks()
    names = ["" if value is None else str(value).strip() for value in encoded.dictionary.to_pylist()]
    if any("\0" in name for name in names):
        raise InputError(f"{where} holds a NUL byte; text is wanted")
    codes = as_numpy(encoded.indices.cast(pa.int32()), -1)
    return Labels.of([*(name or None for name in equal_numbers(names)), None])[codes]


class DelimitedFile(ColumnFile):
    """A CSV or TSV with a header line; where several separators fit, `separator` counts."""

    def __init__(self, path: Path, stream: Callable[[], io.BufferedIOBase], separator: str) -> None:
        self._stream = stream
        with stream() as opened:
            first = opened.readline(LONGEST_HEADER)
            # with a whole row, however many columns: those without a cell here are read one by one
            sample = opened.read(1 << 16) + opened.readline(LONGEST_HEADER)
        try:
            self._encoding, header = "utf-8", first.decode("utf-8-sig")
        except UnicodeDecodeError:
            self._encoding, header = "latin-1", first.decode("latin-1")
        header = header.rstrip("\r\n")
        if header.count('"') % 2 and any(_runs_on(header, candidate) for candidate in SEPARATORS):
            fault = f"a quoted name in the header goes on in the next line: {header[-40:]!r}"
            raise InputError(f"{path}: {fault}; names without line breaks are wanted")
        lines = sample.decode(self._encoding, "replace").splitlines()[:SAMPLED]
        self._separator, names = _separated(path, header, lines, separator)
        self._decimals = (".",) if self._separator == "," else (".", ",")
        self._sample = list(plain_csv.reader(lines, delimiter=self._separator))
        super().__init__(path, names)

    def place(self, row: int) -> str:
        # lines without anything are no rows; a header line comes before them
        with self._stream() as stream:
            filled_lines = (number for number, line in enumerate(stream, 1) if line.strip(b"\r\n"))
            line = next(islice(filled_lines, int(row) + 1, None), row + 2)
        return f"row {row + 1} of the data (line {line} of the file)"

    def why_no_scores(self, name: str) -> str:
        """By the first rows: gaps and a few other cells among numbers do not make a column one of text."""
        column = self.names.index(name)
        cells = [row[column] for row in self._sample if len(row) > column and not is_gap(row[column])]
        if not cells:
            return "" if self._filled(name) else "is empty"
        share = self._share_of_numbers(cells)
        if 0 < share < 1:
            share = self._share_of_numbers(self._filled(name))
        return "" if share >= NUMBERS else why_text(name, cells)

    def _filled(self, name: str) -> list[str]:
        return [cell for cell in self._arrow({name: pa.string()})[name].to_pylist() if not is_gap(cell)]

    def _share_of_numbers(self, cells: list[str]) -> float:
        return sum(any(is_number(cell, decimal) for decimal in self._decimals) for cell in cells) / len(cells)

    def _columns(self, texts: tuple[str, ...], numbers: tuple[str, ...]) -> Mapping[str, pa.ChunkedArray]:
        labels = dict.fromkeys(texts, pa.dictionary(pa.int32(), pa.string()))
        for decimal in self._decimals:
            try:
                columns = self._arrow({**labels, **dict.fromkeys(numbers, pa.float64())}, decimal)
            except pa.ArrowInvalid:
                continue
            if decimal == ",":
                self.notes.append("numbers are read with a decimal comma")
                self._note_thousands(numbers)
            return columns
        # A score that is no number: read as text, it is told with its row.
        return self._arrow({**labels, **dict.fromkeys(numbers, pa.string())})

    def _note_thousands(self, numbers: Sequence[str]) -> None:
        for name, texts in self._arrow(dict.fromkeys(numbers, pa.string())).items():
            grouped = pc.match_substring_regex(texts, GROUPED)
            without_comma = pc.match_substring_regex(texts, r"^\s*[+-]?\d+\s*$")
            if pc.any(grouped).as_py() and pc.all(pc.or_(grouped, without_comma)).as_py():
                first = texts.filter(grouped)[0].as_py().strip()
                self.notes.append(
                    f"{name!r} holds whole numbers and numbers with three decimals: {first} is read as "
                    f"{first.replace(',', '.')}; if the comma stands between thousands, leave it out"
                )

    def _whole_numbers(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray | None:
        return whole_texts(self._arrow({name: pa.string()})[name], self.where(name))

    def _arrow(self, kinds: Mapping[str, pa.DataType], decimal: str = ".") -> dict[str, pa.ChunkedArray]:
        """Some columns by their types; text that is not UTF-8 is read as Latin-1."""
        try:
            with self._stream() as stream:
                table = csv.read_csv(
                    stream,
                    read_options=csv.ReadOptions(encoding=self._encoding),
                    parse_options=csv.ParseOptions(delimiter=self._separator),
                    convert_options=csv.ConvertOptions(
                        include_columns=list(kinds),
                        column_types=kinds,
                        null_values=list(GAPS),
                        strings_can_be_null=False,
                        decimal_point=decimal,
                    ),
                )
        except pa.ArrowInvalid as error:
            if "UTF8" not in str(error) or self._encoding == "latin-1":
                raise
            self._encoding = "latin-1"
            return self._arrow(kinds, decimal)
        return {name: table[name] for name in kinds}


def _runs_on(header: str, separator: str) -> bool:
    reader = plain_csv.reader([header, ""], delimiter=separator)
    next(reader)
    return reader.line_num > 1


def _separated(path: Path, header: str, lines: list[str], usual: str) -> tuple[str, list[str]]:
    """The separator under which the first row has as many values as the header, and the names; else the usual one."""

    def cells(line: str, separator: str) -> list[str]:
        return next(plain_csv.reader([line], delimiter=separator), [])

    for separator in sorted(SEPARATORS, key=lambda separator: separator != usual):
        names = cells(header, separator)
        if len(names) > 1 and (not lines or len(cells(lines[0], separator)) == len(names)):
            return separator, names
    names = cells(header, usual)
    n_values = min((len(cells(line, usual)) for line in lines), default=0)
    if usual == "," and len(names) < n_values:
        raise InputError(
            f"{path}: rows of {n_values} values under a header of {len(names)} columns; where numbers have decimal "
            "commas, another separator than the comma is wanted"
        )
    return usual, names


class ParquetFile(ColumnFile):
    def __init__(self, path: Path, file: Path | io.BytesIO) -> None:
        try:
            self._file = pq.ParquetFile(file, page_checksum_verification=True)
            # asked for once: it is made anew of all columns each time
            self._schema = self._file.schema_arrow
        except (pa.ArrowException, OSError, ValueError) as error:
            raise unreadable(path, error) from None
        super().__init__(path, self._schema.names)

    def why_no_scores(self, name: str) -> str:
        def first_cells() -> list:
            batches = self._file.iter_batches(SAMPLED, columns=[name])
            return [cell for batch in islice(batches, 1) for cell in batch[name].to_pylist()]

        return _why_no_scores(name, self._schema.field(name).type, first_cells)

    def _columns(self, texts: tuple[str, ...], numbers: tuple[str, ...]) -> dict[str, pa.ChunkedArray]:
        names = list(dict.fromkeys((*texts, *numbers)))
        try:
            table = self._file.read(columns=names)
            table.validate(full=True)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise unreadable(self.path, error) from None
        return {name: table[name] for name in names}


class TableInMemory(ColumnFile):
    """A table of pyarrow, called `name` where something is wrong with it."""

    def __init__(self, name: str, table: pa.Table) -> None:
        self._table = table
        super().__init__(name, table.column_names)

    def why_no_scores(self, name: str) -> str:
        column = self._table[name]
        return _why_no_scores(name, column.type, lambda: column[:SAMPLED].to_pylist())

    def _columns(self, texts: tuple[str, ...], numbers: tuple[str, ...]) -> dict[str, pa.ChunkedArray]:
        return {name: self._table[name] for name in (*texts, *numbers)}


def _why_no_scores(name: str, kind: pa.DataType, first_cells: Callable[[], list]) -> str:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if is_text(kind):
        return why_text(name, first_cells())
    return "" if is_numeric(kind) else f"holds {kind}"


def unreadable(path: Path | str, error: Exception) -> InputError:
    reason = " ".join(str(error).split())[:200]
    return InputError(f"{path}: not a readable Parquet file ({reason})")
