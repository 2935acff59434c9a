"""Figures of the simulations: which area picks the best, and what intervals over source groups cover."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.area_names import AREA_LABELS, DISTINCT_AREAS
from aucstudy.presentation.style import PAGE, SERIES_COLOURS, SERIES_MARKERS, area_look

TRUTH_LABELS = {
    "nested": "nested curves",
    "crossing": "crossing curves",
    "fitted": "fits to 17 tasks",
}
KIND_LABELS = {"share": "shares", "difference": "differences", "correlation": "rank correlations"}
CANDIDATE_LABELS = {
    "percentile": "percentile",
    "bootstrap_t": "bootstrap-t",
    "linearised_t": "linearised t",
    "satterthwaite_t": "Satterthwaite t",
    "jackknife_t": "jackknife t",
    "fisher_z_jackknife": "jackknife of Fisher's z",
    "effective_exact": "exact, effective n",
}

LOOKS = [
    {"color": colour, "marker": marker, "markersize": 3, "linewidth": 1}
    for colour, marker in zip(SERIES_COLOURS, SERIES_MARKERS, strict=True)
]


def choices_figure(choices: pd.DataFrame) -> plt.Figure:
    """The chance to pick the truly best model against the number of positives, by the area's own and others' standard.

    Parameters
    ----------
    choices : the table simulated_choices.csv.
    """
    prevalences = sorted(choices["prevalence"].unique())
    size = (PAGE, 5.2)
    figure, axes = plt.subplots(3, len(prevalences), figsize=size, sharex=True, sharey=True, squeeze=False)
    for row, (truth_model, label) in zip(axes, TRUTH_LABELS.items(), strict=True):
        for axis, prevalence in zip(row, prevalences, strict=True):
            cell = choices[(choices["truth_model"] == truth_model) & (choices["prevalence"] == prevalence)]
            _chances(axis, cell)
        row[0].set_ylabel(f"{label}\npicks the best (%)")
    for axis, prevalence in zip(axes[0], prevalences, strict=True):
        axis.set_title(f"prevalence {prevalence:g}")
    for axis in axes[-1]:
        axis.set(xscale="log", xlabel="positives")
    axes[0, 0].set_ylim(0, 103)
    lines = [plt.Line2D([], [], label=AREA_LABELS[area], **area_look(area)) for area in DISTINCT_AREAS]
    lines.append(plt.Line2D([], [], color="0.3", label="by its own standard"))
    lines.append(plt.Line2D([], [], color="0.3", linestyle=":", label="by the two others', mean"))
    lines.append(plt.Line2D([], [], color="0.6", linewidth=0.7, label="at random"))
    figure.legend(handles=lines, loc="outside upper center", ncols=6, columnspacing=1, handlelength=1.5)
    return figure


def _chances(axis: plt.Axes, cell: pd.DataFrame) -> None:
    for area in DISTINCT_AREAS:
        chosen = cell[(cell["chooser"] == area) & cell["judged_by"].isin(DISTINCT_AREAS)]
        own = chosen[chosen["judged_by"] == area].sort_values("positives")
        others = chosen[chosen["judged_by"] != area].groupby("positives")["p_picks_best"].mean()
        look = area_look(area) | {"yerr": 200 * own["mc_se"], "elinewidth": 0.7, "markersize": 3}
        axis.errorbar(own["positives"], 100 * own["p_picks_best"], **look)
        axis.plot(others.index, 100 * others, ":", color=look["color"], linewidth=1.2)
    axis.axhline(
        100 * cell.loc[cell["chooser"] == "random", "p_picks_best"].mean(), color="0.6", linewidth=0.7
    )


def coverage_figure(coverage: pd.DataFrame) -> plt.Figure:
    """Coverage of each candidate against the number of source groups, a panel a kind of quantity and model.

    Parameters
    ----------
    coverage : the table interval_coverage.csv.
    """
    models = list(dict.fromkeys(coverage["model"]))
    groups = sorted(coverage["n_groups"].unique())
    figure, axes = plt.subplots(
        len(models), len(KIND_LABELS), figsize=(PAGE, 4.2), sharex=True, sharey=True, squeeze=False
    )
    for row, model in zip(axes, models, strict=True):
        for axis, (kind, label) in zip(row, KIND_LABELS.items(), strict=True):
            of_kind = coverage[(coverage["model"] == model) & (coverage["kind"] == kind)]
            for k, name in enumerate(CANDIDATE_LABELS):
                line = of_kind[of_kind["candidate"] == name].groupby("n_groups")["coverage"].mean()
                if len(line):
                    places = np.searchsorted(groups, line.index) + 0.03 * (k - 3)
                    axis.plot(places, 100 * line, **LOOKS[k])
            axis.axhline(95, color="0.3", linewidth=0.7, linestyle=":")
            axis.set_title(f"{label}, {model}" if model == models[0] else model)
            axis.set_xticks(range(len(groups)), groups)
        row[0].set_ylabel("coverage (%)")
    for axis in axes[-1]:
        axis.set_xlabel("source groups")
    lines = [
        plt.Line2D([], [], label=label, **look)
        for label, look in zip(CANDIDATE_LABELS.values(), LOOKS, strict=True)
    ]
    figure.legend(handles=lines, loc="outside upper center", ncols=4)
    return figure
