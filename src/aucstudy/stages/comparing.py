"""Two versions of a study's table: identical, equal to 1e-9, or different, and then in which rows."""

import csv
import math
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

# relative, and absolute for numbers below 1
TOLERANCE = 1e-9
ROWS_NAMED = 5


class Likeness(Enum):
    """How far two versions of a table agree."""

    IDENTICAL = "identical"
    EQUAL = f"equal to {TOLERANCE:g}"
    DIFFERS = "differs"


class Row(NamedTuple):
    """A row: its number in the file, from 1 below the header, and its cells."""

    number: int
    cells: tuple[str, ...]


class Difference(NamedTuple):
    """Two numbers at the same place that are not the same to the last digit."""

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

    Attributes
    ----------
    differences : of numbers, in rows that have the same texts.
    committed_only, recomputed_only : the numbers of rows whose texts the other version does not have.
    columns : a sentence on the columns where they are not the same, in which case no rows are compared.
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
        """The largest difference of two numbers."""
        return max(self.differences, key=lambda difference: difference.size, default=None)

    def __str__(self) -> str:
        if self.columns:
            return f"{self.name}: {self.columns}"
        found = []
        if rows := sorted({difference.row for difference in self.differences}):
            found.append(
                f"other numbers in {_rows(rows)} of {self.n_rows}; the largest difference: {self.largest}"
            )
        if self.committed_only:
            found.append(f"{_rows(self.committed_only)} only in the committed table")
        if self.recomputed_only:
            found.append(f"{_rows(self.recomputed_only)} only in the one made here")
        return f"{self.name}: {'; '.join(found) or 'the same rows in another order or form'}"


def compare_tables(committed: Path, recomputed: Path) -> Comparison:
    """Compare two versions of a table.

    Rows belong together that have the same text in every column that is not of numbers; of several with the same
    texts the first belongs to the first.
    """
    if committed.read_bytes() == recomputed.read_bytes():
        return Comparison(committed.name, Likeness.IDENTICAL)
    (header, *first), (other_header, *second) = _read(committed), _read(recomputed)
    if header != other_header:
        columns = f"the columns are {', '.join(other_header)}; committed: {', '.join(header)}"
        return Comparison(committed.name, Likeness.DIFFERS, columns=columns)
    numeric = [all(_is_number(row[i]) for row in (*first, *second)) for i in range(len(header))]
    ours, theirs = _by_texts(first, numeric), _by_texts(second, numeric)
    differences = tuple(
        Difference(row.number, column, a, b, _size(a, b))
        for key, row in ours.items()
        if key in theirs
        for column, a, b in zip(header, row.cells, theirs[key].cells, strict=True)
        if a != b
    )
    alone = [tuple(one[key].number for key in one if key not in other) for one, other in
             ((ours, theirs), (theirs, ours))]  # fmt: skip
    same_order = list(ours) == list(theirs)
    equal = same_order and all(_close(difference) for difference in differences)
    likeness = Likeness.EQUAL if equal else Likeness.DIFFERS
    if not equal:
        differences = tuple(difference for difference in differences if not _close(difference))
    return Comparison(committed.name, likeness, len(first), differences, *alone)


def _read(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


def _is_number(cell: str) -> bool:
    """Whether a cell is a number or empty: a value that is missing."""
    try:
        float(cell or "nan")
    except ValueError:
        return False
    return True


def _by_texts(rows: list[list[str]], numeric: list[bool]) -> dict[tuple, Row]:
    """Rows by their cells that are no numbers, and the how-manieth with these they are."""
    seen: Counter = Counter()
    keyed = {}
    for number, cells in enumerate(rows, 1):
        texts = tuple(cell for cell, is_number in zip(cells, numeric, strict=True) if not is_number)
        keyed[texts, seen[texts]] = Row(number, tuple(cells))
        seen[texts] += 1
    return keyed


def _size(a: str, b: str) -> float:
    """How far two numbers are apart; a number and an empty cell, infinitely."""
    size = abs(float(a or "nan") - float(b or "nan"))
    return math.inf if math.isnan(size) else size


def _close(difference: Difference) -> bool:
    a, b = (float(cell or "nan") for cell in (difference.committed, difference.recomputed))
    return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _rows(numbers: list[int] | tuple[int, ...]) -> str:
    """`row 3`, or `17 rows (1, 2, 3, 4, 5, ...)`."""
    if len(numbers) == 1:
        return f"row {numbers[0]}"
    shown = ", ".join(map(str, numbers[:ROWS_NAMED]))
    return f"{len(numbers)} rows ({shown}{', ...' if len(numbers) > ROWS_NAMED else ''})"
