"""The rule in sentences and one figure: how often areas swap, how often that is real, and what it costs."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.area_names import AREA_LABELS, DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.experiments.decision.numbers import MATTERS, PREVALENCES
from aucstudy.experiments.decision.rule import (
    WORDS,
    cost_sentence,
    pair,
    points,
    preference,
    share,
)
from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.phrases import listed
from aucstudy.presentation.style import PAGE, SERIES_COLOURS, nothing_drawn

QUESTION = "Which area should choose your model?"
COLOURS = dict(zip(DISTINCT_PAIRS, SERIES_COLOURS, strict=False))
# by the lower end of the prevalence
MARKERS = dict(zip(PREVALENCES[:-1], ("v", "o", "s"), strict=True))
NOTHING = "The experiments that the rule reads left no evidence."


def findings(study: Study) -> list[str]:
    """The rule's sentences on each band of prevalence, and what to use for what."""
    return findings_of(study.table("decision"))


def findings_of(table: pd.DataFrame) -> list[str]:
    """The same, from decision.csv alone."""
    sentences = []
    costs = table[table["quantity"] == "cost"]
    for (low, high), rows in costs.groupby(["prevalence_from", "prevalence_to"]):
        n = f"{rows['positives_from'].min():,g} to {rows['positives_to'].max():,g}"
        sentences.append(f"Prevalence {low:g} to {high:g}, {n} positives: {cost_sentence(_largest(rows))}")
    sentences += [_swaps(table), _utilities(table), _crossing(table)]
    return [sentence for sentence in sentences if sentence] or [NOTHING]


def _largest(costs: pd.DataFrame) -> pd.DataFrame:
    """Of each direction the band that costs most; one that matters anywhere matters."""
    rows = costs.sort_values("high", ascending=False).groupby(["first", "second"], as_index=False, sort=False)
    matters = costs[costs["verdict"] == "matters"].groupby(["first", "second"]).size()
    largest = rows.first()
    verdicts = [
        "matters" if way in matters.index else "noise"
        for way in zip(largest["first"], largest["second"], strict=True)
    ]
    return largest.assign(verdict=verdicts)


def _swaps(table: pd.DataFrame) -> str:
    real, power = table[table["quantity"] == "p_real"], table[table["quantity"] == "power"]
    if real.empty:
        return ""
    by_size = listed(
        f"{pair(row)} {share(row)} of {row['n']:.0f} swaps with {row['positives_from']:,g} to {row['positives_to']:,g} "
        "positives"
        for _, row in real.iterrows()
    )
    sentence = f"Swaps of best models that were shown to be real: {by_size}."
    if len(power):
        best = power.loc[power.groupby(["first", "second"])["estimate"].idxmax()]
        shown = listed(f"{100 * row['estimate']:.0f} % ({pair(row)})" for _, row in best.iterrows())
        sentence += (
            f" In simulations the same test shows at most {shown} of true swaps with up to "
            f"{power['positives_to'].max():,g} positives, so that no real swap is no evidence of none."
        )
    level = table.loc[table["quantity"] == "level", "estimate"]
    if len(level):
        sentence += (
            f" Where no swap is true it calls up to {100 * level.max():.0f} % real in the worst cell: a few real swaps "
            "may be none."
        )
    return sentence


def _utilities(table: pd.DataFrame) -> str:
    use = table[table["quantity"] == "use"]
    areas = use[use["first"] != "random"]
    if areas.empty:
        return ""
    clear = areas[areas["verdict"] != "nothing"]
    random = use[(use["first"] == "random") & (use["judged_by"] == "f1")]
    preferences = listed(preference(row) for _, row in clear.iterrows())
    stake = "".join(
        f" A model at random costs {points(-row['estimate'])} points of F1." for _, row in random.iterrows()
    )
    silent = [words for name, words in WORDS.items() if name not in set(clear["judged_by"])]
    return (
        f"By what is wanted, on rows that did not choose ({areas['n'].max():.0f} tasks): {preferences}; for "
        f"{listed(silent)} no area was shown to choose better.{stake}"
    )


def _crossing(table: pd.DataFrame) -> str:
    rows = table[table["quantity"] == "cost_crossing"]
    if rows.empty:
        return ""
    costs = listed(
        f"{points(row['estimate'])} points of {AREA_LABELS[row['second']]} by choosing by {AREA_LABELS[row['first']]}"
        for _, row in rows.iterrows()
    )
    return (
        f"The costs are those of curves like the study's. Curves that were made to cross cost up "
        f"to {costs} (AUPRG is signed and can lie far below 0, so that it can "
        "lose more than 100 points): where yours cross, look at them instead of an area."
    )


def decision_figure(table: pd.DataFrame) -> plt.Figure:
    """p_swap, p_real with power, and the larger cost of each pair, against the number of positives.

    Parameters
    ----------
    table : decision.csv.
    """
    if table.empty:
        return nothing_drawn(NOTHING)
    figure, axes = plt.subplots(1, 3, figsize=(PAGE, 3.0))
    titles = ("areas pick different models (%)", "swap shown real (%)", "largest cost (points)")
    for axis, title in zip(axes, titles, strict=True):
        axis.set(xscale="log", xlabel="positives", title=title, xlim=(8, 12_500))
    for place, pair_of_areas in enumerate(DISTINCT_PAIRS):
        either = table["first"].isin(pair_of_areas) & table["second"].isin(pair_of_areas)
        _draw_pair(axes, table[either], COLOURS[pair_of_areas], 1.12 ** (place - 1))
    axes[0].set_ylim(-3, 103)
    axes[1].set_ylim(-3, 103)
    axes[2].axhline(100 * MATTERS, color="0.6", linewidth=0.7)
    axes[2].set_ylim(bottom=0)
    _legend(figure)
    return figure


def _draw_pair(axes: np.ndarray, rows: pd.DataFrame, colour: str, shift: float) -> None:
    """What stands in the table on one pair of areas; `shift` keeps pairs apart."""
    middle = np.sqrt(rows["positives_from"] * rows["positives_to"]) * shift
    rows = rows.assign(middle=middle).set_index("quantity")
    swaps = rows[(rows.index == "p_swap") & rows["margin_from"].isna()]
    for row in swaps.itertuples():
        apart = 1.6 ** (list(MARKERS).index(row.prevalence_from) - 1)
        _bar(axes[0], row, apart * row.middle, colour, MARKERS[row.prevalence_from])
    for row in rows[rows.index == "p_real"].itertuples():
        _bar(axes[1], row, row.middle, colour, "D")
    for row in rows[rows.index == "power"].itertuples():
        axes[1].plot([row.positives_from, row.positives_to], [100 * row.estimate] * 2, ":", color=colour)
    for prevalence, of_band in rows[rows.index == "cost"].groupby("prevalence_from"):
        highest = 100 * of_band.groupby("middle")["high"].max()
        axes[2].plot(highest, color=colour, marker=MARKERS[prevalence], markersize=4)


def _bar(axis: plt.Axes, row, x: float, colour: str, marker: str) -> None:
    axis.plot([x, x], [100 * row.low, 100 * row.high], color=colour, linewidth=1)
    axis.plot(x, 100 * row.estimate, marker, color=colour, markersize=4)


def _legend(figure: plt.Figure) -> None:
    lines = [plt.Line2D([], [], color=colour, label=PAIR_LABELS[areas]) for areas, colour in COLOURS.items()]
    for low, high in pairwise(PREVALENCES):
        label = f"prevalence {low:g} to {high:g}"
        lines.append(plt.Line2D([], [], color="0.3", linestyle="", marker=MARKERS[low], label=label))
    lines.append(plt.Line2D([], [], color="0.3", linestyle="", marker="D", label="all prevalences"))
    lines.append(plt.Line2D([], [], color="0.3", linestyle=":", label="true swaps shown, at most"))
    figure.legend(handles=lines, loc="outside upper center", ncols=4, columnspacing=1.2, handlelength=1.5)


TABLES = {
    "decision": (
        "The evidence behind the rule, a row a number: how often two areas put different models first (p_swap), "
        "how often that was shown to be real (p_real), how often at most the test shows a true swap (power) or "
        "calls a false one real (level), what choosing by one area costs by the other's standard on fitted curves "
        "(cost; high: its upper bound) and on curves made to cross (cost_crossing), what two areas' choices "
        "differ by on new rows (worth, use); the band of positives, prevalence and margin in AUPR that it holds "
        "for (empty: all), interval or two Monte Carlo errors, n, verdict, and the table it is from."
    ),
}
FIGURES = {
    "decision": Figure(
        lambda study: decision_figure(study.table("decision")),
        "The evidence behind the rule, by positives: tasks in which two areas put different models first, with 95 % "
        "intervals; swaps shown to be real, and the largest share of true swaps that the test shows in simulations "
        "(dotted); the upper bound of what the wrong one of two areas costs by the other's standard on curves fitted "
        "to real tasks (the grey line: one point, below which it does not matter). Shapes: prevalence.",
    ),
}
