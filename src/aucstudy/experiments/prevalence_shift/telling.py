"""Figure of areas moved between skews [Boyd et al. 2012, first open question]."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.presentation.style import AREA_COLOURS, PAGE

LINES = (
    ("aupr", "moved", "AUPR moved", "-", AREA_COLOURS["aupr"]),
    ("aupr", "corrected", "AUPR corrected", "-", "#56B4E9"),
    ("aupr", "plain subsample", "AUPR of a plain subsample", ":", "0.35"),
    ("auprg", "moved", "AUPRG moved", "-", AREA_COLOURS["auprg"]),
    ("auroc", "moved", "AUROC", "-", AREA_COLOURS["auroc"]),
)
BINS = np.logspace(1, 3.5, 11)


def prevalence_shift_figure(table: pd.DataFrame, by_task: pd.DataFrame) -> plt.Figure:
    """Bias of moved areas by ratio, and that of AUPR by the number of negatives that are left.

    Parameters
    ----------
    table, by_task : as `prevalence_shift_table` and `shifted_areas` of `experiments.prevalence_shift` give them.
    """
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 3.2), sharey=True)
    for shift, (area, estimator, label, style, colour) in zip(np.linspace(-0.2, 0.2, 5), LINES, strict=True):
        part = table[(table["area"] == area) & (table["estimator"] == estimator)]
        bars = np.abs(part[["low", "high"]].to_numpy().T - part["bias"].to_numpy())
        axes[0].errorbar(
            np.arange(len(part)) + shift, part["bias"], bars, fmt="o" + style, elinewidth=0.8, color=colour,
            label=label,
        )  # fmt: skip
        if area != "aupr":
            continue
        points = by_task[(by_task["area"] == area) & (by_task["estimator"] == estimator)]
        axes[1].scatter(points["n_negative"], points["bias"], s=6, color=colour, alpha=0.35, linewidth=0)
        place = np.digitize(points["n_negative"], BINS)
        means = points.groupby(place)[["n_negative", "bias"]].mean()
        axes[1].plot(means["n_negative"], means["bias"], style, color=colour)
    ratios = list(table["ratio"].drop_duplicates())
    axes[0].set_xticks(range(len(ratios)), ratios)
    tasks = f" ({int(table['n_tasks'].max())} tasks)" if len(table) else ""
    axes[0].set(
        xlabel="positives : negatives in the cut test set" + tasks,
        ylabel="bias: estimate minus original area",
    )
    axes[1].set(xscale="log", xlabel="negatives in the cut test set (all tasks and ratios)")
    ticks = (10, 20, 50, 100, 200, 500, 1000)
    axes[1].set_xticks(ticks, ticks)
    axes[1].set_xticks([], minor=True)
    largest = by_task.loc[(by_task["area"] == "aupr") & (by_task["estimator"] != "downsampled"), "bias"]
    axes[0].set_ylim(1.1 * min(largest.min(), -0.05), 1.1 * max(largest.max(), 0.05))
    for axis in axes:
        axis.axhline(0, color="0.4", linewidth=0.6)
        axis.grid(True, axis="y")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure
