"""Reading a file or a data frame as a table.

Files are CSV, TSV, Parquet or ARFF, and all may be gzipped. Frames are those of pandas, polars and pyarrow.
"""

import codecs
import csv
import gzip
import io
import os
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
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
from aucstudy.reading.tables import NOT_UTF_8, Table, advice_on_header, check_name

CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")
PATTERN = re.compile(r"[*?[]")  # A path with one of these characters is a pattern.
MOST_BYTES = 64  # for each row of a Parquet column that is read only because there may be a question about it
OF_ROW = 8, 50  # bytes of memory for each score of a row, and for the rest of the row
PARQUET, TABS = (".parquet", ".pq"), (".tsv", ".tab")
_SEPARATORS = ",\t;"
_NO_TEXT = b"PK\x03\x04", b"\xd0\xcf\x11\xe0"  # a zip archive such as .xlsx or .ods, and .xls


def is_large(path: str, n_scores: int) -> bool:
    """Return whether a table must be read in parts.

    This holds for an address, a pattern, a folder, or a Parquet file that would fill half of the memory.
    """
    if Path(path).is_file():
        try:
            n_rows = pq.read_metadata(path).num_rows
        except (pa.ArrowException, OSError):
            return False
        return n_rows * (OF_ROW[0] * n_scores + OF_ROW[1]) > memory_here() / 2
    return "://" in path or bool(PATTERN.search(path)) or Path(path).is_dir()


def is_parquet(path: str) -> bool:
    """Return whether the ending of a file's name is that of Parquet."""
    return ending_of(Path(path)) in PARQUET


def memory_here() -> int:
    """Return the memory of this machine in bytes."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def read_table(
    path: Path | str,
    names: Sequence[str] | None = None,
    is_read_too: Callable[[str, pa.DataType], bool] = lambda name, kind: False,
) -> Table:
    """Return a table with the columns `names` of a file, or with all of them. Raise InputError of one line.

    Of the other columns those are read too for whose name and type `is_read_too` is true.

    The ending of its name says what a file is. It is .parquet, .pq or .arff, and all other files are text
    with a header line. Values of text files are separated by commas, or by tabs in .tsv and .tab. If the
    header has no such mark, they are separated by commas, tabs or semicolons. The path `-` is standard input,
    which is read as CSV. Of an ARFF file all columns are read.
    """
    path = Path(path)
    ending = ending_of(path)
    try:
        with _unchanged(path):
            if ending in PARQUET:
                return _parquet(path, names, is_read_too)
            if ending == ".arff":
                return OpenMLTable(str(path), _whole(path))
            return _text(str(path), _whole(path), "\t" if ending in TABS else ",", names, is_read_too)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except (ArffError, csv.Error, pa.ArrowException, UnicodeDecodeError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: not a readable table ({' '.join(str(error).split())[:200]})") from None
    except OSError as error:
        # Arrow's messages have several lines.
        reason = error.strerror or " ".join(str(error).split())[:200]
        raise InputError(f"{path}: cannot be read ({reason})") from None


@contextmanager
def _unchanged(path: Path) -> Iterator[None]:
    """Raise InputError if the file changes while it is read, because its last number may be cut off."""

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


def _parquet(path: Path, names: Sequence[str] | None, is_read_too: Callable) -> Table:
    source = io.BytesIO(_whole(path)) if path.suffix.lower() == ".gz" else path
    with pq.ParquetFile(source, page_checksum_verification=True) as file:
        stored = file.schema_arrow.names
        for name in names or ():
            check_name(str(path), stored, name)
        if names is not None:
            small = _small_columns(file.metadata)
            others = (field.name for field in file.schema_arrow if is_read_too(field.name, field.type))
            names = list(dict.fromkeys([*names, *filter(small.__contains__, others)]))
        table = file.read(columns=names)
    table.validate(full=True)
    return Table(str(path), tuple(table.column_names), tuple(table.columns))


def _small_columns(metadata: pq.FileMetaData) -> set[str]:
    """Return the columns that take little memory: at most MOST_BYTES for each row."""
    size: Counter[str] = Counter()
    for i in range(metadata.num_row_groups):
        row_group = metadata.row_group(i)
        for j in range(row_group.num_columns):
            column = row_group.column(j)
            size[column.path_in_schema] += column.total_uncompressed_size
    return {
        name for name, bytes_of_column in size.items() if bytes_of_column <= MOST_BYTES * metadata.num_rows
    }


def _text(
    where: str, body: bytes, separator: str, names: Sequence[str] | None, is_read_too: Callable
) -> Table:
    """Return the rows below a header line as a table of texts, with each cell as it is written."""
    body = _as_utf_8(where, body)
    first_line, _, rows = body.partition(b"\n")
    try:
        header = first_line.decode("utf-8-sig").rstrip("\r")
    except UnicodeDecodeError:
        if CONTROL.search(first_line):  # That is no text at all, such as a compressed file.
            raise
        raise InputError(f"{where}: the first line {NOT_UTF_8}") from None
    if not header.strip():
        raise InputError(f"{where}: the first line is empty; a header line is needed")
    separator = _separator(where, header, rows, separator)
    [stored] = csv.reader([header], delimiter=separator, strict=True)
    for name in names or ():
        check_name(where, stored, name, advice_on_header(stored))
    n_rows = _checked_quotes(rows, separator) if b'"' in rows else None
    # Columns are read by their numbers, because several may have the same name.
    numbers = [
        str(i)
        for i, name in enumerate(stored)
        if names is None or name in names or is_read_too(name, pa.string())
    ]
    kept = tuple(stored[int(i)] for i in numbers)
    if not rows or rows.isspace():
        return Table(where, kept, tuple(pa.chunked_array([], pa.string()) for _ in kept), separator)
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
    return Table(where, kept, tuple(table.columns), separator)


def _as_utf_8(where: str, body: bytes) -> bytes:
    """Return a text in UTF-8. One in UTF-16 or UTF-32 is known by the mark at its beginning."""
    if body.startswith(_NO_TEXT):
        raise InputError(
            f"{where}: is a workbook or another archive, not text; a workbook must be saved as 'CSV UTF-8' first"
        )
    if body.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return body.decode("utf-32").encode()
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16").encode()
    return body


def _separator(where: str, header: str, rows: bytes, separator: str) -> str:
    """Return the sign that divides the header, or of several such signs the one that divides every row alike.

    The first choice is `separator`. If no sign divides every row alike, it is the first that is in the header.
    """
    marks = [mark for mark in dict.fromkeys((separator, *_SEPARATORS)) if mark in header]
    if len(marks) < 2:
        return marks[0] if marks else separator
    fitting = [mark for mark in marks if _divides_all_rows(header, rows, mark)]
    if separator == "\t" and separator in fitting:  # The ending of the file's name says so.
        return separator
    if len(fitting) > 1:
        raise InputError(
            f"{where}: the values may be divided by {' or '.join(map(repr, fitting))}: every row fits both; names in "
            "quotes, or without such signs, are needed"
        )
    return (fitting or marks)[0]


def _divides_all_rows(header: str, rows: bytes, separator: str) -> bool:
    lines = io.TextIOWrapper(io.BytesIO(rows), encoding="utf-8", errors="replace", newline="")
    try:
        [names] = csv.reader([header], delimiter=separator, strict=True)
        return len(names) > 1 and all(
            len(row) == len(names) for row in csv.reader(lines, delimiter=separator, strict=True) if row
        )
    except csv.Error:
        return False


def _checked_quotes(rows: bytes, separator: str) -> int:
    """Return the number of rows. Raise csv.Error for a quote without its end.

    Arrow reads the rows after such a quote as part of a cell, without an error.
    """
    lines = io.TextIOWrapper(io.BytesIO(rows), encoding="utf-8", errors="replace", newline="")
    return sum(1 for row in csv.reader(lines, delimiter=separator, strict=True) if row)


def table_of(where: str, data: Any) -> Table:
    """Return a frame of pandas or polars, a table of pyarrow, or named columns as a `Table`.

    Named columns are a mapping, or pairs of a name and values. In messages the table is called `where`.
    """
    try:
        if hasattr(data, "__arrow_c_stream__") and not hasattr(data, "items"):
            table = pa.table(data)
            pairs = list(zip(table.column_names, table.columns, strict=True))
        else:
            # A frame of pandas is read by columns, so that one with objects of several types does no harm.
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
        # Columns of polars have this method, and those of pandas from version 3 on.
        if hasattr(values, "__arrow_c_stream__"):
            return pa.chunked_array(values)
        return pa.chunked_array([pa.array(values, from_pandas=True)])
    except (pa.ArrowException, TypeError):
        if not hasattr(values, "map"):
            raise
        # This is a column of pandas with objects of several types, which become texts.
        return pa.chunked_array([pa.array(values.map(str, na_action="ignore"), from_pandas=True)])
