"""The order of the rows by each model's scores, which is computed once for all that is counted afterwards."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Order(NamedTuple):
    """The `rows` (m, n) in descending order of each model's scores, and which rows are `positive` (n,).

    `ends_group` (m, n) is true at the last row of each group of tied rows. Tied rows are in any order.
    """

    rows: np.ndarray
    ends_group: np.ndarray
    positive: np.ndarray

    def ranks_of(self, model: int) -> np.ndarray:
        """Return for each row (n,) how many distinct scores of a model are higher than its own, as int32."""
        ranks, ends_group = np.empty(len(self.positive), dtype=np.int32), self.ends_group[model]
        ranks[self.rows[model]] = np.cumsum(ends_group) - ends_group
        return ranks

    def ranks(self) -> np.ndarray:
        """Return the `ranks_of` every model, (m, n)."""
        return np.stack([self.ranks_of(model) for model in range(len(self.rows))])


def order_of(y_true: np.ndarray, scores: np.ndarray, of_each: Callable = map) -> Order:
    """Sort the rows by each column of (n, m) scores without NaN; `of_each` is like `map` and may use threads.

    >>> order = order_of(np.array([True, False, True]), np.array([[0.2], [0.9], [0.2]]))
    >>> order.rows[0, 0], order.ends_group.tolist(), order.ranks().tolist()
    (np.int32(1), [[True, False, True]], [[1, 0, 1]])
    """
    scores = np.asarray(scores)
    rows, ends_group = np.empty(scores.shape[::-1], dtype=np.int32), np.empty(scores.shape[::-1], dtype=bool)

    def sort(model: int) -> None:
        negated = np.negative(scores[:, model], dtype=float)
        # a stable sort would take four times as long, and the order of tied rows says nothing
        rows[model] = np.argsort(negated)
        ascending = negated[rows[model]]
        ends_group[model, :-1] = ascending[1:] != ascending[:-1]
        ends_group[model, -1:] = True

    for _ in of_each(sort, range(len(rows))):
        pass
    return Order(rows, ends_group, np.asarray(y_true, dtype=bool))
