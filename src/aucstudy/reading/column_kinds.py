"""What a column holds, where nobody says it: scores, ids or text."""

import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# in the name of a column of whole numbers, as a word of its own
OF_IDS = {"id", "index", "patient", "subject", "user"}
RISK_SCORE = 100  # a score of whole numbers from 0 up has at most as many different values
NUMBERS = 0.9  # of the cells: from here on a column is one of numbers, some of them wrong
SAMPLED = 200  # rows by which a column is taken for one of numbers or text
MANY = 10  # different texts: more than the classes or sites of a study


def why_id(name: str, column: pa.ChunkedArray | None) -> str:
    """Why a column of numbers is taken for one of ids; "" where it is not."""
    if column is None or not is_numeric(column.type) or pa.types.is_boolean(column.type):
        return ""
    values = pc.cast(column, pa.float64(), safe=False).to_numpy()
    if not (np.isfinite(values) & (values >= 0) & (values == np.floor(values))).all():
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


def why_text(name: str, cells: Sequence[str | None]) -> str:
    """Why a column of text, of which these are the first cells, holds no scores; no cell of it is shown."""
    filled = [cell for cell in cells if cell]
    if not MANY < len(set(filled)) < len(filled):
        return "holds text"
    return f"holds text that stands in several rows (--group {name} resamples what it names instead of rows)"


def is_numeric(kind: pa.DataType) -> bool:
    """Whether a column of this type holds numbers; times and dates do not."""
    tests = (pa.types.is_floating, pa.types.is_integer, pa.types.is_boolean, pa.types.is_decimal)
    return any(test(kind) for test in tests)


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type holds text."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
