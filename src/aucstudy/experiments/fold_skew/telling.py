"""Figures and captions of folds of unequal skew [Boyd et al. 2012, section 4.1]."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.area_names import AREA_LABELS
from aucstudy.experiments.fold_skew import sentences
from aucstudy.experiments.fold_skew.names import CHOICE, MEAN, MEAN_MOVED, MEAN_NORMALISED, MOVED, OTHER
from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.style import PAGE, area_look

LABELS = {
    **AREA_LABELS,
    "auprg": "AUPRG, signed",
    "auprg_clipped": "AUPRG, clipped",
    MOVED: "AUPR at one prevalence",
}
LOOKS = {
    **{area: area_look(area) for area in AREA_LABELS},
    "auprg_clipped": area_look("auprg", variant=True),
    MOVED: area_look("aupr", variant=True),
}
SMALL = ("aupr", "aucnpr", MOVED, "auprg_clipped", "auroc")  # a mean of signed AUPRG is ruled by single folds
ALL = ("aupr", "aucnpr", MOVED, "auprg_clipped", "auprg", "auroc")
EFFECTS_DRAWN = (
    ("error", SMALL, "fold mean minus\nmerged value"),
    ("size in model SDs", SMALL, "size of the error,\nmodel SDs"),
    ("winner changes", ALL, "cuts whose best\nmodel changes"),
)
SIDES = (
    ("skewed", "skewed_low", "skewed_high", "skewed folds"),
    ("control", "control_low", "control_high", "control"),
    ("difference", "low", "high", "skewed minus control"),
)
MEANS_DRAWN = {MEAN: LOOKS["aupr"], MEAN_NORMALISED: LOOKS["aucnpr"], MEAN_MOVED: LOOKS[MOVED]}
JUDGED_DRAWN = (
    ("distance", "distance to the\nother half's AUPR"),
    ("winner changes", "winner is not the\nother half's"),
    (CHOICE, "the other half's AUPR\nof the winner"),
)
SPREAD_LABEL = "variance of the folds' prevalence, share of the largest possible"


def fold_skew_figure(table: pd.DataFrame) -> plt.Figure:
    """The mean over skewed folds and over the control's against the merged value, and their difference.

    Parameters
    ----------
    table : as `numbers.fold_skew_table` gives it; only the cuts of a given spread are drawn.
    """
    table = table[table["spread"].notna()]
    shape = len(EFFECTS_DRAWN), len(SIDES)
    figure, axes = plt.subplots(*shape, figsize=(PAGE, 6.6), sharex=True, sharey="row")
    for across, (effect, areas, label) in zip(axes, EFFECTS_DRAWN, strict=True):
        across[0].set_ylabel(label)
        for axis, columns in zip(across, SIDES, strict=True):
            shown = table[table["effect"] == effect]
            _lines(axis, {area: shown[shown["area"] == area] for area in areas}, columns[:3], LOOKS, LABELS)
    for axis, (*_, title) in zip(axes[0], SIDES, strict=True):
        axis.set_title(title)
    _in_percent(axes[-1, 0])
    figure.supxlabel(SPREAD_LABEL)
    figure.legend(*axes[-1, 0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def aggregates_figure(table: pd.DataFrame) -> plt.Figure:
    """Means over folds against pooling, judged on the other half of the rows.

    Parameters
    ----------
    table : as `aggregates.aggregates_table` gives it.
    """
    table = table[(table["area"] == "aupr") & (table["standard"] == OTHER) & table["spread"].notna()]
    figure, axes = plt.subplots(1, len(JUDGED_DRAWN), figsize=(PAGE, 2.9), sharex=True)
    for axis, (effect, label) in zip(axes, JUDGED_DRAWN, strict=True):
        shown = table[table["effect"] == effect]
        lines = {name: shown[shown["aggregate"] == name] for name in MEANS_DRAWN}
        labels = {
            MEAN: "mean AUPR",
            MEAN_NORMALISED: "mean AUCNPR",
            MEAN_MOVED: "mean AUPR at one prevalence",
        }
        _lines(axis, lines, ("difference", "low", "high"), MEANS_DRAWN, labels)
        axis.set_ylabel(f"{label}, minus pooling's")
    _in_percent(axes[1])
    figure.supxlabel(SPREAD_LABEL)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def _lines(
    axis: plt.Axes, lines: dict[str, pd.DataFrame], columns: tuple[str, str, str], looks: dict, labels: dict
) -> None:
    """Estimates with their intervals against the spread, side by side."""
    shifts = np.linspace(-0.25, 0.25, len(lines))
    for shift, (name, rows) in zip(shifts, lines.items(), strict=True):
        rows = rows.sort_values("spread")
        middle, low, high = (rows[column].to_numpy() for column in columns)
        axis.errorbar(
            np.arange(len(rows)) + shift, middle, (middle - low, high - middle), elinewidth=0.7,
            label=labels[name], **looks[name] | {"linewidth": 0.8, "markersize": 3, "markeredgewidth": 0.7},
        )  # fmt: skip
        axis.set_xticks(range(len(rows)), [f"{spread:g}" for spread in rows["spread"]])
    axis.axhline(0, color="0.4", linewidth=0.6)
    axis.grid(True, axis="y")


def _in_percent(axis: plt.Axes) -> None:
    axis.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")


QUESTION = "What do folds of unequal skew do, and which aggregate of folds should be used?"


def findings(study: Study) -> list[str]:
    """What unequal skew of folds does to the mean over folds and to the winner, and what to use instead."""
    table = study.table("fold_skew")
    return [
        *sentences.errors(table),
        *sentences.winners(table),
        *sentences.averaging(study.table("fold_skew_averaging"), table),
        *sentences.recommendation(study.table("fold_skew_aggregates")),
        *sentences.fixed_folds(table, study.table("fold_skew_tasks")),
    ]


CONTROL = (
    "a control of random folds that keep the number of positives of each skewed fold and leave out the same folds, "
    "but have equal skew"
)
TABLES = {
    "fold_skew": (
        "Effect of folds of unequal skew, of folds of similar rows (clusters) and of the folds in which the rows were "
        f"predicted (own folds) on the mean over folds and on the best model, beside {CONTROL}: each against the "
        "merged value (skewed, control) and their difference, with the 95 % intervals over source "
        "groups [Boyd et al. 2012, section 4.1]."
    ),
    "fold_skew_averaging": (
        "Averaging AUCNPR against averaging AUPR, and against AUPR of folds moved to one prevalence, over the same "
        "folds, by spread of the folds' prevalence and thirds of the tasks by prevalence: how often the best model "
        "changes, and the size of the error in standard deviations of the models; 95 % interval over "
        "source groups."
    ),
    "fold_skew_aggregates": (
        "Aggregates of folds (pooled, mean, mean AUCNPR, mean of folds moved to one prevalence) of one half of each "
        "fold's rows, against the merged value of that half and of the other half, whose rows no aggregate has seen: "
        "error, distance, how often the winner is not the standard's and what area the standard gives to the winner; "
        "each with its difference from pooling and the 95 % intervals over source groups."
    ),
    "fold_skew_tasks": (
        "For each task, cut and area: error of the mean over folds, share of draws whose best model changes and "
        "share of one-class folds, for skewed folds and the control; control_low and control_high hold the middle "
        "95 % of the control's draws."
    ),
}


FIGURES = {
    "fold_skew": Figure(
        lambda study: fold_skew_figure(study.table("fold_skew")),
        "What folds of unequal skew do to the mean over folds (top; middle: size of the error in standard deviations "
        "of the models) and to the best model (bottom), against the spread of the folds' prevalence. Left: skewed "
        f"folds against the merged value; middle: {CONTROL}, against the merged value; right: their difference, "
        "which is what skew does. 95 % intervals over source groups [Boyd et al. 2012, section 4.1]. Signed AUPRG is "
        "drawn at the bottom only: of a fold with few positives it may lie many units below 0, so that single folds "
        "rule its mean, and its errors are of another order than the others' (they are in fold_skew.csv).",
    ),
    "fold_skew_aggregates": Figure(
        lambda study: aggregates_figure(study.table("fold_skew_aggregates")),
        "Means over the folds of one half of the rows against pooling these folds, judged by AUPR of the other half: "
        "distance to it, how often its winner is missed (less is better) and what it gives to the winner chosen (more "
        "is better), with the 95 % intervals over source groups.",
    ),
}
