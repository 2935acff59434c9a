"""The naturally rare outcomes: at most 5 % of the rows are positive, and each source group has one outcome.

docs/data.md says how the outcomes were selected, before any metric was computed on them.
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
MOST, FEWEST = 0.05, 60  # highest share of positives, and lowest number of positives


@dataclass(frozen=True)
class NaturalOutcome(Outcome):
    """A row of `natural.csv`.

    Attributes
    ----------
    only : "column!=value" leaves out rows whose code says that the outcome is unknown.
    rows_by : columns, separated by spaces; rows that agree in all of them stay on one side of a split.
    about : the outcome and the rows, in words.
    doubt : why results are also shown without this outcome; "" if there is no reason.
    """

    rows_by: str
    n_positive: int
    about: str
    doubt: str

    @property
    def is_cut(self) -> bool:
        """Whether the outcome says that a number is above some limit, and is no class."""
        return self.value.startswith(">")


@cache
def naturals() -> MappingProxyType[str, NaturalOutcome]:
    """Return the rows of natural.csv by name, in the order of the file.

    >>> naturals()["diamonds-clarity"].value
    'I1'
    """
    return rows_by_name(TABLE, NaturalOutcome)


def natural_file(name: str) -> Path:
    return naturals()[name].file()


def load_natural(name: str) -> tuple[DataSet, np.ndarray]:
    """Return a data set, whose rare class is positive, and the (n,) numbers of its groups of rows.

    InputError if natural.csv does not have the data set.
    """
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
