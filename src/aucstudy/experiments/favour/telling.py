"""Figure of the choices: whose best model is better where two areas pick different ones."""

import matplotlib.pyplot as plt
import pandas as pd

from aucstudy.area_names import AREA_LABELS, DISTINCT_PAIRS
from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.phrases import interval, percent
from aucstudy.presentation.style import AREA_COLOURS, PAGE, nothing_drawn

JUDGE_LABELS = {"expected_fg1": "E[FG$_1$]", "held_out_f1": "held-out F$_1$"}


def favour_figure(favour: pd.DataFrame) -> plt.Figure:
    """Shares of the differing tasks in which either choice is the worse, and how much better the second's is.

    Parameters
    ----------
    favour : the table favour.csv.
    """
    if favour.empty:
        return nothing_drawn("No task has two folds: there is none to hold out.")
    figure, (shares, gaps) = plt.subplots(1, 2, figsize=(PAGE, 2.5), sharey=True, width_ratios=[1.4, 1])
    rows = [(pair, judge) for pair in DISTINCT_PAIRS for judge in JUDGE_LABELS]
    places = {row: 3 * (len(DISTINCT_PAIRS) - k // 2) - 1.1 * (k % 2) for k, row in enumerate(rows)}
    labels = []
    for (pair, judge), y in places.items():
        quantities = favour[
            (favour["first"] == pair[0]) & (favour["second"] == pair[1]) & (favour["judge"] == judge)
        ]
        quantities = quantities.set_index("quantity")
        _worse(shares, quantities, pair, y)
        gap = quantities.loc["gap"]
        gaps.plot([gap["low"], gap["high"]], [y, y], color="0.2", linewidth=1)
        gaps.plot(gap["estimate"], y, "o", color="0.2", markersize=4)
        tasks = quantities.loc["first_lower", "n_tasks"]
        names = ", ".join(AREA_LABELS[area] for area in pair)
        labels.append(f"{names} ({tasks:.0f} tasks), {JUDGE_LABELS[judge]}")
    shares.set(
        xlabel="tasks with different winners (%)",
        xlim=(0, 100),
        yticks=list(places.values()),
        ylim=(1.2, 9.6),
    )
    shares.set_yticklabels(labels, fontsize=7)
    shares.spines["left"].set_visible(False)
    gaps.tick_params(axis="y", length=0)
    shares.tick_params(axis="y", length=0)
    gaps.axvline(0, color="0.3", linewidth=0.7)
    gaps.set(xlabel="second's winner minus first's")
    for area in ("aupr", "auprg", "auroc"):
        shares.barh([0], [0], color=AREA_COLOURS[area], label=f"{AREA_LABELS[area]}'s winner is worse")
    figure.legend(*shares.get_legend_handles_labels(), loc="outside upper center", ncol=3)
    return figure


def _worse(axis: plt.Axes, quantities: pd.DataFrame, pair: tuple[str, str], y: float) -> None:
    """A bar from the left for the first area's choice being worse, from the right for the second's."""
    for area, quantity, start in ((pair[0], "first_lower", 0), (pair[1], "second_lower", 100)):
        width = 100 * quantities.loc[quantity, "estimate"]
        if not width > 0:
            continue
        left = start if start == 0 else 100 - width
        axis.barh(y, width, left=left, height=0.9, color=AREA_COLOURS[area])
        axis.text(left + width / 2, y, f"{width:.0f}", ha="center", va="center", fontsize=7, color="white")


QUESTION = "Whose choice is better?"


def findings(study: Study) -> list[str]:
    """Whose best model is better where two areas pick different ones, and what averaging F1 over folds does."""
    table, averages = study.table("favour"), study.table("fold_averages")
    if table.empty:
        return []
    sentences = []
    for first, second in DISTINCT_PAIRS:
        names = AREA_LABELS[first], AREA_LABELS[second]
        rows = table[(table["first"] == first) & (table["second"] == second)].set_index(["judge", "quantity"])
        lower, gap = rows.loc[("expected_fg1", "first_lower")], rows.loc[("held_out_f1", "gap")]
        if not lower["n_tasks"] > 0:
            continue
        sentences.append(
            f"Of {lower['n_tasks']:.0f} tasks where {names[0]} and {names[1]} pick other winners, "
            f"{names[0]}'s has the lower expected F-Gain in {100 * lower['estimate']:.0f} % (which is nearly AUPRG "
            "itself and no judge of it). In F1 "
            f"on held-out folds {names[1]}'s winner differs from {names[0]}'s by {gap['estimate']:+.3f} "
            f"{interval(gap['low'], gap['high'], '+.3f')}."
        )
    against = averages[averages["second"] == "f1_of_sums"]
    for rule, rows in against.groupby("rule", sort=False):
        changed = rows.set_index("first")
        sentences.append(
            f"At the {rule.replace('_', '-')} threshold the best model by mean F1 over the folds is not that by the "
            f"F1 of their summed counts in {percent(changed.loc['mean_f1'])} of {rows['n_tasks'].iloc[0]} tasks, that "
            f"by mean F-Gain in {percent(changed.loc['mean_fg1'])} ({rows['n_left_out'].iloc[0]} tasks left out: every "
            "model has a fold without a true positive, where F-Gain is minus infinity)."
        )
    return sentences


TABLES = {
    "favour": (
        "Where two areas pick different best models: how often the choice of the first, and of the second, is the "
        "worse one by three judges (expected F-Gain of Theorem 3; AUPRG inside the unit square; F1 on held-out "
        "folds), and by how much the second is better (gap, in the judges units), with 95 % intervals over "
        "source groups."
    ),
    "favour_tasks": (
        "For each task, pair of areas and judge: the probability that the winners differ, that each is the worse "
        "one, and by how much the second is better."
    ),
    "fold_averages": (
        "Share of tasks in which another model is best when F-Gain, not F1, is averaged over the folds, or when "
        "the counts of the folds are summed, at the default and at the F-calibrated threshold; tasks where every "
        "model has a fold without a true positive (mean F-Gain minus infinity) are left out and counted."
    ),
    "fold_averages_tasks": (
        "For each task, threshold rule and pair of averages: the probability that they pick another best model."
    ),
    "theorems": (
        "Theorems 1 to 4 and the two expectations of Flach & Kull 2015 on the models of the study: the largest "
        "deviation, relative to the larger of 1 and the absolute value, between what the paper states and what "
        "the contingency counts give."
    ),
}


FIGURES = {
    "favoured_choices": Figure(
        lambda study: favour_figure(study.table("favour")),
        "Whose choice is better where two areas pick different best models? Left: share of those tasks in which "
        "the choice of the first area, or of the second, is the worse by a judge; right: how much better the "
        "choice of the second is, mean and 95 % interval over source groups. E[FG1] (Theorem 3) is nearly an "
        "increasing function of AUPRG and sides with it; the F1 on held-out folds, at the F-calibrated threshold "
        "of the other folds, knows of no area.",
    ),
}
