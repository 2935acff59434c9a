"""Columns out of a CSV, TSV or Parquet file, gzipped or not: only the ones asked for, in one pass."""

import csv as plain_csv
import difflib
import gzip
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from aucstudy.errors import InputError

LONGEST_HEADER = 1 << 20  # bytes; a longer first line is no header of a table


class MissingColumn(InputError):
    """A column that is asked for is not there."""


class ColumnFile:
    """A table on disk whose columns are read by name.

    Attributes
    ----------
    path : Path
    names : list of str
        The columns, as the header gives them.
    """

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        self.path, self.names = path, list(names)
        self._read: dict[str, pa.ChunkedArray] = {}

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
            raise MissingColumn(f"{self.path}: no column {name!r}; {meant}the columns are {self.told()}")

    def load(self, texts: Sequence[str], numbers: Sequence[str]) -> None:
        """Read some columns as text and others as numbers, all in one pass."""
        for name in (*texts, *numbers):
            self.check(name)
        self._read = self._columns(tuple(texts), tuple(numbers))

    def text(self, name: str) -> pd.Categorical:
        """(n,) texts of a loaded column, without blanks around them; none may be missing."""
        column = self._read[name]
        if not pa.types.is_dictionary(column.type):
            column = column.cast(pa.string()).dictionary_encode()
        found = column.unify_dictionaries().combine_chunks()
        if isinstance(found, pa.ChunkedArray):
            found = found.chunk(0) if found.num_chunks else pa.array([], pa.string()).dictionary_encode()
        names = [str(value).strip() for value in found.dictionary.to_pylist()]
        codes = found.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        kept = sorted({value for value in names if value})
        place = {value: i for i, value in enumerate(kept)}
        codes = np.array([*(place.get(value, -1) for value in names), -1])[codes]
        missing = np.flatnonzero(codes < 0)
        if len(missing):
            raise InputError(
                f"{self.path}: column {name!r}: {len(missing)} values are missing, the first in row "
                f"{missing[0] + 1} of the data"
            )
        return pd.Categorical.from_codes(codes, kept)

    def numbers(self, name: str) -> np.ndarray:
        """(n,) float64 values of a loaded column; none may be missing or NaN."""
        column = self._read[name]
        try:
            values = column.cast(pa.float64()).to_numpy()
        except pa.ArrowException:
            values = pd.to_numeric(pd.Series(column.to_pandas()), errors="coerce").to_numpy(dtype=float)
        missing = np.flatnonzero(np.isnan(values))
        if len(missing):
            first = column[int(missing[0])].as_py()
            told = "missing" if first is None or first == "" else repr(first)
            raise InputError(
                f"{self.path}: column {name!r}: {len(missing)} values are no numbers, the first is {told} in row "
                f"{missing[0] + 1} of the data"
            )
        return values

    def told(self) -> str:
        """The names of the columns, for a message."""
        return ", ".join(map(str, self.names))[:300]

    def numeric(self, name: str) -> bool:
        """Whether a column holds numbers, by what it holds or declares."""
        raise NotImplementedError

    def _columns(self, texts: tuple[str, ...], numbers: tuple[str, ...]) -> dict[str, pa.ChunkedArray]:
        raise NotImplementedError


class ParquetFile(ColumnFile):
    """A Parquet file."""

    def __init__(self, path: Path) -> None:
        self._file = pq.ParquetFile(path)
        super().__init__(path, self._file.schema_arrow.names)

    def numeric(self, name: str) -> bool:
        kind = self._file.schema_arrow.field(name).type
        return pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)

    def _columns(self, texts: tuple[str, ...], numbers: tuple[str, ...]) -> dict[str, pa.ChunkedArray]:
        table = self._file.read(columns=list(dict.fromkeys((*texts, *numbers))))
        return {name: table[name] for name in table.column_names}


class DelimitedFile(ColumnFile):
    """A CSV or TSV with a header line, gzipped or not."""

    def __init__(self, path: Path, separator: str) -> None:
        self._separator = separator
        with _opened(path) as stream:
            first = stream.readline(LONGEST_HEADER)
            self._sample = stream.read(1 << 16)
        if not first.strip():
            raise InputError(
                f"{path}: the file is empty or begins with an empty line; a header line is wanted"
            )
        if b"\0" in first or len(first) == LONGEST_HEADER:
            raise InputError(
                f"{path}: not a table (its first line is {first[:20]!r}...); a header line is wanted"
            )
        try:
            self._encoding, header = "utf-8", first.decode("utf-8-sig")
        except UnicodeDecodeError:
            self._encoding, header = "latin-1", first.decode("latin-1")
        super().__init__(path, next(plain_csv.reader([header.rstrip("\r\n")], delimiter=separator)))

    def numeric(self, name: str) -> bool:
        """By the first rows."""
        lines = self._sample.decode(self._encoding, "replace").splitlines()[:200]
        at = self.names.index(name)
        rows = [
            row for row in plain_csv.reader(lines[:-1] or lines, delimiter=self._separator) if len(row) > at
        ]
        return bool(rows) and all(_is_number(row[at]) for row in rows)

    def _columns(self, texts: tuple[str, ...], numbers: tuple[str, ...]) -> dict[str, pa.ChunkedArray]:
        try:
            return self._arrow(texts, numbers, pa.float64())
        except (
            pa.ArrowInvalid
        ):  # a score that is no number, or text that is not UTF-8: found again, with its row
            if self._encoding == "utf-8" and not _is_utf8(self._sample):
                self._encoding = "latin-1"
            return self._arrow(texts, numbers, pa.string())

    def _arrow(
        self, texts: tuple[str, ...], numbers: tuple[str, ...], number: pa.DataType
    ) -> dict[str, pa.ChunkedArray]:
        kinds = {
            **dict.fromkeys(texts, pa.dictionary(pa.int32(), pa.string())),
            **dict.fromkeys(numbers, number),
        }
        with _opened(self.path) as stream:
            table = csv.read_csv(
                stream,
                read_options=csv.ReadOptions(encoding=self._encoding),
                parse_options=csv.ParseOptions(delimiter=self._separator),
                convert_options=csv.ConvertOptions(
                    include_columns=list(kinds), column_types=kinds, strings_can_be_null=number == pa.string(),
                    null_values=["", "NA", "NaN", "nan", "null", "None"],
                ),
            )  # fmt: skip
        return {name: table[name] for name in kinds}


def _opened(path: Path) -> io.BufferedIOBase:
    stream = path.open("rb")
    if stream.peek(2)[:2] == b"\x1f\x8b":
        return gzip.open(stream)
    return stream


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _is_utf8(sample: bytes) -> bool:
    try:
        sample[:-4].decode()
    except UnicodeDecodeError:
        return False
    return True


READ_ERRORS = (pa.ArrowException, plain_csv.Error, UnicodeDecodeError)
