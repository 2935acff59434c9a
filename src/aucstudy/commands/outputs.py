"""Where a command puts what it made: data on standard output, a page in a file of its own."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from aucstudy.errors import InputError
from aucstudy.printable import escaped, printable

GENERATOR = 'name="generator" content="aucstudy'  # near the start of every page of ours


class Stream(Protocol):
    """What pandas and csv write to."""

    def write(self, text: str) -> object:
        """Write some text."""


class _Terminal:
    """Standard output where it is a terminal, which must not obey the names in the data."""

    def write(self, text: str) -> object:
        return sys.stdout.write(escaped(text, kept="\n"))


def data_stream() -> Stream:
    """Standard output for CSV: as it is in a file or pipe, escaped on a terminal."""
    return _Terminal() if sys.stdout.isatty() else sys.stdout


def check_output(path: Path, inputs: Iterable[Path], *, force: bool) -> None:
    """Refuse to write where a file of the user would be lost.

    Parameters
    ----------
    inputs : files that are read: never replaced, by whatever name or link.
    force : whether a file that is no page of this program may be replaced.

    Raises
    ------
    InputError
        `path` is one of the inputs, is there and is no regular file, or is there and was not written by this program.
    """
    if not os.path.lexists(path):
        return
    for read in inputs:
        if read.exists() and path.exists() and path.samefile(read):
            raise InputError(f"{path}: is the input {read}; another file is wanted for the page")
    if not path.exists():
        raise InputError(f"{path}: is a link to nothing; the name of a file is wanted for the page")
    if not path.is_file():
        kind = "a folder" if path.is_dir() else "no regular file"
        raise InputError(f"{path}: is {kind}; the name of a file is wanted for the page")
    with path.open("rb") as stream:
        ours = GENERATOR.encode() in stream.read(4096)
    if not (ours or force):
        raise InputError(f"{path}: is there already and is no page of aucstudy; give --force to replace it")


def print_notes(notes: Iterable[str]) -> None:
    """What a reader must know of an answer, a line each on stderr; a refusal stands alone there."""
    for note in notes:
        print(f"aucstudy: note: {printable(note)}", file=sys.stderr)
