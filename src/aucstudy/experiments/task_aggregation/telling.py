"""Figure of the best flow over all tasks by each average [Boyd et al. 2012, section 4.2]."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.presentation.style import PAGE


def task_aggregation_figure(table: pd.DataFrame) -> plt.Figure:
    """How often the best flow differs from the best by mean AUPR, and how often it is chosen again.

    Parameters
    ----------
    table : as `experiments.task_aggregation.task_aggregation_table` gives it.
    """
    figure, axis = plt.subplots(figsize=(PAGE, 0.24 * len(table) + 0.9))
    y = np.arange(len(table))[::-1]
    axis.barh(y + 0.2, 100 * table["best_again"], 0.36, color="#0072B2", label="the same flow is best again")
    axis.barh(
        y - 0.2, 100 * table["differs"], 0.36, color="#D55E00", label="it differs from the best by mean AUPR"
    )
    for place, row in zip(y, table.itertuples(), strict=True):
        axis.text(101, place, row.best, va="center", fontsize=8)
    axis.text(101, len(table) - 0.2, "best of all tasks", fontsize=8, weight="bold")
    axis.set_yticks(y, table["average"])
    axis.set(xlim=(0, 100), xlabel="% of the resamples of source groups", ylim=(-0.7, len(table)))
    axis.grid(True, axis="x")
    figure.legend(loc="outside lower center", ncols=2)
    return figure
