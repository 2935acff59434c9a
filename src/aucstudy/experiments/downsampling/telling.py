"""Figure of test sets cut to a ratio of negatives to positives [Boyd et al. 2012, table 3, on many tasks]."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.area_names import AREA_LABELS
from aucstudy.presentation.style import AREA_COLOURS, PAGE
from aucstudy.statistics.ranks import AREAS_COMPARED


def downsampled_areas_figure(table: pd.DataFrame) -> plt.Figure:
    """Mean area, and the difference within tasks to the original, against the ratio, on the common tasks.

    Parameters
    ----------
    table : as `experiments.downsampling.downsampling_table` gives it.
    """
    common = table[table["tasks"] == "common"]
    ratios = list(common["ratio"].drop_duplicates())
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 2.9), sharex=True)
    for shift, area in zip(np.linspace(-0.15, 0.15, 4), AREAS_COMPARED, strict=True):
        part = common[common["area"] == area]
        x, colour = np.arange(len(part)) + shift, AREA_COLOURS[area]
        axes[0].plot(x, part["mean"], "o-", color=colour, label=AREA_LABELS[area])
        bars = np.abs(part[["low", "high"]].to_numpy().T - part["difference"].to_numpy())
        axes[1].errorbar(x, part["difference"], bars, fmt="o-", color=colour, elinewidth=0.8)
    axes[1].axhline(0, color="0.4", linewidth=0.6)
    tasks = int(common["n_tasks"].iloc[0]) if len(common) else 0
    axes[0].set(ylabel=f"mean area over {tasks} tasks", ylim=(None, 1))
    axes[1].set(ylabel="area minus the task's original area")
    for axis in axes:
        axis.set(xlabel="positives : negatives in the test set")
        axis.set_xticks(range(len(ratios)), ratios)
        axis.set_xlim(-0.4, len(ratios) - 0.5)
        axis.grid(True, axis="y")
    axes[0].legend(loc="lower left", ncols=2)
    return figure
