"""A data set in ARFF, the format of WEKA, with every digit of its numbers."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from aucstudy.learners.datasets import DataSet

NEGATIVE, POSITIVE = 0, 1  # the places of the classes in the declaration of the class attribute


def arff(data: DataSet, rows: np.ndarray | None = None) -> str:
    """The text of an ARFF file: the attributes of `data`, the class last, and its rows in the order of `rows`.

    Columns of text are nominal attributes that know all values of the whole data set, in sorted order; missing values
    are question marks. A nominal attribute without any value gets one that no row has: several learners of WEKA fail
    on one that can have none.

    Parameters
    ----------
    rows : (m,) int array of rows of the data set; all of them in order where it is None.

    Examples
    --------
    >>> features = pd.DataFrame({"x1": [0.1, np.nan], "x2": ["it's", "b"]})
    >>> print(arff(DataSet("two", "two", features, np.array([True, False]), "yes", "no")))
    @relation 'two'
    @attribute 'x1' numeric
    @attribute 'x2' {'b','it\\'s'}
    @attribute 'class' {'no','yes'}
    @data
    0.1,'it\\'s','yes'
    ?,'b','no'
    <BLANKLINE>
    """
    header = [f"@relation {_quoted(data.name)}"]
    columns = []
    for name, values in data.features.items():
        nominal = values.dtype == object
        header.append(
            f"@attribute {_quoted(name)} {_declared(values.dropna().unique()) if nominal else 'numeric'}"
        )
        columns.append(_cells(values, nominal))
    labels = (data.negative_class, data.positive_class)
    header += [f"@attribute 'class' {{{','.join(map(_quoted, labels))}}}", "@data"]
    columns.append(np.where(data.target, *map(_quoted, reversed(labels))).astype(object))
    cells = np.column_stack(columns)
    lines = [",".join(row) for row in (cells if rows is None else cells[rows])]
    return "\n".join((*header, *lines, ""))


def _cells(values: pd.Series, nominal: bool) -> np.ndarray:
    written = [
        "?" if missing else _quoted(value) if nominal else repr(float(value))
        for value, missing in zip(values, values.isna(), strict=True)
    ]
    return np.array(written, dtype=object)


def _declared(values: Iterable[str]) -> str:
    return "{" + ",".join(map(_quoted, sorted(values) or ["none"])) + "}"


def _quoted(text: str) -> str:
    escaped = str(text).replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\r", "\\r")
    return f"'{escaped}'"
