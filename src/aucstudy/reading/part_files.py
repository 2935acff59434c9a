"""Finding the Parquet files of a table, which is one file, a folder, or all files that match a pattern."""

import glob
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import PurePosixPath

import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import fs

from aucstudy.errors import InputError
from aucstudy.reading.table_files import PATTERN

SKIPPED = (".", "_")  # Names of logs, checksums and half-written files begin so.
LOGS = {"_delta_log": "Delta", ".hoodie": "Hudi"}  # These logs say which files of a table still count.
# Checksums make a damaged page an error. Columns are not read ahead, which saves memory.
FORMAT = ds.ParquetFileFormat(
    default_fragment_scan_options=ds.ParquetFragmentScanOptions(
        page_checksum_verification=True, pre_buffer=False, use_buffered_stream=True
    )
)


def open_parts(where: str) -> tuple[ds.Dataset, list[str]]:
    """Return the same as `_parts`. While a remote store is read, Ctrl-C and SIGTERM end the process."""
    with _ended_by_signals() if "://" in where else nullcontext():
        dataset, notes = _parts(where)
        for part in dataset.get_fragments():
            _ = part.physical_schema  # It is read now, and kept.
    return dataset, notes


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    # If a store does not answer, Arrow repeats requests in C++, where Python's signal handlers do not run.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    kept = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def _parts(where: str) -> tuple[ds.Dataset, list[str]]:
    """Return the parts at a path or address as one data set, and notes on files that were left out.

    Names of folders such as site=1 become a column of text. Raise InputError if there is no part, if a part
    is listed twice, or if there is a log that says which parts count.
    """
    files, path = fs.FileSystem.from_uri(where if "://" in where else os.path.abspath(where))
    kind, base = files.get_file_info(path).type, os.path.dirname(path)
    if kind == fs.FileType.File:
        paths = [path]
    elif kind == fs.FileType.Directory:
        base, paths = path, _below(files, path)
    elif isinstance(files, fs.LocalFileSystem):
        base, paths = "", [part for match in glob.glob(path) for part in _below(files, match)]
    else:
        pattern = PATTERN.search(path)
        folder = path[: pattern.start()].rpartition("/")[0] if pattern else path
        base, paths = "", [part for part in _below(files, folder) if PurePosixPath(part).match(path)]
    _refuse_logs(files, paths, base)
    words = {part: PurePosixPath(part).relative_to(base or "/").parts if base else () for part in paths}
    left_out = [part for part in sorted(paths) if any(word.startswith(SKIPPED) for word in words[part])]
    paths = sorted(set(paths) - set(left_out))
    if isinstance(files, fs.LocalFileSystem):
        _refuse_twice(paths)
    if not paths:
        raise InputError(f"{where}: no Parquet files there")
    folders = (PurePosixPath(part).relative_to(base or "/").parts[:-1] for part in paths)
    keys = dict.fromkeys(name.partition("=")[0] for names in folders for name in names if "=" in name)
    hive = ds.partitioning(pa.schema([(key, pa.string()) for key in keys]), flavor="hive")
    parts = ds.dataset(paths, filesystem=files, format=FORMAT, partitioning=hive, partition_base_dir=base)
    names = [os.path.relpath(part, base) for part in left_out if part.endswith((".parquet", ".parq", ".pq"))]
    reason = "left out, as their names or folders begin with . or _"
    return parts, [f"{where}: {len(names)} Parquet files {reason}: {', '.join(names[:3])}"] if names else []


def _below(files: fs.FileSystem, path: str) -> list[str]:
    """Return the file itself or all files below a folder. Raise InputError if a link repeats a folder."""
    if files.get_file_info(path).type != fs.FileType.Directory:
        return [path]
    if not isinstance(files, fs.LocalFileSystem):
        found = files.get_file_info(fs.FileSelector(path, recursive=True))
        return [info.path for info in found if info.type != fs.FileType.Directory]
    # Arrow would skip a link to a missing file, and would follow a link to a parent folder without end.
    paths, seen = [], set()
    for folder, _, names in os.walk(path, followlinks=True):
        if os.path.realpath(folder) in seen:
            raise InputError(f"{folder}: is a folder again, by a link; each part is needed once")
        seen.add(os.path.realpath(folder))
        paths += [os.path.join(folder, name) for name in names]
    return paths


def _refuse_twice(paths: list[str]) -> None:
    first_path: dict[str, str] = {}
    for path in paths:
        real = os.path.realpath(path)
        if first_path.setdefault(real, path) != path:
            raise InputError(f"{path}: is the same file as {first_path[real]}; each part is needed once")


def _refuse_logs(files: fs.FileSystem, paths: list[str], base: str) -> None:
    folders = {str(folder) for path in [*paths, f"{base}/-"] for folder in PurePosixPath(path).parents}
    for info in files.get_file_info([f"{folder}/{log}" for folder in sorted(folders) for log in LOGS]):
        if info.type != fs.FileType.NotFound:
            folder, _, log = info.path.rpartition("/")
            raise InputError(
                f"{folder}: a table of {LOGS[log]} ({log}), some of whose files may no longer count; its rows "
                "written out as plain Parquet are needed"
            )
