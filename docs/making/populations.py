"""The populations of the committed studies, the figure that compares them, and the figure in README."""

import pandas as pd
from committed import ROOT, Study, Tables, committed

from aucstudy.experiments.compared import AREA_LABELS, DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.figures import charts
from aucstudy.figures.answer import MOVED
from aucstudy.published import printed_shares

FIGURES = ROOT / "results" / "populations" / "figures"
CHOSEN_BY = {
    "aupr": "AUPR", "auprg": "AUPRG", "average_precision": "average\nprecision", "random": "a random\nmodel"
}  # fmt: skip


def populations(tables: Tables = committed) -> dict[str, Study]:
    """Return each set of tasks and learners by its label, first the one with the headline numbers."""
    wide, weka, default = (Study(name, tables) for name in ("wide", "weka", "default"))
    return {
        "wide": wide,
        "weka, data of wide": weka.new_beside(default),
        "weka, data of default": weka.shared_with(default),
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
    axes[0, 0].set_xlim(left=0)  # The panels of a row share their limits.
    for row in axes:
        charts.named_rows(row, heights, [f"{name} ({len(study.tasks)})" for name, study in of.items()])
    axes[0, 1].set_xlabel("tasks where two metrics pick different best models (%), each source counted once")
    axes[1, 1].set_xlabel("more often than one metric on two halves of the rows (points)")
    labels = {"color": charts.SERIES_COLOURS[2], "linestyle": "--"}
    charts.legend_above(figure, [charts.line("printed by Flach & Kull 2015, other tasks", **labels)])
    return figure


def answers_figure(wide: Study):
    """Draw how often best models differ, the part beyond chance, F1, and the effect of balanced classes."""
    figure, axes = charts.panels(1, 4, height=2.8)
    pairs = {PAIR_LABELS[pair].replace(" and ", " and\n"): pair for pair in DISTINCT_PAIRS}
    of_all = f"{len(wide.tasks)} tasks"
    panels = {
        "Different best models": (
            f"{of_all} where two metrics\npick different models (%)",
            {name: wide.differs(*pair) for name, pair in pairs.items()},
        ),
        "Beyond a change of rows": (
            f"{of_all}: more often than one\nmetric on other rows (points)",
            {name: wide.halves(*pair, "excess") for name, pair in pairs.items()},
        ),
        "F1 on new rows": (
            f"{of_all}: metric's model\nminus AUROC's model (points)",
            {label: wide.gain(selected_by, "auroc", "f1") for selected_by, label in CHOSEN_BY.items()},
        ),
    }
    for axis, (title, (label, rows)) in zip(axes, panels.items(), strict=False):
        heights = range(0, -len(rows), -1)
        charts.across(axis, heights, pd.DataFrame(list(rows.values())), color="black")
        charts.named_rows(axis, heights, rows)
        axis.set(title=title, xlabel=label, ylim=(0.6 - len(rows), 0.5))
    printed = [printed_shares()[*pair, 1] for pair in pairs.values()]
    look = {"color": charts.SERIES_COLOURS[-1], "marker": "x", "linestyle": "none"}
    axes[0].plot(printed, range(0, -len(pairs), -1), **look)
    balanced_marks = _draw_balanced(axes[3], wide)
    for axis in axes:
        axis.grid(True, axis="x")
        axis.axvline(0, color=charts.MUTED, linewidth=0.8)
    printed_mark = charts.line("printed by Flach & Kull 2015, other tasks", **look)
    charts.legend_above(figure, [printed_mark, *balanced_marks])
    return figure


def _draw_balanced(axis, wide: Study) -> list:
    """Draw how metrics change on balanced test sets, and return the entries of the legend.

    The change is drawn for all tasks, and for those with at least ten negatives for each positive.
    """
    marks = []
    for tasks, shift, colour in (("admitted", 0.15, "black"), ("common", -0.15, charts.SERIES_COLOURS[1])):
        rows = wide.rows("downsampling", tasks=tasks, ratio="1:1").set_index("area").loc[list(MOVED)]
        heights = [shift - place for place in range(len(MOVED))]
        charts.across(axis, heights, rows, estimate="difference", color=colour)
        n_tasks = rows["n_tasks"].iloc[0]
        label = f"right: {n_tasks} tasks" + (
            "" if tasks == "admitted" else ", 10 or more negatives per positive"
        )
        marks.append(charts.line(label, color=colour, marker="o", linestyle="none"))
    charts.named_rows(axis, range(0, -len(MOVED), -1), [AREA_LABELS[area] for area in MOVED])
    axis.set(
        title="Balanced test sets", xlabel="change of the metric\nby balancing (points)",
        ylim=(0.6 - len(MOVED), 0.5),
    )  # fmt: skip
    return marks
