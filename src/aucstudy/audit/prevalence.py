"""Which model wins at which prevalence: the areas the same ROC curves would have with other shares of positives."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.audit.rankings import Rankings
from aucstudy.statistics.ranks import rounded

LOWEST, HIGHEST = 0.001, 0.5
GRID = 41  # prevalences, equally spaced in the logarithm of the odds
BISECTIONS = 14  # a change is located to 1/16384 of a step of the grid


def prevalence_grid(points: int = GRID) -> np.ndarray:
    """Prevalences from .001 to .5, equally spaced in log odds."""
    odds = np.geomspace(LOWEST / (1 - LOWEST), HIGHEST / (1 - HIGHEST), points)
    return odds / (1 + odds)


def winners_by_prevalence(rankings: Rankings, models: Sequence[object], points: int = GRID) -> pd.DataFrame:
    """The best model by each metric on stretches of prevalence between .001 and .5.

    Two changes that cancel within one step of the grid are not seen. Tied models: the first one named.

    Returns
    -------
    One row a metric and stretch: metric, prevalence_from, prevalence_to, best.
    """
    grid = prevalence_grid(points)
    best = np.stack([_best(rankings, prevalence) for prevalence in grid])
    rows = []
    for k, metric in enumerate(AREAS):
        start = grid[0]
        for i in np.flatnonzero(np.diff(best[:, k])):
            change = _bisect(rankings, k, grid[i], grid[i + 1], best[i, k], best[i + 1, k])
            rows.append((metric, start, change, models[best[i, k]]))
            start = change
        rows.append((metric, start, grid[-1], models[best[-1, k]]))
    return pd.DataFrame(rows, columns=["metric", "prevalence_from", "prevalence_to", "best"])


def _best(rankings: Rankings, prevalence: float, models: Sequence[int] | slice = slice(None)) -> np.ndarray:
    """(5,) the best of some models by each metric, numbered among these."""
    return rounded(rankings.values(prevalence=prevalence, models=models)).argmax(axis=0)


def _bisect(rankings: Rankings, k: int, low: float, high: float, best: int, next_best: int) -> float:
    """Where between two prevalences the model that is best at the lower one stops being it.

    The winners at the two ends are compared alone, and all models only if a third one wins between them.
    """
    pair = sorted((best, next_best))
    below, above = _narrow(low, high, lambda at: pair[_best(rankings, at, pair)[k]] == best)
    if _best(rankings, below)[k] != best:
        below, above = _narrow(low, high, lambda at: _best(rankings, at)[k] == best)
    return float(np.sqrt(below * above))


def _narrow(low: float, high: float, still: Callable[[float], bool]) -> tuple[float, float]:
    """Two prevalences close to each other, of which `still` is true of the lower one only."""
    for _ in range(BISECTIONS):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if still(middle) else (low, middle)
    return low, high
