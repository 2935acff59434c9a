"""Parquet files with a digest: Parquet's own checksums cover pages, not the names, types and numbers of rows."""

import io
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from aucstudy.errors import InputError
from aucstudy.store.digests import digest_path, read_checked
from aucstudy.store.tables import write_whole, write_with_digest

# All that Arrow and numpy raise on bytes that are no Parquet, or that lie about what they hold.
UNREADABLE = (OSError, ValueError, TypeError, KeyError, OverflowError, MemoryError, pa.ArrowException)


def write_parquet(table: pa.Table, path: Path | str, **options) -> None:
    """Write a table and its digest."""
    body = io.BytesIO()
    pq.write_table(table, body, **options)
    write_with_digest(path, body.getbuffer())


def read_parquet(path: Path | str, advice: str) -> pa.Table:
    """Read a table, after a look at its digest where it has one.

    Parameters
    ----------
    advice : what to do about a damaged file, for the message.

    Raises
    ------
    FileNotFoundError
        There is no such file.
    InputError
        It is not what was written, or no Parquet.
    """
    try:
        body = read_checked(path)
        table = pq.ParquetFile(pa.BufferReader(body), page_checksum_verification=True).read(use_threads=False)
        table.validate(full=True)
    except FileNotFoundError:
        raise
    except UNREADABLE as error:
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{path}: not a readable Parquet file ({said}); {advice}") from None
    return table


def link_parquet(source: Path, target: Path) -> None:
    """Make `target` the same file as `source`, with the same digest: linked where the disk can, else copied.

    Raises
    ------
    InputError
        There is no `source`.
    """
    digest_path(target).unlink(missing_ok=True)
    _link(source, target)
    if digest_path(source).exists():
        _link(digest_path(source), digest_path(target))


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise InputError(f"{source}: no such file, though tasks.csv lists its task") from None
    except OSError:
        write_whole(target, lambda temporary: shutil.copyfile(source, temporary))
