"""Figure of the choices: whose best model is better where two areas pick different ones."""

import matplotlib.pyplot as plt
import pandas as pd

from aucstudy.area_names import AREA_LABELS
from aucstudy.presentation.style import AREA_COLOURS, PAGE, nothing_drawn

PAIRS_SHOWN = (("aupr", "auprg"), ("aupr", "auroc"), ("auprg", "auroc"))
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
    rows = [(pair, judge) for pair in PAIRS_SHOWN for judge in JUDGE_LABELS]
    places = {row: 3 * (len(PAIRS_SHOWN) - k // 2) - 1.1 * (k % 2) for k, row in enumerate(rows)}
    labels = []
    for (pair, judge), y in places.items():
        found = favour[
            (favour["first"] == pair[0]) & (favour["second"] == pair[1]) & (favour["judge"] == judge)
        ]
        found = found.set_index("quantity")
        _worse(shares, found, pair, y)
        gap = found.loc["gap"]
        gaps.plot([gap["low"], gap["high"]], [y, y], color="0.2", linewidth=1)
        gaps.plot(gap["estimate"], y, "o", color="0.2", markersize=4)
        tasks = found.loc["first_lower", "n_tasks"]
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


def _worse(axis: plt.Axes, found: pd.DataFrame, pair: tuple[str, str], y: float) -> None:
    """A bar from the left for the first area's choice being worse, from the right for the second's."""
    for area, quantity, start in ((pair[0], "first_lower", 0), (pair[1], "second_lower", 100)):
        width = 100 * found.loc[quantity, "estimate"]
        if not width > 0:
            continue
        left = start if start == 0 else 100 - width
        axis.barh(y, width, left=left, height=0.9, color=AREA_COLOURS[area])
        axis.text(left + width / 2, y, f"{width:.0f}", ha="center", va="center", fontsize=7, color="white")
