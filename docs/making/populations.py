"""The populations of the committed studies, the figure that sets them side by side, and that of README's answers."""

import pandas as pd
from committed import ROOT, Study, Tables, committed

from aucstudy.area_names import AREA_LABELS, DISTINCT_PAIRS, PAIR_LABELS
from aucstudy.figures import charts
from aucstudy.figures.answer import MOVED
from aucstudy.published import printed_shares

FIGURES = ROOT / "results" / "populations" / "figures"
CHOSEN_BY = {
    "aupr": "AUPR", "auprg": "AUPRG", "average_precision": "average\nprecision", "random": "a random\nmodel"
}  # fmt: skip


def populations(tables: Tables = committed) -> dict[str, Study]:
    """Each set of tasks and learners by its label, those of the headline numbers first."""
    wide, weka, default = (Study(name, tables) for name in ("wide", "weka", "default"))
    return {
        "wide": wide,
        "weka, data of wide": weka.new_beside(default),
        "weka, data of default": weka.shared_with(default),
        "default": default,
    }


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


def answers_figure(wide: Study):
    """Two areas on the best model and beyond chance, what choices are worth in F1, and what balanced classes move."""
    figure, axes = charts.panels(1, 4, height=2.6)
    pairs = {PAIR_LABELS[pair].replace(" and ", " and\n"): pair for pair in DISTINCT_PAIRS}
    balanced = wide.rows("downsampling", tasks="common", ratio="1:1").set_index("area").loc[list(MOVED)]
    panels = {
        "Disagree?": ("tasks with another\nbest model (%)", {n: wide.differs(*p) for n, p in pairs.items()}),
        "More than chance?": (
            "two areas, oftener than\none by itself (points)",
            {name: wide.halves(*pair, "excess") for name, pair in pairs.items()},
        ),
        "What does it cost?": (
            "F1 of its choice minus\nof AUROC's (points)",
            {label: wide.gain(chooser, "auroc", "f1") for chooser, label in CHOSEN_BY.items()},
        ),
        "What moves it?": (
            "moved by balancing\nthe classes (points)",
            {AREA_LABELS[area]: row for area, row in balanced.iterrows()},
        ),
    }
    for axis, (title, (label, rows)) in zip(axes, panels.items(), strict=True):
        heights = range(0, -len(rows), -1)
        estimate = "estimate" if "estimate" in next(iter(rows.values())) else "difference"
        charts.across(axis, heights, pd.DataFrame(list(rows.values())), estimate=estimate, color="black")
        charts.named_rows(axis, heights, rows)
        axis.set(title=title, xlabel=label, ylim=(0.6 - len(rows), 0.5))
        axis.grid(True, axis="x")
        axis.axvline(0, color=charts.MUTED, linewidth=0.8)
    printed = [printed_shares()[*pair, 1] for pair in pairs.values()]
    look = {"color": charts.SERIES_COLOURS[-1], "marker": "x", "linestyle": "none"}
    axes[0].plot(printed, range(0, -len(pairs), -1), **look)
    charts.legend_above(figure, [charts.line("printed by Flach & Kull 2015, other tasks", **look)])
    return figure
