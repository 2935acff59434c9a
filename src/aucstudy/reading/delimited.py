"""Columns out of a CSV or TSV file, gzipped or not: only the ones asked for, in one pass."""

import csv as plain_csv
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

import pyarrow as pa
from pyarrow import csv

from aucstudy.errors import InputError
from aucstudy.reading.column_files import ColumnFile, whole_texts
from aucstudy.reading.column_kinds import NUMBERS, SAMPLED, why_text
from aucstudy.reading.numbers import GAPS, is_gap, is_number
from aucstudy.reading.opened import LONGEST_HEADER, Opened

SEPARATORS = (",", "\t", ";", "|")


class DelimitedFile(ColumnFile):
    """A CSV or TSV with a header line, gzipped or not; semicolons, tabs, bars and decimal commas are recognised."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        with opened.stream() as stream:
            first = stream.readline(LONGEST_HEADER)
            sample = stream.read(1 << 16)
        if not first.strip():
            raise InputError(
                f"{opened.path}: the file is empty or begins with an empty line; a header line is wanted"
            )
        if b"\0" in first or len(first) == LONGEST_HEADER:
            raise InputError(
                f"{opened.path}: not a table (its first line is {first[:20]!r}...); a header line is wanted"
            )
        try:
            self._encoding, header = "utf-8", first.decode("utf-8-sig")
        except UnicodeDecodeError:
            self._encoding, header = "latin-1", first.decode("latin-1")
        lines = sample.decode(self._encoding, "replace").splitlines()[:SAMPLED]
        lines = lines[:-1] or lines
        self._separator, names = _separated(
            opened.path, header.rstrip("\r\n"), lines, "\t" if opened.ending in ("tsv", "tab") else ","
        )
        self._sample = list(plain_csv.reader(lines, delimiter=self._separator))
        super().__init__(opened.path, names)

    def why_no_scores(self, name: str) -> str:
        """By the first rows: gaps and a few other cells among numbers do not make a column one of text."""
        at = self.names.index(name)
        cells = [row[at] for row in self._sample if len(row) > at and not is_gap(row[at])]
        if not cells:
            return self._why_empty(name)
        share = self._share_of_numbers(cells)
        if 0 < share < 1:
            share = self._share_of_numbers(self._filled(name))
        return "" if share >= NUMBERS else why_text(name, cells)

    def _share_of_numbers(self, cells: list[str]) -> float:
        decimals = self._decimals()
        return sum(any(is_number(cell, decimal) for decimal in decimals) for cell in cells) / len(cells)

    def _filled(self, name: str) -> list[str]:
        """All cells of a column that are no gaps."""
        return [cell for cell in self._arrow({name: pa.string()})[name].to_pylist() if not is_gap(cell)]

    def _why_empty(self, name: str) -> str:
        """A column whose first rows are gaps is read to its end."""
        return "" if self._filled(name) else "is empty"

    def place(self, row: int) -> str:
        # lines without anything are no rows; a header line comes before them
        with self._opened.stream() as stream:
            filled = (number for number, line in enumerate(stream, 1) if line.strip(b"\r\n"))
            line = next(islice(filled, int(row) + 1, None), row + 2)
        return f"row {row + 1} of the data (line {line} of the file)"

    def _decimals(self) -> tuple[str, ...]:
        return (".",) if self._separator == "," else (".", ",")

    def _columns(self, texts: tuple[str, ...], numbers: tuple[str, ...]) -> Mapping[str, pa.ChunkedArray]:
        labels = dict.fromkeys(texts, pa.dictionary(pa.int32(), pa.string()))
        for decimal in self._decimals():
            try:
                columns = self._arrow({**labels, **dict.fromkeys(numbers, pa.float64())}, decimal)
            except pa.ArrowInvalid:
                continue
            if decimal == ",":
                self.notes.append("numbers are read with a decimal comma")
            return columns
        # A score that is no number: read as text, it is told with its row.
        return self._arrow({**labels, **dict.fromkeys(numbers, pa.string())})

    def _whole_numbers(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray | None:
        return whole_texts(self._arrow({name: pa.string()})[name], self._where(name))

    def _arrow(self, kinds: Mapping[str, pa.DataType], decimal: str = ".") -> dict[str, pa.ChunkedArray]:
        """Some columns by their types; text that is not UTF-8 is read as Latin-1."""
        try:
            table = self._read(kinds, decimal)
        except pa.ArrowInvalid as error:
            if "UTF8" not in str(error) or self._encoding == "latin-1":
                raise
            self._encoding = "latin-1"
            table = self._read(kinds, decimal)
        return {name: table[name] for name in kinds}

    def _read(self, kinds: Mapping[str, pa.DataType], decimal: str) -> pa.Table:
        with self._opened.stream() as stream:
            return csv.read_csv(
                stream,
                read_options=csv.ReadOptions(encoding=self._encoding),
                parse_options=csv.ParseOptions(delimiter=self._separator),
                convert_options=csv.ConvertOptions(
                    include_columns=list(kinds),
                    column_types=kinds,
                    null_values=list(GAPS),
                    strings_can_be_null=False,
                    decimal_point=decimal,
                ),
            )


def _separated(path: Path, header: str, lines: list[str], usual: str) -> tuple[str, list[str]]:
    """The separator under which the first row has as many values as the header, and the names; else the usual one."""
    for separator in (usual, *(other for other in SEPARATORS if other != usual)):
        names, first = (
            next(plain_csv.reader([line], delimiter=separator), []) for line in (header, *lines[:1], "")[:2]
        )
        if len(names) > 1 and (not lines or len(first) == len(names)):
            return separator, names
    rows = plain_csv.reader(lines, delimiter=usual)
    names = next(plain_csv.reader([header], delimiter=usual))
    lengths = {len(row) for row in rows}
    if usual == "," and lengths and len(names) < min(lengths):
        raise InputError(
            f"{path}: rows of {min(lengths)} values under a header of {len(names)} columns; where numbers have decimal "
            "commas, another separator than the comma is wanted"
        )
    return usual, names
