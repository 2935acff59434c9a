"""Checks behind the tables of data sets: columns that give an outcome away, and data sets with the same rows.

`python docs/making/table_checks.py` prints both. If one column alone makes at most `NEARLY` errors for each
positive, its meaning decides: a measurement stays, and a column that is made from the outcome goes. If it
makes at most `REFUSED` errors, the task is refused. Data sets in `datasets.csv` that share rows have the same
`source_group`.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from aucstudy.config import STUDIES
from aucstudy.learners.datasets import listed, load, outcomes

WIDE, LARGE = STUDIES / "wide/outcomes.csv", STUDIES / "few_positives/large.csv"
LISTS = (WIDE, LARGE)
NEARLY, REFUSED = 0.05, 0.025  # errors for each positive
FEW_VALUES = 20


def fewest_errors(column: pd.Series, target: np.ndarray) -> int:
    """Return the number of errors of the best rule that uses one column.

    A rule is a threshold, whether the value is missing, or a class for each value if these are few.

    >>> fewest_errors(pd.Series([1.0, 2.0, 3.0, 4.0]), np.array([False, True, True, True]))
    0
    """
    n, missing = len(target), column.isna().to_numpy()
    rules = [target.sum(), n - target.sum(), (missing != target).sum(), (missing == target).sum()]
    values = column.astype(object).where(~missing, "missing").astype(str)
    if column.dtype == object or values.nunique() <= FEW_VALUES:
        counts = pd.DataFrame({"value": values, "y": target}).groupby("value")["y"].agg(["sum", "size"])
        rules.append(np.minimum(counts["sum"], counts["size"] - counts["sum"]).sum())
    if column.dtype != object and not missing.all():
        rules.append(_threshold_errors(column.fillna(column.median()).to_numpy(), target))
    return int(min(rules))


def _threshold_errors(numbers: np.ndarray, target: np.ndarray) -> int:
    order = np.argsort(numbers, kind="stable")
    positives = np.concatenate([[0], np.cumsum(target[order])])
    below = np.arange(len(target) + 1)
    # If rows above a cut are called positive, the positives below it and the negatives above it are errors.
    wrong = positives + (len(target) - below) - (positives[-1] - positives)
    ends = np.concatenate([[True], np.diff(numbers[order]) != 0, [True]])
    return int(min(wrong[ends].min(), (len(target) - wrong)[ends].min()))


def giveaways() -> pd.DataFrame:
    """Return the columns that nearly give an outcome away, with the clearest first.

    The result has the columns name, column, errors and positives.
    """
    rows = []
    for name in outcomes(LISTS):
        data = load(name, LISTS)
        positives = int(data.target.sum())
        errors = {column: fewest_errors(data.features[column], data.target) for column in data.features}
        rows += [(name, column, n, positives) for column, n in errors.items() if n <= NEARLY * positives]
    frame = pd.DataFrame(rows, columns=["name", "column", "errors", "positives"])
    share = frame["errors"] / frame["positives"]
    return frame.iloc[np.argsort(share.to_numpy(), kind="stable")].reset_index(drop=True)


def row_texts(features: pd.DataFrame) -> np.ndarray:
    """Return the (n, d) values as text: numbers to 6 significant digits, missing values as "nan"."""
    columns = [
        features[name].map("{:.6g}".format)
        if features[name].dtype != object
        else features[name].fillna("nan")
        for name in features
    ]
    return np.column_stack([column.to_numpy(dtype=object) for column in columns])


def shared_share(first: np.ndarray, second: np.ndarray) -> float:
    """Return the share of the distinct rows of one data set that another one has, too.

    Both are given as `row_texts`, and it is the share of the set with fewer distinct rows. Excerpts in KEEL
    leave out a feature that has become constant. So if one set has one more feature, it is compared without
    the feature whose removal gives the highest share. Sets that differ by more features share nothing.

    >>> cars = [row_texts(load(name).features) for name in ("car-good", "car-vgood")]
    >>> shared_share(*cars)
    1.0
    """
    small, large = sorted([first, second], key=lambda cells: cells.shape[1])
    if large.shape[1] - small.shape[1] > 1:
        return 0.0
    rows = set(map(tuple, small))
    same_width = large.shape[1] == small.shape[1]
    candidates = [large] if same_width else [np.delete(large, i, axis=1) for i in range(large.shape[1])]
    shares = []
    for candidate in candidates:
        others = set(map(tuple, candidate))
        shares.append(len(rows & others) / min(len(rows), len(others)))
    return max(shares)


def shared_rows(names: list[str]) -> pd.DataFrame:
    """Return the pairs of data sets that share rows, with the largest share first.

    The result has the columns first, second, share and same_group.
    """
    cells = {name: row_texts(load(name).features) for name in names}
    table = listed()
    pairs = [
        (a, b, shared_share(cells[a], cells[b]), table[a].source_group == table[b].source_group)
        for a, b in combinations(names, 2)
    ]
    frame = pd.DataFrame(pairs, columns=["first", "second", "share", "same_group"])
    return frame[frame["share"] > 0].sort_values("share", ascending=False, kind="stable", ignore_index=True)


if __name__ == "__main__":
    print(giveaways().to_string())
    print(shared_rows(list(listed())).to_string())
