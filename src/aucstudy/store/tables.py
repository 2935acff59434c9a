"""Reading and writing tables on disk, as CSV or Parquet.

CSV tables have one fixed format, in which ids stay text. They can be gzipped (`.csv.gz`).
"""

import gzip
import io
import os
import shutil
import zlib
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from aucstudy.errors import InputError
from aucstudy.store.files import write_whole

FLOAT_FORMAT = "%.12g"
TEXT_COLUMNS = (
    "task_id", "run_id", "dataset_id", "dataset_name", "flow_id", "flow_name", "setup_id", "upload_time",
    "positive_class", "negative_class", "source", "source_group", "simulated", "sha256", "published", "detail",
    "second", "target", "setting", "family",
)  # fmt: skip
# Arrow and numpy raise these errors on bytes that are no Parquet file or describe their contents wrongly.
UNREADABLE = (OSError, ValueError, TypeError, KeyError, OverflowError, MemoryError, pa.ArrowException)


def write_table(frame: pd.DataFrame, path: Path | str) -> None:
    body = table_bytes(frame)
    if Path(path).suffix == ".gz":
        body = _packed(body)
    write_whole(path, lambda temporary: temporary.write_bytes(body))


def _packed(body: bytes) -> bytes:
    buffer = io.BytesIO()
    with gzip.GzipFile("", "wb", compresslevel=9, fileobj=buffer, mtime=0) as stream:
        stream.write(body)
    return buffer.getvalue()


def unpacked(body: bytes) -> bytes:
    return gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body


def table_bytes(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False, float_format=FLOAT_FORMAT, lineterminator="\n").encode()


def read_table(path: Path | str, columns: tuple[str, ...] = (), advice: str = "") -> pd.DataFrame:
    """Return a CSV table that `write_table` wrote. Ids are text, and empty cells of text columns are "".

    Raise InputError if the file is missing, cannot be read as CSV, or lacks one of `columns`. The message
    ends with `advice`, unless a column is lacking.
    """
    remedy = f"; {advice}" if advice else ""
    try:
        frame = pd.read_csv(
            io.BytesIO(unpacked(Path(path).read_bytes())),
            dtype=dict.fromkeys(TEXT_COLUMNS, str),
            float_precision="round_trip",
            # Only an empty cell is missing, because a task, class or model may be called NA or null.
            keep_default_na=False,
            na_values=[""],
        )
    except FileNotFoundError:
        raise InputError(f"{path}: no such file{remedy}") from None
    except (OSError, EOFError, zlib.error, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{path}: not a readable CSV table ({reason}){remedy}") from error
    missing = [name for name in columns if name not in frame]
    if missing:
        raise InputError(f"{path}: column {missing[0]!r} is missing; it has {', '.join(frame.columns)}")
    text = [name for name in TEXT_COLUMNS if name in frame]
    frame[text] = frame[text].fillna("")
    return frame


def study_table(folder: Path, name: str) -> pd.DataFrame | None:
    """Return the table `name` from a study's folder of tables.

    Return None if it has no file there, as when its experiment is switched off.
    """
    for path in (folder / f"{name}.csv", folder / f"{name}.csv.gz"):
        if path.exists():
            refuse_cut(path)
            return read_table(path)
    return None


class TooFewRows(Exception):
    """A table of a study has no matching row. The study has too few data, and nothing is broken."""

    def __init__(self, table: str, *values: object):
        self.table = table
        super().__init__(f"{table}.csv has no row{' with ' if values else ''}{', '.join(map(str, values))}")


def some(rows: pd.DataFrame, table: str, *values: object) -> pd.DataFrame:
    """Return the rows. If there are none, raise TooFewRows, which names the table and the chosen values."""
    if rows.empty:
        raise TooFewRows(table, *values)
    return rows


def rows_with(table: pd.DataFrame, name: str, known: Sequence[str] = (), **where: object) -> pd.DataFrame:
    """Return the rows of a table that have the given value in each column of `where`.

    A list stands for any of its values. Rows with a missing value in a column of `known` are left out. Raise
    TooFewRows if no row is left, and KeyError if a column does not exist, which is a defect of the code.
    """
    rows, values = table, [f"{column} known" for column in known]
    for column, value in where.items():
        one_of = value if isinstance(value, list) else [value]
        rows, values = rows[rows[column].isin(one_of)], [*values, *one_of]
    return some(rows.dropna(subset=list(known)), name, *values)


def refuse_cut(path: Path, advice: str = "delete it and run the study again") -> None:
    """Raise InputError if a `.csv` table of the study does not end with a line break."""
    if path.suffix == ".csv" and not path.read_bytes().endswith(b"\n"):
        raise InputError(f"{path}: cut off in its last line; {advice}")


def write_sorted(path: Path, frame: pd.DataFrame) -> None:
    """Write a table of a task store, sorted by the ids, the stage and the reason as far as it has them."""
    keys = [name for name in ("task_id", "run_id", "stage", "reason") if name in frame]
    write_table(frame.sort_values(keys, kind="stable"), path)


def read_store_table(path: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    """Return a table of a task store.

    Raise InputError if it is missing, damaged, cut off or lacks a column. The message says what to delete,
    unless a column is lacking.
    """
    # Snakemake makes a deleted file again, but it knows a fetched batch only as a folder.
    damaged = path.parent if path.parent.parent.name == "fetched" else path
    advice = f"delete {damaged} and run the study again"
    table = read_table(path, columns, advice)
    refuse_cut(path, advice)
    return table


def write_parquet(table: pa.Table, path: Path | str, **options) -> None:
    """Write a Parquet table. The `options` are those of Arrow's `write_table`."""
    write_whole(path, lambda temporary: pq.write_table(table, temporary, **options))


def read_parquet(path: Path | str, advice: str) -> pa.Table:
    """Return a table that `write_parquet` wrote.

    Raise FileNotFoundError if there is no file, and InputError with `advice` if the file cannot be read.
    """
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            table = file.read(use_threads=False)
        table.validate(full=True)
    except FileNotFoundError:
        raise
    except UNREADABLE as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{path}: not a readable Parquet file ({reason}); {advice}") from None
    return table


def link_or_copy(source: Path, target: Path) -> None:
    """Make `target` a hard link to `source`, or a copy where the file system allows no link."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise InputError(f"{source}: no such file, though tasks.csv lists its task") from None
    except OSError:
        write_whole(target, lambda temporary: shutil.copyfile(source, temporary))
