"""Which kind of table a file is, by its ending and first bytes: its reader, or the refusal of what is no table."""

import csv
import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from aucstudy.errors import InputError
from aucstudy.reading.arff import ArffError
from aucstudy.reading.column_files import LONGEST_HEADER, ColumnFile, DelimitedFile, ParquetFile
from aucstudy.reading.openml_files import OpenMLFile

OF_ROW = 8, 50  # bytes that a table read at once takes for each score of a row, and for the rest of it
PATTERN = re.compile(r"[*?[]")
GZIP, PARQUET = b"\x1f\x8b", b"PAR1"
ARFF = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|%[^\n]*\n)*+@relation", re.IGNORECASE)
UTF_16 = "text in UTF-16; the same saved as UTF-8 is wanted"
OTHER_KINDS = {
    b"\xff\xfe": UTF_16,
    b"\xfe\xff": UTF_16,
    b"PK\3\4": "a zip archive, as Excel's files are; the sheet saved as CSV is wanted",
    b"\xd0\xcf\x11\xe0": "a file of an old Excel; the sheet saved as CSV is wanted",
}
NOT_A_TABLE = (pa.ArrowException, csv.Error, UnicodeDecodeError)


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


@contextmanager
def open_columns(path: Path | str | ColumnFile) -> Iterator[ColumnFile]:
    """Open a table, or pass one on that is open; whatever fails while it is read is one line of InputError."""
    shown = path.path if isinstance(path, ColumnFile) else path
    try:
        if isinstance(path, ColumnFile):
            yield path
            return
        opened = Opened(Path(path))
        with opened.unchanged():
            yield _reader(opened)
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


def _reader(opened: "Opened") -> ColumnFile:
    path, head = opened.path, opened.read(1 << 12)
    # the ending of the name without that of gzip: csv for a.CSV.gz
    ending = "".join(path.suffixes[-2:]).lower().removesuffix(".gz").rpartition(".")[2]
    _refuse_other_kinds(path, head)
    if ending in ("parquet", "pq") or head.startswith(PARQUET):
        return ParquetFile(path, opened.file())
    if ending == "arff" or ARFF.match(head):
        return OpenMLFile(path, opened.read())
    with opened.stream() as stream:
        first_line = stream.readline(LONGEST_HEADER)
    if not first_line.strip():
        raise InputError(f"{path}: the file is empty or begins with an empty line; a header line is wanted")
    if b"\0" in first_line or b"\r" in first_line.rstrip(b"\r\n") or len(first_line) == LONGEST_HEADER:
        raise _no_table(path, first_line)
    return DelimitedFile(path, opened.stream, "\t" if ending in ("tsv", "tab") else ",")


def _refuse_other_kinds(path: Path, head: bytes) -> None:
    kind = next((text for start, text in OTHER_KINDS.items() if head.startswith(start)), "")
    even, odd = (head[i:100:2].strip(b"\0") for i in (0, 1))
    if len(head) > 3 and bool(even) != bool(odd):  # every other byte is 0
        kind = UTF_16
    if kind:
        raise InputError(f"{path}: {kind}")


def _no_table(path: Path, first_line: bytes) -> InputError:
    if b"\r" in first_line.rstrip(b"\r\n") and b"\0" not in first_line:
        ends = "a carriage return stands in its first line; lines that end in a line feed"
        return InputError(f"{path}: {ends} (\\n, or \\r\\n) are wanted")
    return InputError(
        f"{path}: not a table (its first line is {first_line[:20]!r}...); a header line is wanted"
    )


class Opened:
    """The bytes of a file, or of a pipe or standard input, which is read once and kept; gunzipped if need be."""

    def __init__(self, path: Path) -> None:
        self.path, self._kept, self._at_first = path, None, None
        if str(path) == "-":
            self.path = Path("<stdin>")
            if sys.stdin is None:
                raise InputError(f"{self.path}: standard input is closed; a table is wanted")
            self._kept = _drained(self.path, sys.stdin.buffer)
        elif path.is_file():
            self._at_first = self._now()
        else:
            with path.open("rb") as stream:
                self._kept = _drained(path, stream)

    def _now(self) -> tuple[int, int, int] | None:
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        try:
            yield
        finally:
            if self._at_first and self._now() != self._at_first:
                changed = "was changed while it was read; a file that stays as it is is wanted"
                raise InputError(f"{self.path}: {changed}") from None

    def stream(self) -> io.BufferedIOBase:
        if self._kept is not None:
            raw = io.BytesIO(self._kept)
            return gzip.GzipFile(fileobj=raw) if self._kept.startswith(GZIP) else raw
        with self.path.open("rb") as stream:
            gzipped = stream.read(2) == GZIP
        return gzip.open(self.path) if gzipped else self.path.open("rb")

    def read(self, size: int = -1) -> bytes:
        with self.stream() as stream:
            return stream.read(size)

    def file(self) -> Path | io.BytesIO:
        with self.stream() as stream:
            return self.path if isinstance(stream, io.BufferedReader) else io.BytesIO(stream.read())


def _drained(path: Path, stream: io.BufferedIOBase) -> bytes:
    """All that a stream gives; InputError for one without an end, such as /dev/zero or /dev/urandom."""
    head = stream.read(LONGEST_HEADER)
    no_text = b"\n" not in head or b"\0" in head
    if len(head) == LONGEST_HEADER and no_text and not head.startswith((GZIP, PARQUET)):
        _refuse_other_kinds(path, head)
        raise _no_table(path, head)
    return head + stream.read()
