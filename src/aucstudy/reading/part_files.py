"""Which files are the parts of a table: one file, all in a folder, or those that a pattern matches."""

import glob
import os
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

import pyarrow as pa
import pyarrow.dataset as ds
from pyarrow import fs

from aucstudy.errors import InputError
from aucstudy.reading.opened_files import PATTERN

SKIPPED = (".", "_")  # how the names of logs, checksums and half-written files begin
LOGS = {"_delta_log": "Delta", ".hoodie": "Hudi"}  # they say which files of a table still count
ENDINGS = (".parquet", ".parq", ".pq")
SHOWN = 3


class PartFiles(NamedTuple):
    """`notes` say which files were left out; below `base` folders such as site=1 are columns."""

    files: fs.FileSystem
    paths: list[str]
    base: str
    notes: list[str]

    def dataset(self) -> ds.Dataset:
        """All parts as one; what the names of folders say is text."""
        folders = (PurePosixPath(path).relative_to(self.base or "/").parent.parts for path in self.paths)
        keys = dict.fromkeys(name.partition("=")[0] for names in folders for name in names if "=" in name)
        by_folder = ds.partitioning(pa.schema([(key, pa.string()) for key in keys]), flavor="hive")
        return ds.dataset(
            self.paths,
            filesystem=self.files,
            format="parquet",
            partitioning=by_folder,
            partition_base_dir=self.base,
        )


def part_files(where: str) -> PartFiles:
    """The parts at a path or address; InputError for none, for one twice, or where a log says which of them count."""
    files, path = fs.FileSystem.from_uri(where) if "://" in where else (None, os.path.abspath(where))
    is_local = files is None or isinstance(files, fs.LocalFileSystem)
    files = fs.LocalFileSystem() if is_local else files
    kind = files.get_file_info(path).type
    pattern = PATTERN.search(path) if kind == fs.FileType.NotFound else None
    base = "" if pattern else path.rstrip("/") if kind == fs.FileType.Directory else os.path.dirname(path)
    if is_local:
        matches = sorted(glob.glob(path)) if pattern else [path]
        paths = [file for match in matches for file in _below(match)]
        _refuse_twice(paths)
    else:
        folder = path[: pattern.start()].rpartition("/")[0] if pattern else path
        all_files = [path] if kind == fs.FileType.File else _listed(files, folder)
        paths = [file for file in all_files if not pattern or PurePosixPath(file).match(path)]
    skipped_files = []
    if kind != fs.FileType.File:
        _refuse_logs(files, {os.path.dirname(file) for file in paths} | {base} - {""})
        words = {file: os.path.relpath(file, base).split("/") for file in paths if base}
        skipped_files = [file for file in words if any(word.startswith(SKIPPED) for word in words[file])]
    left_out = [os.path.relpath(file, base) for file in skipped_files if file.endswith(ENDINGS)]
    paths = sorted(set(paths) - set(skipped_files))
    if not paths:
        raise InputError(f"{where}: no Parquet files there")
    if not left_out:
        return PartFiles(files, paths, base, [])
    names = ", ".join(left_out[:SHOWN]) + (", ..." if len(left_out) > SHOWN else "")
    count = "1 Parquet file is" if len(left_out) == 1 else f"{len(left_out)} Parquet files are"
    note = f"{where}: {count} left out, as their names or folders begin with . or _: {names}"
    return PartFiles(files, paths, base, [note])


def _listed(files: fs.FileSystem, folder: str) -> list[str]:
    return [
        info.path for info in files.get_file_info(fs.FileSelector(folder, recursive=True)) if info.is_file
    ]


def _below(path: str) -> Iterator[str]:
    """The file itself, or all files below a folder; InputError where a link leads to a folder twice."""
    if not os.path.isdir(path):
        yield path
        return
    folder_by_inode: dict[tuple[int, int], str] = {}
    for folder, inside, names in os.walk(path, followlinks=True):
        status = os.stat(folder)
        first_folder = folder_by_inode.setdefault((status.st_dev, status.st_ino), folder)
        if first_folder != folder:
            raise InputError(f"{folder}: is {first_folder} again, by a link; each part is wanted once")
        inside.sort()
        yield from (os.path.join(folder, name) for name in names)


def _refuse_twice(paths: list[str]) -> None:
    path_by_inode: dict[tuple[int, int], str] = {}
    for path in paths:
        if os.path.islink(path) and not os.path.exists(path):
            raise InputError(f"{path}: is a link to nothing; a Parquet file is wanted")
        status = os.stat(path)
        first_path = path_by_inode.setdefault((status.st_dev, status.st_ino), path)
        if first_path != path:
            raise InputError(f"{path}: is the same file as {first_path}; each part is wanted once")


def _refuse_logs(files: fs.FileSystem, folders: set[str]) -> None:
    above = {
        str(folder) for each in folders for folder in (PurePosixPath(each), *PurePosixPath(each).parents)
    }
    logs = [f"{folder}/{log}" for folder in sorted(above) for log in LOGS]
    for info in files.get_file_info(logs):
        if info.type != fs.FileType.NotFound:
            folder, _, log = info.path.rpartition("/")
            raise InputError(
                f"{folder}: a table of {LOGS[log]} ({log}), some of whose files may no longer count; its rows written "
                "out as plain Parquet are wanted"
            )
