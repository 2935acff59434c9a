"""Numbers that a judge estimates from the rows of a table by task, with intervals over source groups."""

import numpy as np
import pandas as pd

from aucstudy.claims.verdicts import Item
from aucstudy.statistics.intervals import over_tasks, ratio_interval, statistic_interval

RESAMPLES, SEED = 2000, 1


def item_of(name: str, row: pd.Series, estimate: str = "estimate", factor: float = 1.0) -> Item:
    """A row of a table with columns low, high and n_tasks, times a factor (100 for percentages)."""
    here, low, high = (float(factor * row[column]) for column in (estimate, "low", "high"))
    return Item(name, here, low, high, round(row["n_tasks"]))


def mean_over_tasks(name: str, values: pd.Series, source_groups: pd.Series, factor: float = 1.0) -> Item:
    """The mean of values by task, times a factor."""
    mean = over_tasks(factor * values.to_numpy(dtype=float), source_groups.to_numpy())
    return Item(name, mean["estimate"], mean["low"], mean["high"], mean["n_tasks"])


def share_of_sums(
    name: str, above: pd.Series, below: pd.Series, source_groups: pd.Series, factor: float = 1.0
) -> Item:
    """The share that one sum over rows has of another, times a factor."""
    share = ratio_interval(
        above.to_numpy(dtype=float), below.to_numpy(dtype=float), source_groups, share=True
    )
    return Item(name, factor * share.estimate, factor * share.low, factor * share.high, len(above))


def quantile_over_tasks(name: str, values: pd.Series, source_groups: pd.Series, quantile: float) -> Item:
    """A quantile of values by task."""
    of_tasks = values.to_numpy(dtype=float)

    def quantiles(weights: np.ndarray) -> np.ndarray:
        return np.array([np.quantile(np.repeat(of_tasks, times.astype(int)), quantile) for times in weights])

    made = statistic_interval(quantiles, source_groups.to_numpy(), RESAMPLES, SEED)
    return Item(name, made.estimate, made.low, made.high, len(of_tasks))
