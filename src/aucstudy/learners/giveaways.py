"""Which columns of the wide study's tasks give the outcome away: the check behind the table's refusals.

`python -m aucstudy.learners.table_checks` prints every column that alone makes at most `NEARLY` errors for each
positive. What it prints is judged by what the column means: a measurement stays, what is made from the outcome goes,
and at most `REFUSED` errors refuse the task.
"""

import numpy as np
import pandas as pd

from aucstudy.learners.outcomes import load_outcome, outcomes

NEARLY, REFUSED = 0.05, 0.025  # errors for each positive
FEW_VALUES = 20


def fewest_errors(column: pd.Series, target: np.ndarray) -> int:
    """Errors of the best rule of one column: a threshold, being missing, or a class for each of few values.

    Parameters
    ----------
    column : (n,) numbers or text
    target : (n,) bool array

    Examples
    --------
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
    # positive above a cut errs in the positives below it and the negatives above it
    wrong = positives + (len(target) - below) - (positives[-1] - positives)
    ends = np.concatenate([[True], np.diff(numbers[order]) != 0, [True]])
    return int(min(wrong[ends].min(), (len(target) - wrong)[ends].min()))


def giveaways(names: list[str]) -> pd.DataFrame:
    """Columns that nearly give an outcome away (name, column, errors, positives), the plainest first."""
    rows = []
    for name in names:
        data = load_outcome(name)
        positives = int(data.target.sum())
        errors = {column: fewest_errors(data.features[column], data.target) for column in data.features}
        rows += [(name, column, n, positives) for column, n in errors.items() if n <= NEARLY * positives]
    frame = pd.DataFrame(rows, columns=["name", "column", "errors", "positives"])
    share = frame["errors"] / frame["positives"]
    return frame.iloc[np.argsort(share.to_numpy(), kind="stable")].reset_index(drop=True)


if __name__ == "__main__":
    print(giveaways(list(outcomes())).to_string())
