"""Numbers that a judge estimates from the rows of a table by task, with intervals over source groups."""

import numpy as np
import pandas as pd

from aucstudy.claims.verdicts import Item
from aucstudy.statistics.intervals import Interval, over_tasks, statistic_interval

RESAMPLES, SEED = 2000, 1


def item_of(name: str, row: pd.Series, estimate: str = "estimate", factor: float = 1.0) -> Item:
    """A row of a table with columns low, high and n_tasks, times a factor (100 for percentages)."""
    numbers = (float(factor * row[column]) for column in (estimate, "low", "high"))
    return Item(name, *numbers, round(row["n_tasks"]))


def mean_over_tasks(name: str, values: pd.Series, source_groups: pd.Series, factor: float = 1.0) -> Item:
    """The mean of values by task, times a factor."""
    mean = over_tasks(factor * values.to_numpy(dtype=float), source_groups.to_numpy(), RESAMPLES, SEED)
    return Item(name, mean["estimate"], mean["low"], mean["high"], mean["n_tasks"])


def ratio_over_tasks(
    name: str, above: pd.Series, below: pd.Series, source_groups: pd.Series, factor: float = 1.0
) -> Item:
    """The ratio of two sums over rows, times a factor."""
    a, b = (factor * above).to_numpy(dtype=float), below.to_numpy(dtype=float)

    def ratio(weights: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore", divide="ignore"):
            return (weights @ a) / (weights @ b)

    return _item(name, statistic_interval(ratio, source_groups.to_numpy(), RESAMPLES, SEED), len(a))


def quantile_over_tasks(name: str, values: pd.Series, source_groups: pd.Series, quantile: float) -> Item:
    """A quantile of values by task."""
    of_tasks = values.to_numpy(dtype=float)

    def quantiles(weights: np.ndarray) -> np.ndarray:
        return np.array([np.quantile(np.repeat(of_tasks, times.astype(int)), quantile) for times in weights])

    return _item(
        name, statistic_interval(quantiles, source_groups.to_numpy(), RESAMPLES, SEED), len(of_tasks)
    )


def _item(name: str, interval: Interval, n: int) -> Item:
    return Item(name, interval.estimate, interval.low, interval.high, n)
