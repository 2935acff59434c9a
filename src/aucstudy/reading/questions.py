"""Questions about the columns of a table, which only the reader can answer.

Such a column is not used, but its name or its values suggest that an option should name it. The answer may change every
number, so no option is guessed.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

import pyarrow as pa
import pyarrow.compute as pc

from aucstudy.reading.tables import Table, is_text

FIRST_ROWS = 10_000
MOST_STACKED = 50  # models in one column of a table in long format
# The last word of a name that says what a row belongs to, and words that may follow it.
_UNITS = {"patient", "subject", "user", "customer", "case", "group", "id", "uid"}
_NUMBER_WORDS = {"no", "nr", "num", "number", "key", "code", "name", "uuid"}
_JOINED = re.compile(r"(?:row|case|patient|user|customer|subject|record)ids?")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_OPTIONS = {
    "fold": "--fold", "folds": "--fold", "cv_fold": "--fold", "split": "--fold", "splits": "--fold",
    "rep": "--repeat", "repeat": "--repeat", "repeats": "--repeat",
    "weight": "--weight", "weights": "--weight", "sample_weight": "--weight",
}  # fmt: skip
_PURPOSES = {
    "--fold": "if it holds the folds of a cross-validation",
    "--repeat": "and --row if it holds the repeats of a cross-validation",
    "--weight": "if it holds weights of the rows",
}


class Kind(StrEnum):
    REPEATED = "repeated_values"  # Rows may belong together, or be of one case.
    OPTION = "column_of_an_option"
    STACKED = "stacked_models"
    NO_HEADER = "no_header"


@dataclass(frozen=True)
class ColumnQuestion:
    """A question about a column of a table of `n_rows` rows, in which the column has `n_values` values.

    `options` are the options that may name the column. `sentence` asks the question.
    """

    kind: Kind
    column: str
    n_values: int
    n_rows: int
    options: tuple[str, ...]
    sentence: str


def is_unit(name: str) -> bool:
    """Return whether a name ends in what rows may belong to, such as a patient, or in the number of one.

    >>> [is_unit(name) for name in ("patient_id", "subjectNo", "CASE", "userid", "hybrid", "case_weighted")]
    [True, True, True, True, False, False]
    """
    words = [word.lower() for word in _WORDS.findall(name)]
    while len(words) > 1 and words[-1] in _NUMBER_WORDS:
        words.pop()
    return bool(words) and (words[-1].removesuffix("s") in _UNITS or bool(_JOINED.fullmatch(words[-1])))


def option_of(name: str) -> str | None:
    """Return the option that names a column of this name, such as --fold, or None."""
    return _OPTIONS.get(re.sub(r"[-. ]", "_", name.strip().lower()))


def may_be_asked_about(name: str, kind: pa.DataType, one_score: bool) -> bool:
    """Return whether a column that is not used must be read, because there may be a question about it."""
    may_stack = one_score and (is_text(kind) or pa.types.is_dictionary(kind))
    return may_stack or is_unit(name) or option_of(name) is not None


def questions(
    table: Table, used: Collection[str], options: Collection[str], one_score: bool
) -> tuple[ColumnQuestion, ...]:
    """Return the questions about a table.

    `used` has the columns that are scores or that an option names, and `options` the options that name one.
    """
    asked = [_about_header(table)] if table.header_seems_data else []
    times = Counter(table.names)
    for name, column in zip(table.names, table.columns, strict=True):
        if name in used or times[name] > 1 or not may_be_asked_about(name, column.type, one_score):
            continue
        option = option_of(name)
        # Many values in the first rows are too many for models, and counting all of them would take long.
        if not (option or is_unit(name)) and _n_values(column[:FIRST_ROWS]) > MOST_STACKED:
            continue
        n_rows, n_values = len(column), _n_values(column)
        if n_values < 2:
            continue
        if option:
            if option not in options:
                sentence = f"Column {name!r} is not used. Give {option} {name} {_PURPOSES[option]}"
                asked.append(ColumnQuestion(Kind.OPTION, name, n_values, n_rows, (option,), sentence))
        elif n_values <= n_rows / 2 and is_unit(name):
            asked += _about_unit(name, n_values, n_rows, options)
        elif {"--row", "--model"} & {*options} or not one_score or n_values > min(MOST_STACKED, n_rows / 2):
            continue
        elif table.holds_words(name, column):
            asked.append(_about_models(name, n_values, n_rows))
    return tuple(asked)


def _about_header(table: Table) -> ColumnQuestion:
    first = ", ".join(map(repr, table.names[:3]))
    sentence = f"The first line looks like data, as all of its names are numbers ({first}). A line of names is needed"
    return ColumnQuestion(Kind.NO_HEADER, table.names[0], 0, len(table.columns[0]), (), sentence)


def _about_unit(name: str, n_values: int, n_rows: int, options: Collection[str]) -> Iterator[ColumnQuestion]:
    if "--group" in options:
        return
    choices = [f"--group {name} if these rows belong together"]
    if "--row" not in options:
        choices.append(f"--row {name} if a case was predicted several times")
    yield ColumnQuestion(
        Kind.REPEATED, name, n_values, n_rows, ("--group", "--row")[: len(choices)],
        f"The values of column {name!r} repeat ({n_values:,} values, {n_rows:,} rows). Give {', or '.join(choices)}. "
        "Otherwise the rows are taken as independent",
    )  # fmt: skip


def _about_models(name: str, n_values: int, n_rows: int) -> ColumnQuestion:
    return ColumnQuestion(
        Kind.STACKED, name, n_values, n_rows, ("--model", "--row"),
        f"Column {name!r} holds text of {n_values} values beside one column of scores. If they are models whose rows "
        f"are stacked, give --model {name}, and --row with the column of the cases. Otherwise all rows are taken as "
        "those of one model",
    )  # fmt: skip


def _n_values(column: pa.ChunkedArray) -> int:
    """Return the number of different values of a column, without missing ones and empty texts."""
    if is_text(column.type):
        column = column.cast(pa.binary())
        # Arrow imports pandas for a Python value, which a comparison with an empty text would need.
        column = column.filter(pc.binary_length(column).cast(pa.bool_()))
    if pa.types.is_nested(column.type):
        return 0
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return pc.count_distinct(column).as_py()
