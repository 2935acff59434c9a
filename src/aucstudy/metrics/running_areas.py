"""The areas of tables that are too large for memory, from counts that are added in batches."""

import math

import numpy as np

from aucstudy.area_names import AREAS
from aucstudy.metrics import inputs
from aucstudy.metrics.definition import areas_of_sums, check_totals, sums_of_groups


class RunningAreas:
    """The areas of P positives and N negatives, whose groups of tied rows are added in batches.

    The highest score comes first. A group must not be spread over two batches, as it would count as two groups, the
    first one above the second. Options are as for `areas`.

    Examples
    --------
    >>> running = RunningAreas(3, 3)
    >>> running.add(np.array([2, 0]), np.array([0, 1]))
    >>> running.add(np.array([1, 0]), np.array([1, 1]))
    >>> {area: round(value, 6) for area, value in running.areas().items()}
    {'auroc': 0.833333, 'aupr': 0.875902, 'auprg': 0.708333, 'aucnpr': 0.820965, 'average_precision': 0.866667}
    """

    def __init__(
        self,
        P: float,
        N: float,
        *,
        recall_range: tuple[float, float] | None = None,
        prevalence: float | None = None,
        negative_gains: str = "signed",
    ) -> None:
        prevalence, self._clip, self._recalls = inputs.checked_options(
            recall_range, prevalence, negative_gains
        )
        check_totals(P, N)
        self.has_both_classes = P > 0 and N > 0
        # At another prevalence every negative counts as `scale` negatives.
        self._scale = P * (1 - prevalence) / (prevalence * N) if prevalence and N else 1.0
        self.P, self.N = P, N * self._scale
        # The counts of all batches so far, which are int or float as the given counts are.
        self.true_positives = self.false_positives = 0
        self._sums: list[list[float]] = []

    def add(self, positives: np.ndarray, negatives: np.ndarray) -> None:
        """Add the (n,) counts of positives and of negatives in each group, which are integers or floats."""
        t1, f1 = self.true_positives + np.cumsum(positives), self.false_positives + np.cumsum(negatives)
        t, f = np.append(self.true_positives, t1[:-1]), np.append(self.false_positives, f1[:-1])
        self.true_positives, self.false_positives = t1[-1].item(), f1[-1].item()
        if self.has_both_classes:
            t, f, d, e = (column[positives > 0] for column in (t, f, positives, negatives))
            self._sums.append(
                sums_of_groups(
                    t, f * self._scale, d, e * self._scale, self.P, self.N, self._recalls, self._clip
                )
            )

    def areas(self) -> dict[str, float]:
        """Return the areas by name, after all groups have been added."""
        if not self.has_both_classes:
            return dict.fromkeys(AREAS, math.nan)
        sums = [math.fsum(terms) for terms in zip(*self._sums, strict=True)]
        return areas_of_sums(sums, self.P, self.N, self._recalls, self._clip)
