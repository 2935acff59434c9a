"""Columns out of a Parquet file."""

import pyarrow as pa
import pyarrow.parquet as pq

from aucstudy.errors import InputError
from aucstudy.reading.column_files import ColumnFile
from aucstudy.reading.column_kinds import SAMPLED, is_numeric, is_text, why_text
from aucstudy.reading.opened import Opened


class ParquetFile(ColumnFile):
    """A Parquet file; pages that carry a checksum are held against it."""

    def __init__(self, opened: Opened) -> None:
        try:
            self._file = pq.ParquetFile(opened.file(), page_checksum_verification=True)
            names = self._file.schema_arrow.names
        except (pa.ArrowException, OSError, ValueError) as error:
            raise _unreadable(opened, error) from None
        self._opened = opened
        super().__init__(opened.path, names)

    def why_no_scores(self, name: str) -> str:
        kind = self._file.schema_arrow.field(name).type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        if not is_text(kind):
            return "" if is_numeric(kind) else f"holds {kind}"
        first = next(self._file.iter_batches(SAMPLED, columns=[name]), None)
        return why_text(name, [] if first is None else first[name].to_pylist())

    def _columns(self, texts: tuple[str, ...], numbers: tuple[str, ...]) -> dict[str, pa.ChunkedArray]:
        wanted = list(dict.fromkeys((*texts, *numbers)))
        try:
            table = self._file.read(columns=wanted)
            table.validate(full=True)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise _unreadable(self._opened, error) from None
        return {name: table[name] for name in wanted}


def _unreadable(opened: Opened, error: Exception) -> InputError:
    said = " ".join(str(error).split())[:200]
    return InputError(f"{opened.path}: not a readable Parquet file ({said})")
