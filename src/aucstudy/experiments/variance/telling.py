"""Figure and sentences of the variance experiment: self-disagreement by factor beside the share between areas."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.area_names import AREA_LABELS, DISTINCT_AREAS, DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.phrases import percent
from aucstudy.presentation.style import AREA_COLOURS, AREA_MARKERS, PAGE, nothing_drawn

FACTOR_LABELS = {
    "learner seed": "learner seed",
    "split": "split into folds",
    "test rows": "test rows",
    "flows drawn": "draw of the flows",
    "all four": "all four",
    "data set": "data sets",
    "all five": "all five",
}


def variance_figure(table: pd.DataFrame) -> plt.Figure:
    """Left: how often an area disagrees with itself; then the range of each pair's share, the paper's value dotted.

    Parameters
    ----------
    table : the table variance.csv.
    """
    if table.empty:
        return nothing_drawn("no task was fitted again")
    places = {factor: len(FACTOR_LABELS) - 1 - i for i, factor in enumerate(FACTOR_LABELS)}
    figure, axes = plt.subplots(1, 4, figsize=(PAGE, 2.9), sharey=True, width_ratios=[1.5, 1, 1, 1])
    for i, area in enumerate(DISTINCT_AREAS):
        rows = _of(table, area, area, "differs from itself")
        y = np.array([places[factor] for factor in rows.index]) + 0.22 * (1 - i)
        _bars(axes[0], rows, y, AREA_COLOURS[area], AREA_LABELS[area], AREA_MARKERS[area])
    axes[0].legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, handletextpad=0.2, columnspacing=1)
    axes[0].set(xlabel="area differs from itself (%)", xlim=(0, 100))
    for axis, (first, second) in zip(axes[1:], DISTINCT_PAIRS, strict=True):
        rows = _of(table, first, second, "share")
        _bars(axis, rows, np.array([places[factor] for factor in rows.index]), "0.2")
        axis.axvline(100 * rows["printed"].iloc[0], color="black", linestyle=":", label="Flach & Kull 2015")
        axis.set(title=f"{AREA_LABELS[first]}, {AREA_LABELS[second]}", xlabel="differ (%)", xlim=(0, 80))
    axes[0].set_yticks(list(places.values()), list(FACTOR_LABELS.values()))
    axes[0].set_ylabel("redrawn")
    for axis in axes:
        axis.grid(True, axis="x")
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside upper right")
    return figure


def _of(table: pd.DataFrame, first: str, second: str, quantity: str) -> pd.DataFrame:
    chosen = (table["first"] == first) & (table["second"] == second) & (table["quantity"] == quantity)
    return table[chosen].set_index("factor")


def _bars(
    axis: plt.Axes,
    rows: pd.DataFrame,
    y: np.ndarray,
    colour: str,
    label: str | None = None,
    marker: str = "o",
) -> None:
    axis.hlines(y, 100 * rows["low"], 100 * rows["high"], color=colour, linewidth=1)
    axis.plot(100 * rows["estimate"], y, marker, color=colour, markersize=3.5, label=label)


QUESTION = "Where does the share of tasks with another best model come from?"


def findings(study: Study) -> list[str]:
    """How often each area disagrees with itself, and how far each factor moves the shares."""
    table = study.table("variance")
    if table.empty:
        return []
    sentences = []
    for area in DISTINCT_AREAS:
        rows = _of(table, area, area, "differs from itself")
        by_factor = [f"{FACTOR_LABELS[factor]} {percent(row)}" for factor, row in rows.iterrows()]
        sentences.append(
            f"{AREA_LABELS[area]} picks another best model than itself when only this is redrawn: "
            f"{', '.join(by_factor)}."
        )
    for first, second in DISTINCT_PAIRS:
        shares, deviations, again = (
            _of(table, first, second, quantity) for quantity in ("share", "sd of share", "differs again")
        )
        moved = [f"{FACTOR_LABELS[name]} {100 * row['estimate']:.1f}" for name, row in deviations.iterrows()]
        whole = shares.loc["all five"]
        where = "in" if whole["inside"] else "outside"
        sentences.append(
            f"{PAIR_LABELS[first, second]} pick another best model in "
            f"{100 * whole['estimate']:.0f} % of the tasks on average over all redraws; the standard deviation of that "
            f"share, in points, by what is redrawn: {', '.join(moved)}. With all five redrawn 95 % of such studies "
            f"would see {100 * whole['low']:.0f} to {100 * whole['high']:.0f} %; the published "
            f"{100 * whole['printed']:.0f} % is {where} that range."
        )
        if np.isfinite(again.loc["all four", "estimate"]):
            sentences[-1] += (
                f" Where the two differ once, they differ again in {percent(again.loc['all four'])} of the redraws of "
                "all but the data set."
            )
    sentences.append(
        f"The ranges are those of studies of {whole['n_tasks']} tasks; a population that differs from this one could "
        "still be inside. Another split fits other models, so it brings the randomness of the learners with it; test "
        "rows are redrawn as halves with the models as they are; training rows are never new ones of the population. "
        "On another data set an area has the best of all flows, not of those drawn. An area may differ from itself "
        "more often than from another area: two areas are asked about the same models on the same rows."
    )
    return sentences


TABLES = {
    "variance": (
        "By what is redrawn: how often an area picks another best model than itself (differs from itself), the "
        "standard deviation of the share of tasks in which two areas pick another one (sd of share), how often two "
        "areas that differ in one redraw do so in another (differs again), each with a 95 % interval over "
        "source groups; and the share with the range that holds 95 % of its redraws, the published share and "
        "whether it lies inside."
    ),
    "variance_tasks": (
        "For each task, redrawn factor and pair of areas (an area with itself where both are the same): the "
        "probability that the best models differ, its variance over redraws, and the probability that they differ in "
        "both of two redraws. Of the flows that could be fitted in every replicate (n_models); factors with test rows "
        "are on halves."
    ),
    "variance_failures": (
        "Fits that failed, with the reason. Their flow is left out of all replicates of the task."
    ),
}


FIGURES = {
    "variance": Figure(
        lambda study: variance_figure(study.table("variance")),
        "Left: how often an area picks another best model than itself when only one factor is redrawn, with 95 % "
        "intervals over source groups. Right: the share of tasks in which two areas pick another best model, with the "
        "range that holds 95 % of the redraws; dotted: the share published by Flach & Kull 2015 on other data.",
    ),
}
