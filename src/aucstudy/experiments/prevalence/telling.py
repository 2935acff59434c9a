"""Figure of the disagreement by prevalence, across tasks and within them."""

import matplotlib.pyplot as plt
import pandas as pd

from aucstudy.area_names import AREA_LABELS, DISTINCT_PAIRS
from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.phrases import percent, points
from aucstudy.presentation.style import PAGE

STRATUM_COLOURS = ("#E69F00", "#56B4E9", "#009E73")


def prevalence_figure(shares: pd.DataFrame) -> plt.Figure:
    """Share of tasks with another best model against prevalence.

    Parameters
    ----------
    shares : the table prevalence.csv.
    """
    best = shares[shares["top"] == 1]
    binned = best.loc[best["scope"] == "across tasks", "positives"]
    strata = sorted(set(binned) - {"all"}, key=lambda name: int(name.split()[0]))
    figure, axes = plt.subplots(1, 3, figsize=(PAGE, 2.9), sharey=True)
    for axis, (first, second) in zip(axes, DISTINCT_PAIRS, strict=True):
        rows = best[(best["first"] == first) & (best["second"] == second)]
        within = rows[rows["scope"] == "within tasks"].sort_values("prevalence")
        axis.fill_between(
            within["prevalence"], 100 * within["low"], 100 * within["high"], color="0.85", linewidth=0
        )
        axis.plot(
            within["prevalence"], 100 * within["estimate"], color="0.2", label="same predictions, moved"
        )
        across = rows[rows["scope"] == "across tasks"]
        whole = across[across["positives"] == "all"]
        axis.vlines(
            whole["prevalence"], 100 * whole["low"], 100 * whole["high"], color="#0072B2", linewidth=1
        )
        axis.plot(
            whole["prevalence"],
            100 * whole["estimate"],
            "o",
            color="#0072B2",
            label="tasks of that prevalence",
        )
        for colour, stratum in zip(STRATUM_COLOURS, strata, strict=False):
            stratum_rows = across[across["positives"] == stratum]
            size = 8 + 4 * stratum_rows["n_tasks"]
            label = f"those with {stratum} positives"
            look = {"facecolor": "none", "edgecolor": colour, "linewidth": 1.2}
            axis.scatter(
                stratum_rows["prevalence"], 100 * stratum_rows["estimate"], s=size, label=label, **look
            )
        axis.set_xscale("log")
        axis.set(title=f"{AREA_LABELS[first]} and {AREA_LABELS[second]}", xlabel="prevalence", ylim=(-3, 103))
        axis.set_xticks([0.01, 0.03, 0.1, 0.3], ["0.01", "0.03", "0.1", "0.3"])
        axis.minorticks_off()
        axis.grid(True)
    axes[0].set_ylabel("another best model (% of tasks)")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncol=3, handletextpad=0.4, columnspacing=1.2)
    return figure


QUESTION = "Does it depend on prevalence?"


def findings(study: Study) -> list[str]:
    """How the disagreement on the best model moves with prevalence alone."""
    table = study.table("prevalence")
    sentences = []
    best = table[(table["top"] == 1) & (table["scope"] == "within tasks")]
    for first, second in DISTINCT_PAIRS:
        names = AREA_LABELS[first], AREA_LABELS[second]
        rows = best[(best["first"] == first) & (best["second"] == second)].sort_values("prevalence")
        ends = [
            f"{percent(row)} at prevalence {row['prevalence']:g}" for _, row in rows.iloc[[0, -1]].iterrows()
        ]
        sentences.append(
            f"{names[0]} and {names[1]}, the same predictions moved: another best model in "
            f"{' and in '.join(ends)}."
        )
    return sentences + _by_positives(table)


def _by_positives(table: pd.DataFrame) -> list[str]:
    """Whether the number of positives matters, and that this was not a question beforehand."""
    rows = table[(table["scope"] == "by positives") & (table["top"] == 1)]
    sentences = []
    for (first, second), shares in rows.groupby(["first", "second"], sort=False):
        few, many, difference = (row for _, row in shares.iterrows())
        told = (
            "the interval excludes 0"
            if difference["low"] * difference["high"] > 0
            else "no difference is shown"
        )
        sentences.append(
            f"{AREA_LABELS[first]} and {AREA_LABELS[second]}, another best model in {percent(many)} of "
            f"{many['n_tasks']} tasks with {many['positives']} positives against {percent(few)} of {few['n_tasks']} "
            f"with {few['positives']}: {points(difference)}, {told}. Seen on these tasks, not asked beforehand."
        )
    return sentences


TABLES = {
    "prevalence": (
        "Share of tasks with another best model (top 1) or other first three (top 3), across tasks by prevalence "
        "and number of positives, by number of positives alone (and many minus few), and within tasks: the same "
        "predictions moved to other prevalences, their ROC curves unchanged; with 95 % intervals over source groups."
    ),
}


FIGURES = {
    "prevalence_shares": Figure(
        lambda study: prevalence_figure(study.table("prevalence")),
        "Disagreement on the best model against prevalence. Blue: tasks in bins of prevalence, with 95 % "
        "intervals over source groups; circles: those of them with few or many positives, the larger the more "
        "tasks; line and band: all tasks, the same predictions moved to that prevalence, which changes nothing "
        "but the weight of the negatives.",
    ),
}
