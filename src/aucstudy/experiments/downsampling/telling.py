"""Figure of test sets cut to a ratio of negatives to positives [Boyd et al. 2012, table 3, on many tasks]."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS_COMPARED, CLIPPED, SIGNED_LABELS
from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.phrases import between
from aucstudy.presentation.style import PAGE, area_look


def downsampled_areas_figure(table: pd.DataFrame) -> plt.Figure:
    """Mean area, and the difference within tasks to the original, against the ratio, on the common tasks.

    Parameters
    ----------
    table : as `experiments.downsampling.downsampling_table` gives it.
    """
    common = table[table["tasks"] == "common"]
    ratios = list(common["ratio"].drop_duplicates())
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 3.1), sharex=True)
    names = (*AREAS_COMPARED, CLIPPED)
    for shift, name in zip(np.linspace(-0.2, 0.2, len(names)), names, strict=True):
        rows = common[common["area"] == name]
        look = area_look(name.removesuffix("_clipped"), variant=name == CLIPPED)
        columns = (("mean", "mean_low", "mean_high"), ("difference", "low", "high"))
        for axis, (middle, low, high) in zip(axes, columns, strict=True):
            bars = rows[middle] - rows[low], rows[high] - rows[middle]
            axis.errorbar(
                np.arange(len(rows)) + shift,
                rows[middle],
                bars,
                elinewidth=0.8,
                label=SIGNED_LABELS[name],
                **look,
            )
    axes[1].axhline(0, color="0.4", linewidth=0.6)
    tasks = int(common["n_tasks"].iloc[0]) if len(common) else 0
    axes[0].set(ylabel=f"mean area over {tasks} tasks", ylim=(None, 1))
    axes[1].set(ylabel="area minus the task's original area")
    for axis in axes:
        axis.set(xlabel="positives : negatives in the test set")
        axis.set_xticks(range(len(ratios)), ratios)
        axis.set_xlim(-0.4, len(ratios) - 0.5)
        axis.grid(True, axis="y")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=len(names))
    return figure


QUESTION = "What does cutting the negatives do?"


def findings(study: Study) -> list[str]:
    """What cutting the negatives of the test set does to each area."""
    table = study.table("downsampling")
    common = table[table["tasks"] == "common"]
    nearest = common["ratio"].iloc[0]
    tasks = int(common["n_tasks"].iloc[0])
    if not tasks:
        return ["No task is skewed enough for every ratio, so ratios cannot be compared on the same tasks."]
    moved = [
        f"{SIGNED_LABELS[row['area']]} by {between(row)}"
        for _, row in common[common["ratio"] == nearest].iterrows()
    ]
    sentences = [
        f"Cutting the test sets of {tasks} tasks to {nearest}, the models unchanged, moves {', '.join(moved)}."
    ]
    claims = study.table("downsampling_claims")
    spread = claims[claims["statistic"] == "SD over ratios"].set_index("area")["estimate"]
    sentences.append(
        f"Over the ratios a model's AUPR has a standard deviation of {spread['aupr']:.3f}, its AUCNPR one of "
        f"{spread['aucnpr']:.3f}."
    )
    return sentences


TABLES = {
    "downsampling": (
        "Mean areas on test sets whose negatives are cut to a ratio (mean_low, mean_high: 95 % interval), and their "
        "differences within tasks to the original, with the 95 % interval over source groups; rows of the common "
        "tasks, which admit every ratio, may be compared with one another [Boyd et al. 2012, table 3]; clipped AUPRG "
        "is 0 in draws where AUPRG is negative."
    ),
    "downsampling_claims": (
        "What Boyd et al. 2012 say of their table 3, measured on the tasks that admit every ratio: standard "
        "deviation over ratios, how many times the original the area at the smallest ratio is, and the rise from "
        "ratio to ratio, with the 95 % interval over source groups (of the median: percentiles of a bootstrap)."
    ),
}


FIGURES = {
    "downsampling": Figure(
        lambda study: downsampled_areas_figure(study.table("downsampling")),
        "Areas on test sets whose negatives are cut to a ratio, the models unchanged: mean (left) and difference "
        "within tasks to the original (right), with 95 % intervals over source groups, as Boyd "
        "et al. 2012, table 3, on many tasks. Clipped: AUPRG of each draw, 0 where it is negative.",
    ),
}
