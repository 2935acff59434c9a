"""The figure that answers the four main questions, with a panel for each."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import AREA_LABELS, DISTINCT_PAIRS, MARGIN
from aucstudy.experiments.downsampling import nearest_ratio
from aucstudy.experiments.inputs import Study
from aucstudy.figures import charts
from aucstudy.published import printed_shares

UTILITIES = {"f1": "F1", "expected_fg1": "expected\nF-Gain"}
MOVED = ("aupr", "aucnpr", "auprg", "auroc")
DARK, LIGHT, PRINTED = "0.15", "0.88", charts.SERIES_COLOURS[-1]


def answer(study: Study):
    panels = {
        "Disagree?": (study.table("disagreement"), _shares),
        "Beyond chance?": (study.table("noise"), _excess),
        "Better choice?": (study.table("selection_primary"), _choice),
        "Balanced test sets": (study.table("downsampling"), _moves),
    }
    panels = {title: panel for title, panel in panels.items() if panel[0] is not None and len(panel[0])}
    if not panels:
        return "none of the four questions can be answered by this study"
    figure, axes = charts.panels(1, len(panels), height=2.4, squeeze=False)
    for axis, (title, (table, draw)) in zip(axes[0], panels.items(), strict=True):
        axis.set_title(title, weight="bold")
        axis.grid(True, axis="x")
        draw(axis, table)
        axis.margins(y=0.2)
    return figure


def _rows(axis, rows: pd.DataFrame, names: list[str], estimate: str, colours: Sequence[str] = ()) -> None:
    heights = range(len(rows))[::-1]
    for k, colour in enumerate(colours or [DARK] * len(rows)):
        charts.across(axis, [heights[k]], rows.iloc[[k]], estimate=estimate, color=colour, markersize=4.5)
    charts.named_rows(axis, heights, names)


def _pairs(rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    rows = rows.set_index(["first", "second"])
    # A study may compare fewer metrics.
    rows = rows.loc[[pair for pair in DISTINCT_PAIRS if pair in rows.index]]
    return rows, [f"{AREA_LABELS[first]} and\n{AREA_LABELS[second]}" for first, second in rows.index]


def _shares(axis, table: pd.DataFrame) -> None:
    rows, names = _pairs(table[(table["top"] == 1) & (table["ties"] == "expected")])
    _rows(axis, rows, names, "estimate")
    printed = [printed_shares()[*pair, 1] for pair in rows.index]
    axis.plot(printed, axis.get_yticks(), "x", color=PRINTED, markersize=6, markeredgewidth=1.6, zorder=3)
    # No interval reaches this place, because those of the first row are the lowest.
    look = {"color": PRINTED, "ha": "right", "va": "top", "fontsize": 8, "transform": axis.transAxes}
    axis.text(0.98, 0.98, "× Flach & Kull", **look)
    furthest = 100 * np.nanmax([1.05 * rows["high"].max(), 0.5])
    axis.set(xlabel="tasks with another\nbest model (%)", xlim=(0, furthest))


def _excess(axis, table: pd.DataFrame) -> None:
    rows, names = _pairs(table[(table["top"] == 1) & (table["quantity"] == "excess")])
    axis.axvline(0, color="0.4", linewidth=0.8)
    _rows(axis, rows, names, "estimate")
    axis.set(xlabel="two metrics, more often than\none on two halves (points)")


def _choice(axis, table: pd.DataFrame) -> None:
    rows = table[table["design"] == "halves"].set_index("utility").loc[list(UTILITIES)]
    rows = rows.assign(low=rows["simultaneous_low"], high=rows["simultaneous_high"])
    axis.axvspan(-100 * MARGIN, 100 * MARGIN, color=LIGHT, linewidth=0)
    axis.text(0, 0.5, "too small\nto matter", ha="center", va="center", fontsize=8, color="0.35",
              transform=axis.get_xaxis_transform(),
              bbox={"facecolor": LIGHT, "edgecolor": "none", "pad": 1})  # fmt: skip
    axis.axvline(0, color="0.4", linewidth=0.8)
    _rows(axis, rows, list(UTILITIES.values()), "difference")
    # The axis needs a least range, because all ends are NaN if a study has few source groups.
    furthest = np.nanmax([150 * MARGIN, *100 * rows[["low", "high"]].abs().to_numpy().ravel()])
    axis.set(xlabel="AUPRG's model minus\nAUPR's (points)", xlim=(-furthest, furthest))


def _moves(axis, table: pd.DataFrame) -> None:
    rows = nearest_ratio(table)
    if rows.empty:
        axis.text(0.5, 0.5, "no task admits every ratio", ha="center", transform=axis.transAxes)
        return
    rows = rows.loc[list(MOVED)]
    axis.axvline(0, color="0.4", linewidth=0.8)
    colours = [charts.AREA_COLOURS[area] for area in MOVED]
    _rows(axis, rows, [AREA_LABELS[area] for area in MOVED], "difference", colours)
    heights = range(len(rows))[::-1]
    ends = 100 * rows[["low", "high"]]
    series = [([heights[k]], ends.iloc[[k]], colour) for k, colour in enumerate(colours)]
    charts.far_ends_as_arrows(axis, series)
    axis.set(xlabel=f"change at a ratio\nof {rows['ratio'].iloc[0]} (points)")
