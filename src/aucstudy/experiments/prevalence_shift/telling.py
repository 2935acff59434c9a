"""Figure of areas moved between skews [Boyd et al. 2012, first open question]."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.phrases import between
from aucstudy.presentation.style import PAGE, area_look

LINES = (
    ("aupr", "moved", "AUPR moved", area_look("aupr")),
    ("aupr", "corrected", "AUPR corrected", area_look("aupr", variant=True)),
    (
        "aupr",
        "plain subsample",
        "AUPR of a plain subsample",
        {"color": "black", "linestyle": ":", "marker": "x"},
    ),
    ("auprg", "moved", "AUPRG moved", area_look("auprg")),
    ("auroc", "moved", "AUROC", area_look("auroc")),
)
BINS = np.logspace(1, 3.5, 11)


def prevalence_shift_figure(table: pd.DataFrame, by_task: pd.DataFrame) -> plt.Figure:
    """Bias of moved areas by ratio, and that of AUPR by the number of negatives that are left.

    Parameters
    ----------
    table, by_task : as `prevalence_shift_table` and `shifted_areas` of `experiments.prevalence_shift` give them.
    """
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 3.2), sharey=True)
    for shift, (area, estimator, label, look) in zip(np.linspace(-0.2, 0.2, 5), LINES, strict=True):
        rows = table[(table["area"] == area) & (table["estimator"] == estimator)]
        bars = np.abs(rows[["low", "high"]].to_numpy().T - rows["bias"].to_numpy())
        axes[0].errorbar(
            np.arange(len(rows)) + shift, rows["bias"], bars, elinewidth=0.8, label=label, **look,
        )  # fmt: skip
        if area != "aupr":
            continue
        points = by_task[(by_task["area"] == area) & (by_task["estimator"] == estimator)]
        axes[1].scatter(
            points["n_negative"], points["bias"], s=6, color=look["color"], alpha=0.2, linewidth=0
        )
        place = np.digitize(points["n_negative"], BINS)
        means = points.groupby(place)[["n_negative", "bias"]].mean()
        axes[1].plot(means["n_negative"], means["bias"], **look)
    ratios = list(table["ratio"].drop_duplicates())
    axes[0].set_xticks(range(len(ratios)), ratios)
    n = int(table["n_tasks"].max()) if len(table) else 0
    tasks = f" ({n} task{'s' * (n > 1)})" if n else ""
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


QUESTION = "Can an area be moved between skews?"


def findings(study: Study) -> list[str]:
    """The first open question: can an area be moved between skews?"""
    table = study.table("prevalence_shift")
    if table.empty:
        return []
    rows = table.rename(columns={"bias": "difference"}).set_index(["ratio", "area", "estimator"])
    nearest, farthest = table["ratio"].iloc[0], table["ratio"].iloc[-1]
    sentences = []
    moved, corrected, plain = (
        rows.loc[(nearest, "aupr", estimator)] for estimator in ("moved", "corrected", "plain subsample")
    )
    sentences.append(
        f"Moving AUPR from {nearest} back to the original prevalence closes {100 * moved['gap_closed']:.0f} % of the "
        f"gap and stays biased by {between(moved, 3)}, with a standard deviation of {moved['sd']:.3f} over draws; "
        f"a plain subsample of the same size, which is not moved at all, is biased by {between(plain, 3)}."
    )
    sentences.append(
        f"The estimator corrected for few negatives closes {100 * corrected['gap_closed']:.0f} % and is biased by "
        f"{between(corrected, 3)}; its two bounds lie {corrected['bias_low']:+.3f} and "
        f"{corrected['bias_high']:+.3f} from the truth (root mean square error {corrected['rmse']:.3f}, moved "
        f"{moved['rmse']:.3f}). At {farthest} the bias is "
        f"{rows.loc[(farthest, 'aupr', 'corrected'), 'difference']:+.4f} corrected, "
        f"{rows.loc[(farthest, 'aupr', 'moved'), 'difference']:+.4f} moved. The bounds hold for any distribution; "
        "where the estimate lies between them rests on a rule that was chosen on these tasks, so its bias on others "
        "is still to be seen."
    )
    sentences.append(
        f"Moved AUPRG is biased by {between(rows.loc[(nearest, 'auprg', 'moved')], 3)}: precision gain is linear in "
        "the false positive rate, so signed AUPRG and AUROC can be moved between skews without bias."
    )
    return sentences


TABLES = {
    "prevalence_shift": (
        "Bias, spread and root mean square error of four estimates of the original area from test sets cut to a "
        "ratio: the downsampled area itself, the same moved analytically to the original prevalence, the "
        "estimator corrected for few negatives, and a plain subsample of the same size; with the 95 % interval over "
        "source groups (first open question of Boyd et al. 2012)."
    ),
    "prevalence_shift_tasks": (
        "For each task, ratio, area and estimator: bias, spread, the bounds of the corrected estimator, and the "
        "area that the whole curve has at that ratio."
    ),
}


FIGURES = {
    "prevalence_shift": Figure(
        lambda study: prevalence_shift_figure(
            study.table("prevalence_shift"), study.table("prevalence_shift_tasks")
        ),
        "Can an area be moved between skews? Bias of the area moved from a cut test set to the original "
        "prevalence, by ratio (left, 95 % interval over source groups) and for AUPR by the number "
        "of negatives left (right, a point a task and ratio); the plain subsample of the same size is the "
        "control.",
    ),
}
