"""Writing files and folders whole or not at all, and digests of files."""

import fcntl
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from aucstudy.errors import InputError

# This part of a name marks a file that is not yet complete. By it the next run knows what a killed run left.
PART = ".part-"
# `tempfile` makes names of this form.
_PART_NAME = re.compile(rf"\..*{re.escape(PART)}[a-z0-9_]{{8}}(\..*)?")


@contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """Turn each OSError of the block, such as that of a full disk, into an InputError of one line."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error


def write_whole(path: Path | str, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file and rename it to `path`, so that no reader sees half a file."""
    path = Path(path)
    temporary = None
    try:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            # A long name is cut, because the temporary name could be longer than the file system allows.
            prefix, suffix = f".{path.name[:40]}{PART}", path.suffix[:20]
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=prefix, suffix=suffix)
            temporary = Path(name)
            os.fchmod(handle, 0o644)
            os.close(handle)
            write(temporary)
            temporary.replace(path)
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def write_text(path: Path | str, text: str) -> None:
    write_whole(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def remove_parts(folder: Path) -> None:
    """Remove the half-written files and folders that killed processes left below `folder`.

    No other process may write there at this time, because its temporary files would be removed too.
    """
    for path in [path for path in folder.rglob(".*") if _PART_NAME.fullmatch(path.name)]:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def lock_alone(lock: TextIO, refusal: Callable[[str], str]) -> None:
    """Lock an open file until it is closed. Raise InputError if another process has locked it.

    The message is what `refusal` makes of the text in the file.
    """
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.seek(0)
        raise InputError(refusal(lock.read())) from None


@contextmanager
def alone(folder: Path, work: str) -> Iterator[None]:
    """Keep other processes that also call this function out of a folder during the block.

    Raise InputError if another one is there. `work` says what it does, such as "fetch".
    """
    path = folder / f".{work}.lock"
    with writing(path):
        lock = path.open("a+")
    with lock:
        lock_alone(
            lock,
            lambda process: (
                f"{folder}: another {work} uses this folder (process {process}); run the same command again when "
                "it has ended"
            ),
        )
        with writing(path):
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
        yield


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder, which replaces `folder` if the block ends without an error."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name[:40]}{PART}", dir=folder.parent))
    try:
        with writing(folder):
            temporary.chmod(0o755)
            yield temporary
            shutil.rmtree(folder, ignore_errors=True)
            temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def path_here(path: Path) -> Path:
    """Return the path relative to the working folder if it lies below that folder, else unchanged."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file. Raise InputError if the file cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def digest_of_files(paths: Iterable[Path], root: Path) -> str:
    """Return one SHA-256 for the contents of all files and for their paths relative to `root`."""
    lines = sorted(f"{path.relative_to(root).as_posix()}  {sha256_of(path)}\n" for path in paths)
    return hashlib.sha256("".join(lines).encode()).hexdigest()
