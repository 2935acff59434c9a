"""Figures of the target metrics of chosen models on new rows, by selection metric and by stratum of tasks."""

import numpy as np

from aucstudy.experiments.compared import AREA_LABELS, MARGIN
from aucstudy.experiments.inputs import Study
from aucstudy.experiments.selection import ALL, PRIMARY, PRIMARY_UTILITIES, RANDOM, SELECTION_METRICS
from aucstudy.figures import charts
from aucstudy.metrics.choosing import UTILITIES

SELECTION_METRIC_LABELS = {**AREA_LABELS, "f1": "F$_1$", "accuracy": "accuracy", RANDOM: "at random"}
UTILITY_LABELS = {  # in the order of UTILITIES
    "auroc": "AUROC", "aupr": "AUPR", "average_precision": "AP", "auprg_clipped": "AUPRG,\nclipped",
    "expected_fg1": "expected\nF-Gain", "f05": "F$_{0.5}$", "f1": "F$_1$", "f2": "F$_2$",
    "precision_at_p": "precision\nat top P", "recall_at_90": "recall at\nprec. .9",
    "minus_cost": "expected\ncost (−)", "accuracy": "accuracy",
}  # fmt: skip


def selection_matrix(study: Study):
    table = study.table("selection")
    halves = table[table["design"] == "halves"]
    names = list(dict.fromkeys(halves["tasks"]))
    # A random choice is much worse than the others. So the colours end at the largest difference of the
    # others.
    reach = 100 * halves.loc[halves["selected_by"] != RANDOM, "difference"].abs().max() or 1
    height, look = 1.1 + 1.75 * len(names), {"vmin": -reach, "vmax": reach, "cmap": "RdBu"}
    figure, axes = charts.panels(len(names), 1, height=height, sharex=True, squeeze=False)
    for axis, name in zip(axes[:, 0], names, strict=True):
        cells = halves[halves["tasks"] == name].set_index(["selected_by", "utility"])
        values = (
            100
            * cells["difference"].unstack("utility").loc[list(SELECTION_METRICS), list(UTILITIES)].to_numpy()
        )
        mesh = axis.pcolormesh(values, edgecolors="white", linewidth=0.6, **look)
        for (y, x), value in np.ndenumerate(values):
            cell = cells.loc[SELECTION_METRICS[y], UTILITIES[x]]
            alone, jointly = (
                cell[f"{which}low"] > 0 or cell[f"{which}high"] < 0 for which in ("", "simultaneous_")
            )
            number = f"{value:+.1f}".replace("-", "−") if abs(value) >= 0.05 else "0.0"
            text = axis.text(x + 0.5, y + 0.5, number + ("•" if alone else ""), ha="center", va="center")
            text.set(fontsize=charts.NOTE, weight="bold" if jointly else "normal")
            text.set(color="white" if abs(value) > 0.6 * reach else "black")
        n_tasks, n_groups = cells[["n_tasks", "n_groups"]].iloc[0]
        tasks = "1 task" if n_tasks == 1 else f"{n_tasks} tasks"
        groups = "1 source group" if n_groups == 1 else f"{n_groups} source groups"
        axis.set_title(f"{name}: {tasks} of {groups}", loc="left")
        axis.set_yticks(
            np.arange(len(SELECTION_METRICS)) + 0.5,
            [SELECTION_METRIC_LABELS[metric] for metric in SELECTION_METRICS],
        )
        axis.set_xticks(np.arange(len(UTILITIES)) + 0.5, UTILITY_LABELS.values(), fontsize=charts.NOTE)
        axis.set(ylabel="selection metric", ylim=(len(SELECTION_METRICS), 0))
        axis.tick_params(length=0)
        axis.spines[:].set_visible(False)
    axes[-1, 0].set_xlabel("target metric on the other half")
    label = "selection metric's model minus AUROC's model (points)"
    figure.colorbar(mesh, ax=axes, label=label, extend="min", aspect=30, pad=0.01)
    return figure


def selection_strata(study: Study):
    table = study.table("selection_strata")
    primary = table[(table["first"] == PRIMARY[0]) & (table["second"] == PRIMARY[1])]
    # A stratum that has all tasks would only repeat the row of all tasks.
    is_all = primary["stratification"] == ALL
    primary = primary[is_all | (primary["n_tasks"] < primary["n_tasks"].max())]
    on_f1 = primary[primary["utility"] == PRIMARY_UTILITIES[0]]
    # Half a row stays free between stratifications.
    y = -np.arange(len(on_f1)) - 0.5 * (on_f1["stratification"] != on_f1["stratification"].shift()).cumsum()
    figure, axes = charts.panels(1, 2, height=0.9 + 0.22 * len(on_f1), sharex=True, sharey=True)
    for axis, utility in zip(axes, PRIMARY_UTILITIES, strict=True):
        axis.axvspan(-100 * MARGIN, 100 * MARGIN, color="0.93", linewidth=0)
        axis.axvline(0, color="0.3", linewidth=0.7)
        rows = primary[primary["utility"] == utility]
        charts.across(axis, y, rows, estimate="difference", color="black")
        axis.set_title(UTILITY_LABELS[utility].replace("\n", " "))
        axis.spines["left"].set_visible(False)
    figure.supxlabel("AUPRG's model minus AUPR's model (points)")
    is_all = on_f1["stratification"] == ALL
    labels = (on_f1["stratification"] + ": " + on_f1["stratum"]).mask(is_all, ALL)
    charts.named_rows(axes, y, labels + " (" + on_f1["n_tasks"].astype(str) + ")")
    return figure
