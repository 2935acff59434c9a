"""Figure of the decomposition: at which step on the way from AUPR to AUPRG the order of two models flips."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.patches import Patch

from aucstudy.experiments.inputs import Figure, Study
from aucstudy.presentation.phrases import percent
from aucstudy.presentation.style import NOTE, PAGE, SERIES_COLOURS

STEP_LOOK = {
    "recall_above_prevalence": (SERIES_COLOURS[1], "recall below $\\pi$ not seen"),
    "recall_gain": (SERIES_COLOURS[0], "recall weighted by $1/r^2$"),
    "auprg": (SERIES_COLOURS[2], "precision harmonic"),
    "tie": ("0.8", "tied best models"),
}
PATH_LABELS = {
    "aupr": "AUPR",
    "from_baseline": "from the\nbaseline",
    "recall_above_prevalence": "recall\n$\\geq \\pi$",
    "recall_gain": "recall on\ngain scale",
    "auprg": "AUPRG",
}
LINEAR_BELOW = 1e-3


def decomposition_figure(shares: pd.DataFrame, swaps: pd.DataFrame) -> plt.Figure:
    """Where the order flips, as shares of the disagreement, and the way of every swapped pair of best models.

    Parameters
    ----------
    shares, swaps : the tables decomposition.csv and decomposition_swaps.csv.
    """
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 3.1), width_ratios=[1, 1.25])
    _bars(axes[0], shares)
    _ways(axes[1], swaps)
    drawn = shares[shares["part"] > 0]
    handles = [
        Patch(color=colour, label=label)
        for step, (colour, label) in STEP_LOOK.items()
        if (drawn["flips_at"] == step).any()
    ]
    if (drawn["scores"] == "tied").any():
        handles.append(Patch(facecolor="white", edgecolor="0.3", hatch="////", label="tied scores"))
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles) or 1, columnspacing=1)
    return figure


def _bars(axis: plt.Axes, shares: pd.DataFrame) -> None:
    names = []
    for y, (pairs, label) in enumerate((("all", "all pairs\nof models"), ("best", "best\nmodels"))):
        rows = shares[shares["pairs"] == pairs].set_index(["flips_at", "scores"])
        whole = rows.loc[("whole", "any")]
        unit = "tasks" if pairs == "best" else "pairs"
        names.append(f"{label}\n{100 * whole['estimate']:.0f} % of\n{unit}")
        left = 0.0
        for step in STEP_LOOK:
            for scores in ("untied", "tied", "any") if step == "tie" else ("untied", "tied"):
                width = 100 * rows["part"].get((step, scores), 0.0)
                if width > 0:
                    _segment(axis, y, left, width, step, "////" if scores == "tied" else None)
                    left += width
    axis.set(xlabel="part of all order flips (%)", yticks=[0, 1], yticklabels=names, xlim=(0, 100))
    axis.spines["left"].set_visible(False)
    axis.tick_params(axis="y", length=0)


def _segment(axis: plt.Axes, y: float, left: float, width: float, step: str, hatch: str | None) -> None:
    colour = STEP_LOOK[step][0]
    axis.barh(y, width, 0.55, left, color=colour, hatch=hatch, edgecolor="white", linewidth=0.5)
    ink = "black" if step in ("recall_above_prevalence", "tie") else "white"
    box = {"facecolor": colour, "edgecolor": "none", "pad": 0.8}
    look = {"ha": "center", "va": "center", "fontsize": NOTE}
    if width >= 4:
        axis.text(left + width / 2, y, f"{width:.0f}", color=ink, bbox=box, **look)
    else:  # there is no room inside
        axis.text(left + width / 2, y + 0.34, f"{width:.0f}" if width >= 0.5 else "<1", **look)


def _ways(axis: plt.Axes, swaps: pd.DataFrame) -> None:
    x = np.arange(len(PATH_LABELS))
    for _, row in swaps.iterrows():
        colour = STEP_LOOK[row["flips_at"]][0]
        style = "--" if row["scores"] == "tied" else "-"
        axis.plot(
            x, row[[f"d_{area}" for area in PATH_LABELS]].astype(float), style, color=colour, linewidth=0.9
        )
    axis.axhline(0, color="0.2", linewidth=0.7)
    axis.set_yscale("symlog", linthresh=LINEAR_BELOW, linscale=0.7)
    axis.set(xticks=x, xlim=(-0.15, len(x) - 0.85), ylabel="best by AUPR minus best by AUPRG")
    axis.set_xticklabels(PATH_LABELS.values())
    axis.grid(True, axis="x")


STEPS_IN_WORDS = {
    "recall_above_prevalence": "leaving out recall below the prevalence",
    "recall_gain": "weighting recall by dr/r^2",
    "auprg": "putting precision on the harmonic scale",
    "tie": "a tie of best models",
}

QUESTION = "Why do AUPR and AUPRG disagree?"


def findings(study: Study) -> list[str]:
    """At which step on the way from AUPR to AUPRG the order flips."""
    table = study.table("decomposition")
    sentences = []
    kinds = {
        "best": "pick another best model in {} of {} tasks",
        "all": "order {} of all pairs of models in {} tasks differently",
    }
    for pairs, sentence in kinds.items():
        rows = table[table["pairs"] == pairs].set_index(["flips_at", "scores"])
        whole = rows.loc[("whole", "any")]
        if not whole["estimate"] > 0:
            continue
        steps = [
            f"{words} {100 * rows.loc[(step, 'any'), 'part']:.0f} %"
            for step, words in STEPS_IN_WORDS.items()
            if (step, "any") in rows.index and rows.loc[(step, "any"), "part"] > 0
        ]
        tied = rows.xs("tied", level="scores")["part"].sum()
        sentences.append(
            f"AUPR and AUPRG {sentence.format(percent(whole), whole['n_tasks'])}. What turns the order: "
            f"{', '.join(steps)}. In {100 * tied:.0f} % a model of the pair has most positives tied with a negative."
        )
    return sentences


TABLES = {
    "decomposition": (
        "The step on the way from AUPR to AUPRG at which the order of two models flips, for the best models by "
        "either area (share of tasks) and for all pairs of models (share of pairs), by whether over half of the "
        "positives of either model share their score with a negative (tied); with 95 % intervals over "
        "source groups."
    ),
    "decomposition_swaps": (
        "Every swapped pair of best models: the difference of the two (AUPR choice minus AUPRG choice) by each "
        "area on the way from AUPR to AUPRG, in units of area, the step at which its sign turns for good, and the "
        "share of positives that tie with a negative."
    ),
    "decomposition_tasks": (
        "For each task, step and kind of scores: the probability that the best models differ and flip there "
        "(pairs best), and the share of all pairs of models that do (pairs all)."
    ),
}


FIGURES = {
    "decomposition_steps": Figure(
        lambda study: decomposition_figure(study.table("decomposition"), study.table("decomposition_swaps")),
        "Why AUPR and AUPRG disagree. Left: the step at which the order flips, in parts of all flips, between the "
        "best models (one pair a task) and between all pairs of models; hatched where over half of the positives "
        "of one of the two models tie with a negative. Right: the difference of the two best models along the "
        "way, one line a swapped task (dashed where tied), linear between -0.001 and 0.001 and logarithmic "
        "beyond.",
    ),
}
