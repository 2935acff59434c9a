"""Files and folders that are written whole or not at all, each file with its SHA-256 beside it.

A file without a digest, written by hand or by other tools, is taken as it is. Nothing but the standard library is
imported: the Snakefile reads tasks.csv too.
"""

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from aucstudy.errors import InputError


@contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """InputError on one line where a folder cannot be written to, or the disk is full."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or error})") from error


def write_whole(path: Path | str, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file, then rename it: no reader sees half a file."""
    path = Path(path)
    temporary = None
    try:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            # A long name need not leave room for what makes it a temporary one.
            prefix, suffix = f".{path.name[:40]}.", path.suffix[:20]
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


def remove_temporary(folder: Path) -> None:
    """Remove files of `write_whole`, and openml's folders, that a killed fetch left below a folder."""
    for path in list(folder.rglob(".*")):
        if re.fullmatch(r"\..+\.[a-z0-9_]{8}\.(gz|csv|sha256|parquet)", path.name):
            path.unlink(missing_ok=True)
        elif re.fullmatch(r"\.openml-[a-z0-9_]{8}", path.name):
            shutil.rmtree(path, ignore_errors=True)


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A temporary folder that takes the place of `folder` once complete."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        with writing(folder):
            temporary.chmod(0o755)
            yield temporary
            shutil.rmtree(folder, ignore_errors=True)
            temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_with_digest(path: Path | str, body: bytes | memoryview) -> None:
    """Write a file and its digest, each whole; a file is never beside the digest of another."""
    digest_path(path).unlink(missing_ok=True)
    write_whole(path, lambda temporary: temporary.write_bytes(body))
    digest = f"{hashlib.sha256(body).hexdigest()}\n"
    write_text(digest_path(path), digest)


def digest_path(path: Path | str) -> Path:
    path = Path(path)
    return path.with_name(f"{path.name}.sha256")


def read_checked(path: Path | str) -> bytes:
    """The bytes of a file; OSError where there is none, or its digest is that of other bytes."""
    body = Path(path).read_bytes()
    digest = digest_path(path)
    # Bytes: a damaged digest need not be text. Not Path.exists, which raises where the name is too long.
    if os.path.exists(digest) and digest.read_bytes().split() != [hashlib.sha256(body).hexdigest().encode()]:
        raise OSError(f"its bytes are not those whose digest is in {digest.name}")
    return body


def digest_of(*facts: object) -> str:
    """A digest of numbers, texts, lists and mappings, whatever the order of keys.

    >>> digest_of({"a": 1, "b": [2]}) == digest_of({"b": (2,), "a": 1}) != digest_of({"b": [2, 1]})
    True
    """
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:24]


def path_here(path: Path) -> Path:
    """A path as it is written from the working folder, where it lies below it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file; InputError where it cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None


def digest_of_files(paths: Iterable[Path], root: Path) -> str:
    """One SHA-256 of files and their paths from `root`."""
    lines = sorted(f"{path.relative_to(root).as_posix()}  {sha256_of(path)}\n" for path in paths)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def file_digest(path: Path) -> str:
    """The digest beside a file, else that of its bytes; "" where there is no file."""
    try:
        return digest_path(path).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return sha256_of(path) if path.exists() else ""


KEY = "key.txt"


def kept_or_made(folder: Path, key: str, files: Sequence[Path], make: Callable[[], object]) -> bool:
    """Whether `folder` kept these files under the same key; else they are made, and kept."""
    try:
        if read_checked(folder / KEY).decode() != key:
            raise ValueError("another key")
        bodies = [read_checked(folder / path.name) for path in files]
    except (OSError, ValueError):
        make()
        with new_folder(folder) as temporary:
            for path in files:
                write_with_digest(temporary / path.name, path.read_bytes())
            write_with_digest(temporary / KEY, key.encode())
        return False
    for path, body in zip(files, bodies, strict=True):
        write_whole(path, lambda temporary, body=body: temporary.write_bytes(body))
    return True
