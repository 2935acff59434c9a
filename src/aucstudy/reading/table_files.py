"""A path or a frame as a table: CSV, TSV, Parquet (each also gzipped), ARFF; pandas, polars and pyarrow."""

import csv
import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv as arrow_csv

from aucstudy.errors import InputError
from aucstudy.reading.arff import ArffError
from aucstudy.reading.endings import ending_of
from aucstudy.reading.openml_files import OpenMLTable
from aucstudy.reading.tables import Table, check_name

PATTERN = re.compile(r"[*?[]")  # in the name of several files
OF_ROW = 8, 50  # bytes that a table read at once takes for each score of a row, and for the rest of it
PARQUET, TABS = (".parquet", ".pq"), (".tsv", ".tab")
_SEPARATORS = ",\t;"


def is_large(path: str, n_scores: int) -> bool:
    """Whether a table is no single file, or a Parquet file that would fill half of the memory."""
    if Path(path).is_file():
        try:
            n_rows = pq.read_metadata(path).num_rows
        except (pa.ArrowException, OSError):
            return False
        return n_rows * (OF_ROW[0] * n_scores + OF_ROW[1]) > memory_here() / 2
    return "://" in path or bool(PATTERN.search(path)) or Path(path).is_dir()


def memory_here() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def read_table(path: Path | str, names: Sequence[str] | None = None) -> Table:
    """The columns `names` of a file, or all of them; of `-`, which is standard input, those of a CSV.

    The ending says what a file is: .parquet and .pq, .arff, else text with a header line, whose values stand between
    commas (in .tsv and .tab tabs); where the header has none, between tabs or semicolons. InputError of one line.
    """
    path = Path(path)
    ending = ending_of(path)
    try:
        with _unchanged(path):
            if ending in PARQUET:
                return _parquet(path, names)
            if ending == ".arff":
                return OpenMLTable(str(path), _whole(path))
            return _text(str(path), _whole(path), "\t" if ending in TABS else ",", names)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (ArffError, csv.Error, pa.ArrowException, UnicodeDecodeError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: not a readable table ({' '.join(str(error).split())[:200]})") from None
    except OSError as error:
        reason = error.strerror or " ".join(str(error).split())[:200]  # Arrow's have several lines
        raise InputError(f"{path}: cannot be read ({reason})") from None


@contextmanager
def _unchanged(path: Path) -> Iterator[None]:
    """Refuse a file that changes while it is read: its last number may be half a number."""

    def now() -> tuple[int, int, int] | None:
        status = path.stat() if path.is_file() else None
        return status and (status.st_ino, status.st_size, status.st_mtime_ns)

    before = now()
    yield
    if now() != before:
        raise InputError(f"{path}: was changed while it was read; a file that stays as it is is needed")


def _whole(path: Path) -> bytes:
    if str(path) == "-":
        if sys.stdin is None:
            raise InputError("-: standard input is closed; a table is needed")
        return sys.stdin.buffer.read()
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as stream:
        return stream.read()


def _parquet(path: Path, names: Sequence[str] | None) -> Table:
    source = io.BytesIO(_whole(path)) if path.suffix.lower() == ".gz" else path
    with pq.ParquetFile(source, page_checksum_verification=True) as file:
        stored = file.schema_arrow.names
        for name in names or ():
            check_name(str(path), stored, name)
        table = file.read(columns=names)
    table.validate(full=True)
    return Table(str(path), tuple(table.column_names), tuple(table.columns))


def _text(where: str, body: bytes, separator: str, names: Sequence[str] | None) -> Table:
    """A header line and rows of text, each cell as it is written."""
    first_line, _, rows = body.partition(b"\n")
    header = first_line.decode("utf-8-sig").rstrip("\r")
    if not header.strip():
        raise InputError(f"{where}: the first line is empty; a header line is needed")
    separator = next((mark for mark in (separator, *_SEPARATORS) if mark in header), separator)
    [stored] = csv.reader([header], delimiter=separator, strict=True)
    for name in names or ():
        check_name(where, stored, name)
    n_rows = _checked_quotes(rows, separator) if b'"' in rows else None
    # by their numbers: several columns may have one name
    names_to_read = set(stored if names is None else names)
    numbers = [str(i) for i, name in enumerate(stored) if name in names_to_read]
    kept = tuple(stored[int(i)] for i in numbers)
    if not rows.strip():
        return Table(where, kept, tuple(pa.chunked_array([], pa.string()) for _ in kept), typed=False)
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(rows),
            read_options=arrow_csv.ReadOptions(column_names=[str(i) for i in range(len(stored))]),
            parse_options=arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=numbers, column_types=dict.fromkeys(numbers, pa.string()), check_utf8=False
            ),
        )
    except pa.ArrowInvalid as error:
        if f"Expected {len(stored)} columns, got {len(stored) + 1}" not in str(error):
            raise
        raise InputError(
            f"{where}: rows of {len(stored) + 1} values under a header of {len(stored)} names: one column has no name, "
            "as R's write.table writes (col.names = NA gives it one), or numbers have decimal commas"
        ) from None
    if n_rows not in (None, table.num_rows):
        raise InputError(
            f"{where}: {n_rows} rows, or {table.num_rows}, by how quotes are read; fewer are needed"
        )
    return Table(where, kept, tuple(table.columns), typed=False)


def _checked_quotes(rows: bytes, separator: str) -> int:
    """How many rows there are; csv.Error for a quote without its end, which hides rows from Arrow in silence."""
    lines = io.TextIOWrapper(io.BytesIO(rows), encoding="utf-8", errors="replace", newline="")
    return sum(1 for row in csv.reader(lines, delimiter=separator, strict=True) if row)


def table_of(where: str, data: Any) -> Table:
    """A data frame of pandas or polars, a table of pyarrow, or columns by name: a mapping or pairs."""
    try:
        if hasattr(data, "__arrow_c_stream__") and not hasattr(data, "items"):
            table = pa.table(data)
            pairs = list(zip(table.column_names, table.columns, strict=True))
        else:
            # of pandas column by column: one with objects of several types does no harm to the others
            pairs = list(data.items() if hasattr(data, "items") else data)
        names, columns = [str(name) for name, _ in pairs], [_column(values) for _, values in pairs]
        if len(sizes := {len(column) for column in columns}) > 1:
            raise ValueError(f"columns of {', '.join(map(str, sorted(sizes)))} rows; equally many are needed")
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{where}: no table ({' '.join(str(error).split())[:200]})") from None
    return Table(where, tuple(names), tuple(columns))


def _column(values: Any) -> pa.ChunkedArray:
    if isinstance(values, pa.ChunkedArray):
        return values
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    try:
        if hasattr(values, "__arrow_c_stream__"):  # polars, and pandas from version 3 on
            return pa.chunked_array(values)
        return pa.chunked_array([pa.array(values, from_pandas=True)])
    except (pa.ArrowException, TypeError):
        if not hasattr(values, "map"):
            raise
        # a column of pandas with objects of several types
        return pa.chunked_array([pa.array(values.map(str, na_action="ignore"), from_pandas=True)])
