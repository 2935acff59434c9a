"""The figure that answers the four main questions, with a panel for each."""

import numpy as np
import pandas as pd

from aucstudy.claims.entries import printed_shares
from aucstudy.experiments.compared import AREA_LABELS, DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.experiments.downsampling import EVERY_RATIO
from aucstudy.experiments.inputs import Study
from aucstudy.figures import charts
from aucstudy.store.estimates import ALL
from aucstudy.store.tables import TooFewRows

CHOSEN_BY = {
    "aupr": "AUPR", "auprg": "AUPRG", "average_precision": "average\nprecision", "random": "a random\nmodel"
}  # fmt: skip
MOVED = ("aupr", "aucnpr", "auprg", "auroc")
PRINTED = charts.SERIES_COLOURS[-1]
PRINTED_LOOK = {"color": PRINTED, "marker": "x", "linestyle": "none"}


def answer(study: Study):
    """Draw the four panels. The numbers of Flach & Kull stand beside ours unless the models are the user's own."""
    panels = {
        "Different best models": _shares,
        "Beyond a change of rows": _excess,
        "F1 on new rows": _choice,
        "Balanced test sets": _moves,
    }
    drawn = {}
    for title, draw in panels.items():
        try:
            drawn[title] = draw(study)
        except TooFewRows:
            continue
    if not drawn:
        return "none of the four questions can be answered by this study"
    figure, axes = charts.panels(1, len(drawn), height=2.8, squeeze=False)
    handles = []
    for axis, (title, onto) in zip(axes[0], drawn.items(), strict=True):
        axis.set_title(title)
        axis.grid(True, axis="x")
        axis.axvline(0, color=charts.MUTED, linewidth=0.8)
        handles += onto(axis)
    if handles:
        charts.legend_above(figure, handles)
    return figure


def _of_pairs(study: Study, experiment: str, quantity: str) -> pd.DataFrame:
    rows = study.numbers(experiment, quantity=quantity, at=1).set_index(["first", "second"])
    # A study may compare fewer metrics.
    pairs = [pair for pair in DISTINCT_PAIRS if pair in rows.index]
    if not pairs:
        raise TooFewRows("estimates")
    return rows.loc[pairs]


def _rows_of_pairs(axis, rows: pd.DataFrame) -> None:
    heights = range(0, -len(rows), -1)
    charts.across(axis, heights, rows, color="black")
    charts.named_rows(axis, heights, [PAIR_LABELS[pair].replace(" and ", " and\n") for pair in rows.index])
    axis.set(ylim=(0.6 - len(rows), 0.5))


def _shares(study: Study):
    rows = _of_pairs(study, "disagreement", "differs")

    def onto(axis) -> list:
        _rows_of_pairs(axis, rows)
        handles = []
        if not study.brings_models:
            printed = [printed_shares()[*pair, 1] for pair in rows.index]
            axis.plot(printed, range(0, -len(rows), -1), **PRINTED_LOOK)
            handles.append(charts.line("printed by Flach & Kull 2015, other tasks", **PRINTED_LOOK))
        axis.set(xlabel=f"share of {charts.so_many_tasks(rows)} where two\nmetrics pick different models (%)")
        axis.set_xlim(left=0)
        return handles

    return onto


def _excess(study: Study):
    rows = _of_pairs(study, "noise", "excess")

    def onto(axis) -> list:
        _rows_of_pairs(axis, rows)
        axis.set(xlabel=f"{charts.so_many_tasks(rows)}: more often than one\nmetric on other rows (points)")
        return []

    return onto


def _choice(study: Study):
    keys = {"quantity": "gain", "second": "auroc", "target": "f1", "setting": "halves"}
    rows = study.numbers("selection", **keys).set_index("first").loc[list(CHOSEN_BY)]

    def onto(axis) -> list:
        heights = range(0, -len(rows), -1)
        charts.across(axis, heights, rows, color="black")
        charts.named_rows(axis, heights, CHOSEN_BY.values())
        axis.set(
            xlabel=f"{charts.so_many_tasks(rows)}: metric's model\nminus AUROC's model (points)",
            ylim=(0.6 - len(rows), 0.5),
        )
        return []

    return onto


def _moves(study: Study):
    """Draw the changes on all tasks that have enough negatives, and on those that have them for every ratio."""
    changes = study.numbers("downsampling", quantity="change of the metric")
    ratio = changes["setting"].iloc[0]
    series = [(ALL, 0.15, "black", "")]
    if (study.estimates["subset"] == EVERY_RATIO).any():
        series.append((EVERY_RATIO, -0.15, charts.SERIES_COLOURS[1], ", enough negatives for every ratio"))

    def onto(axis) -> list:
        handles, drawn = [], []
        for subset, shift, colour, words in series:
            rows = study.numbers(
                "downsampling", quantity="change of the metric", subset=subset, setting=ratio
            )
            rows = rows.set_index("first").loc[list(MOVED)]
            heights = shift - np.arange(len(MOVED))
            charts.across(axis, heights, rows, color=colour)
            drawn.append((heights, 100 * rows[["low", "high"]], colour))
            label = f"right: {charts.so_many_tasks(rows)}{words}"
            handles.append(charts.line(label, color=colour, marker="o", linestyle="none"))
        charts.named_rows(axis, range(0, -len(MOVED), -1), [AREA_LABELS[area] for area in MOVED])
        axis.set(xlabel=f"change at a ratio\nof {ratio} (points)", ylim=(0.6 - len(MOVED), 0.5))
        charts.far_ends_as_arrows(axis, drawn)
        return handles

    return onto
