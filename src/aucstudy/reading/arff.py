"""Reading ARFF files of every dialect on OpenML.

Arrow's CSV reader, which is fast, reads most files. The slow package liac-arff reads the others.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import arff as liac
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from aucstudy.reading.labels import Labels, same_labels
from aucstudy.reading.tables import as_numpy

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"(?is)\s*@attribute\s+({QUOTED}|[^\s'\"]\S*)(?![^\s{{])\s*(.*)")
_NOMINAL_VALUE = re.compile(rf"\s*+(?:({QUOTED})\s*+|([^,{{}}]*+))([,}}])", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
NUMERIC = ("numeric", "real", "integer")
_DATA = re.compile(rb"^[ \t]*@data[ \t]*(?:%[^\n]*)?(?:\n|\Z)", re.IGNORECASE | re.MULTILINE)
_COMMENT_LINE = re.compile(rb"^[ \t]*%[^\n]*(?:\n|\Z)", re.MULTILINE)
_LINE_END = re.compile(rb"\r\r\n|\r\n|\r")
_NUL_LINE = re.compile(rb"^[\0 \t]+$", re.MULTILINE)
CONFIDENCE = "confidence."
TRUTH = ("truth", "correct")


class ArffError(ValueError):
    """A file that is no ARFF, or is damaged."""


class Attribute(NamedTuple):
    name: str
    kind: str
    values: tuple[str, ...] = ()


class Arff:
    """The columns of an ARFF file, given as bytes. Raises ArffError for what cannot be read.

    >>> file = Arff(b"@relation r\\n@attribute x real\\n@attribute c {no, 'so so'}\\n@data\\n1,no\\n")
    >>> [a.name for a in file.attributes], file.attributes[1].values, file.numbers([0])[0].tolist()
    (['x', 'c'], ('no', 'so so'), [1.0])
    """

    def __init__(self, body: bytes) -> None:
        body = _plain_lines(body)
        mark = _DATA.search(body)
        if not mark:
            raise ArffError(f"no @data line in {len(body)} bytes")
        header = _text(body[: mark.start()])
        self._first_line = header.count("\n") + 2
        self.attributes = tuple(_declared_attributes(header))
        self._data = _text(body[mark.end() :]).encode()
        self._rows = _COMMENT_LINE.sub(b"", self._data)
        self._quotes = [quote for quote in "'\"" if quote.encode() in self._rows]

    def index(self, *names: str) -> int | None:
        """Return the index of the column for the first of `names` that is declared, or None if none is.

        Upper and lower case are not distinguished. Raise ArffError if the name is declared more than once.
        """
        declared = [attribute.name.lower() for attribute in self.attributes]
        for name in map(str.lower, names):
            if declared.count(name) > 1:
                raise ArffError(f"column {name!r} is declared {declared.count(name)} times")
            if name in declared:
                return declared.index(name)
        return None

    def numbers(self, columns: Sequence[int]) -> dict[int, np.ndarray]:
        """Return for each column the (n,) float64 nearest to its texts, NaN where a value is missing."""
        try:
            texts = {i: pc.ascii_trim_whitespace(self.texts(i)) for i in columns}
            return {i: as_numpy(pc.cast(column, pa.float64()), np.nan) for i, column in texts.items()}
        except pa.ArrowInvalid as error:
            raise ArffError(f"not a number: {str(error)[:200]}") from None

    def labels(self, column: int) -> Labels:
        """Return the (n,) texts of a column, with code -1 where a value is missing."""
        encoded = self.texts(column).combine_chunks().dictionary_encode()
        return Labels(as_numpy(encoded.indices, -1), encoded.dictionary.to_pylist())

    def texts(self, column: int) -> pa.ChunkedArray:
        """Return the (n,) texts of a column, without quotes and without blanks outside of quotes.

        A value that is `?` or empty, and not in quotes, is null.
        """
        if self._by_arrow is None:
            return self._slow[column]
        texts = self._by_arrow.column(column)
        trimmed = pc.ascii_trim_whitespace(texts)  # Arrow keeps blanks.
        if not self._quotes:
            is_missing = pc.is_in(trimmed, value_set=pa.array(["?", ""]))
            return pc.if_else(is_missing, pa.nulls(len(texts), pa.string()), trimmed)
        return self._slow[column] if pc.any(pc.not_equal(texts, trimmed)).as_py() else texts

    @cached_property
    def _by_arrow(self) -> pa.Table | None:
        """The rows as Arrow reads them, or None if Arrow cannot read them right."""
        escape = "\\" if b"\\" in self._rows else False
        open_end = self._quotes and not escape and self._rows.count(self._quotes[0].encode()) % 2
        if len(self._quotes) > 1 or open_end or self._rows.lstrip()[:1] == b"{":
            return None
        names, quote = (
            [str(i) for i in range(len(self.attributes))],
            self._quotes[0] if self._quotes else False,
        )
        try:
            return csv.read_csv(
                pa.BufferReader(self._rows),
                csv.ReadOptions(column_names=names),
                csv.ParseOptions(quote_char=quote, double_quote=False, escape_char=escape),
                csv.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()),
                    null_values=["?", ""],
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=False,
                ),
            )
        except pa.ArrowException:
            return None

    @cached_property
    def _slow(self) -> list[pa.ChunkedArray]:
        # All columns are declared as text, because liac-arff cuts decimals off values of `integer` columns.
        n, is_sparse = len(self.attributes), self._rows.lstrip()[:1] == b"{"
        head = ["@relation r", *(f"@attribute {i} string" for i in range(n)), "@data"]
        lines, kind = self._data.decode().split("\n"), liac.LOD if is_sparse else liac.DENSE
        try:
            rows = liac.ArffDecoder().decode([*head, *lines], return_type=kind)["data"]
        except liac.ArffException as error:
            line = error.line - len(head) + self._first_line - 1
            raise ArffError(f"line {line}: no row of {n} values ({type(error).__name__})") from None
        except ValueError as error:
            raise ArffError(str(error)[:200]) from None
        if is_sparse:
            # A sparse row omits zeros. In a nominal column, the first declared value counts as zero.
            zeros = {i: (attribute.values or ("0",))[0] for i, attribute in enumerate(self.attributes)}
            rows = [zeros | row for row in rows]
        return [pa.chunked_array([pa.array([row[i] for row in rows], pa.string())]) for i in range(n)]


def _plain_lines(body: bytes) -> bytes:
    """Return the bytes with Unix line ends and without a byte order mark.

    NUL bytes at the end and in lines of nothing else are removed. Raise ArffError if there are others.
    """
    body = _LINE_END.sub(b"\n", body.removeprefix(b"\xef\xbb\xbf"))
    if b"\0" in body:
        body = _NUL_LINE.sub(b"", body.rstrip(b"\0 \t\n"))
    if b"\0" in body:
        raise ArffError(f"line {body[: body.index(0)].count(10) + 1}: a NUL byte")
    return body


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("latin-1")


def _declared_attributes(header: str) -> Iterator[Attribute]:
    for line in map(str.strip, header.split("\n")):
        if not line or line.lower().startswith(("%", "@relation")):
            continue
        declaration = _ATTRIBUTE.fullmatch(line)
        if not declaration:
            raise ArffError(f"not a declaration of a column: {line[:60]!r}")
        name, kind = _unquoted(declaration[1]), declaration[2]
        values = tuple(_nominal_values(kind[1:])) if kind.startswith("{") else ()
        # A column without a type counts as text.
        yield Attribute(name, "nominal" if values else (kind.split() or ["string"])[0].lower(), values)


def _nominal_values(text: str) -> Iterator[str]:
    position, end = 0, ","
    while end != "}":
        value = _NOMINAL_VALUE.match(text, position)
        if not value:
            raise ArffError(f"a list of values does not end or holds a brace: {text[:60]!r}")
        yield _unquoted(value[1] or value[2].strip())
        position, end = value.end(), value[3]


def _unquoted(value: str) -> str:
    if value[:1] in ("'", '"') and len(value) > 1:
        return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), value[1:-1], flags=re.DOTALL)
    return value


class OpenMLPredictions:
    """A file of predictions from OpenML, with the indices of its columns by their meaning.

    The index of a missing column is None. `classes` are the classes that have a column of confidences, as
    written in its name, and `confidences` are the indices of these columns.
    """

    def __init__(self, arff: Arff) -> None:
        self.arff = arff
        self.names = [attribute.name for attribute in arff.attributes]
        self.confidences = [i for i, name in enumerate(self.names) if name.lower().startswith(CONFIDENCE)]
        self.classes = tuple(self.names[i][len(CONFIDENCE) :] for i in self.confidences)

    # These are looked up on use, so that a column declared twice is an error only if it is needed.
    row_id = property(lambda self: self.arff.index("row_id", "rowid"))
    repeat = property(lambda self: self.arff.index("repeat", "repeat_nr"))
    fold = property(lambda self: self.arff.index("fold", "fold_nr"))
    prediction = property(lambda self: self.arff.index("prediction"))
    truth = property(lambda self: self.arff.index(*TRUTH))

    def codes(self, column: int, classes: Sequence[str]) -> np.ndarray:
        """Return the (n,) indices into `classes` of the labels in a column, -1 for a label that is none."""
        labels = self.arff.labels(column)
        same_class = same_labels(labels.categories, classes)
        return np.array([*(-1 if i is None else i for i in same_class), -1])[labels.codes]

    def without_confidence(self, numbers: Mapping[int, np.ndarray]) -> np.ndarray:
        """Return the (n,) rows, as a mask, in which all confidences are zero.

        In these rows the class in `prediction` counts with confidence 1, as on the server.
        """
        return np.logical_and.reduce([numbers[column] == 0 for column in self.confidences])
