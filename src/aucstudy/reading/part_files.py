"""Finding the Parquet files of a table, which is one file, a folder, or all files that match a pattern."""

import fnmatch
import glob
import os
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import PurePosixPath
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import fs

from aucstudy.errors import InputError
from aucstudy.reading.table_files import PATTERN

_WHOLE_NUMBER = re.compile(r"-?[1-9][0-9]{0,17}|0")
SKIPPED = (".", "_")  # Names of logs, checksums and half-written files begin so.
# These logs say which files of a table still count.
LOGS = {
    "_delta_log": "Delta",
    ".hoodie": "Hudi",
    "_spark_metadata": "a stream of Spark",
    "metadata": "Iceberg",
}
# Names in a folder `metadata` that is a log of Iceberg end like this.
ICEBERG = (".metadata.json", "version-hint.text")
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
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    kept = {number: signal.signal(number, signal.SIG_DFL) for number in numbers}
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
    kind, base, pattern = files.get_file_info(path).type, os.path.dirname(path), ""
    if kind == fs.FileType.File:
        paths = [path]
    elif kind == fs.FileType.Directory:
        base, paths = path, _below(files, path)
    else:
        sign = PATTERN.search(path)
        base, pattern = path[: sign.start()].rpartition("/")[0] if sign else path, path
        paths = [*dict.fromkeys(_matching(files, base, path))]
    _refuse_logs(files, paths, base)
    words = {part: PurePosixPath(part).relative_to(base or "/").parts for part in paths}
    left_out = [part for part in sorted(paths) if any(_is_skipped(word, pattern) for word in words[part])]
    paths = sorted(set(paths) - set(left_out))
    if isinstance(files, fs.LocalFileSystem):
        _refuse_twice(paths)
    if not paths:
        raise InputError(f"{where}: no Parquet files there")
    if pattern:
        base = ""
    folders = (PurePosixPath(part).relative_to(base or "/").parts[:-1] for part in paths)
    values: dict[str, set[str]] = {}
    for key, _, value in (name.partition("=") for names in folders for name in names if "=" in name):
        values.setdefault(key, set()).add(unquote(value))
    # Whole numbers are a column of numbers, unless two spellings such as 1 and 01 would become one.
    kinds = {
        key: pa.int64() if all(map(_WHOLE_NUMBER.fullmatch, texts)) else pa.string()
        for key, texts in values.items()
    }
    hive = ds.partitioning(pa.schema(list(kinds.items())), flavor="hive")
    parts = ds.dataset(paths, filesystem=files, format=FORMAT, partitioning=hive, partition_base_dir=base)
    # A part without rows may have columns without a type, as pandas writes them.
    with_rows = [part.path for part in parts.get_fragments() if part.metadata.num_rows]
    if with_rows and len(with_rows) < len(paths):
        parts = ds.dataset(
            with_rows, filesystem=files, format=FORMAT, partitioning=hive, partition_base_dir=base
        )
    names = [os.path.relpath(part, base) for part in left_out if part.endswith((".parquet", ".parq", ".pq"))]
    reason = "left out, as their names or folders begin with . or _"
    return parts, [f"{where}: {len(names)} Parquet files {reason}: {', '.join(names[:3])}"] if names else []


def _is_skipped(word: str, pattern: str) -> bool:
    """Return whether the name of a file or folder is that of a log, a checksum or a half-written file.

    A name counts if a part of the pattern begins as it does.
    """
    parts = (part for part in pattern.split("/") if part.startswith(SKIPPED))
    return word.startswith(SKIPPED) and not any(fnmatch.fnmatchcase(word, part) for part in parts)


def _matching(files: fs.FileSystem, base: str, pattern: str) -> Iterator[str]:
    """Yield the files that match a pattern and those below folders that do, all of which are below `base`."""
    if isinstance(files, fs.LocalFileSystem):
        for match in glob.glob(pattern, recursive=True, include_hidden=True):
            yield from _below(files, match)
        return
    matches = _regex(pattern).fullmatch
    for path in _below(files, base):
        if matches(path):
            yield path


def _regex(pattern: str) -> re.Pattern:
    """Return a pattern of addresses as a regular expression, in which `**` stands for any number of folders.

    >>> bool(_regex("t/**/*.pq").fullmatch("t/a.pq")), bool(_regex("t/**/*.pq").fullmatch("t/b/c/a.pq"))
    (True, True)
    >>> bool(_regex("t/*.pq").fullmatch("t/b/a.pq")), bool(_regex("t/**").fullmatch("t/b/a.pq"))
    (False, True)
    """
    *folders, name = pattern.split("/")
    words = ["(?:[^/]+/)*" if part == "**" else _regex_of_name(part) + "/" for part in folders]
    return re.compile(
        "".join(words) + ("(?:[^/]+/)*[^/]+" if name == "**" else _regex_of_name(name)), re.DOTALL
    )


def _regex_of_name(part: str) -> str:
    inner = fnmatch.translate(part).removeprefix("(?s:").removesuffix(r")\Z")
    return re.sub(r"(?<!\\)\.\*", "[^/]*", inner)


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
    first_path: dict[tuple[int, int], str] = {}
    for path in paths:
        status = os.stat(path)
        file = status.st_dev, status.st_ino
        if first_path.setdefault(file, path) != path:
            raise InputError(f"{path}: is the same file as {first_path[file]}; each part is needed once")


def _refuse_logs(files: fs.FileSystem, paths: list[str], base: str) -> None:
    folders = {str(folder) for path in [*paths, f"{base}/-"] for folder in PurePosixPath(path).parents}
    for info in files.get_file_info([f"{folder}/{log}" for folder in sorted(folders) for log in LOGS]):
        if info.type != fs.FileType.NotFound and _is_log(files, info):
            folder, _, log = info.path.rpartition("/")
            raise InputError(
                f"{folder}: a table of {LOGS[log]} ({log}), some of whose files may no longer count; its rows "
                "written out as plain Parquet are needed"
            )


def _is_log(files: fs.FileSystem, info: fs.FileInfo) -> bool:
    """Return whether a file or folder with the name of a log is one. A folder `metadata` may be another one."""
    if info.base_name != "metadata":
        return True
    if info.type != fs.FileType.Directory:
        return False
    return any(entry.path.endswith(ICEBERG) for entry in files.get_file_info(fs.FileSelector(info.path)))
