"""Which data sets of the packaged source hold the same rows: the check behind the table's `source_group`.

`python -m aucstudy.learners.table_checks` prints every pair of sets of the table that shares rows.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from aucstudy.learners.datasets import listed, load


def row_texts(features: pd.DataFrame) -> np.ndarray:
    """(n, d) array of the cells as text: numbers to 6 significant digits, missing values as "nan"."""
    columns = [
        features[name].map("{:.6g}".format)
        if features[name].dtype != object
        else features[name].fillna("nan")
        for name in features
    ]
    return np.column_stack([column.to_numpy(dtype=object) for column in columns])


def shared_share(first: np.ndarray, second: np.ndarray) -> float:
    """Share of the distinct rows of the set with fewer of them that stand in the other set too.

    KEEL's excerpts leave out a feature that has become constant: where one set has one feature more, the
    feature whose absence gives the largest share is left out of it. Sets that differ by more share nothing
    here.

    Parameters
    ----------
    first, second : (n, d) arrays of text
        From `row_texts`.

    Examples
    --------
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
    """Pairs of data sets that share rows (first, second, share, same_group), the largest share first."""
    cells = {name: row_texts(load(name).features) for name in names}
    table = listed()
    pairs = [
        (a, b, shared_share(cells[a], cells[b]), table[a].source_group == table[b].source_group)
        for a, b in combinations(names, 2)
    ]
    frame = pd.DataFrame(pairs, columns=["first", "second", "share", "same_group"])
    return frame[frame["share"] > 0].sort_values("share", ascending=False, kind="stable", ignore_index=True)


if __name__ == "__main__":
    print(shared_rows(list(listed())).to_string())
