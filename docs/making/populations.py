"""The populations of the committed studies, and the figure that compares them."""

import pandas as pd
from committed import ROOT, Study, Tables, committed

from aucstudy.claims.entries import printed_shares
from aucstudy.experiments.compared import DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.figures import charts
from aucstudy.store.estimates import KNOWN, NEW

FIGURES = ROOT / "results" / "populations" / "figures"


def populations(tables: Tables = committed) -> dict[str, Study]:
    """Return each set of tasks and learners by its label, first the one with the headline numbers."""
    wide, weka, default = (Study(name, tables) for name in ("wide", "weka", "default"))
    return {
        "wide": wide,
        "weka, data of wide": weka.on(NEW),
        "weka, data of default": weka.on(KNOWN),
        "default": default,
    }


def populations_figure(of: dict[str, Study]):
    """Draw how often two metrics pick different best models, and how much of this is beyond chance.

    The upper row of panels has the share of tasks. The lower row has the excess over a single metric on two
    halves of the test rows.
    """
    figure, axes = charts.panels(
        2, len(DISTINCT_PAIRS), height=0.42 * len(of) + 2.0, sharex="row", sharey=True
    )
    heights = range(0, -len(of), -1)
    printed = printed_shares()
    for column, pair in enumerate(DISTINCT_PAIRS):
        names = {"first": pair[0], "second": pair[1], "at": 1}
        shares = pd.DataFrame(
            [study.number("disagreement", quantity="differs", **names) for study in of.values()]
        )
        excess = pd.DataFrame([study.number("noise", quantity="excess", **names) for study in of.values()])
        above, below = axes[:, column]
        charts.across(above, heights, shares, color="black")
        above.axvline(printed[*pair, 1], color=charts.SERIES_COLOURS[2], linestyle="--")
        charts.across(below, heights, excess, color="black")
        below.axvline(0, color=charts.MUTED, linewidth=0.8)
        above.set(title=PAIR_LABELS[pair], ylim=(-len(of) + 0.5, 0.5))
        for axis in (above, below):
            axis.grid(True, axis="x")
    axes[0, 0].set_xlim(left=0)  # The panels of a row share their limits.
    for row in axes:
        charts.named_rows(row, heights, [f"{name} ({len(study.tasks)})" for name, study in of.items()])
    axes[0, 1].set_xlabel("tasks where two metrics pick different best models (%), each source counted once")
    axes[1, 1].set_xlabel("more often than one metric on two halves of the rows (points)")
    labels = {"color": charts.SERIES_COLOURS[2], "linestyle": "--"}
    charts.legend_above(figure, [charts.line("printed by Flach & Kull 2015, other tasks", **labels)])
    return figure
