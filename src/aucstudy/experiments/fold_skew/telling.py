"""Figure of folds of unequal skew [Boyd et al. 2012, section 4.1]."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.area_names import AREA_LABELS
from aucstudy.presentation.style import AREA_COLOURS, PAGE

LABELS = {**AREA_LABELS, "auprg": "AUPRG, signed", "auprg_clipped": "AUPRG, clipped"}
COLOURS = {**AREA_COLOURS, "auprg_clipped": "#E69F00"}
SHIFTS = {"aupr": -0.18, "aucnpr": -0.09, "auprg_clipped": 0.0, "auprg": 0.09, "auroc": 0.18}
SMALL = ("aupr", "aucnpr", "auprg_clipped", "auroc")  # a mean of signed AUPRG is ruled by single folds
PANELS = (
    ("error", SMALL, "fold mean minus merged value"),
    ("size in model SDs", SMALL, "size of the error, model SDs"),
    (
        "winner changes",
        ("aupr", "aucnpr", "auprg_clipped", "auprg", "auroc"),
        "cuts whose best model changes",
    ),
)


def fold_skew_figure(table: pd.DataFrame) -> plt.Figure:
    """Effect of unequal skew on the mean over folds and on the best model, against how unequal the folds are.

    Parameters
    ----------
    table : as `experiments.fold_skew.fold_skew_table` gives it; cuts by clusters are not drawn.
    """
    table = table[table["spread"].notna()]
    figure, axes = plt.subplots(1, len(PANELS), figsize=(PAGE, 3.1), sharex=True)
    spreads = sorted(table["spread"].unique())
    for axis, (effect, areas, label) in zip(axes, PANELS, strict=True):
        for area in areas:
            part = table[(table["effect"] == effect) & (table["area"] == area)]
            bars = np.abs(part[["low", "high"]].to_numpy().T - part["difference"].to_numpy())
            axis.errorbar(
                np.arange(len(part)) + SHIFTS[area], part["difference"], bars, fmt="o-", elinewidth=0.8,
                markersize=3, color=COLOURS[area], label=LABELS[area],
            )  # fmt: skip
        axis.axhline(0, color="0.4", linewidth=0.6)
        axis.set(ylabel=f"{label},\nskewed folds minus control")
        axis.set_xticks(range(len(spreads)), [f"{spread:g}" for spread in spreads], fontsize=7)
        axis.grid(True, axis="y")
    axes[2].yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    figure.supxlabel("variance of the folds' prevalence, share of the largest possible", fontsize=9)
    figure.legend(*axes[2].get_legend_handles_labels(), loc="outside upper center", ncols=5)
    return figure
