"""Numbers as people and spreadsheets write them, with decimal commas, thousands, percent signs or brackets.

A column is read in one way only. Where two ways fit all of its cells and give other values, it is refused.
"""

import pyarrow as pa
import pyarrow.compute as pc

POINT, COMMA = ".", ","
DIVIDES_COMMAS = (";", "\t")  # A decimal comma needs no quotes in a file that one of these divides.
PLAIN = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_GROUPED = r"[1-9][0-9]{{0,2}}(?:{thousands}[0-9]{{3}})+(?:{decimal}[0-9]*)?"
_ANY = r"^[+-]?(?:(?:[0-9]+{decimal}?[0-9]*|{decimal}[0-9]+)(?:[eE][+-]?[0-9]+)?|{grouped})$"
_BLANKS = " \t\r\n\v\f\u00a0\u202f"
_BLANK_BETWEEN_THOUSANDS = r"^[+-]?[1-9][0-9]{0,2}(?:[\x{00a0}\x{202f}][0-9]{3})+(?:[.,][0-9]*)?$"


def _numbers_with(decimal: str) -> str:
    """Return the pattern of numbers with this decimal sign, and with the other sign between thousands."""
    signs = {"decimal": f"[{decimal}]", "thousands": f"[{other_sign(decimal)}]"}
    return _ANY.format(decimal=signs["decimal"], grouped=_GROUPED.format(**signs))


def other_sign(decimal: str) -> str:
    return COMMA if decimal == POINT else POINT


class TwoReadings(ValueError):
    """A column can be read with a decimal comma and with a decimal point. `cell` is the first such cell."""

    def __init__(self, cell: int) -> None:
        super().__init__(cell)
        self.cell = cell


def plain_numbers(
    column: pa.ChunkedArray, separator: str | None, decimal: str | None = None, elsewhere: str | None = None
) -> pa.ChunkedArray:
    """Return the texts of a column as plain numbers such as 1234.5, and as null where a cell holds none.

    `separator` divides the values of the file, and is None if there is none. `decimal` is the sign that the
    user named, and `elsewhere` the one that the other columns of the file show. Raise TwoReadings where the
    column fits a decimal comma and a decimal point, and neither is known.

    >>> plain_numbers(pa.chunked_array([["0,5", "1.234,25", "n. a."]]), ";").to_pylist()
    ['0.5', '1234.25', None]
    >>> plain_numbers(pa.chunked_array([["12.5 %", "7 %"]]), ",").to_pylist()
    ['12.5e-2', '7e-2']
    """
    if decimal is None and separator not in DIVIDES_COMMAS:
        trimmed = pc.ascii_trim_whitespace(column)
        if are_plain(trimmed):
            return trimmed
    bare, exponent = _bare(column)
    if decimal is None:
        decimal, thousands = _signs(bare, separator, elsewhere)
    else:
        thousands = True
    pattern = _numbers_with(decimal) if thousands else PLAIN.replace(r"\.", f"[{decimal}]")
    numbers = pc.if_else(_matches(bare, pattern), bare, pa.scalar(None, bare.type))
    if thousands:
        numbers = pc.replace_substring(numbers, other_sign(decimal), "")
    numbers = pc.replace_substring(numbers, decimal, POINT)
    return pc.binary_join_element_wise(numbers, exponent, "") if exponent else numbers


def are_plain(texts: pa.ChunkedArray) -> bool:
    """Return whether each text is a plain number such as -1234.5 or 1e-3.

    >>> are_plain(pa.chunked_array([["+1.5", ".5"]])), are_plain(pa.chunked_array([["1.5", "nan"]]))
    (True, False)
    """
    return finite_numbers(texts) is not None or pc.all(_matches(texts, PLAIN)).as_py()


def finite_numbers(texts: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return the texts as float64, or None if one of them is no plain number, has a + before it or is too large.

    This takes a fifth of the time in which each text is compared with the pattern.
    """
    try:
        numbers = pc.cast(texts, pa.float64())
    except pa.ArrowInvalid:
        return None
    # Arrow reads words such as nan and inf too.
    is_finite = not numbers.null_count and pc.all(pc.is_finite(numbers)).as_py()
    return numbers if is_finite else None


def _signs(bare: pa.ChunkedArray, separator: str | None, elsewhere: str | None) -> tuple[str, bool]:
    """Return the decimal sign of a column, and whether the other sign divides thousands in it."""
    by_comma, by_point = (_matches(bare, _numbers_with(sign)) for sign in (COMMA, POINT))
    is_number = pc.or_(by_comma, by_point)
    has_comma, has_point = (pc.and_(is_number, pc.match_substring(bare, sign)) for sign in (COMMA, POINT))
    both_signs = pc.any(pc.and_(has_comma, has_point)).as_py()
    fits = {
        sign: pc.all(pc.or_(matches, pc.invert(is_number))).as_py()
        for sign, matches in ((COMMA, by_comma), (POINT, by_point))
    }
    commas_are_read = separator in DIVIDES_COMMAS
    if not pc.any(has_comma).as_py() and not (commas_are_read and pc.any(has_point).as_py()):
        return POINT, False
    if fits[COMMA] and fits[POINT]:
        # Every cell with a sign is like 1,234 or 1.234, and the others are whole numbers.
        has_sign, sign = (has_comma, COMMA) if pc.any(has_comma).as_py() else (has_point, POINT)
        # A writer who divides thousands divides all of them, so 9999 beside 1.234 shows a decimal sign.
        divides_none = pc.any(_matches(bare, r"^[+-]?[0-9]{4}")).as_py()
        if commas_are_read and (divides_none or elsewhere == sign):
            return sign, False
        raise TwoReadings(pc.index(has_sign, True).as_py())
    if fits[COMMA] and commas_are_read:
        return COMMA, both_signs
    return POINT, both_signs and fits[POINT]


def decimal_sign(column: pa.ChunkedArray) -> str | None:
    """Return the decimal sign of a column of texts, or None if the column does not show one.

    It shows one if all cells that are not empty are numbers with this sign, and not all with the other sign.
    """
    bare, _ = _bare(column)
    bare = bare.filter(pc.not_equal(bare, ""))
    by_comma, by_point = (pc.all(_matches(bare, _numbers_with(sign))).as_py() for sign in (COMMA, POINT))
    return None if by_comma == by_point else COMMA if by_comma else POINT


def seem_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return whether each text could be a number in some way of writing, whether or not that way is read.

    >>> seem_numbers(pa.chunked_array([["0,5", "1 234", "[.5]", "3%", "01.02.2020", "1-2", "a", ""]])).to_pylist()
    [True, True, True, True, False, False, False, False]
    """
    bare = pc.replace_substring_regex(column, rf"^[\[{_BLANKS}]+|[\]%{_BLANKS}]+$", "")
    bare = pc.replace_substring_regex(bare, r"([0-9])['’ \x{00a0}\x{202f}]([0-9]{3})", r"\1\2")
    return pc.or_(_matches(bare, _numbers_with(COMMA)), _matches(bare, _numbers_with(POINT)))


def _bare(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, str]:
    """Return the texts without what all numbers have around them, and the exponent that stands for it.

    That is blanks, square brackets or a percent sign. No-break spaces between thousands are left out too.
    """
    bare, exponent = pc.utf8_trim(column.fill_null(""), _BLANKS), ""
    has_digit = pc.match_substring_regex(bare, "[0-9]")
    for pattern, size_of_unit in ((r"^\[(.*)\]$", ""), (r"^(.*)%$", "e-2")):
        in_all = pc.all(pc.or_(_matches(bare, pattern), pc.invert(has_digit))).as_py()
        if in_all and pc.any(has_digit).as_py():
            bare = pc.utf8_trim(pc.replace_substring_regex(bare, pattern, r"\1"), _BLANKS)
            exponent = exponent or size_of_unit
    divided = _matches(bare, _BLANK_BETWEEN_THOUSANDS)
    if pc.any(divided).as_py():
        joined = pc.replace_substring_regex(bare, r"[\x{00a0}\x{202f}]", "")
        bare = pc.if_else(divided, joined, bare)
    if exponent:  # A number with an exponent of its own cannot have another one.
        bare = pc.if_else(pc.match_substring_regex(bare, "[eE]"), "", bare)
    return bare, exponent


def _matches(column: pa.ChunkedArray, pattern: str) -> pa.ChunkedArray:
    matches = pc.match_substring_regex(column, pattern)
    # A missing text matches nothing. Arrow would import pandas to fill in a Python value.
    return pc.and_kleene(matches, pc.is_valid(matches))
