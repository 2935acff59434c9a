"""Several models' rankings of the same rows, sorted once and measured often: resampled, or at other prevalences."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from aucstudy.metrics.tied_groups import (
    areas_of_groups,
    cluster_covariance,
    influence_covariance,
    tied_groups,
)

THREADED_FROM = 1_000_000  # scores: with fewer, starting threads costs more than it saves

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def of_each(function: Callable[[_Item], _Result], items: Iterable[_Item], n_scores: int) -> Iterator[_Result]:
    """As `map`, in threads where there are many scores: sorting and compiled passes release the interpreter."""
    if n_scores < THREADED_FROM:
        yield from map(function, items)
        return
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        yield from threads.map(function, items)


class Rankings:
    """The rankings of n rows by m models.

    Parameters
    ----------
    y_true : (n,) bool array with both classes.
    scores : (n, m) float64 array without NaN.

    Attributes
    ----------
    y_true : as given.
    groups : as `aucstudy.metrics.tied_groups` finds them.
    """

    def __init__(self, y_true: np.ndarray, scores: np.ndarray) -> None:
        self.y_true = y_true
        self._n_scores = scores.size
        many = scores.size >= THREADED_FROM
        self.groups = tied_groups(y_true, scores, self.of_each)
        self._by_model = [self.groups.of(model) for model in range(scores.shape[1])] if many else None

    def of_each(self, function: Callable[[_Item], _Result], items: Iterable[_Item]) -> Iterator[_Result]:
        """As the function `of_each`, of as many scores as there are."""
        return of_each(function, items, self._n_scores)

    def values(
        self,
        counts: np.ndarray | None = None,
        prevalence: float | None = None,
        recall_range: tuple[float, float] = (0.0, 1.0),
        models: Sequence[int] | slice = slice(None),
    ) -> np.ndarray:
        """The areas of the models: (m, 5), the columns as AREAS.

        Parameters
        ----------
        counts : (n,), how often each row stands in the resample; None for once each.
        prevalence : the one to compute at, None for the observed one.
        recall_range : of AUPR and AUCNPR.
        models : which, default all.
        """
        options = counts, prevalence, recall_range
        if self._by_model is None:
            return areas_of_groups(self.groups, *options)[models]
        chosen = [self._by_model[model] for model in np.arange(len(self._by_model))[models]]
        of_models = self.of_each(lambda groups: areas_of_groups(groups, *options), chosen)
        return np.concatenate(list(of_models))

    def covariance(self, strata: np.ndarray | None = None) -> np.ndarray:
        """(5, m, m), areas as AREAS, as `aucstudy.metrics.tied_groups.influence_covariance` gives it."""
        return influence_covariance(self.groups, strata, of_each=self.of_each)

    def cluster_covariance(self, clusters: np.ndarray, strata: np.ndarray) -> np.ndarray:
        """(5, m, m), areas as AREAS, as `aucstudy.metrics.tied_groups.cluster_covariance` gives it."""
        return cluster_covariance(self.groups, clusters, strata)
