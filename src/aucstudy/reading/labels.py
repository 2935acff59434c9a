"""The labels of a table made two: the positive class against what is not it."""

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.reading.class_names import is_number, one_class_spelt_twice, same_labels

POSITIVE_BY_ITSELF = ({"0", "1"}, {"-1", "1"}, {"false", "true"})
MISSING_BESIDE_NUMBERS = ("na", "n/a", "nan", "null", "none", "?")


def class_counts(where: str, labels: pd.Categorical) -> pd.Series:
    """How many rows each class that occurs has, by its name, in sorted order.

    Raises
    ------
    InputError
        There are no rows, one class is spelt in two ways (TRUE beside true), or a label is missing beside numbers.
    """
    if not len(labels):
        raise InputError(f"{where}: no rows of data")
    counts = pd.Series(
        np.bincount(labels.codes, minlength=len(labels.categories)), index=[*map(str, labels.categories)]
    )
    counts = counts[counts > 0].sort_index()
    names = list(counts.index)
    missing = [name for name in names if name.lower() in MISSING_BESIDE_NUMBERS]
    if missing and len(names) > 1 and all(is_number(name) for name in names if name not in missing):
        row = int(np.argmax(labels == missing[0])) + 1
        raise InputError(
            f"{where}: {counts[missing].sum()} labels are {missing[0]!r} beside numbers, the first in row {row} of the "
            "data; a class is wanted in every row"
        )
    twice = one_class_spelt_twice(names)
    if twice:
        raise InputError(
            f"{where} holds {twice[0]!r} and {twice[1]!r}, which look like one class; one spelling is wanted"
        )
    return counts


def positive_rows(
    where: str, labels: pd.Categorical, positive: str | None
) -> tuple[str, tuple[str, ...], np.ndarray]:
    """The positive class, the names of all others, and (n,) which rows are positive.

    Raises
    ------
    InputError
        As `class_counts`; or `positive` does not occur, or is not given and the labels do not say it.
    """
    names = list(class_counts(where, labels).index)
    shown = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
    if positive is None:
        plain = {_plain_number(name).lower(): name for name in names}
        if not any(set(plain) <= pair for pair in POSITIVE_BY_ITSELF):
            raise InputError(f"{where} holds {shown}: which one is positive? Give --positive")
        positive = plain.get("1", plain.get("true", "1"))
    else:
        at = same_labels([positive], names)[0]
        if at is None:
            raise InputError(f"{where}: --positive {positive!r} is not among its values {shown}")
        positive = names[at]
    return positive, tuple(name for name in names if name != positive), np.asarray(labels == positive)


def _plain_number(name: str) -> str:
    """`1.0` as `1`; other text as it is."""
    try:
        return f"{float(name):g}"
    except ValueError:
        return name
