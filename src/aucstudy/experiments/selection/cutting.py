"""Which test rows choose a model and which judge it: folds, pooled where they have too few rows of a class."""

import numpy as np

from aucstudy.store.task_store import Predictions

# rows of each class that a judging part has at least
AT_LEAST = 5


class CannotBeCut(Exception):
    """Why a task has no choosing and judging parts: the reason and its detail."""


def check_halves(predictions: Predictions) -> None:
    """Refuse a task whose halves have too few rows of a class.

    Raises
    ------
    CannotBeCut
    """
    _, first = np.unique(predictions.row_id, return_index=True)
    y = predictions.y_true[first]
    rarer = min(y.sum(), (~y).sum())
    if rarer // 2 < AT_LEAST:
        raise CannotBeCut(
            "too_few_in_half", f"{rarer} rows of the rarer class, wanted {2 * AT_LEAST} or more"
        )


def judging_folds(predictions: Predictions) -> tuple[np.ndarray, np.ndarray]:
    """All folds of a repeat but one for choosing, that one for judging, for each in turn.

    In the order of their numbers, folds are pooled until there are `AT_LEAST` rows of each class; those that are left
    over at the end go to the last pool.

    Returns
    -------
    choosing, judging : (parts, n) bool; the rows of other repeats are in neither.

    Raises
    ------
    CannotBeCut
        A repeat has fewer than two such pools.
    """
    choosing, judging = [], []
    for repeat in np.unique(predictions.repeat):
        rows = predictions.repeat == repeat
        pools = _pools(predictions.fold[rows], predictions.y_true[rows])
        if pools.max() < 1:
            detail = (
                f"the folds make one part with {AT_LEAST} rows of each class, or none; wanted two or more"
            )
            raise CannotBeCut("too_few_folds", detail)
        pool = np.full(len(rows), -1)
        pool[rows] = pools
        for part in range(pools.max() + 1):
            judging.append(pool == part)
            choosing.append(rows & (pool != part))
    return np.array(choosing), np.array(judging)


def _pools(fold: np.ndarray, y_true: np.ndarray) -> np.ndarray:
    """(n,) the number of the pool of each row's fold; all 0 where there are not two."""
    pool = np.full(len(fold), -1)
    last = 0
    for each in np.unique(fold):
        pool[fold == each] = last
        inside = y_true[pool == last]
        last += min(inside.sum(), (~inside).sum()) >= AT_LEAST
    return np.minimum(pool, max(last - 1, 0))
