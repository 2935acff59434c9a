"""The header of an ARFF file: the columns that it declares, by the grammar of the format."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_ATTRIBUTE = re.compile(rf"\s*@attribute\s+({QUOTED}|[^\s'\"]\S*)\s*(.*)", re.IGNORECASE | re.DOTALL)
_NOMINAL_VALUE = re.compile(rf"\s*({QUOTED}|[^,{{}}]*?)\s*([,}}])", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
MISSING = "?"
KINDS = ("numeric", "real", "integer", "string", "date", "relational")


class ArffError(ValueError):
    """A file that is no ARFF, or is damaged: what was found in which line."""


@dataclass(frozen=True)
class Attribute:
    """A declared column: its name, its kind (numeric, nominal, ...) and, if nominal, its values as declared."""

    name: str
    kind: str
    values: tuple[str, ...] = ()


def declared_attributes(header: str) -> Iterator[Attribute]:
    """The columns that a header declares, in their order; ArffError where one cannot be read."""
    lines = [
        (number, line)
        for number, line in enumerate(header.split("\n"), 1)
        if line.strip() and not line.lstrip().startswith("%")
    ]
    first = lines[0][1].strip() if lines else ""
    if not first.lower().startswith("@relation"):
        raise ArffError(f"the first line is not @relation but {first[:60]!r}")
    for number, line in lines[1:]:
        declared = _ATTRIBUTE.fullmatch(line)
        if not declared:
            raise ArffError(f"line {number}: not a declaration of a column: {line.strip()[:60]!r}")
        name, kind = unquoted(declared[1], missing=""), declared[2]
        if kind.startswith("{"):
            yield Attribute(name, "nominal", _nominal_values(kind[1:], number))
        else:
            yield Attribute(name, _known_kind(kind, name, number))


def _known_kind(text: str, name: str, number: int) -> str:
    """The type that a column is declared with; none counts as text."""
    kind = (text.split() or ["string"])[0].lower()
    if kind not in KINDS:
        raise ArffError(
            f"line {number}: column {name!r} is of type {kind[:40]!r}, wanted {', '.join(KINDS)} or {{...}}"
        )
    return kind


def _nominal_values(text: str, number: int) -> tuple[str, ...]:
    values, at = [], 0
    while True:
        value = _NOMINAL_VALUE.match(text, at)
        if not value:
            raise ArffError(f"line {number}: the list of values does not end or holds a brace")
        values.append(unquoted(value[1], missing=""))
        at = value.end()
        if value[2] == "}":
            return tuple(values)


def unquoted(value: str, missing: str = MISSING) -> str | None:
    """A value without its quotes, None where it says that it is missing."""
    if value == missing:
        return None if missing else ""
    if value[:1] in ("'", '"') and len(value) > 1:
        return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), value[1:-1], flags=re.DOTALL)
    return value
