"""Outcomes that are rare by nature: at most a twentieth of the rows, one outcome of each source group.

docs/data-natural.md says how the table was drawn up, before any area was computed on it.
"""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.learners.datasets import (
    DataSet,
    Outcome,
    as_text,
    outcome_labels,
    outcome_task,
    rows_by_name,
)

TABLE = Path(__file__).with_name("natural.csv")
MOST, FEWEST = 0.05, 60  # share of the positives, and their number


@dataclass(frozen=True)
class NaturalOutcome(Outcome):
    """A row of `natural.csv`.

    Attributes
    ----------
    only : "column!=value" leaves out rows whose code says that the outcome is unknown.
    rows_by : columns, separated by spaces; rows that agree in all of them stay on one side of a split.
    about : the outcome and the rows, in words.
    doubt : why results are also shown without this outcome; "" where nothing speaks against it.
    """

    rows_by: str
    n_positive: int
    about: str
    doubt: str

    @property
    def is_cut(self) -> bool:
        """Whether the outcome is a number beyond a cut that somebody chose, and no class."""
        return self.value.startswith(">")


@cache
def naturals() -> MappingProxyType[str, NaturalOutcome]:
    """The table of outcomes that are rare by nature, by name, in its order.

    >>> naturals()["diamonds-clarity"].value
    'I1'
    """
    return rows_by_name(TABLE, NaturalOutcome)


def natural_file(name: str) -> Path:
    return naturals()[name].file()


def load_natural(name: str) -> tuple[DataSet, np.ndarray]:
    """A data set, its rare class positive, and the (n,) numbers of its groups of rows; InputError without a set."""
    if name not in naturals():
        raise InputError(f"{TABLE.name}: data set {name!r} is not in the table")
    return task_with_groups(naturals()[name].read(), naturals()[name])


def task_with_groups(frame: pd.DataFrame, row: NaturalOutcome) -> tuple[DataSet, np.ndarray]:
    if row.only:
        column, value = row.only.split("!=")
        frame = frame[as_text(frame[column]) != value]
    frame = frame[outcome_labels(frame[row.outcome], row.value).notna()].reset_index(drop=True)
    data = outcome_task(frame, replace(row, only=""))
    if not row.rows_by:
        return data, np.arange(len(frame))
    return data, frame.groupby(row.rows_by.split(" "), dropna=False, sort=False).ngroup().to_numpy()
