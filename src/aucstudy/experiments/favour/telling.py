"""Figure of the choices: whose best model is better where two areas pick different ones."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.patches import Patch

from aucstudy.area_names import AREA_LABELS, DISTINCT_AREAS, DISTINCT_PAIRS
from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.phrases import interval, percent
from aucstudy.presentation.style import AREA_COLOURS, NOTE, PAGE, nothing_drawn

EQUAL = {"facecolor": "0.9", "edgecolor": "0.4", "linewidth": 0.5, "hatch": "///"}
JUDGE_LABELS = {"expected_fg1": "E[FG$_1$]", "held_out_f1": "held-out F$_1$"}


def favour_figure(favour: pd.DataFrame) -> plt.Figure:
    """Shares of the differing tasks in which either choice is the worse, and how much better the second's is.

    Parameters
    ----------
    favour : the table favour.csv.
    """
    if favour.empty:
        return nothing_drawn("No task has two folds: there is none to hold out.")
    figure, axes = plt.subplots(2, 2, figsize=(PAGE, 3.4), sharey=True, width_ratios=[1.4, 1])
    for (shares, gaps), (judge, label) in zip(axes, JUDGE_LABELS.items(), strict=True):
        names = []
        for y, pair in enumerate(DISTINCT_PAIRS):
            chosen = (favour["first"] == pair[0]) & (favour["second"] == pair[1]) & (favour["judge"] == judge)
            quantities = favour[chosen].set_index("quantity")
            _worse(shares, quantities, pair, y)
            gap = quantities.loc["gap"]
            gaps.plot([gap["low"], gap["high"]], [y, y], color="black", linewidth=1)
            gaps.plot(gap["estimate"], y, "o", color="black")
            tasks = quantities.loc["first_lower", "n_tasks"]
            names.append(f"{AREA_LABELS[pair[0]]}, {AREA_LABELS[pair[1]]} ({tasks:.3g} tasks)")
        shares.set(xlim=(0, 100), yticks=range(len(names)), yticklabels=names, ylim=(len(names) - 0.5, -0.5))
        shares.set_title(f"worse by {label}")
        gaps.set_title(f"{label}: second's winner minus first's")
        gaps.axvline(0, color="0.3", linewidth=0.7)
        gaps.grid(True, axis="x")
        gaps.locator_params(axis="x", nbins=5)
        shares.spines["left"].set_visible(False)
        for axis in (shares, gaps):
            axis.tick_params(axis="y", length=0)
            axis.tick_params(axis="x", labelbottom=True)
    axes[1, 0].set_xlabel("tasks with different winners (%)")
    handles = [
        Patch(color=AREA_COLOURS[area], label=f"{AREA_LABELS[area]}'s winner is worse")
        for area in DISTINCT_AREAS
    ]
    handles.append(Patch(label="equally good", **EQUAL))
    figure.legend(handles=handles, loc="outside upper center", ncols=4, columnspacing=1)
    return figure


def _worse(axis: plt.Axes, quantities: pd.DataFrame, pair: tuple[str, str], y: float) -> None:
    """A bar from the left for the first area's choice being worse, from the right for the second's, ties between."""
    first, second = (
        100 * quantities.loc[quantity, "estimate"] for quantity in ("first_lower", "second_lower")
    )
    bars = (
        (0.0, first, {"facecolor": AREA_COLOURS[pair[0]]}, "white", AREA_LABELS[pair[0]]),
        (first, 100 - first - second, EQUAL, "black", ""),
        (100 - second, second, {"facecolor": AREA_COLOURS[pair[1]]}, "white", AREA_LABELS[pair[1]]),
    )
    for left, width, look, ink, name in bars:
        if width > 0.05:  # what is left of rounding is no tie
            axis.barh(y, width, left=left, height=0.7, **{"edgecolor": "white", "linewidth": 0.8} | look)
            box = {"facecolor": look["facecolor"], "edgecolor": "none", "pad": 0.6}
            number = f"{name if width > 15 else ''} {width:.0f}".strip()
            axis.text(
                left + width / 2, y, number, ha="center", va="center", fontsize=NOTE, color=ink, bbox=box
            )


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
        "the choice of the first area, or of the second, is the worse, or both are equally good (hatched); right: how "
        "much better the choice of the second is, in the judge's unit, mean and 95 % interval over source groups. "
        "Top: E[FG1] (Theorem 3), nearly an increasing function of AUPRG, which sides with it; bottom: the F1 on "
        "held-out folds, at the F-calibrated threshold of the other folds, which knows of no area. Tied winners "
        "count in part, so tasks need not be whole.",
    ),
}
