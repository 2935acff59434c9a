"""Figure of folds of unequal skew [Boyd et al. 2012, section 4.1]."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.figures.style import AREA_COLOURS, AREA_LABELS, PAGE

SHIFTS = dict(zip(AREA_COLOURS, (-0.15, -0.05, 0.05, 0.15), strict=False))  # so that intervals do not overlap
PANELS = (
    ("error", ("aupr", "auroc", "aucnpr"), "fold mean minus merged value"),
    ("error", ("auprg",), "fold mean minus merged value"),
    ("winner changes", ("aupr", "auprg", "auroc", "aucnpr"), "cuts whose best model changes"),
)


def fold_skew_figure(table: pd.DataFrame) -> plt.Figure:
    """Effect of unequal skew on the mean over folds and on the best model, against how unequal the folds are.

    Parameters
    ----------
    table : as `experiments.fold_skew.fold_skew_table` gives it.
    """
    figure, axes = plt.subplots(1, len(PANELS), figsize=(PAGE, 2.9), sharex=True)
    spreads = sorted(table["spread"].unique())
    for axis, (effect, areas, label) in zip(axes, PANELS, strict=True):
        for area in areas:
            part = table[(table["effect"] == effect) & (table["area"] == area)]
            bars = np.abs(part[["low", "high"]].to_numpy().T - part["difference"].to_numpy())
            axis.errorbar(
                np.arange(len(part)) + SHIFTS[area], part["difference"], bars, fmt="o-", elinewidth=0.8,
                color=AREA_COLOURS[area], label=AREA_LABELS[area],
            )  # fmt: skip
        axis.axhline(0, color="0.4", linewidth=0.6)
        axis.set(ylabel=f"{label},\nskewed folds minus control")
        axis.set_xticks(range(len(spreads)), [f"{spread:g}" for spread in spreads])
        axis.grid(True, axis="y")
        axis.legend(loc="best")
    axes[2].yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    figure.supxlabel("variance of the folds' prevalence, share of the largest possible", fontsize=9)
    return figure
