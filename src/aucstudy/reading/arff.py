"""ARFF files as they are found on OpenML: the columns asked for, out of every dialect, as arrays.

Arrow's CSV reader reads the data; what it refuses (two kinds of quotes, sparse rows, numbers with a plus sign) is left
to liac-arff. Both give the double nearest to the decimal text.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import arff as liac
import numpy as np
import pyarrow as pa
from pyarrow import csv

from aucstudy.reading.labels import Labels, same_labels
from aucstudy.reading.numbers import as_numpy

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"\s*@attribute\s+({QUOTED}|[^\s'\"]\S*)\s*(.*)", re.IGNORECASE | re.DOTALL)
_NOMINAL_VALUE = re.compile(rf"\s*+(?:({QUOTED})\s*+|([^,{{}}]*+))([,}}])", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
MISSING = "?"
NUMERIC = ("numeric", "real", "integer")
KINDS = (*NUMERIC, "string", "date", "relational")

_DATA = re.compile(rb"^[ \t]*@data\b[ \t]*([^\n]*)\n?", re.IGNORECASE | re.MULTILINE)
_COMMENT_LINE = re.compile(rb"^[ \t]*%[^\n]*(?:\n|\Z)", re.MULTILINE)
_NUL_LINE = re.compile(rb"^[\0 \t]+$", re.MULTILINE)
CONFIDENCE = "confidence."
TRUTH = ("truth", "correct")


class ArffError(ValueError):
    """A file that is no ARFF, or is damaged."""


@dataclass(frozen=True)
class Attribute:
    name: str
    kind: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Arff:
    """The columns of an ARFF file, and the bytes of its data with Unix line ends; what cannot be read is ArffError."""

    attributes: tuple[Attribute, ...]
    data: bytes
    first_line: int

    @classmethod
    def from_bytes(cls, body: bytes) -> "Arff":
        """The file with these bytes.

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
            fault = f"{_text(mark[1])[:40]!r} behind @data"
            raise ArffError(f"line {first_line - 1}: {fault}; rows begin on a line of their own")
        return cls(tuple(_declared_attributes(header)), body[mark.end() :], first_line)

    def index(self, *names: str) -> int | None:
        """The column of the first of `names` that is declared, upper or lower case; None where there is none."""
        for name in names:
            columns = [
                i for i, attribute in enumerate(self.attributes) if attribute.name.lower() == name.lower()
            ]
            if len(columns) > 1:
                raise ArffError(f"column {name!r} is declared {len(columns)} times")
            if columns:
                return columns[0]
        return None

    def numbers(self, columns: Sequence[int]) -> dict[int, np.ndarray]:
        table = self._arrow(columns, pa.float64())
        if table is None:
            return {i: self._as_numbers(texts) for i, texts in self._slow(columns).items()}
        return {i: as_numpy(table[str(i)], np.nan) for i in columns}

    def labels(self, column: int) -> Labels:
        """(n,) texts of a column without their quotes, code -1 where the value is `?`."""
        table = self._arrow([column], pa.dictionary(pa.int32(), pa.string()))
        if table is not None:
            encoded = table.unify_dictionaries()[str(column)].combine_chunks()
            names = encoded.dictionary.to_pylist()
            # Blanks around a value without quotes are not part of it, and Arrow keeps them.
            if all(name == name.strip() for name in names):
                return Labels(as_numpy(encoded.indices, -1), names)
        return Labels.of(self._slow([column])[column])

    @cached_property
    def _utf8(self) -> bytes:
        return self.data if self.data.isascii() else _text(self.data).encode()

    def _arrow(self, columns: Sequence[int], kind: pa.DataType) -> pa.Table | None:
        # Numbers are ASCII whatever the encoding of the texts beside them.
        data = self.data if pa.types.is_floating(kind) else self._utf8
        data = _COMMENT_LINE.sub(b"", data) if b"%" in data else data
        quotes = [quote for quote in "'\"" if quote.encode() in data]
        open_end = quotes and b"\\" not in data and data.count(quotes[0].encode()) % 2
        if len(quotes) > 1 or open_end or data.lstrip()[:1] == b"{":
            return None
        try:
            return csv.read_csv(
                pa.BufferReader(data),
                read_options=csv.ReadOptions(column_names=[str(i) for i in range(len(self.attributes))]),
                parse_options=csv.ParseOptions(
                    quote_char=quotes[0] if quotes else False,
                    double_quote=False,
                    escape_char="\\" if b"\\" in data else False,
                ),
                convert_options=csv.ConvertOptions(
                    include_columns=[str(i) for i in columns],
                    column_types={str(i): kind for i in columns},
                    null_values=[MISSING],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
        except pa.ArrowException:
            return None

    def _slow(self, columns: Sequence[int]) -> dict[int, list[str | None]]:
        """The texts of some columns without their quotes, None where the value is `?`.

        All columns are declared as text: liac-arff would cut the decimals off a value of an `integer` column.
        """
        lines = ["@relation r", *(f"@attribute {i} string" for i in range(len(self.attributes))), "@data"]
        is_sparse = _COMMENT_LINE.sub(b"", self.data).lstrip()[:1] == b"{"
        try:
            rows = liac.ArffDecoder().decode(
                [*lines, *self._utf8.decode().split("\n")], return_type=liac.LOD if is_sparse else liac.DENSE
            )["data"]
        except liac.ArffException as error:
            line = error.line - len(lines) + self.first_line - 1
            what = f"no row of {len(self.attributes)} values ({type(error).__name__})"
            raise ArffError(f"line {line}: {what}") from None
        except ValueError as error:
            raise ArffError(str(error)[:200]) from None
        if not is_sparse:
            return {i: [row[i] for row in rows] for i in columns}
        # A sparse row names what is not zero: zero of a nominal column is the first declared value.
        zeros = {i: (self.attributes[i].values or ("0",))[0] for i in columns}
        return {i: [row.get(i, zeros[i]) for row in rows] for i in columns}

    @staticmethod
    def _as_numbers(texts: list[str | None]) -> np.ndarray:
        numbers = np.full(len(texts), np.nan)
        for i, text in enumerate(texts):
            try:
                numbers[i] = np.nan if text is None else float(text.replace("_", "no digit"))
            except ValueError:
                raise ArffError(f"row {i + 1} of the data: {text[:40]!r} is not a number") from None
        return numbers


def _plain_lines(body: bytes) -> bytes:
    """Unix line ends, no byte order mark, no tail and no lines of nothing but NUL bytes."""
    body = body.removeprefix(b"\xef\xbb\xbf")
    if b"\r" in body:
        body = body.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\0" in body:
        body = _NUL_LINE.sub(b"", body.rstrip(b"\0 \t\n"))
        position = body.find(b"\0")
        if position >= 0:
            line = body.count(b"\n", 0, position) + 1
            raise ArffError(f"line {line}: a NUL byte")
    return body


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("latin-1")


def _declared_attributes(header: str) -> Iterator[Attribute]:
    lines = [
        (number, line)
        for number, line in enumerate(header.split("\n"), 1)
        if line.strip() and not line.lstrip().startswith("%")
    ]
    first = lines[0][1].strip() if lines else ""
    if not first.lower().startswith("@relation"):
        raise ArffError(f"the first line is not @relation but {first[:60]!r}")
    for number, line in lines[1:]:
        declaration = _ATTRIBUTE.fullmatch(line)
        if not declaration:
            raise ArffError(f"line {number}: not a declaration of a column: {line.strip()[:60]!r}")
        name, kind = _unquoted(declaration[1], missing=""), declaration[2]
        if kind.startswith("{"):
            yield Attribute(name, "nominal", _nominal_values(kind[1:], number))
        else:
            kind = (kind.split() or ["string"])[0].lower()  # none counts as text
            if kind not in KINDS:
                advice = f"wanted {', '.join(KINDS)} or {{...}}"
                raise ArffError(f"line {number}: column {name!r} is of type {kind[:40]!r}, {advice}")
            yield Attribute(name, kind)


def _nominal_values(text: str, number: int) -> tuple[str, ...]:
    values, position = [], 0
    while True:
        value = _NOMINAL_VALUE.match(text, position)
        if not value:
            raise ArffError(f"line {number}: the list of values does not end or holds a brace")
        values.append(_unquoted(value[1] or value[2].strip(), missing=""))
        position = value.end()
        if value[3] == "}":
            return tuple(values)


def _unquoted(value: str, missing: str = MISSING) -> str | None:
    if value == missing:
        return None if missing else ""
    if value[:1] in ("'", '"') and len(value) > 1:
        return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), value[1:-1], flags=re.DOTALL)
    return value


class OpenMLPredictions:
    """A predictions file of OpenML: the indices of its columns by what they mean, None for one that is not there.

    `classes` are those that have a confidence, as they are written, and `confidences` their columns.
    """

    def __init__(self, arff: Arff) -> None:
        self.arff = arff
        self.names = [attribute.name for attribute in arff.attributes]
        is_confidence = [name.lower().startswith(CONFIDENCE) for name in self.names]
        self.confidences = tuple(np.flatnonzero(is_confidence).tolist())
        self.classes = tuple(self.names[i][len(CONFIDENCE) :] for i in self.confidences)

    # looked for when asked for: that a column is declared twice is an error only to who wants it
    row_id = property(lambda self: self.arff.index("row_id", "rowid"))
    repeat = property(lambda self: self.arff.index("repeat", "repeat_nr"))
    fold = property(lambda self: self.arff.index("fold", "fold_nr"))
    prediction = property(lambda self: self.arff.index("prediction"))
    truth = property(lambda self: self.arff.index(*TRUTH))

    def codes(self, column: int, classes: Sequence[str]) -> np.ndarray:
        """(n,) indices into `classes` of a column's labels, -1 where one is none of them."""
        labels = self.arff.labels(column)
        same_class = same_labels([str(name) for name in labels.categories], classes)
        return np.array([*(-1 if i is None else i for i in same_class), -1])[labels.codes]

    def without_confidence(self, numbers: Mapping[int, np.ndarray]) -> np.ndarray:
        """(n,) which rows have no confidence above zero: there `prediction` counts as 1, as on the server."""
        return np.logical_and.reduce([numbers[column] == 0 for column in self.confidences])
