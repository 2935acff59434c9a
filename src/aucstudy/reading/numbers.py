"""What a column holds: numbers as they are written, integers that float64 cannot tell apart, ids, or text."""

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from aucstudy.errors import InputError

GAPS = ("", "?", "NA", "N/A", "NaN", "nan", "null", "None")
_NUMBER = re.compile(
    r"\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)\s*", re.IGNORECASE | re.ASCII
)
_WHOLE = re.compile(r"([+-]?\d{16,300})(?:\.0*)?", re.ASCII)
_EXACT = 2**53  # from here on integers may share one float64
# in the name of a column of whole numbers, as a word of its own
OF_IDS = {"id", "index", "patient", "subject", "user"}
RISK_SCORE = 100  # a score of whole numbers from 0 up has at most as many different values
NUMBERS = 0.9  # of the cells: from here on a column is one of numbers, some of them wrong
WHOLE = pa.decimal128(38, 0)
SAMPLED = 200  # rows by which a column is taken for one of numbers or text
MANY = 10  # different texts: more than the classes or sites of a study


def is_numeric(kind: pa.DataType) -> bool:
    tests = (pa.types.is_floating, pa.types.is_integer, pa.types.is_boolean, pa.types.is_decimal)
    return any(test(kind) for test in tests)


def is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def is_number(text: str, decimal: str = ".") -> bool:
    if decimal == ",":
        text = text.replace(",", ".") if "." not in text else "no number"
    return bool(_NUMBER.fullmatch(text))


def is_gap(text: str) -> bool:
    return text.strip() in GAPS


def as_numpy(column: pa.Array | pa.ChunkedArray, missing: float) -> np.ndarray:
    """(n,) the numbers of a column, read only, and `missing` where there is none."""
    # Arrow's own `to_numpy` imports pandas, which takes longer than the rest of `aucstudy score`
    column = column.fill_null(missing) if column.null_count else column
    return np.from_dlpack(column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column)


def parsed(texts: Sequence[str | None]) -> np.ndarray:
    """(n,) float64: the nearest to each text, NaN where it is no number."""
    return np.array([float(text) if text is not None and is_number(text) else np.nan for text in texts])


def too_large(values: np.ndarray) -> bool:
    return bool((np.isfinite(values) & (np.abs(values) >= _EXACT)).any())


def whole_texts(texts: pa.ChunkedArray, where: str) -> pa.ChunkedArray | None:
    """Whole numbers with all their digits; None of texts with fractions, whose whole numbers float64 has to hold."""
    texts = pc.utf8_trim_whitespace(texts)
    if pc.all(pc.match_substring_regex(texts, r"^[+-]?[0-9]{1,38}$")).as_py():
        return pc.cast(texts, WHOLE)
    for row, text in enumerate(texts.to_pylist(), 1):
        number = _WHOLE.fullmatch(text)
        if number and int(float(text)) != int(number[1]):
            raise InputError(
                f"{where}: {text} in row {row} of the data has too many digits beside fractions; whole numbers of at "
                "most 64 bits alone, or fewer digits, are wanted"
            )
    return None


def exact_integers(column: pa.ChunkedArray) -> np.ndarray | None:
    """(n,) int64 or uint64 of a column of whole numbers, None where there is a fraction or they do not fit."""
    for kind in (pa.int64(), pa.uint64()):
        try:
            return as_numpy(pc.cast(column, kind), 0)
        except pa.ArrowInvalid:
            continue
    return None


def order_is_kept(column: pa.ChunkedArray, values: np.ndarray) -> bool:
    return pc.count_distinct(column).as_py() == len(np.unique(values))


def _float64(column: pa.ChunkedArray | None) -> np.ndarray | None:
    if column is None or not is_numeric(column.type) or pa.types.is_boolean(column.type):
        return None
    return as_numpy(pc.cast(column, pa.float64(), safe=False), np.nan)


def why_id(name: str, column: pa.ChunkedArray | None) -> str:
    values = _float64(column)
    if values is None or not (np.isfinite(values) & (values >= 0) & (values == np.floor(values))).all():
        return ""
    different = len(np.unique(values))
    named_so = different > 2 and OF_IDS & set(re.split(r"[^a-z]+", name.lower()))
    if different <= RISK_SCORE and not named_so:
        return ""
    named = "if it is a model, name all models with --score"
    if different == len(values):
        return f"holds another whole number in every row, as an index does; {named}"
    return (
        f"holds whole numbers, {different:,} different ones in {len(values):,} rows, as ids do: --group {name} "
        f"resamples what they name instead of rows; {named}"
    )


def within_1(column: pa.ChunkedArray | None) -> bool | None:
    """Whether all numbers of a column lie in [0, 1], gaps aside; None of a column of anything else."""
    values = _float64(column)
    return None if values is None else not ((values < 0) | (values > 1)).any()


def why_text(name: str, cells: Sequence[str | None]) -> str:
    """Why a column of text with these first cells holds no scores; shows no cell."""
    filled_cells = [cell for cell in cells if cell]
    if not MANY < len(set(filled_cells)) < len(filled_cells):
        return "holds text"
    return f"holds text that stands in several rows (--group {name} resamples what it names instead of rows)"
