"""Figure of the multiverse: each disagreement share under every choice, the paper's value as a line."""

from collections.abc import Mapping
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.area_names import DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.experiments.inputs import Figure, Study
from aucstudy.metrics.conventions import CONVENTIONS
from aucstudy.presentation.phrases import percent
from aucstudy.presentation.style import PAGE, SERIES_COLOURS
from aucstudy.published.values import printed_shares

TOP_LOOK = {
    1: ("best model", "o", SERIES_COLOURS[0], 0.14),
    3: ("first three", "s", SERIES_COLOURS[1], -0.14),
}
CHOICE_LABELS = {
    "as configured": "",
    "fold_mean": "mean over folds",
    "pooled": "pooled over folds",
    "majority": "majority",
    **{name: convention.rule for name, convention in CONVENTIONS.items()},
    "unit_square": "clipped at 0",
}
DIMENSION_LABELS = {
    "source groups": "source groups:",
    "positive class": "positive class:",
    "models drawn": "models redrawn:",
    "tasks": "tasks:",
    "folds": "",
}


def multiverse_figure(multiverse: pd.DataFrame, paper: Mapping[tuple[str, str, int], float]) -> plt.Figure:
    """One row a choice, one panel a pair of areas.

    Parameters
    ----------
    multiverse : the table multiverse.csv.
    paper : the published share in percent for (first, second, top).
    """
    choices = multiverse[["dimension", "choice"]].drop_duplicates().to_numpy().tolist()
    places = _places([dimension for dimension, _ in choices])
    figure, axes = plt.subplots(1, 3, figsize=(PAGE, 0.2 * len(choices) + 1.5), sharey=True)
    for axis, (first, second) in zip(axes, DISTINCT_PAIRS, strict=True):
        for top, (_, marker, colour, shift) in TOP_LOOK.items():
            rows = multiverse[multiverse["top"] == top]
            rows = rows[(rows["first"] == first) & (rows["second"] == second)]
            rows = rows.set_index(["dimension", "choice"]).loc[[tuple(choice) for choice in choices]]
            axis.axvline(paper[first, second, top], color=colour, linestyle=":", linewidth=1)
            axis.hlines(places + shift, 100 * rows["low"], 100 * rows["high"], color=colour, linewidth=0.9)
            redrawn = (rows["range_of"] == "redraws").to_numpy()
            for chosen, face in ((~redrawn, colour), (redrawn, "white")):
                look = {"color": colour, "markersize": 3.5, "markerfacecolor": face, "linestyle": ""}
                axis.plot(100 * rows["estimate"][chosen], places[chosen] + shift, marker, **look)
        axis.set(title=PAIR_LABELS[first, second], xlim=(0, 100), xlabel="tasks (%)")
        axis.axhspan(places[0] - 0.5, places[0] + 0.5, color="0.93", zorder=0)
        axis.grid(True, axis="x")
    axes[0].set_yticks(places, [_label(*choice) for choice in choices])
    axes[0].set_ylim(places[-1] - 0.7, places[0] + 0.7)
    for label, marker, colour, _ in TOP_LOOK.values():
        axes[0].plot([], [], marker, color=colour, markersize=3.5, label=label)
    axes[0].plot([], [], ":", color="0.3", label="Flach & Kull 2015")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncol=3)
    return figure


def _places(dimensions: list[str]) -> np.ndarray:
    """Heights from the top down, with a gap between dimensions."""
    new = np.array([False, *(a != b for a, b in pairwise(dimensions))])
    return -(np.arange(len(dimensions)) + 0.5 * np.cumsum(new))


def _label(dimension: str, choice: str) -> str:
    return f"{DIMENSION_LABELS.get(dimension, dimension)} {CHOICE_LABELS.get(choice, choice)}".strip()


QUESTION = "How sure are the shares?"


def findings(study: Study) -> list[str]:
    """How far one changed choice moves the shares."""
    table = study.table("multiverse")
    sentences = []
    best = table[table["top"] == 1]
    for first, second in DISTINCT_PAIRS:
        rows = best[(best["first"] == first) & (best["second"] == second)]
        own = rows.iloc[0]
        least, most = rows.loc[rows["estimate"].idxmin()], rows.loc[rows["estimate"].idxmax()]
        ends = [
            f"{100 * row['estimate']:.0f} % ({row['dimension']}: {row['choice'].replace('_', ' ')})"
            for row in (least, most)
        ]
        sentences.append(
            f"{PAIR_LABELS[first, second]}, another best model: {percent(own)} as configured; one choice "
            f"changed, from {ends[0]} to {ends[1]}."
        )
    return sentences


TABLES = {
    "multiverse": (
        "Share of tasks in which two areas pick another best model (top 1) or other first three (top 3), one "
        "choice changed at a time; low and high are the 95 % interval over source groups or, where "
        "models are redrawn without replacement, the middle 95 % of the redraws (range_of, draws). Only models "
        "that were fitted can be redrawn; the draw of 30 of all flows is redrawn in the "
        "study variance, which fits them all."
    ),
}


FIGURES = {
    "multiverse_shares": Figure(
        lambda study: multiverse_figure(study.table("multiverse"), printed_shares()),
        "How sure are the disagreement shares? Each row changes one choice of the study (grey: as configured); "
        "bars are 95 % intervals over source groups or, with white marks, the middle 95 % of redraws of the "
        "models; dotted lines are the shares published by Flach & Kull 2015 on other data.",
    ),
}
