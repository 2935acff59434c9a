"""Figure of the noise experiment: disagreement across halves beside that of an area with itself."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.area_names import AREA_LABELS
from aucstudy.presentation.style import PAGE

PAIRS_SHOWN = (("aupr", "auprg"), ("aupr", "auroc"), ("auprg", "auroc"))
TOP_LOOK = {1: ("best", "o", "#0072B2", 0.12), 3: ("first three", "s", "#D55E00", -0.12)}
REAL = 0.05


def noise_figure(shares: pd.DataFrame, swaps: pd.DataFrame) -> plt.Figure:
    """Disagreement across halves, its excess over self-disagreement, and the evidence for every swap.

    Parameters
    ----------
    shares, swaps : the tables noise.csv and noise_swaps.csv.
    """
    figure, axes = plt.subplots(1, 3, figsize=(PAGE, 2.6), sharey=True, width_ratios=[1, 1, 1])
    places = {pair: len(PAIRS_SHOWN) - 1 - k for k, pair in enumerate(PAIRS_SHOWN)}
    for pair, y in places.items():
        for top in TOP_LOOK:
            _halves(axes[0], _of(shares, pair, top), top, y)
            _excess(axes[1], _of(shares, pair, top).loc["excess"], top, y)
        _swaps(axes[2], swaps[(swaps["first"] == pair[0]) & (swaps["second"] == pair[1])], y)
    names = [f"{AREA_LABELS[a]}\n{AREA_LABELS[b]}" for a, b in places]
    axes[0].set(xlabel="differs between halves (%)", yticks=list(places.values()), yticklabels=names)
    axes[0].set(xlim=(0, 100), ylim=(-0.5, len(places) - 0.5))
    axes[1].set(xlabel="excess (percentage points)")
    axes[1].axvline(0, color="0.3", linewidth=0.7)
    axes[2].set(xlabel="half samples against the swap (%)", xlim=(-3, 103))
    axes[2].axvline(100 * REAL, color="0.3", linewidth=0.7, linestyle=":")
    _legend(axes)
    return figure


def _of(shares: pd.DataFrame, pair: tuple[str, str], top: int) -> pd.DataFrame:
    chosen = (shares["first"] == pair[0]) & (shares["second"] == pair[1]) & (shares["top"] == top)
    return shares[chosen].set_index("quantity")


def _halves(axis: plt.Axes, found: pd.DataFrame, top: int, y: float) -> None:
    _, marker, colour, shift = TOP_LOOK[top]
    across = 100 * found.loc["across", ["estimate", "low", "high"]].to_numpy(float)
    axis.plot(across[1:], [y + shift] * 2, color=colour, linewidth=1)
    axis.plot(across[0], y + shift, marker, color=colour, markersize=5)
    alone = 100 * found.loc[["self_first", "self_second"], "estimate"]
    axis.plot(alone, [y + shift] * 2, "x", color="black", markersize=5, markeredgewidth=1)


def _excess(axis: plt.Axes, row: pd.Series, top: int, y: float) -> None:
    _, marker, colour, shift = TOP_LOOK[top]
    axis.plot([100 * row["low"], 100 * row["high"]], [y + shift] * 2, color=colour, linewidth=1)
    axis.plot(100 * row["estimate"], y + shift, marker, color=colour, markersize=5)


def _swaps(axis: plt.Axes, part: pd.DataFrame, y: float) -> None:
    """One mark a task that swaps, spread vertically in the order of p so that marks do not hide one another."""
    part = part.sort_values("p", kind="stable")
    height = y + np.linspace(-0.3, 0.3, len(part)) if len(part) > 1 else np.full(len(part), float(y))
    for real, face in ((True, "#009E73"), (False, "none")):
        chosen = (part["real"].astype(bool) == real).to_numpy()
        look = {"s": 14, "edgecolor": "#009E73", "facecolor": face, "linewidth": 0.8}
        axis.scatter(100 * part["p"][chosen], height[chosen], **look)
    told = f"{int(part['real'].sum())} of {len(part)} real"
    axis.text(101, y + 0.36, told, ha="right", va="center", fontsize=7)


def _legend(axes: np.ndarray) -> None:
    for label, marker, colour, _ in TOP_LOOK.values():
        axes[1].plot([], [], marker, color=colour, markersize=5, label=label)
    axes[0].plot([], [], "x", color="black", markersize=5, markeredgewidth=1, label="one area, both halves")
    axes[0].plot([], [], "o", color="0.4", markersize=5, label="two areas, one a half")
    for axis, columns in zip(axes, (1, 2), strict=False):
        axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=columns, handletextpad=0.3)
    axes[2].set_title("every swap of best models")
