"""The populations of the committed studies, and the figure that sets them side by side."""

import pandas as pd
from committed import ROOT, Study, Tables, committed

from aucstudy.area_names import DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.presentation import charts
from aucstudy.published.values import printed_shares

FIGURE = ROOT / "results" / "populations" / "figures" / "populations"


def populations(tables: Tables = committed) -> dict[str, Study]:
    """Each set of tasks and learners by its label, those of the headline numbers first."""
    wide, weka, default = (Study(name, tables) for name in ("wide", "weka", "default"))
    weka = weka.without(simulated(tables))
    return {
        "wide": wide,
        "weka, data of wide": weka.new_beside(default),
        "weka, data of default": weka.shared_with(default),
        "default": default,
    }


def simulated(tables: Tables) -> set[str]:
    """The tasks of simulated data sets: marked in the study `default`, left out of `wide`."""
    tasks, rejections = tables("default", "tasks"), tables("wide", "rejections")
    marked = tasks[tasks["simulated"].astype(bool)] if "simulated" in tasks else tasks[:0]
    return {*marked["task_id"], *rejections.loc[rejections["reason"] == "simulated", "task_id"]}


def populations_figure(of: dict[str, Study]):
    """Top: how often two areas put another model first; bottom: how much more often than one area on other rows."""
    figure, axes = charts.panels(
        2, len(DISTINCT_PAIRS), height=0.42 * len(of) + 2.0, sharex="row", sharey=True
    )
    heights = range(0, -len(of), -1)
    printed = printed_shares()
    for column, pair in enumerate(DISTINCT_PAIRS):
        shares = pd.DataFrame([study.differs(*pair) for study in of.values()])
        excess = pd.DataFrame([study.halves(*pair, "excess") for study in of.values()])
        above, below = axes[:, column]
        charts.across(above, heights, shares, color="black")
        above.axvline(printed[*pair, 1], color=charts.SERIES_COLOURS[2], linestyle="--")
        charts.across(below, heights, excess, color="black")
        below.axvline(0, color=charts.MUTED, linewidth=0.8)
        above.set(title=PAIR_LABELS[pair], ylim=(-len(of) + 0.5, 0.5))
        for axis in (above, below):
            axis.grid(True, axis="x")
    axes[0, 0].set_xlim(left=0)  # of the whole row
    for row in axes:
        charts.named_rows(row, heights, [f"{name} ({len(study.tasks)})" for name, study in of.items()])
    axes[0, 1].set_xlabel("tasks with another best model (%)")
    axes[1, 1].set_xlabel("more often than one area on two halves of the rows (points)")
    labels = {"color": charts.SERIES_COLOURS[2], "linestyle": "--"}
    charts.legend_above(figure, [charts.line("printed by Flach & Kull 2015, other tasks", **labels)])
    return figure


def write_figure() -> None:
    """Draw the figure from the committed tables."""
    charts.save(populations_figure(populations()), {kind: f"{FIGURE}.{kind}" for kind in ("png", "svg")})
