"""Whether the tables of a study are the committed ones: their checksums, and in which rows two versions differ."""

import csv
import gzip
import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from aucstudy.errors import InputError
from aucstudy.store.files import sha256_of, write_text

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
                f"{path}: line {number}: is {line!r}; wanted: a digest, two spaces and tables/NAME.csv"
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
ROWS_NAMED = 5


class Likeness(Enum):
    IDENTICAL = "identical"
    EQUAL = f"equal to {TOLERANCE:g}"
    DIFFERS = "differs"


class Difference(NamedTuple):
    """Two cells at the same place that are not the same; `size` is NaN where one of them is no number."""

    row: int
    column: str
    committed: str
    recomputed: str
    size: float

    def __str__(self) -> str:
        return f"row {self.row}, {self.column}: {self.committed} committed, {self.recomputed} here"


@dataclass(frozen=True)
class Comparison:
    """What is different between the committed and the recomputed version of one table.

    `differences` are in rows that belong together, `committed_only` and `recomputed_only` the numbers of other rows; no
    rows are compared where `columns` says how these differ.
    """

    name: str
    likeness: Likeness
    n_rows: int = 0
    differences: tuple[Difference, ...] = ()
    committed_only: tuple[int, ...] = ()
    recomputed_only: tuple[int, ...] = ()
    columns: str = ""

    @property
    def largest(self) -> Difference | None:
        sized = (difference for difference in self.differences if not math.isnan(difference.size))
        return max(sized, key=lambda difference: difference.size, default=None)

    def __str__(self) -> str:
        if self.columns:
            return f"{self.name}: {self.columns}"
        sentences = []
        if rows := sorted({difference.row for difference in self.differences}):
            worst = f"the largest: {self.largest}" if self.largest else f"the first: {self.differences[0]}"
            sentences.append(f"{_rows(rows)} of {self.n_rows} with other cells; {worst}")
        if self.committed_only:
            sentences.append(f"{_rows(self.committed_only)} only in the committed table")
        if self.recomputed_only:
            sentences.append(f"{_rows(self.recomputed_only)} only in the one made here")
        return f"{self.name}: {'; '.join(sentences) or 'the same rows in another order or form'}"


def compare_tables(committed: Path, recomputed: Path) -> Comparison:
    """Compare two versions of a table.

    Rows belong together that have the same key: the first columns of texts and whole numbers that make rows unique in
    both versions, or else all texts, and rows with the same texts in their order.
    """
    if committed.read_bytes() == recomputed.read_bytes():
        return Comparison(committed.name, Likeness.IDENTICAL)
    (header, *first), (other_header, *second) = _read(committed), _read(recomputed)
    if header != other_header:
        columns = f"the columns are {', '.join(other_header)}; committed: {', '.join(header)}"
        return Comparison(committed.name, Likeness.DIFFERS, columns=columns)
    key = _key_columns(first, second)
    committed_rows, recomputed_rows = _by_key(first, key), _by_key(second, key)
    differences = tuple(
        Difference(number, column, a, b, abs(_number(a) - _number(b)))
        for row, (number, cells) in committed_rows.items()
        if row in recomputed_rows
        for column, a, b in zip(header, cells, recomputed_rows[row][1], strict=True)
        if a != b
    )
    only = [
        tuple(number for row, (number, _) in rows.items() if row not in further)
        for rows, further in ((committed_rows, recomputed_rows), (recomputed_rows, committed_rows))
    ]
    larger = tuple(difference for difference in differences if not _close(difference))
    if list(committed_rows) == list(recomputed_rows) and not larger:
        return Comparison(committed.name, Likeness.EQUAL, len(first), differences)
    return Comparison(committed.name, Likeness.DIFFERS, len(first), larger, *only)


def _read(path: Path) -> list[list[str]]:
    unpack = gzip.open if path.suffix == ".gz" else open
    with unpack(path, "rt", newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan


def _key_columns(first: list[list[str]], second: list[list[str]]) -> list[int]:
    columns = [set(cells) for cells in zip(*first, *second, strict=True)]
    numbers = [[_number(cell or "0") for cell in cells] for cells in columns]
    texts = [i for i, column in enumerate(numbers) if any(map(math.isnan, column))]
    integers = [i for i, column in enumerate(numbers) if all(map(float.is_integer, column))]
    names = sorted({*texts, *integers})
    for count in range(1, len(names) + 1):
        key = names[:count]
        if all(len({tuple(row[i] for i in key) for row in rows}) == len(rows) for rows in (first, second)):
            return key
    return texts


def _by_key(rows: list[list[str]], key: list[int]) -> dict[tuple, tuple[int, list[str]]]:
    """Numbers of rows, from 1 below the header, and their cells."""
    repeats: Counter = Counter()
    keyed = {}
    for number, cells in enumerate(rows, 1):
        key_cells = tuple(cells[i] for i in key)
        keyed[key_cells, repeats[key_cells]] = number, cells
        repeats[key_cells] += 1
    return keyed


def _close(difference: Difference) -> bool:
    a, b = _number(difference.committed), _number(difference.recomputed)
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _rows(numbers: list[int] | tuple[int, ...]) -> str:
    if len(numbers) == 1:
        return f"row {numbers[0]}"
    first_numbers = ", ".join(map(str, numbers[:ROWS_NAMED]))
    return f"{len(numbers)} rows ({first_numbers}{', ...' if len(numbers) > ROWS_NAMED else ''})"
