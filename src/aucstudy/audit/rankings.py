"""Several models' rankings of the same rows, sorted once and measured often: resampled, or at other prevalences."""

import numpy as np

from aucstudy.metrics.engine.walks import all_areas, order_of


class Rankings:
    """The rankings of n rows by m models.

    Parameters
    ----------
    y_true : (n,) bool array with both classes.
    scores : (n, m) float64 array without NaN.
    """

    def __init__(self, y_true: np.ndarray, scores: np.ndarray) -> None:
        self._order = order_of(y_true, scores)

    def values(self, counts: np.ndarray | None = None, prevalence: float | None = None) -> np.ndarray:
        """The areas of every model: (m, 5), the columns as AREAS.

        Parameters
        ----------
        counts : (n,), how often each row stands in the resample; None for once each.
        prevalence : the one to compute at, None for the observed one.
        """
        return all_areas(self._order, counts, prevalence)
