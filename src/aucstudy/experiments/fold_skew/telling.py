"""Figure of folds of unequal skew [Boyd et al. 2012, section 4.1]."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.area_names import AREA_LABELS, SIGNED_LABELS
from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.phrases import between
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
            rows = table[(table["effect"] == effect) & (table["area"] == area)]
            bars = np.abs(rows[["low", "high"]].to_numpy().T - rows["difference"].to_numpy())
            axis.errorbar(
                np.arange(len(rows)) + SHIFTS[area], rows["difference"], bars, fmt="o-", elinewidth=0.8,
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


QUESTION = "What do folds of unequal skew do?"


def findings(study: Study) -> list[str]:
    """What unequal skew of folds does to the mean over folds and to the winner."""
    table = study.table("fold_skew")
    spread = table[table["spread"].notna()]
    widest = spread[spread["spread"] == spread["spread"].max()].set_index(["effect", "area"])
    first = widest.iloc[0]
    moved = [f"{SIGNED_LABELS[area]} by {between(row, 3)}" for area, row in widest.loc["error"].iterrows()]
    sentences = [
        f"Folds whose prevalence has a standard deviation of {first['prevalence_sd']:.2f} move the mean over folds "
        f"against equally skewed folds: {', '.join(moved)} ({int(first['n_tasks'])} tasks; "
        f"{100 * first['left_out']:.0f} % of the folds are of one class and left out).",
        "The best model by the fold mean is not the merged one's in "
        + ", ".join(
            f"{100 * row['skewed']:.0f} % ({SIGNED_LABELS[area]}; control {100 * row['control']:.0f} %)"
            for area, row in widest.loc["winner changes"].iterrows()
        )
        + " of the cuts.",
    ]
    advice = study.table("fold_skew_averaging").rename(columns={"gain": "difference"})
    advice = advice[(advice["cut"] == first["cut"]) & (advice["tasks"] == "all")].set_index("effect")
    change, size = advice.loc["winner changes"], advice.loc["size in model SDs"]
    better = "is better" if size["low"] > 0 else "is not clearly better"
    sentences.append(
        f"Averaging AUCNPR over such folds {better} than averaging AUPR: the error is smaller by {between(size)} "
        f"standard deviations of the models (of {size['aupr']:.2f}), but the best model changes less often by only "
        f"{100 * change['difference']:.1f} points (95 % interval {100 * change['low']:.1f} to "
        f"{100 * change['high']:.1f}) of {100 * change['aupr']:.0f} %."
    )
    clusters = table[(table["cut"] == "clusters") & (table["effect"] == "error")].set_index("area")
    if len(clusters):
        sentences.append(
            f"Folds of similar rows (clusters) move the mean over folds more: AUPR by {between(clusters.loc['aupr'])}, "
            f"AUROC by {between(clusters.loc['auroc'])}; their rows differ by more than skew."
        )
    return sentences


TABLES = {
    "fold_skew": (
        "Effect of folds of unequal skew, and of folds of similar rows (clusters), on the mean over folds and on "
        "the best model, skewed folds minus a control of random folds with equal skew and the same sizes, with "
        "the 95 % interval over source groups [Boyd et al. 2012, section 4.1]."
    ),
    "fold_skew_averaging": (
        "Averaging AUCNPR against averaging AUPR over the same folds, by spread of the folds' prevalence and "
        "thirds of the tasks by prevalence: how often the best model changes, and the size of the error in "
        "standard deviations of the models; 95 % interval over source groups."
    ),
    "fold_skew_tasks": (
        "For each task, cut and area: error of the mean over folds, share of draws whose best model changes and "
        "share of one-class folds, for skewed folds and the control."
    ),
}


FIGURES = {
    "fold_skew": Figure(
        lambda study: fold_skew_figure(study.table("fold_skew")),
        "What folds of unequal skew do to the mean over folds (left; middle: size of the error in standard "
        "deviations of the models) and to the best model (right), against the spread of the folds' prevalence: "
        "skewed folds minus a control of random folds with equal skew and the same sizes, with the 95 % interval "
        "over source groups [Boyd et al. 2012, section 4.1].",
    ),
}
