"""Figure of the disagreement by prevalence, across tasks and within them."""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import pandas as pd

from aucstudy.area_names import AREA_LABELS, DISTINCT_PAIRS
from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.phrases import percent, points
from aucstudy.presentation.style import NOTE, PAGE, SERIES_COLOURS, SERIES_MARKERS

BIN = ["prevalence_low", "prevalence_high"]


def prevalence_figure(shares: pd.DataFrame) -> plt.Figure:
    """Share of tasks with another best model against prevalence, and in its bins by the number of positives.

    Parameters
    ----------
    shares : the table prevalence.csv.
    """
    best = shares[shares["top"] == 1]
    across = best[best["scope"] == "across tasks"]
    bins = list(across[BIN].drop_duplicates().sort_values(BIN).itertuples(index=False, name=None))
    strata = sorted(set(across["positives"]) - {"all"}, key=lambda name: int(name.split()[0]))
    figure, axes = plt.subplots(2, 3, figsize=(PAGE, 4.9), sharey=True)
    for (above, below), pair in zip(axes.T, DISTINCT_PAIRS, strict=True):
        rows = best[(best["first"] == pair[0]) & (best["second"] == pair[1])]
        _moved(above, rows[rows["scope"] == "within tasks"].sort_values("prevalence"))
        whole = rows[(rows["scope"] == "across tasks") & (rows["positives"] == "all")]
        _counted(above, whole["prevalence"], whole, "D", SERIES_COLOURS[4], "tasks of that prevalence", 4)
        for k, (stratum, colour, marker) in enumerate(
            zip(strata, SERIES_COLOURS, SERIES_MARKERS, strict=False)
        ):
            rows_of = rows[(rows["scope"] == "across tasks") & (rows["positives"] == stratum)]
            places = [
                bins.index(bin) + 0.29 * (k - 1) for bin in rows_of[BIN].itertuples(index=False, name=None)
            ]
            _counted(below, places, rows_of, marker, colour, f"tasks with {stratum} positives", 0 if k else 9)
        above.set_xscale("log")
        above.set(title=f"{AREA_LABELS[pair[0]]} and {AREA_LABELS[pair[1]]}", ylim=(-4, 108))
        above.set_xticks([0.01, 0.03, 0.1, 0.3], ["0.01", "0.03", "0.1", "0.3"])
        above.minorticks_off()
        below.set_xlim(-0.75, len(bins) - 0.35)
        below.set_xticks(range(len(bins)), [f"{low:g}-\n{high:g}" for low, high in bins])
        for axis in (above, below):
            axis.set_xlabel("prevalence")
            axis.grid(True, axis="y")
    for axis in axes[:, 0]:
        axis.set_ylabel("another best model (% of tasks)")
    moved, counted = (axis.get_legend_handles_labels() for axis in axes[:, 0])
    entries = (first + second for first, second in zip(moved, counted, strict=True))
    figure.legend(*entries, loc="outside upper center", ncols=3)
    return figure


def _moved(axis: plt.Axes, rows: pd.DataFrame) -> None:
    axis.fill_between(rows["prevalence"], 100 * rows["low"], 100 * rows["high"], color="0.85", linewidth=0)
    axis.plot(rows["prevalence"], 100 * rows["estimate"], color="0.2", label="same predictions, moved")


def _counted(
    axis: plt.Axes,
    places: Sequence[float],
    rows: pd.DataFrame,
    marker: str,
    colour: str,
    label: str,
    left: int,
) -> None:
    """Shares of tasks with their intervals, the number of tasks beside each: on the left of the first few."""
    axis.vlines(places, 100 * rows["low"], 100 * rows["high"], color=colour, linewidth=1)
    axis.plot(places, 100 * rows["estimate"], marker, color=colour, label=label)
    for k, (place, row) in enumerate(zip(places, rows.itertuples(), strict=True)):
        look = {"xytext": (-3, 1), "ha": "right"} if k < left else {"xytext": (3, 1)}
        axis.annotate(
            f"{row.n_tasks}", (place, 100 * row.estimate), textcoords="offset points", fontsize=NOTE, **look
        )


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
        interaction = (
            "the interval excludes 0"
            if difference["low"] * difference["high"] > 0
            else "no difference is shown"
        )
        sentences.append(
            f"{AREA_LABELS[first]} and {AREA_LABELS[second]}, another best model in {percent(many)} of "
            f"{many['n_tasks']} tasks with {many['positives']} positives against {percent(few)} of {few['n_tasks']} "
            f"with {few['positives']}: {points(difference)}, {interaction}. Seen on these tasks, not asked beforehand."
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
        "Disagreement on the best model against prevalence. Top: tasks in bins of prevalence (points), and all tasks, "
        "the same predictions moved to that prevalence, which changes nothing but the weight of the negatives (line "
        "and band). Bottom: the tasks of each bin by their number of positives. Beside each point the number of its "
        "tasks; 95 % intervals over source groups, exact ones where all tasks of a point agree (0 and 100 %).",
    ),
}
