"""ARFF files as they are found on OpenML: the columns asked for, out of every dialect, as arrays.

The header is read by the grammar of the format. The data part goes through Arrow's CSV reader; what that reader
refuses (two kinds of quotes, sparse rows, numbers with a plus sign) is read again value by value, and only what
fails there too is an error. Both ways give the same doubles: the nearest to the decimal text.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import csv

from aucstudy.reading.arff_header import MISSING, QUOTED, ArffError, Attribute, declared_attributes, unquoted

_DATA = re.compile(rb"^[ \t]*@data\b[ \t]*([^\n]*)\n?", re.IGNORECASE | re.MULTILINE)
_VALUE = re.compile(rf"[ \t]*(?:({QUOTED})|([^,]*?))[ \t]*(?:,|$)", re.DOTALL)
_SPARSE_VALUE = re.compile(rf"\s*(\d+)\s+({QUOTED}|[^,]*?)\s*(?:,|$)", re.DOTALL)
_COMMENT_LINE = re.compile(rb"^[ \t]*%[^\n]*(?:\n|\Z)", re.MULTILINE)
_NUL_LINE = re.compile(rb"^[\0 \t]+$", re.MULTILINE)


@dataclass(frozen=True)
class Arff:
    """An ARFF file taken apart: its columns, and the bytes of its data part with Unix line ends."""

    attributes: tuple[Attribute, ...]
    data: bytes
    first_line: int

    @classmethod
    def from_bytes(cls, body: bytes) -> "Arff":
        """Take a file apart.

        Raises
        ------
        ArffError
            It does not begin with `@relation`, has no `@data`, or declares a column that cannot be read.

        Examples
        --------
        >>> file = Arff.from_bytes(b"@relation r\\n@attribute x real\\n@attribute c {no, 'so so'}\\n@data\\n1,no\\n")
        >>> [a.name for a in file.attributes], file.attributes[1].values
        (['x', 'c'], ('no', 'so so'))
        >>> file.numbers([0])[0]
        array([1.])
        """
        body = _plain_lines(body)
        mark = _DATA.search(body)
        if not mark:
            raise ArffError(f"no @data line in {len(body)} bytes")
        header = _text(body[: mark.start()])
        first_line = header.count("\n") + 2
        if mark[1] and not mark[1].startswith(b"%"):
            raise ArffError(
                f"line {first_line - 1}: {_text(mark[1])[:40]!r} behind @data; rows begin on a line of their own"
            )
        return cls(tuple(declared_attributes(header)), body[mark.end() :], first_line)

    def index(self, *names: str) -> int | None:
        """The column of the first of `names` that is declared, upper or lower case; None where there is none.

        Raises
        ------
        ArffError
            The name is declared twice.
        """
        for name in names:
            at = [i for i, attribute in enumerate(self.attributes) if attribute.name.lower() == name.lower()]
            if len(at) > 1:
                raise ArffError(f"column {name!r} is declared {len(at)} times")
            if at:
                return at[0]
        return None

    @cached_property
    def n_rows(self) -> int:
        """How many rows of data there are."""
        return sum(1 for _ in self._lines())

    def numbers(self, columns: Iterable[int], whole: Iterable[int] = ()) -> dict[int, np.ndarray]:
        """(n,) float64 array of each of `columns`; NaN where the value is missing (`?`).

        Columns named in `whole` too are read faster if they do hold whole numbers throughout.

        Raises
        ------
        ArffError
            A row has another number of values than columns are declared, or a value is not a number.
        """
        wanted = dict.fromkeys(columns, pa.float64())
        table = self._arrow({**wanted, **dict.fromkeys(set(whole) & set(wanted), pa.int32())})
        if table is None:
            table = self._arrow(wanted)
        if table is None:
            return {i: _as_numbers(*self._slow(i)) for i in wanted}
        return {i: _float64(table[str(i)]) for i in wanted}

    def labels(self, column: int) -> pd.Categorical:
        """(n,) texts of a column, without their quotes; code -1 where the value is missing (`?`).

        Raises
        ------
        ArffError
            A row has another number of values than columns are declared.
        """
        table = self._arrow({column: pa.dictionary(pa.int32(), pa.string())})
        if table is not None:
            encoded = table.unify_dictionaries()[str(column)].combine_chunks()
            names = encoded.dictionary.to_pylist()
            # Blanks around a value without quotes are not part of it, and Arrow keeps them.
            if all(name == name.strip() for name in names):
                return pd.Categorical.from_codes(encoded.indices.fill_null(-1).to_numpy(), names)
        values, _ = self._slow(column)
        return pd.Categorical(values)

    @cached_property
    def _utf8(self) -> bytes:
        return self.data if self.data.isascii() else _text(self.data).encode()

    def _arrow(self, wanted: Mapping[int, pa.DataType]) -> pa.Table | None:
        """The columns as Arrow reads them, None where it refuses the dialect."""
        # Numbers are ASCII whatever the encoding of the texts beside them.
        data = self.data if all(map(pa.types.is_primitive, wanted.values())) else self._utf8
        data = _COMMENT_LINE.sub(b"", data) if b"%" in data else data
        quotes = [quote for quote in "'\"" if quote.encode() in data]
        open_end = quotes and b"\\" not in data and data.count(quotes[0].encode()) % 2
        if len(quotes) > 1 or open_end or data.lstrip()[:1] == b"{":
            return None
        try:
            return csv.read_csv(
                pa.BufferReader(data),
                read_options=csv.ReadOptions(
                    column_names=[str(i) for i in range(len(self.attributes))],
                ),
                parse_options=csv.ParseOptions(
                    quote_char=quotes[0] if quotes else False,
                    double_quote=False,
                    escape_char="\\" if b"\\" in data else False,
                ),
                convert_options=csv.ConvertOptions(
                    include_columns=[str(i) for i in wanted],
                    column_types={str(i): kind for i, kind in wanted.items()},
                    null_values=[MISSING],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
        except pa.ArrowException:
            return None

    def _lines(self) -> Iterator[tuple[int, str]]:
        for number, line in enumerate(self._utf8.decode().split("\n"), self.first_line):
            line = line.strip(" \t")
            if line and not line.startswith("%"):
                yield number, line

    def _slow(self, column: int) -> tuple[list[str | None], list[int]]:
        """The texts of a column, None where missing, and the lines they stand in."""
        values, lines = [], []
        for number, line in self._lines():
            values.append(self._value(line, column, number))
            lines.append(number)
        return values, lines

    def _value(self, line: str, column: int, number: int) -> str | None:
        if line.startswith("{"):
            return self._sparse_value(line, column, number)
        values = _split(line)
        if values is None or len(values) != len(self.attributes):
            n = "unbalanced quotes" if values is None else f"{len(values)} values"
            raise ArffError(f"line {number}: {n}, {len(self.attributes)} columns are declared")
        return unquoted(values[column])

    def _sparse_value(self, line: str, column: int, number: int) -> str | None:
        """A sparse row names what is not zero: zero of a nominal column is the first declared value."""
        if not line.endswith("}"):
            raise ArffError(f"line {number}: a sparse row without its closing brace")
        given = {int(i): value for i, value in _SPARSE_VALUE.findall(line[1:-1])}
        if column in given:
            return unquoted(given[column])
        values = self.attributes[column].values
        return values[0] if values else "0"


def _plain_lines(body: bytes) -> bytes:
    """The file with Unix line ends, without byte order mark and without a tail or lines of nothing but NUL bytes."""
    body = body.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in body:
        body = body.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\0" in body:
        body = _NUL_LINE.sub(b"", body.rstrip(b"\0 \t\n"))
        at = body.find(b"\0")
        if at >= 0:
            line = body.count(b"\n", 0, at) + 1
            raise ArffError(f"line {line}: a NUL byte")
    return body


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("latin-1")


def _float64(column: pa.ChunkedArray) -> np.ndarray:
    column = column.cast(pa.float64())
    return (column.fill_null(np.nan) if column.null_count else column).to_numpy()


def _split(line: str) -> list[str] | None:
    """The values of a row with their quotes, or None where a quote is not closed."""
    if "'" not in line and '"' not in line:
        return [value.strip(" \t") for value in line.split(",")]
    values, at = [], 0
    while True:
        value = _VALUE.match(line, at)
        if not value or (not value[1] and value[2].startswith(("'", '"'))):
            return None
        values.append(value[1] or value[2])
        at = value.end()
        if not value[0].endswith(",") or value.end() == value.start():
            return values
        if at == len(line):
            return [*values, ""]


def _as_numbers(values: list[str | None], lines: list[int]) -> np.ndarray:
    numbers = np.full(len(values), np.nan)
    for i, (value, line) in enumerate(zip(values, lines, strict=True)):
        try:
            numbers[i] = np.nan if value is None else float(value.replace("_", "no digit"))
        except ValueError:
            raise ArffError(f"line {line}: {value[:40]!r} is not a number") from None
    return numbers
