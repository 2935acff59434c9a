"""Several models' rankings of the same rows, sorted once and measured many times: resampled, or at other prevalences.

`aucstudy.metrics.areas_many` sorts at every call; an audit asks for the same rankings hundreds of times, so here the
order of each class is kept and only the weights change.
"""

import numpy as np

from aucstudy.metrics.bounds import minimum_and_room
from aucstudy.metrics.compiled import compiled
from aucstudy.metrics.sums import row_sums

METRICS = ("auroc", "aupr", "auprg", "aucnpr", "average_precision")


class Rankings:
    """The rankings of n rows by m models.

    Parameters
    ----------
    y_true : (n,) bool array with both classes.
    scores : (n, m) float64 array without NaN.
    """

    def __init__(self, y_true: np.ndarray, scores: np.ndarray) -> None:
        self.positive, self.negative = np.flatnonzero(y_true), np.flatnonzero(~y_true)
        self._orders, self._sorted = [], []
        for rows in (self.positive, self.negative):
            orders = [np.argsort(scores[rows, m]).astype(np.int32) for m in range(scores.shape[1])]
            self._orders.append(np.stack(orders))
            self._sorted.append(np.stack([scores[rows[order], m] for m, order in enumerate(orders)]))

    @property
    def n_models(self) -> int:
        """How many models there are."""
        return len(self._sorted[0])

    def values(
        self, weights: tuple[np.ndarray, np.ndarray] | None = None, prevalence: float | None = None
    ) -> np.ndarray:
        """The areas of every model: (m, 5), the columns as METRICS.

        Parameters
        ----------
        weights : of the positives and of the negatives, in the order of `positive` and `negative`; None for 1.
        prevalence : the one to compute at, None for the observed one.
        """
        w_pos, w_neg = (np.empty(0), np.empty(0)) if weights is None else weights
        P = float(len(self.positive) if weights is None else w_pos.sum())
        N = float(len(self.negative) if weights is None else w_neg.sum())
        scale = 1.0 if prevalence is None else P * (1 - prevalence) / (prevalence * N)
        sums = np.empty((self.n_models, 5))
        (pos, neg), (pos_order, neg_order) = self._sorted, self._orders
        _sums_of_models(pos, neg, pos_order, neg_order, w_pos, w_neg, P, N, scale, sums)
        return _areas(sums, P, N, P / (P + N * scale))


def _areas(sums: np.ndarray, P: float, N: float, prevalence: float) -> np.ndarray:
    """From the sums of `row_sums` to areas; where AUPR is near its minimum, AUCNPR keeps its digits all the same."""
    _, room = minimum_and_room(prevalence)
    aupr, short = sums[:, 2] / P, sums[:, 3] / P
    columns = [sums[:, 0] / (P * N), aupr, 1 - sums[:, 4], 1 - short / room, sums[:, 1] / P]
    return np.column_stack(columns)


@compiled
def _sums_of_models(pos, neg, pos_order, neg_order, w_pos, w_neg, P, N, scale, out):
    weighted = w_pos.size > 0
    for m in range(out.shape[0]):
        of_pos = w_pos[pos_order[m]] if weighted else w_pos
        of_neg = w_neg[neg_order[m]] if weighted else w_neg
        row_sums(pos[m], neg[m], of_pos, of_neg, weighted, P, N, scale, False, 0.0, P, out[m])
