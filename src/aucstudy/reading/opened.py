"""The bytes of a file, of a pipe or of standard input: opened as often as needed, gunzipped where they are gzipped."""

import gzip
import io
import stat
import sys
from pathlib import Path

LONGEST_HEADER = 1 << 20  # bytes; a longer first line is no header of a table
GZIP, PARQUET = b"\x1f\x8b", b"PAR1"


class Opened:
    """What is read; only a file on the disk is opened again, everything else is read once and kept.

    Attributes
    ----------
    path : Path
        What messages call it: `<stdin>` for standard input.
    """

    def __init__(self, path: Path) -> None:
        self._kept: bytes | None = None
        if str(path) == "-":
            self.path = Path("<stdin>")
            self._kept = _drained(sys.stdin.buffer)
            return
        self.path = path
        mode = path.stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            with path.open("rb") as stream:
                self._kept = _drained(stream)

    def stream(self) -> io.BufferedIOBase:
        """A new stream of the bytes from the start."""
        raw = self.path.open("rb") if self._kept is None else io.BytesIO(self._kept)
        gzipped = raw.read(2) == GZIP
        raw.seek(0)
        return _Gunzipped(raw) if gzipped else raw

    def head(self, size: int = 1 << 12) -> bytes:
        """The first bytes."""
        with self.stream() as stream:
            return stream.read(size)

    def whole(self) -> bytes:
        """All bytes."""
        with self.stream() as stream:
            return stream.read()

    def file(self) -> Path | io.BytesIO:
        """What can be read at any place: the file itself where it can, else its bytes."""
        with self.stream() as stream:
            return self.path if isinstance(stream, io.BufferedReader) else io.BytesIO(stream.read())

    @property
    def ending(self) -> str:
        """The ending of the name without that of gzip, in lower case: `csv` for a.CSV.gz."""
        return "".join(self.path.suffixes[-2:]).lower().removesuffix(".gz").rpartition(".")[2]


class _Gunzipped(gzip.GzipFile):
    """A gzip stream that closes what it reads from."""

    def __init__(self, raw: io.BufferedIOBase) -> None:
        super().__init__(fileobj=raw)
        self._raw = raw

    def close(self) -> None:
        super().close()
        self._raw.close()


def _drained(stream: io.BufferedIOBase) -> bytes:
    """All that a stream gives, but no more of one without an end (/dev/zero) than shows that it is no table."""
    head = stream.read(LONGEST_HEADER)
    if len(head) == LONGEST_HEADER and b"\n" not in head and not head.startswith((GZIP, PARQUET)):
        return head
    return head + stream.read()
