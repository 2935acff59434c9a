"""Parquet files with the SHA-256 of the whole file beside them, so that no damage goes unseen.

Parquet's own checksums cover pages, not the names, types and numbers of rows in its footer. The digest of
`a.parquet` stands in `a.parquet.sha256`; it is held against the bytes that are then parsed, so checking costs no
second reading. A file without a digest, written by hand or by other tools, is taken as it is.
"""

import hashlib
import io
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from aucstudy.errors import InputError
from aucstudy.store.tables import write_whole

# All that Arrow and numpy raise on bytes that are no Parquet, or that lie about what they hold.
UNREADABLE = (OSError, ValueError, TypeError, KeyError, OverflowError, MemoryError, pa.ArrowException)


def digest_path(path: Path) -> Path:
    """Where the digest of a file stands."""
    return path.with_name(f"{path.name}.sha256")


def write_parquet(table: pa.Table, path: Path | str, **options) -> None:
    """Write a table and its digest, each whole or not at all; a file is never beside the digest of another one."""
    path = Path(path)
    body = io.BytesIO()
    pq.write_table(table, body, **options)
    digest = hashlib.sha256(body.getbuffer()).hexdigest()
    digest_path(path).unlink(missing_ok=True)
    write_whole(path, lambda temporary: temporary.write_bytes(body.getbuffer()))
    write_whole(digest_path(path), lambda temporary: temporary.write_text(f"{digest}\n"))


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
    path = Path(path)
    try:
        body = path.read_bytes()
        digest = digest_path(path)
        # Bytes: a damaged digest need not be text.
        changed = digest.exists() and digest.read_bytes().split() != [
            hashlib.sha256(body).hexdigest().encode()
        ]
        if changed:
            raise OSError(f"its bytes are not those whose digest is in {digest.name}")
        table = pq.ParquetFile(pa.BufferReader(body), page_checksum_verification=True).read()
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
