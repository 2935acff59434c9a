"""Figure of summary precision-recall curves over folds [Boyd et al. 2012, second open question]."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.style import PAGE, SERIES_COLOURS, SERIES_MARKERS


def summary_curves_figure(table: pd.DataFrame) -> plt.Figure:
    """Area kept, share achievable, and distance to the merged curve, by spread of skew and by number of folds.

    Parameters
    ----------
    table : as `experiments.summary_curves.summary_curves_table` gives it.
    """
    figure, axes = plt.subplots(1, 3, figsize=(PAGE, 3.2))
    folds, spreads = sorted(table["folds"].unique()), sorted(table["spread"].unique())
    shown_folds, shown_spread = folds[len(folds) // 2], spreads[-1]
    for i, (method, rows) in enumerate(table.groupby("method", sort=False)):
        look = {"color": SERIES_COLOURS[i], "marker": SERIES_MARKERS[i], "label": method, "elinewidth": 0.8}
        by_spread = rows[rows["folds"] == shown_folds].sort_values("spread")
        by_folds = rows[rows["spread"] == shown_spread].sort_values("folds")
        drawn = (
            (by_spread, "aucnpr_error", "aucnpr_error_low", "aucnpr_error_high"),
            (by_spread, "achievable", "achievable_low", "achievable_high"),
            (by_folds, "distance", "low", "high"),
        )
        for axis, (shown, middle, low, high) in zip(axes, drawn, strict=True):
            bars = shown[middle] - shown[low], shown[high] - shown[middle]
            axis.errorbar(np.arange(len(shown)) + (i - 2.5) * 0.1, shown[middle], bars, linewidth=0.9, **look)
    axes[0].set(ylabel="|AUCNPR of summary\n− mean AUCNPR of folds|", title=f"area, {shown_folds} folds")
    axes[1].set(
        ylabel="share that a ranking could have", title=f"achievable, {shown_folds} folds", ylim=(0, 1.05)
    )
    axes[1].yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    axes[2].set(
        ylabel="mean |precision − merged|", title=f"distance, spread {shown_spread:g}", xlabel="folds"
    )
    axes[2].set_ylim(0, None)
    for axis in axes[:2]:
        axis.set_xlabel("spread of the folds' prevalence")
        axis.set_xticks(range(len(spreads)), [f"{spread:g}" for spread in spreads])
    axes[2].set_xticks(range(len(folds)), folds)
    for axis in axes:
        axis.grid(True, axis="y")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


QUESTION = "Which summary curve over folds?"


def findings(study: Study) -> list[str]:
    """The second open question: which summary curve does the evidence favour?"""
    table = study.table("summary_curves")
    widest = table[table["spread"] == table["spread"].max()]
    means = widest.groupby("method", sort=False)[["aucnpr_error", "achievable", "distance"]].mean()
    sentences = [
        f"{name}: area off by {row['aucnpr_error']:.3f}, {100 * row['achievable']:.0f} % achievable, distance to the "
        f"merged curve {row['distance']:.3f}."
        for name, row in means.iterrows()
    ]
    possible = means[means["achievable"] >= 0.999]
    favoured = possible["aucnpr_error"].idxmin() if len(possible) else means["aucnpr_error"].idxmin()
    sentences.insert(
        0,
        f"At the most unequal skew (means over numbers of folds) the summary that stays achievable and comes nearest "
        f"to the folds' mean AUCNPR is '{favoured}' (off by {means.loc[favoured, 'aucnpr_error']:.3f}); vertical "
        f"averaging is off by {means.loc['vertical', 'aucnpr_error']:.3f}. The nearest to the merged curve is "
        f"'{means['distance'].idxmin()}'.",
    )
    return sentences


TABLES = {
    "summary_curves": (
        "Ways to average precision-recall curves over folds: difference of the summary's area to the mean of the "
        "folds', share of summaries that a ranking could have, and mean distance to the merged curve, with 95 % "
        "intervals over source groups (second open question of Boyd et al. 2012)."
    ),
    "summary_curves_tasks": (
        "For each task, number of folds, spread of their prevalence and method: errors of the summary's area, "
        "share of achievable summaries and distance to the merged curve."
    ),
}


FIGURES = {
    "summary_curves": Figure(
        lambda study: summary_curves_figure(study.table("summary_curves")),
        "Summary precision-recall curves over folds: difference of AUCNPR to the mean of the folds (left), share that "
        "a ranking could have (middle), distance to the merged curve by number of folds (right); 95 % intervals over "
        "source groups.",
    ),
}
