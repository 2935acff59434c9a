"""The figure: shares of tasks whose models differ, the paper's and every population's, by the number of positives."""

import matplotlib.pyplot as plt
import pandas as pd
from aucstudy.presentation.style import PAGE, SERIES_COLOURS
from aucstudy.report.populations.numbers import ALL, BEST, FIRST_THREE, PAPER, POSITIVES, of_pair

from aucstudy.area_names import DISTINCT_PAIRS, PAIR_LABELS

SHOWN = {
    BEST: "tasks with another best model (%)",
    FIRST_THREE: "tasks with another first three, in order (%)",
}
ROW = 0.17  # inches


def populations_figure(table: pd.DataFrame) -> plt.Figure:
    """A column a pair of areas, a row of panels a share; the paper's number is the dashed line.

    Parameters
    ----------
    table : as `numbers.side_by_side` gives it.
    """
    shares = table[table["quantity"].isin(SHOWN)]
    studies = [name for name in shares["study"].unique() if name != PAPER]
    places = [(study, positives) for study in studies for positives in (ALL, *POSITIVES)]
    # a gap between studies
    heights = {place: -(k + k // (1 + len(POSITIVES)) * 0.7) for k, place in enumerate(places)}
    inches = 2 * (ROW * (len(places) + len(studies)) + 0.5) + 0.4
    figure, axes = plt.subplots(
        len(SHOWN), len(DISTINCT_PAIRS), figsize=(PAGE, inches), sharey=True, sharex="row"
    )
    colours = dict(zip(studies, SERIES_COLOURS, strict=False))
    for across, (quantity, label) in zip(axes, SHOWN.items(), strict=True):
        for axis, pair in zip(across, DISTINCT_PAIRS, strict=True):
            paper = of_pair(shares, pair, {"study": PAPER, "quantity": quantity})
            axis.axvline(100 * paper["estimate"], color="0.3", linewidth=0.8, linestyle="--")
            for (study, positives), y in heights.items():
                where = {"study": study, "positives": positives, "quantity": quantity}
                row = of_pair(shares, pair, where)
                if row is None:
                    continue
                look = {"color": colours[study], "alpha": 1 if positives == ALL else 0.55}
                axis.plot([100 * row["low"], 100 * row["high"]], [y, y], linewidth=1.4, **look)
                axis.plot(100 * row["estimate"], y, "o", markersize=4, **look)
            axis.set(xlim=(-2, 102))
            axis.grid(True, axis="x")
            axis.tick_params(axis="y", length=0)
        across[1].set_xlabel(label)
    for axis, pair in zip(axes[0], DISTINCT_PAIRS, strict=True):
        axis.set_title(PAIR_LABELS[pair])
    axes[0, 0].set_ylim(min(heights.values()) - 0.6, 0.6)
    axes[0, 0].set_yticks(list(heights.values()), [_label(shares, *place) for place in heights])
    return figure


def _label(shares: pd.DataFrame, study: str, positives: str) -> str:
    row = of_pair(shares, DISTINCT_PAIRS[0], {"study": study, "positives": positives, "quantity": BEST})
    n_tasks = 0 if row is None else int(row["n_tasks"])
    return f"{study} ({n_tasks})" if positives == ALL else f"{positives} ({n_tasks})"
