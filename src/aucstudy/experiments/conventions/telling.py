"""The figure of the conventions experiment: how often the convention alone changes the choice, and where."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import BoundaryNorm

from aucstudy.experiments.inputs import Figure, Study
from aucstudy.metrics.conventions import CONVENTIONS
from aucstudy.presentation.phrases import interval, percent
from aucstudy.presentation.style import PAGE, SERIES_COLOURS

RIVAL_LABELS = {name: f"{rule}\n({tool})" for name, (_, rule, tool) in CONVENTIONS.items()}
RIVAL_LABELS["any"] = "at least one of them"


def convention_choices(shares: pd.DataFrame, by_task: pd.DataFrame) -> plt.Figure:
    """Left: share of tasks in which a rival changes the best model or the first three. Right: which tasks.

    Parameters
    ----------
    shares, by_task : the tables of `convention_shares` and `compare_conventions`.
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(PAGE, 4.4), width_ratios=(1, 1.05))
    _shares(left, shares[shares["split"] == "all"])
    _tasks(figure, right, by_task)
    return figure


def _shares(axis: plt.Axes, shares: pd.DataFrame) -> None:
    names = list(dict.fromkeys(shares["rival"]))
    for top, marker, colour, shift in ((1, "o", SERIES_COLOURS[0], -0.13), (3, "s", SERIES_COLOURS[2], 0.13)):
        rows = shares[shares["top"] == top].set_index("rival")
        y = np.array([names.index(name) for name in rows.index]) + shift
        percentages = 100 * rows[["low", "estimate", "high"]].to_numpy()
        axis.hlines(y, percentages[:, 0], percentages[:, 2], color=colour, linewidth=1.2)
        label = "best model" if top == 1 else "first three, in order"
        face = colour if top == 1 else "white"
        axis.plot(percentages[:, 1], y, marker, color=colour, markerfacecolor=face, label=label)
    axis.set(
        yticks=range(len(names)),
        yticklabels=[RIVAL_LABELS[name] for name in names],
        xlabel="tasks in which the choice is another\nthan by the exact area (%)",
        xlim=(-2, max(10.0, 105 * shares["high"].max())),
        ylim=(len(names) - 0.4, -0.6),
    )
    axis.grid(True, axis="x")
    axis.legend(loc="lower center", bbox_to_anchor=(0.3, 1.0), ncols=2, columnspacing=1, handletextpad=0.2)


def _tasks(figure: plt.Figure, axis: plt.Axes, by_task: pd.DataFrame) -> None:
    rivals = by_task[by_task["rival"] != "any"]
    tasks = rivals.groupby("task_id").agg(
        n_positive=("n_positive", "first"),
        tied=("tied_pairs", "first"),
        changed=("p_best_differs", lambda p: int((p > 0).sum())),
    )
    tasks = tasks.sort_values("changed", kind="stable")
    n = rivals["rival"].nunique()
    norm = BoundaryNorm(np.arange(-0.5, n + 1), plt.get_cmap("viridis_r").N)
    dots = axis.scatter(
        tasks["n_positive"], 100 * tasks["tied"], c=tasks["changed"], cmap="viridis_r", norm=norm, s=22,
        edgecolor="0.25", linewidth=0.4,
    )  # fmt: skip
    axis.set(xscale="log", xlabel="positives in the task", ylabel="tied pairs, mean over the models (%)")
    low, high = tasks["n_positive"].min(), tasks["n_positive"].max()
    ticks = [k * 10**e for e in range(7) for k in (1, 2, 5) if low / 2 <= k * 10**e <= 2 * high]
    axis.set_xticks(ticks, labels=[f"{tick:,}" for tick in ticks])
    axis.minorticks_off()
    axis.set_ylim(bottom=0, top=max(1.0, 105 * tasks["tied"].max()))
    axis.grid(True)
    figure.colorbar(dots, ax=axis, label="conventions with another best model", ticks=range(n + 1), pad=0.02)


QUESTION = "Do the conventions for AUPR pick the same models?"


def findings(study: Study) -> list[str]:
    """How often the convention alone changes the winner, how far it lies above the exact area, and in which tasks."""
    shares, excess = study.table("conventions"), study.table("conventions_excess").set_index("rival")
    whole = shares[shares["split"] == "all"].set_index(["rival", "top"])
    sentences = [
        f"{len(CONVENTIONS)} rules are called the area under the PR curve: at least one of the other "
        f"{len(excess)} picks another best model than the exact integral in {percent(whole.loc[('any', 1)])} of "
        f"{whole.loc[('any', 1), 'n_tasks']} tasks."
    ]
    rivals = whole.drop(index="any", level="rival").sort_values("estimate", ascending=False, kind="stable")
    for (rival, top), row in rivals.iterrows():
        if top == 1:
            _, rule, tool = CONVENTIONS[rival]
            above = excess.loc[rival]
            sentences.append(
                f"By {rule} ({tool}) the best model is another in {percent(row)}, the ordered first three in "
                f"{percent(whole.loc[(rival, 3)])}; its area lies {above['mean']:+.3f} "
                f"{interval(above['low'], above['high'], '+.3f')} from the exact one on average, median "
                f"{above['median']:+.4f}, on one model {above['largest']:+.2f}."
            )
    for split, what in (("tied_pairs", "tied pairs"), ("n_positive", "positives")):
        rows = shares[(shares["split"] == split) & (shares["rival"] == "any")]
        cells = [f"{row.tasks}: {100 * row.estimate:.0f} % of {row.n_tasks}" for row in rows.itertuples()]
        sentences.append(f"Another best model by at least one convention, by {what}: {'; '.join(cells)}.")
    return sentences


TABLES = {
    "conventions": (
        "Share of tasks in which another convention for the area under the PR curve, on the same predictions, "
        "changes the best model (top 1) or the ordered first three (top 3), with the 95 % interval over "
        "source groups; for all tasks, and by the share of tied pairs and the number of positives."
    ),
    "conventions_excess": (
        "How far each convention lies above the exact area on the same predictions: mean over models and tasks with the"
        " 95 % interval over source groups, median, and the largest excess on one model."
    ),
    "conventions_tasks": (
        "For each task and rival convention: the best models, the probability that the best and the first three "
        "are others than by the exact area, the largest difference of the area, its excess over the exact one (mean, "
        "median and largest over the models), and the share of tied pairs."
    ),
}


FIGURES = {
    "convention_choices": Figure(
        lambda study: convention_choices(study.table("conventions"), study.table("conventions_tasks")),
        "Left: tasks in which a convention for the area under the PR curve alone changes the choice, against the "
        "exact integral, with 95 % intervals over source groups (exact ones where no task changes); right: how many "
        "of the conventions pick another best model in each task, against its positives and tied pairs.",
    ),
}
