"""Numbers as they are written: what counts as one, and integers that float64 cannot tell apart."""

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

GAPS = ("", "?", "NA", "N/A", "NaN", "nan", "null", "None")
_NUMBER = re.compile(
    r"\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)\s*", re.IGNORECASE | re.ASCII
)
_WHOLE = re.compile(r"([+-]?\d{16,300})(?:\.0*)?", re.ASCII)
_EXACT = 2**53  # from here on integers may share one float64


def is_number(text: str, decimal: str = ".") -> bool:
    """Whether a text is a number; `decimal` is what stands before the decimals."""
    return bool(_NUMBER.fullmatch(text if decimal == "." else _pointed(text)))


def is_gap(text: str) -> bool:
    """Whether a text stands for a number that is missing."""
    return text.strip() in GAPS


def _pointed(text: str) -> str:
    return text.replace(",", ".") if "." not in text else "no number"


def parsed(texts: Sequence[str | None]) -> np.ndarray:
    """(n,) float64: the nearest to each text, NaN where it is no number."""
    return np.array([float(text) if text is not None and is_number(text) else np.nan for text in texts])


def too_large(values: np.ndarray) -> bool:
    """Whether some of the float64 values lie where integers may have been lost."""
    return bool((np.isfinite(values) & (np.abs(values) >= _EXACT)).any())


def first_inexact(texts: Sequence[str]) -> int | None:
    """The first text that is a whole number which float64 does not hold exactly."""
    for i, text in enumerate(texts):
        whole = _WHOLE.fullmatch(text)
        if whole and int(float(text)) != int(whole[1]):
            return i
    return None


def exact_integers(column: pa.ChunkedArray) -> np.ndarray | None:
    """(n,) int64 or uint64 of a column of whole numbers, None where there is a fraction or they do not fit."""
    for kind in (pa.int64(), pa.uint64()):
        try:
            return pc.cast(column, kind).to_numpy()
        except pa.ArrowInvalid:
            continue
    return None


def order_is_kept(column: pa.ChunkedArray, values: np.ndarray) -> bool:
    """Whether the float64 `values` tell all distinct values of a column of integers or decimals apart."""
    return pc.count_distinct(column).as_py() == len(np.unique(values))
