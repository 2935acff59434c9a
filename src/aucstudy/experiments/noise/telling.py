"""Figure of the noise experiment: disagreement across halves beside that of an area with itself."""

from math import isnan

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.area_names import AREA_LABELS, DISTINCT_AREAS, DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.experiments.inputs import Figure, Study
from aucstudy.experiments.noise.told_apart import RARE, SWAP_LEVEL
from aucstudy.presentation.phrases import interval, percent, points
from aucstudy.presentation.style import AREA_COLOURS, NOTE, PAGE, SERIES_COLOURS

CROSSES = dict(zip(DISTINCT_AREAS, ("x", "+", "1"), strict=True))
LOOKS = (
    {"color": SERIES_COLOURS[0], "marker": "o", "linestyle": "none"},
    {"color": SERIES_COLOURS[2], "marker": "s", "linestyle": "none", "markerfacecolor": "white"},
)
TOP_LOOK = {1: ("best", 0.22), 3: ("first three", -0.22)}


def noise_figure(shares: pd.DataFrame, swaps: pd.DataFrame) -> plt.Figure:
    """Disagreement across halves, its excess over self-disagreement, and the evidence for every swap.

    Parameters
    ----------
    shares, swaps : the tables noise.csv and noise_swaps.csv.
    """
    figure, axes = plt.subplots(1, 3, figsize=(PAGE, 3.2), sharey=True)
    places = {pair: len(DISTINCT_PAIRS) - 1 - k for k, pair in enumerate(DISTINCT_PAIRS)}
    for pair, y in places.items():
        for (top, (_, shift)), look in zip(TOP_LOOK.items(), LOOKS, strict=True):
            quantities = _of(shares, pair, top)
            _halves(axes[0], quantities, pair, y + shift, look)
            _bar(axes[1], quantities.loc["of_ceiling"], y + shift, look)
        _swaps(axes[2], swaps[(swaps["first"] == pair[0]) & (swaps["second"] == pair[1])], y)
    names = [f"{AREA_LABELS[a]}\n{AREA_LABELS[b]}" for a, b in places]
    axes[0].set(xlabel="differs between halves (%)", yticks=list(places.values()), yticklabels=names)
    axes[0].set(xlim=(None, 100), ylim=(-0.5, len(places) - 0.4))
    axes[1].set(xlabel="excess (% of the largest possible)")
    axes[1].axvline(0, color="0.3", linewidth=0.7)
    axes[2].set(xlabel="half samples against the swap (%)", xlim=(-3, 103), title="every swap of best models")
    axes[2].axvline(100 * SWAP_LEVEL, color="0.3", linewidth=0.7, linestyle=":")
    for (label, _), look in zip(TOP_LOOK.values(), LOOKS, strict=True):
        axes[1].plot([], [], label=f"{label}: two areas, one a half", **look)
    for area in DISTINCT_AREAS:
        axes[1].plot(
            [], [], CROSSES[area], color=AREA_COLOURS[area], label=f"{AREA_LABELS[area]} on both halves"
        )
    figure.legend(*axes[1].get_legend_handles_labels(), loc="outside upper center", ncols=3)
    for axis in axes:
        axis.tick_params(axis="y", length=0)
    return figure


def _of(shares: pd.DataFrame, pair: tuple[str, str], top: int) -> pd.DataFrame:
    chosen = (shares["first"] == pair[0]) & (shares["second"] == pair[1]) & (shares["top"] == top)
    return shares[chosen].set_index("quantity")


def _halves(axis: plt.Axes, quantities: pd.DataFrame, pair: tuple[str, str], y: float, look: dict) -> None:
    """Two areas with their interval, and below it each area alone, one below the other: they nearly coincide."""
    _bar(axis, quantities.loc["across"], y, look)
    for area, quantity, below in ((pair[0], "self_first", 0.1), (pair[1], "self_second", 0.18)):
        alone = 100 * quantities.loc[quantity, "estimate"]
        axis.plot(alone, y - below, CROSSES[area], color=AREA_COLOURS[area], markersize=5, markeredgewidth=1)


def _bar(axis: plt.Axes, row: pd.Series, y: float, look: dict) -> None:
    axis.plot([100 * row["low"], 100 * row["high"]], [y, y], color=look["color"], linewidth=1)
    axis.plot(100 * row["estimate"], y, **look)


def _swaps(axis: plt.Axes, swaps: pd.DataFrame, y: float) -> None:
    """One mark a task that swaps, spread vertically in the order of p so that marks do not hide one another."""
    swaps = swaps.sort_values("p", kind="stable")
    height = y + np.linspace(-0.3, 0.3, len(swaps)) if len(swaps) > 1 else np.full(len(swaps), float(y))
    for real, face in ((True, "black"), (False, "none")):
        chosen = (swaps["real"].astype(bool) == real).to_numpy()
        look = {"s": 14, "edgecolor": "black", "facecolor": face, "linewidth": 0.8}
        axis.scatter(100 * swaps["p"][chosen], height[chosen], **look)
    label = f"{int(swaps['real'].sum())} of {len(swaps)} real"
    axis.text(101, y + 0.36, label, ha="right", va="center", fontsize=NOTE)


QUESTION = "Is the disagreement more than noise?"


def findings(study: Study) -> list[str]:
    """Whether two areas disagree more than one area disagrees with itself on other rows."""
    table = study.table("noise")
    if table.empty:
        return []
    sentences = []
    for first, second in DISTINCT_PAIRS:
        rows = table[(table["first"] == first) & (table["second"] == second) & (table["top"] == 1)]
        rows = rows.set_index("quantity")
        across, excess, part = (rows.loc[name] for name in ("across", "excess", "of_ceiling"))
        alone = rows.loc[["self_first", "self_second"], "estimate"].mean()
        judged = "more than noise" if excess["low"] > 0 else "not shown to be more than noise"
        swaps, real = (
            round(rows.loc[name, "estimate"] * across["n_tasks"]) for name in ("swap", "real_swap")
        )
        sentences.append(
            f"{PAIR_LABELS[first, second]}: on two different halves of the test rows they pick another best "
            f"model in {100 * across['estimate']:.0f} % of the splits, each with itself in {100 * alone:.0f} %; the "
            f"excess is {points(excess)}: {judged}. {_part(part)} {swaps} of {across['n_tasks']} tasks swap their "
            f"best models on all rows; in {real} of them resampling supports both signs."
        )
    sentences += _pairs(study.table("noise_pairs"))
    sentences.append(
        f"{int(table['splits'].max())} splits a task; all of it is conditional on the fitted models, and a half has "
        "half the rows: what the halves cannot tell apart, a larger test set might."
    )
    return sentences


def _part(part: pd.Series) -> str:
    """The excess as a share of the room that self-disagreement leaves, and what its interval excludes."""
    ends = interval(part["low"], part["high"], ".0f", 100)
    excluded = "" if isnan(part["high"]) else f", so more than {100 * part['high']:.0f} % of it is excluded"
    return (
        f"That is {100 * part['estimate']:.0f} % {ends} of the room that self-disagreement leaves{excluded}."
    )


def _pairs(table: pd.DataFrame) -> list[str]:
    """Which area tells more pairs of models apart."""
    sentences = []
    for name, shares in table.groupby("tasks", sort=False):
        rows = shares.set_index("quantity")
        sentences.append(
            f"Of the pairs of models on tasks of {'any prevalence' if name == 'all' else name}, AUPR alone tells "
            f"{percent(rows.loc['aupr only'])} apart, AUROC alone {percent(rows.loc['auroc only'])}, both "
            f"{percent(rows.loc['both'])} (on at least 97.5 % of the half samples the same model is ahead)."
        )
    return sentences


TABLES = {
    "noise_pairs": (
        "Share of the pairs of a task's models that only AUPR, only AUROC, or both tell apart: at least 97.5 % of the "
        f"half samples agree on their order; over all tasks and those of prevalence under {RARE:g}, with 95 % "
        "intervals over source groups [Saito & Rehmsmeier 2015]."
    ),
    "noise": (
        "Disagreement of two areas on different halves of the test rows (across), of each area with itself across "
        "the same halves (self), and the excess of the first over the mean of the others, also as a share of the "
        "largest that self-disagreement leaves room for (of_ceiling), with 95 % intervals over source groups; also the "
        "share of tasks that swap their best models, and whose swap is "
        "real. Conditional on the fitted models."
    ),
    "noise_tasks": (
        "Disagreement across halves, with itself, and excess, for each task, pair of areas, and the best model "
        "(top 1) or the ordered first three (top 3): shares of the splits."
    ),
    "noise_swaps": (
        "Each swap of best models: by how much each area prefers its own (margins), the share of half samples in "
        "which it does not (p_first, p_second), and whether both signs are supported at 2.5 % (real); confirmed and "
        "reversed are shares of splits in which the swap seen on one half stands, or stands on its head, on the "
        "other."
    ),
}


FIGURES = {
    "noise_halves": Figure(
        lambda study: noise_figure(study.table("noise"), study.table("noise_swaps")),
        "Left: how often the best model (dots), or the first three in order (squares), differs between two halves of "
        "the test rows, by two areas, one on each, and below by one area on both (crosses); middle: the excess of "
        "the first over the second as a share of the largest that self-disagreement leaves room for, 0 if the areas "
        "differ by noise alone; right: every swap of best models by the share of half samples that "
        "contradict it, real (filled) if it is at most 2.5 %; bars are 95 % intervals over source groups, "
        "conditional on the fitted models.",
    ),
}
