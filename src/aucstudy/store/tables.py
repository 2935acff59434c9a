"""Tables on disk: CSV in one fixed format, with ids kept as text, plain or packed (`.csv.gz`), and Parquet."""

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
)  # fmt: skip
# All that Arrow and numpy raise on bytes that are no Parquet, or that lie about what they hold.
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
    """A CSV that `write_table` wrote; ids are text, empty cells of text columns are "".

    InputError, with `advice`, where the file is missing, damaged, no CSV, or lacks one of `columns`.
    """
    remedy = f"; {advice}" if advice else ""
    try:
        frame = pd.read_csv(
            io.BytesIO(unpacked(Path(path).read_bytes())),
            dtype=dict.fromkeys(TEXT_COLUMNS, str),
            float_precision="round_trip",
            # A task, class or model may be called NA or null: only an empty cell is missing.
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
    """A table of a study's folder of tables, None where its experiment is switched off."""
    for path in (folder / f"{name}.csv", folder / f"{name}.csv.gz"):
        if path.exists():
            refuse_cut(path)
            return read_table(path)
    return None


class TooFewRows(Exception):
    """A table of a study has no row with what is looked for: too few data, and no fault."""

    def __init__(self, table: str, *values: object):
        self.table = table
        super().__init__(f"{table}.csv has no row{' with ' if values else ''}{', '.join(map(str, values))}")


def some(rows: pd.DataFrame, table: str, *values: object) -> pd.DataFrame:
    """The rows; without any, TooFewRows names the table and the values by which they were chosen."""
    if rows.empty:
        raise TooFewRows(table, *values)
    return rows


def rows_with(table: pd.DataFrame, name: str, known: Sequence[str] = (), **where: object) -> pd.DataFrame:
    """The rows of a table with a value (one of a list) in each column, and any in those of `known`.

    TooFewRows where there is none, KeyError where there is no such column: a defect, and not few data.
    """
    rows, values = table, [f"{column} known" for column in known]
    for column, value in where.items():
        one_of = value if isinstance(value, list) else [value]
        rows, values = rows[rows[column].isin(one_of)], [*values, *one_of]
    return some(rows.dropna(subset=list(known)), name, *values)


def refuse_cut(path: Path, advice: str = "delete it and run the study again") -> None:
    """InputError where the last line of a table of the study does not end."""
    if path.suffix == ".csv" and not path.read_bytes().endswith(b"\n"):
        raise InputError(f"{path}: cut off in its last line; {advice}")


def write_sorted(path: Path, frame: pd.DataFrame) -> None:
    """Write a table of a task store, sorted."""
    keys = [name for name in ("task_id", "run_id", "stage", "reason") if name in frame]
    write_table(frame.sort_values(keys, kind="stable"), path)


def read_store_table(path: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    """A table of a task store; InputError says what to delete."""
    # Snakemake makes a file again that is gone, but of a fetched batch it knows the folder only.
    damaged = path.parent if path.parent.parent.name == "fetched" else path
    advice = f"delete {damaged} and run the study again"
    table = read_table(path, columns, advice)
    refuse_cut(path, advice)
    return table


def write_parquet(table: pa.Table, path: Path | str, **options) -> None:
    """Write a table; `options` are those of Arrow's `write_table`."""
    write_whole(path, lambda temporary: pq.write_table(table, temporary, **options))


def read_parquet(path: Path | str, advice: str) -> pa.Table:
    """A table that `write_parquet` wrote; FileNotFoundError, or InputError with `advice` where another stands."""
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
    """Link a file, or copy it where the disk cannot."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise InputError(f"{source}: no such file, though tasks.csv lists its task") from None
    except OSError:
        write_whole(target, lambda temporary: shutil.copyfile(source, temporary))
