"""An independent writer of prediction files in all dialects that uploaders have used."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Dialect:
    """The way in which an uploader's program wrote its file."""

    quote: str = ""  # around names and labels: "", "'" or '"'; a name that needs quotes always has them
    quote_values: bool = False  # around numbers too
    # The order of the columns. `old` is confidences, prediction, correct. `new` is prediction, correct,
    # confidences. `r` is prediction, truth, confidences. `bare` is confidences and prediction only.
    order: str = "new"
    sample: bool = False  # with a column `sample` before row_id
    extra: bool = False  # with a column that the format does not have
    row_id: str = "row_id"  # the name of the row's column
    keywords: str = "upper"  # or `lower`: case of @relation, @attribute, @data
    newline: str = "\n"
    tail: bytes = b""  # after the last row
    encoding: str = "utf-8"
    comments: bool = False  # with % lines before the header
    blanks: bool = False  # after commas
    # Versions 0.11 to 0.13.0 of the client wrote the truth in `prediction` and the prediction in `correct`.
    swapped: bool = False


def write_predictions_file(
    dialect: Dialect,
    classes: Sequence[str],
    repeat: np.ndarray,
    fold: np.ndarray,
    row_id: np.ndarray,
    confidences: np.ndarray,
    truth: np.ndarray,
) -> bytes:
    """Return the bytes of a file. `confidences` is (n, classes); `truth` holds indices into `classes`."""
    labels = [quoted(name, dialect.quote) for name in classes]
    nominal = "{" + (", " if dialect.blanks else ",").join(labels) + "}"
    predicted = confidences.argmax(axis=1)
    if dialect.swapped:
        predicted, truth = truth, predicted
    nominals = {"prediction": (nominal, [labels[i] for i in predicted])}
    if dialect.order != "bare":
        nominals["truth" if dialect.order == "r" else "correct"] = (nominal, [labels[i] for i in truth])
    sure = {
        f"confidence.{name}": ("NUMERIC", _numbers(confidences[:, i], dialect))
        for i, name in enumerate(classes)
    }
    columns = {"repeat": ("NUMERIC", _numbers(repeat, dialect)), "fold": ("NUMERIC", _numbers(fold, dialect))}
    if dialect.sample:
        columns["sample"] = ("NUMERIC", _numbers(np.zeros_like(fold), dialect))
    columns[dialect.row_id] = ("NUMERIC", _numbers(row_id, dialect))
    columns |= {**sure, **nominals} if dialect.order in ("old", "bare") else {**nominals, **sure}
    if dialect.extra:
        columns["nobody asked"] = ("STRING", ["'a, b'"] * len(fold))
    case = str.upper if dialect.keywords == "upper" else str.lower
    lines = ["% made by a test", "% @data is not here"] if dialect.comments else []
    lines += [f"{case('@relation')} {quoted('predictions', dialect.quote)}", ""]
    lines += [
        f"{case('@attribute')} {quoted(name, dialect.quote)} {kind}" for name, (kind, _) in columns.items()
    ]
    lines += ["", case("@data")]
    separator = ", " if dialect.blanks else ","
    lines += [separator.join(row) for row in zip(*(values for _, values in columns.values()), strict=True)]
    return (dialect.newline.join(lines) + dialect.newline).encode(dialect.encoding) + dialect.tail


def quoted(name: str, quote: str) -> str:
    """Return a name in the given quotes, or in single quotes if none are given and it needs them."""
    plain = name.replace("_", "").replace(".", "").replace("-", "").isalnum()
    if not quote and plain:
        return name
    quote = quote or "'"
    return quote + name.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote


def _numbers(values: np.ndarray, dialect: Dialect) -> list[str]:
    quote = dialect.quote if dialect.quote_values else ""
    return [f"{quote}{value!r}{quote}" for value in np.asarray(values).tolist()]
