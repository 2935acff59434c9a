"""Several models' rankings of the same rows, sorted once and measured many times: resampled, or at other prevalences.

`aucstudy.metrics.areas_many` sorts at every call; an audit asks for the same rankings hundreds of times, so here the
order of each class is kept and only the weights change.
"""

import numpy as np

from aucstudy.area_names import AREAS
from aucstudy.metrics.engine.finishing import finish
from aucstudy.metrics.engine.passes import sum_weighted_segments
from aucstudy.metrics.engine.sums import SUMS


class Rankings:
    """The rankings of n rows by m models.

    Parameters
    ----------
    y_true : (n,) bool array with both classes.
    scores : (n, m) float64 array without NaN.
    """

    def __init__(self, y_true: np.ndarray, scores: np.ndarray) -> None:
        self.positive, self.negative = np.flatnonzero(y_true), np.flatnonzero(~y_true)
        falling = -np.asarray(scores, dtype=float).T
        self._orders = [np.argsort(falling[:, rows], axis=1) for rows in (self.positive, self.negative)]
        self._sorted = [
            np.take_along_axis(falling[:, rows], order, axis=1).ravel()
            for rows, order in zip((self.positive, self.negative), self._orders, strict=True)
        ]

    @property
    def n_models(self) -> int:
        """How many models there are."""
        return len(self._orders[0])

    def values(
        self, weights: tuple[np.ndarray, np.ndarray] | None = None, prevalence: float | None = None
    ) -> np.ndarray:
        """The areas of every model: (m, 5), the columns as AREAS.

        Parameters
        ----------
        weights : of the positives and of the negatives, in the order of `positive` and `negative`; None for 1.
        prevalence : the one to compute at, None for the observed one.
        """
        if weights is None:
            weights = np.ones(len(self.positive)), np.ones(len(self.negative))
        of_rows = [
            np.asarray(w, dtype=float)[order].ravel() for w, order in zip(weights, self._orders, strict=True)
        ]
        P, N = (len(rows) for rows in (self.positive, self.negative))
        layout = np.array([[0, P, P, 0, N, N]], dtype=np.int64)
        totals = np.array([[w.sum() for w in weights]], dtype=float)
        options = np.array([prevalence or 0.0, 0.0, 0.0, 1.0])
        sums, areas = np.empty((1, self.n_models, SUMS)), np.empty((1, self.n_models, len(AREAS)))
        sum_weighted_segments(*self._sorted, *of_rows, layout, totals, options, sums)
        finish(sums, totals, options, areas)
        return areas[0]
