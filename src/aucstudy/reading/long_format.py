"""Tables in long format, which have a row for each case and model, as tables with a column for each model."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from aucstudy.errors import InputError
from aucstudy.reading.labels import Labels, crossed
from aucstudy.reading.tables import Table


def unstacked(
    table: Table, label: str, score: str, model: str, case: str, keys: Sequence[str], constants: Sequence[str]
) -> tuple[Table, tuple[str, ...]]:
    """Return a table with a row for each case and a column for each model, and the names of the models.

    `case` and the columns in `keys`, such as that of folds, say which rows are of one case. The label and the
    columns in `constants` must not differ between the rows of a case. Models and cases come in the order of
    their first rows. Raise InputError if a model has two rows of a case, or none.
    """
    values, models, cases = table.numbers(score), table.labels(model), table.labels(case)
    code = crossed(cases.codes, *(table.labels(name).codes for name in keys))
    first = np.unique(code, return_index=True)[1]
    for name in (label, *constants):
        _refuse_differences(table, name, case, cases, code, first)
    _, first_of_model, model_code = np.unique(models.codes, return_index=True, return_inverse=True)
    row_of = _rows_of_pairs(table, model, models, case, cases, code, first, model_code, len(first_of_model))
    order = np.argsort(first)
    rows, in_order = first[order], np.argsort(first_of_model)
    names = tuple(str(models.categories[models.codes[first_of_model[i]]]) for i in in_order)
    scores = tuple(pa.chunked_array([values[row_of[order, i]]]) for i in in_order)
    kept = [i for i, name in enumerate(table.names) if name not in (score, model)]
    columns = tuple(table.columns[i].take(pa.array(rows)) for i in kept)
    numbers = np.array([table.row_number(row) - 1 for row in rows])
    wide_names = (*(table.names[i] for i in kept), *names)
    return replace(table, names=wide_names, columns=(*columns, *scores), row_numbers=numbers), names


def _refuse_differences(
    table: Table, name: str, case: str, cases: Labels, code: np.ndarray, first: np.ndarray
) -> None:
    """Raise InputError if a column differs between two rows of a case."""
    values = table.labels(name)
    differs = np.flatnonzero(values.codes != values.codes[first][code])
    if len(differs):
        row, earlier = differs[0], first[code[differs[0]]]
        raise InputError(
            f"{table.named(name)}: the rows {table.row_number(earlier)} and {table.row_number(row)} of the data are of "
            f"one case ({case} {_name(cases, row)}) and hold {_name(values, earlier)} and {_name(values, row)}; one "
            "value for each case is needed"
        )


def _rows_of_pairs(
    table: Table,
    model: str,
    models: Labels,
    case: str,
    cases: Labels,
    code: np.ndarray,
    first: np.ndarray,
    model_code: np.ndarray,
    n_models: int,
) -> np.ndarray:
    """Return the (n_cases, n_models) row of each case and model. Raise InputError if there is none, or two."""
    pair = code * n_models + model_code
    times = np.bincount(pair, minlength=len(first) * n_models)
    first_of_pair = np.full(len(times), -1)
    first_of_pair[pair[::-1]] = np.arange(len(pair))[::-1]
    again = np.flatnonzero(first_of_pair[pair] != np.arange(len(pair)))
    if len(again):
        row = again[0]
        raise InputError(
            f"{table.where}: the rows {table.row_number(first_of_pair[pair[row]])} and {table.row_number(row)} of the "
            f"data are both of {model} {_name(models, row)} and {case} {_name(cases, row)}; one row is needed "
            "(give --fold or --repeat if a case was predicted several times)"
        )
    missing = np.flatnonzero(times == 0)
    if len(missing):
        row, without = first[missing[0] // n_models], int(np.argmax(model_code == missing[0] % n_models))
        raise InputError(
            f"{table.where}: {case} {_name(cases, row)}, which is in row {table.row_number(row)} of the data, has "
            f"no row of {model} {_name(models, without)}; a score of each model is needed for each case"
        )
    return first_of_pair.reshape(len(first), n_models)


def _name(labels: Labels, row: int) -> str:
    return repr(labels.categories[labels.codes[row]])[:60]
