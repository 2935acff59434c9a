"""Tables in long format, which have a row for each case and model, as tables with a column for each model."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from aucstudy.errors import InputError
from aucstudy.reading.labels import Labels, crossed
from aucstudy.reading.tables import Table


class _Units(NamedTuple):
    """The models, or the cases, of the rows of a table.

    `column` says which one a row is of, `code` (n,) numbers them, and `first_row` has the first row of each.
    """

    column: str
    labels: Labels
    code: np.ndarray
    first_row: np.ndarray

    def of(self, row: int) -> str:
        return f"{self.column} {_name(self.labels, row)}"


def _units(table: Table, column: str, keys: Sequence[str] = ()) -> _Units:
    labels = table.labels(column)
    codes = crossed(labels.codes, *(table.labels(name).codes for name in keys))
    _, first_row, code = np.unique(codes, return_index=True, return_inverse=True)
    return _Units(column, labels, code, first_row)


def unstacked(
    table: Table,
    values: np.ndarray,
    *,
    label: str,
    score: str,
    model: str,
    case: str,
    keys: Sequence[str],
    constants: Sequence[str],
) -> tuple[Table, tuple[str, ...]]:
    """Return a table with a row for each case and a column for each model, and the names of the models.

    `values` (n,) are the numbers in the column `score`. `case` and the columns in `keys`, such as that of folds,
    say which rows are of one case. The label and the columns in `constants` must not differ between the rows of a
    case. Models and cases come in the order of their first rows. Raise InputError if a model has two rows of a
    case, or none.
    """
    models, cases = _units(table, model), _units(table, case, keys)
    for name in (label, *constants):
        _refuse_differences(table, name, cases)
    row_of = _rows_of_pairs(table, models, cases)
    case_order, model_order = np.argsort(cases.first_row), np.argsort(models.first_row)
    rows = cases.first_row[case_order]
    names = tuple(
        str(models.labels.categories[models.labels.codes[models.first_row[i]]]) for i in model_order
    )
    scores = tuple(pa.chunked_array([values[row_of[case_order, i]]]) for i in model_order)
    further = [i for i, name in enumerate(table.names) if name not in (score, model)]
    columns = tuple(table.columns[i].take(pa.array(rows)) for i in further)
    numbers = np.array([table.row_number(row) - 1 for row in rows])
    wide_names = (*(table.names[i] for i in further), *names)
    return replace(table, names=wide_names, columns=(*columns, *scores), row_numbers=numbers), names


def _refuse_differences(table: Table, name: str, cases: _Units) -> None:
    """Raise InputError if a column differs between two rows of a case."""
    values, first_of_case = table.labels(name), cases.first_row[cases.code]
    differs = np.flatnonzero(values.codes != values.codes[first_of_case])
    if len(differs):
        row, earlier = differs[0], first_of_case[differs[0]]
        raise InputError(
            f"{table.named(name)}: the rows {table.row_number(earlier)} and {table.row_number(row)} of the data are of "
            f"one case ({cases.of(row)}) and hold {_name(values, earlier)} and {_name(values, row)}; one "
            "value for each case is needed"
        )


def _rows_of_pairs(table: Table, models: _Units, cases: _Units) -> np.ndarray:
    """Return the (n_cases, n_models) row of each case and model. Raise InputError if there is none, or two."""
    n_cases, n_models = len(cases.first_row), len(models.first_row)
    pair = cases.code * n_models + models.code
    times = np.bincount(pair, minlength=n_cases * n_models)
    first_of_pair = np.full(len(times), -1)
    first_of_pair[pair[::-1]] = np.arange(len(pair))[::-1]
    again = np.flatnonzero(first_of_pair[pair] != np.arange(len(pair)))
    if len(again):
        row = again[0]
        raise InputError(
            f"{table.where}: the rows {table.row_number(first_of_pair[pair[row]])} and {table.row_number(row)} of the "
            f"data are both of {models.of(row)} and {cases.of(row)}; one row is needed "
            "(give --fold or --repeat if a case was predicted several times)"
        )
    missing = np.flatnonzero(times == 0)
    if len(missing):
        case, model = divmod(missing[0], n_models)
        row = cases.first_row[case]
        raise InputError(
            f"{table.where}: {cases.of(row)}, which is in row {table.row_number(row)} of the data, has no row of "
            f"{models.of(models.first_row[model])}; a score of each model is needed for each case"
        )
    return first_of_pair.reshape(n_cases, n_models)


def _name(labels: Labels, row: int) -> str:
    return repr(labels.categories[labels.codes[row]])[:60]
