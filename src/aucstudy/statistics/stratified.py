"""Rows cut into parts at random, stratified by class and fold."""

import numpy as np


def stratified_parts(
    y_true: np.ndarray,
    folds: np.ndarray,
    units: np.ndarray,
    parts: int,
    splits: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Cut the rows into parts, stratified by class and, inside a class, by fold.

    Parameters
    ----------
    y_true, folds, units : (n,) the class, the fold and the data set's row of each test prediction; all predictions of
        one row (repeated cross-validation) go to the same part.
    splits : number of times that the rows are cut.

    Returns
    -------
    (splits, n) integers from 0 to parts - 1. Each class, and each class within a fold, is cut evenly to within a row.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> cut = stratified_parts(np.array([1, 1, 0, 0, 0, 0]), np.zeros(6, int), np.arange(6), 2, 9, rng)
    >>> (cut == 0).sum(axis=1).tolist(), (cut[:, :2] == 0).sum(axis=1).tolist()
    ([3, 3, 3, 3, 3, 3, 3, 3, 3], [1, 1, 1, 1, 1, 1, 1, 1, 1])
    """
    _, first, unit = np.unique(units, return_index=True, return_inverse=True)
    positive = np.asarray(y_true, dtype=bool)[first]
    cell = positive * (np.max(folds) + 1) + np.asarray(folds)[first]
    by_cell = np.argsort(cell + rng.random((splits, len(first))), axis=1)
    dealt = (np.arange(len(first)) + rng.integers(0, parts, (splits, 1))) % parts
    part = np.empty(by_cell.shape, dtype=dealt.dtype)
    np.put_along_axis(part, by_cell, dealt, axis=1)
    return part[:, unit.reshape(-1)]
