"""Tables on disk: written whole or not at all, in one fixed format, with ids kept as text."""

import hashlib
import io
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from aucstudy.errors import InputError
from aucstudy.store.digests import digest_path, read_checked

FLOAT_FORMAT = "%.12g"
TEXT_COLUMNS = (
    "task_id", "run_id", "dataset_id", "dataset_name", "flow_id", "flow_name", "setup_id", "upload_time",
    "positive_class", "negative_class", "source", "source_group", "sha256", "published", "detail",
)  # fmt: skip


def write_whole(path: Path | str, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file beside `path`, then rename it: no reader ever sees half a file.

    Raises
    ------
    InputError
        The folder cannot be written to, or the disk is full. The temporary file is removed.
    """
    path = Path(path)
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # A long name need not leave room for what makes it a temporary one.
        handle, name = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name[:40]}.", suffix=path.suffix[:20]
        )
        temporary = Path(name)
        os.fchmod(handle, 0o644)
        os.close(handle)
        write(temporary)
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def write_with_digest(path: Path | str, body: bytes | memoryview) -> None:
    """Write a file and its digest, each whole or not at all; a file is never beside the digest of another one."""
    digest_path(path).unlink(missing_ok=True)
    write_whole(path, lambda temporary: temporary.write_bytes(body))
    digest = f"{hashlib.sha256(body).hexdigest()}\n"
    write_whole(digest_path(path), lambda temporary: temporary.write_text(digest))


def table_bytes(frame: pd.DataFrame) -> bytes:
    """A frame as CSV with 12 significant digits, Unix line ends and no index."""
    return frame.to_csv(index=False, float_format=FLOAT_FORMAT, lineterminator="\n").encode()


def write_table(frame: pd.DataFrame, path: Path | str) -> None:
    """Write a frame in the format of `table_bytes`."""
    write_whole(path, lambda temporary: temporary.write_bytes(table_bytes(frame)))


def study_table(folder: Path, name: str) -> pd.DataFrame | None:
    """A table of a study's folder of tables, None where its experiment is switched off."""
    path = folder / f"{name}.csv"
    return read_table(path) if path.exists() else None


def read_table(path: Path | str, columns: tuple[str, ...] = (), advice: str = "") -> pd.DataFrame:
    """Read a CSV that `write_table` wrote; ids are text, empty cells of text columns are "".

    Parameters
    ----------
    advice : what to do about a missing or damaged file, for the message.

    Raises
    ------
    InputError
        The file is missing, is not the one whose digest is beside it, is no CSV, or lacks one of `columns`.
    """
    after = f"; {advice}" if advice else ""
    try:
        frame = pd.read_csv(
            io.BytesIO(read_checked(path)),
            dtype=dict.fromkeys(TEXT_COLUMNS, str),
            float_precision="round_trip",
            # A task, class or model may be called NA or null: only an empty cell is missing.
            keep_default_na=False,
            na_values=[""],
        )
    except FileNotFoundError:
        raise InputError(f"{path}: no such file{after}") from None
    except (OSError, UnicodeDecodeError, pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        said = str(error).splitlines()[0]
        raise InputError(f"{path}: not a readable CSV table ({said}){after}") from error
    missing = [name for name in columns if name not in frame]
    if missing:
        raise InputError(f"{path}: column {missing[0]!r} is missing; it has {', '.join(frame.columns)}")
    text = [name for name in TEXT_COLUMNS if name in frame]
    frame[text] = frame[text].fillna("")
    return frame


def write_sorted(path: Path, frame: pd.DataFrame) -> None:
    """Write a table of a task store, its rows in the order of their keys, and its digest."""
    keys = [name for name in ("task_id", "run_id", "stage", "reason") if name in frame]
    write_with_digest(path, table_bytes(frame.sort_values(keys, kind="stable")))


def read_store_table(path: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    """A table of a task store; one that is damaged is named with what to delete."""
    # Snakemake makes a file again that is gone, but of a fetched batch it knows the folder only.
    damaged = path.parent if path.parent.parent.name == "fetched" else path
    return read_table(path, columns, f"delete {damaged} and run the study again")
