"""Whether the tables of a study are the committed ones: their checksums, and where two versions differ."""

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
# sha256sum -c skips a line that starts with #
_STORE = re.compile(r"# task store ([0-9a-f]{64})")
_TABLE = re.compile(r"([0-9a-f]{64})  tables/([^/]+\.csv(?:\.gz)?)")


def store_digest(store: Path) -> str:
    """One SHA-256 of what is measured in a task store: tasks.csv, runs.csv and the predictions of every task."""
    files = [store / "tasks.csv", store / "runs.csv", *sorted((store / "predictions").glob("*.parquet"))]
    lines = "".join(f"{sha256_of(path)}  {path.name}\n" for path in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def write_checksums(tables: Iterable[Path], path: Path, store: Path | None = None) -> None:
    """Write the digests of tables, and of the store where it is at hand."""
    lines = [f"# task store {store_digest(store)}"] if store else []
    lines += [f"{sha256_of(table)}  tables/{table.name}" for table in sorted(tables)]
    write_text(path, "\n".join(lines) + "\n")


def check_tables(results: Path) -> tuple[list[str], str | None]:
    """The names of the tables in a results folder, and the digest of their store where it is known.

    InputError where there are no checksums, a line is none, or a table is missing, is not listed or has changed.
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


# relative, and absolute for numbers below 1
TOLERANCE = 1e-9


class Likeness(Enum):
    IDENTICAL = "identical"
    EQUAL = f"equal to {TOLERANCE:g}"
    DIFFERS = "differs"


class Comparison(NamedTuple):
    """How alike two versions of a table are; `why` is what pandas says where they differ."""

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
