"""Checks whether the tables of a study are the committed ones, by checksums and by comparing two versions."""

import hashlib
import re
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from pandas.testing import assert_frame_equal

from aucstudy.errors import InputError
from aucstudy.store.files import sha256_of, write_text
from aucstudy.store.tables import read_table

CHECKSUMS = "SHA256SUMS"
# The digest of the store follows a #, because sha256sum -c skips lines that start with one.
_STORE = re.compile(r"# task store ([0-9a-f]{64})")
_TABLE = re.compile(r"([0-9a-f]{64})  tables/([^/]+\.csv(?:\.gz)?)")


def store_digest(store: Path) -> str:
    """Return one SHA-256 of tasks.csv, runs.csv and the predictions of every task in a task store."""
    files = [store / "tasks.csv", store / "runs.csv", *sorted((store / "predictions").glob("*.parquet"))]
    lines = "".join(f"{sha256_of(path)}  {path.name}\n" for path in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def write_checksums(tables: Iterable[Path], path: Path, store: Path | None = None) -> None:
    """Write the digests of tables, and of their task store if it is given, to `path`."""
    lines = [f"# task store {store_digest(store)}"] if store else []
    lines += [f"{sha256_of(table)}  tables/{table.name}" for table in sorted(tables)]
    write_text(path, "\n".join(lines) + "\n")


def check_tables(results: Path) -> tuple[list[str], str | None]:
    """Return the names of the tables in a results folder, and the digest of their store if it is known.

    Raises InputError if there are no checksums or a line is malformed, and if a table is missing, is not
    listed or has changed.
    """
    path = results / CHECKSUMS
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error}); a finished study has one") from None
    expected, store = {}, None
    for number, line in enumerate(lines, 1):
        if made_from := _STORE.fullmatch(line):
            store = made_from[1]
        elif entry := _TABLE.fullmatch(line):
            expected[entry[2]] = entry[1]
        else:
            raise InputError(
                f"{path}: line {number}: is {line!r}; expected: a digest, two spaces and tables/NAME.csv"
            )
    files_there = {path.name for form in ("*.csv", "*.csv.gz") for path in (results / "tables").glob(form)}
    for name in sorted(expected.keys() | files_there):
        table = results / "tables" / name
        if name not in files_there:
            raise InputError(f"{table}: no such file, but {CHECKSUMS} lists it")
        if expected.get(name) != sha256_of(table):
            fault = "has changed since" if name in expected else "is not listed when"
            raise InputError(
                f"{table}: {fault} {CHECKSUMS} was written; git restore it, or run the study again"
            )
    return sorted(expected), store


# The tolerance is relative for large numbers and absolute for small ones.
TOLERANCE = 1e-9


class Likeness(Enum):
    IDENTICAL = "identical"
    EQUAL = f"equal to {TOLERANCE:g}"
    DIFFERS = "differs"


class Comparison(NamedTuple):
    """The likeness of two versions of a table. `why` is the message of pandas if they differ."""

    name: str
    likeness: Likeness
    why: str = ""


def compare_tables(committed: Path, recomputed: Path) -> Comparison:
    """Compare two versions of a table, row by row in their order."""
    if committed.read_bytes() == recomputed.read_bytes():
        return Comparison(committed.name, Likeness.IDENTICAL)
    try:
        assert_frame_equal(
            read_table(committed), read_table(recomputed), check_dtype=False, rtol=TOLERANCE, atol=TOLERANCE
        )
    except AssertionError as difference:
        return Comparison(committed.name, Likeness.DIFFERS, " ".join(str(difference).split()))
    return Comparison(committed.name, Likeness.EQUAL)
