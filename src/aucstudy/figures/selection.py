"""Figures of the target metrics of chosen models on new rows, by selection metric and by stratum of tasks."""

import numpy as np

from aucstudy.experiments.compared import AREA_LABELS, MARGIN
from aucstudy.experiments.inputs import RARE_TASKS, Study
from aucstudy.experiments.selection import (
    ALL,
    PRIMARY,
    PRIMARY_UTILITIES,
    RANDOM,
    REFERENCE,
    SELECTION_METRICS,
    STRATA,
)
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
    keys = {"quantity": "gain", "second": REFERENCE, "setting": "halves", "subset": [ALL, RARE_TASKS]}
    halves, jointly = (study.numbers("selection", kind=kind, **keys) for kind in ("mean", "simultaneous"))
    jointly = jointly.set_index(["subset", "first", "target"])
    names = list(dict.fromkeys(halves["subset"]))
    # A random choice is much worse than the others. So the colours end at the largest difference of the
    # others.
    reach = 100 * halves.loc[halves["first"] != RANDOM, "estimate"].abs().max() or 1
    height, look = 1.1 + 1.75 * len(names), {"vmin": -reach, "vmax": reach, "cmap": "RdBu"}
    figure, axes = charts.panels(len(names), 1, height=height, sharex=True, squeeze=False)
    for axis, name in zip(axes[:, 0], names, strict=True):
        cells = halves[halves["subset"] == name].set_index(["first", "target"])
        matrix = cells["estimate"].unstack("target").loc[list(SELECTION_METRICS), list(UTILITIES)]
        values = 100 * matrix.to_numpy()
        mesh = axis.pcolormesh(values, edgecolors="white", linewidth=0.6, **look)
        for (y, x), value in np.ndenumerate(values):
            cell = SELECTION_METRICS[y], UTILITIES[x]
            alone, together = (
                row["low"] > 0 or row["high"] < 0 for row in (cells.loc[cell], jointly.loc[(name, *cell)])
            )
            number = f"{value:+.1f}".replace("-", "−") if abs(value) >= 0.05 else "0.0"
            text = axis.text(x + 0.5, y + 0.5, number + ("•" if alone else ""), ha="center", va="center")
            text.set(fontsize=charts.NOTE, weight="bold" if together else "normal")
            text.set(color="white" if abs(value) > 0.6 * reach else "black")
        n_tasks, n_groups = cells[["n_tasks", "n_sources"]].iloc[0]
        tasks = "1 task" if n_tasks == 1 else f"{n_tasks} tasks"
        groups = "1 source" if n_groups == 1 else f"{n_groups} sources"
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
    first, second = PRIMARY
    primary = study.numbers(
        "selection", quantity="gain", first=first, second=second, setting="halves", subset=[ALL, *STRATA]
    )
    on_f1 = primary[primary["target"] == PRIMARY_UTILITIES[0]]
    # A stratum that has all tasks would only repeat the row of all tasks.
    on_f1 = on_f1[(on_f1["subset"] == ALL) | (on_f1["n_tasks"] < on_f1["n_tasks"].max())]
    # Half a row stays free between stratifications.
    kind = on_f1["subset"].map(_stratification)
    y = -np.arange(len(on_f1)) - 0.5 * (kind != kind.shift()).cumsum()
    figure, axes = charts.panels(1, 2, height=0.9 + 0.22 * len(on_f1), sharex=True, sharey=True)
    for axis, utility in zip(axes, PRIMARY_UTILITIES, strict=True):
        axis.axvspan(-100 * MARGIN, 100 * MARGIN, color="0.93", linewidth=0)
        axis.axvline(0, color="0.3", linewidth=0.7)
        rows = primary[primary["target"] == utility].set_index("subset").reindex(on_f1["subset"])
        charts.across(axis, y, rows, color="black")
        axis.set_title(UTILITY_LABELS[utility].replace("\n", " "))
        axis.spines["left"].set_visible(False)
    figure.supxlabel("AUPRG's model minus AUPR's model (points)")
    charts.named_rows(axes, y, on_f1["subset"] + " (" + on_f1["n_tasks"].astype(str) + ")")
    return figure


def _stratification(subset: str) -> str:
    """Return the word of a stratum that says by what the tasks are divided."""
    words = ("positives", "prevalence", "models", "margin", "perfect")
    return next((word for word in words if word in subset), ALL).replace("perfect", "margin")
