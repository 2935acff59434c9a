"""Figures and findings of the selection: whose choice is better on new data, by how much, and when it matters."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from aucstudy.area_names import AREA_LABELS
from aucstudy.experiments.inputs import Figure, Study
from aucstudy.experiments.selection.tables import (
    ALL,
    CHOOSERS,
    MATTERS,
    PRIMARY,
    PRIMARY_UTILITIES,
    RARE_TASKS,
)
from aucstudy.metrics.choosing import UTILITIES
from aucstudy.presentation.phrases import between
from aucstudy.presentation.style import NOTE, PAGE, nothing_drawn

CHOOSER_LABELS = {**AREA_LABELS, "f1": "F$_1$", "accuracy": "accuracy", "random": "at random"}
UTILITY_LABELS = {
    "auroc": "AUROC",
    "aupr": "AUPR",
    "average_precision": "AP",
    "auprg_clipped": "AUPRG, clipped",
    "expected_fg1": "E[FG$_1$]",
    "f05": "F$_{.5}$",
    "f1": "F$_1$",
    "f2": "F$_2$",
    "precision_at_p": "precision at top P",
    "recall_at_90": "recall at precision .9",
    "minus_cost": "expected cost (−)",
    "accuracy": "accuracy",
}
# colours end at this many standard deviations over the models
REACH = 0.25
NOTHING = "No task has enough rows to choose and to judge."


def plain(label: str) -> str:
    """A label in plain text.

    >>> plain("E[FG$_1$]"), plain("F$_{.5}$")
    ('E[FG1]', 'F.5')
    """
    return label.replace("$_{", "").replace("}$", "").replace("$_", "").replace("$", "")


def excludes_zero(rows: pd.DataFrame, which: str = "simultaneous_") -> pd.Series:
    """Whether an interval of each row lies on one side of 0."""
    return (rows[f"{which}low"] > 0) | (rows[f"{which}high"] < 0)


def matrix_figure(matrix: pd.DataFrame) -> plt.Figure:
    """Each chooser against AUROC by each utility, on halves: all tasks, and those of low prevalence below.

    Parameters
    ----------
    matrix : the table selection.csv.
    """
    halves = matrix[matrix["design"] == "halves"]
    if halves.empty:
        return nothing_drawn(NOTHING)
    names = list(dict.fromkeys(halves["tasks"]))
    figure, axes = plt.subplots(
        len(names), 1, figsize=(PAGE, 0.9 + 2 * len(names)), sharex=True, squeeze=False
    )
    for axis, name in zip(axes[:, 0], names, strict=True):
        cells = halves[halves["tasks"] == name].set_index(["chooser", "utility"])
        mesh = _heat(axis, cells)
        tasks = cells[["n_tasks", "n_groups"]].iloc[0]
        axis.set_title(f"{name}: {tasks['n_tasks']} tasks of {tasks['n_groups']} source groups", loc="left")
    axes[-1, 0].set_xticks(
        np.arange(len(UTILITIES)) + 0.5, [UTILITY_LABELS[u] for u in UTILITIES], rotation=35, ha="right"
    )
    figure.colorbar(
        mesh, ax=axes, label="difference to AUROC's choice,\nSDs over models", extend="both", aspect=30
    )
    return figure


def _heat(axis: plt.Axes, cells: pd.DataFrame):
    """Numbers in points; • where a cell's own interval excludes 0, bold where the interval of all cells does."""
    difference = cells["difference"].unstack("utility").loc[list(CHOOSERS), list(UTILITIES)]
    scaled = (cells["difference"] / cells["model_sd"].where(cells["model_sd"] > 0)).unstack("utility")
    scaled = scaled.loc[list(CHOOSERS), list(UTILITIES)].to_numpy()
    mesh = axis.pcolormesh(scaled, cmap="RdBu", vmin=-REACH, vmax=REACH, edgecolors="white", linewidth=0.6)
    alone, jointly = (excludes_zero(cells, which) for which in ("", "simultaneous_"))
    for y, chooser in enumerate(CHOOSERS):
        for x, utility in enumerate(UTILITIES):
            cell = chooser, utility
            mark = "•" if alone[cell] else ""
            look = {
                "weight": "bold" if jointly[cell] else "normal",
                "color": "white" if abs(scaled[y, x]) > 0.7 * REACH else "black",
            }
            number = f"{100 * difference.loc[cell]:+.1f}{mark}".replace("-0.0", "+0.0").replace("-", "−")
            axis.text(x + 0.5, y + 0.5, number, ha="center", va="center", fontsize=NOTE, **look)
    axis.set(yticks=np.arange(len(CHOOSERS)) + 0.5, yticklabels=[CHOOSER_LABELS[c] for c in CHOOSERS])
    axis.invert_yaxis()
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    return mesh


def strata_figure(strata: pd.DataFrame) -> plt.Figure:
    """The primary contrast in each stratum, a panel a utility.

    Parameters
    ----------
    strata : the table selection_strata.csv.
    """
    primary = strata[(strata["first"] == PRIMARY[0]) & (strata["second"] == PRIMARY[1])]
    if primary.empty:
        return nothing_drawn(NOTHING)
    keys = ["stratification", "stratum"]
    order = list(primary[keys].drop_duplicates().itertuples(index=False, name=None))
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 0.9 + 0.22 * len(order)), sharey=True)
    places = dict(zip(order, -np.arange(len(order), dtype=float), strict=True))
    for axis, utility in zip(axes, PRIMARY_UTILITIES, strict=True):
        axis.axvspan(-100 * MATTERS, 100 * MATTERS, color="0.93", linewidth=0)
        axis.axvline(0, color="0.3", linewidth=0.7)
        for row in primary[primary["utility"] == utility].itertuples():
            y = places[row.stratification, row.stratum]
            axis.plot([100 * row.low, 100 * row.high], [y, y], color="black", linewidth=1)
            axis.plot(100 * row.difference, y, "o", color="black", markersize=4)
        axis.set(xlabel=f"{UTILITY_LABELS[utility]} (points)")
        axis.tick_params(axis="y", length=0)
        axis.spines["left"].set_visible(False)
    figure.suptitle("AUPRG's choice minus AUPR's")
    tasks = primary.drop_duplicates(keys).set_index(keys)["n_tasks"]
    labels = [ALL if of == ALL else f"{of}: {stratum}" for of, stratum in order]
    axes[0].set_yticks(
        list(places.values()), [f"{label} ({tasks[key]})" for key, label in zip(order, labels, strict=True)]
    )
    return figure


QUESTION = "Which area's choice is better on new data?"


def findings(study: Study) -> list[str]:
    """Whose choice is better on rows that did not choose it, by how much, and when it matters."""
    primary, matrix = study.table("selection_primary"), study.table("selection")
    if not (primary["design"] == "halves").any():
        return [NOTHING]
    sentences = [_primary(rows) for _, rows in primary.groupby("design", sort=False)]
    sentences += [_matrix(matrix, tasks) for tasks in (ALL, RARE_TASKS)]
    sentences += [
        _stakes(matrix),
        _strata(study.table("selection_strata")),
        _cause(study.table("selection_variance")),
    ]
    agreement = study.table("selection_agreement")
    agreed = ", ".join(
        f"{plain(CHOOSER_LABELS[row.chooser])} {100 * row.self_agreement:.0f} % "
        f"({100 * row.low:.0f} to {100 * row.high:.0f})"
        for row in agreement.itertuples()
    )
    rejected = len(study.table("selection_rejections"))
    sentences.append(
        f"How often a chooser takes the same model on both halves: {agreed}. All of it is conditional on the fitted "
        f"models; {rejected} tasks or designs had too few rows to be cut (selection_rejections.csv)."
    )
    return [sentence for sentence in sentences if sentence]


def _primary(rows: pd.DataFrame) -> str:
    where = {
        "halves": "on the other half of the test rows",
        "folds": "on the held-out fold (second variant)",
    }[rows["design"].iloc[0]]
    told = " and ".join(
        f"{100 * row.difference:+.2f} points of {plain(UTILITY_LABELS[row.utility])} ({_for_both(row)}; worth more in "
        f"{100 * row.first_better:.0f} % of the tasks, less in {100 * row.second_better:.0f} %)"
        for row in rows.itertuples()
    )
    return f"AUPRG's choice minus AUPR's, {where}: {told}: {rows['verdict'].iloc[0]}."


def _for_both(row) -> str:
    if pd.isna(row.simultaneous_low):
        return "too few source groups for an interval"
    return (
        f"interval for both at once {100 * row.simultaneous_low:+.2f} to {100 * row.simultaneous_high:+.2f}"
    )


def _matrix(matrix: pd.DataFrame, tasks: str) -> str:
    cells = matrix[
        (matrix["design"] == "halves") & (matrix["tasks"] == tasks) & (matrix["chooser"] != "random")
    ]
    if cells.empty:
        return ""
    jointly, alone = cells[excludes_zero(cells)], cells[excludes_zero(cells, "")]
    sure = "; ".join(_cell(row, "simultaneous_") for _, row in jointly.iterrows()) or "none"
    of_areas = alone[alone["chooser"].isin(("aupr", "auprg"))]
    single = "; ".join(_cell(row) for _, row in of_areas.iterrows()) or "none"
    return (
        f"Against AUROC's choice ({tasks}, {cells['n_tasks'].iloc[0]} tasks), {len(jointly)} of {len(cells)} cells of "
        f"the matrix differ with intervals that hold for all at once: {sure}. Of AUPR and AUPRG taken alone: {single}."
    )


def _cell(row: pd.Series, which: str = "") -> str:
    names = f"{plain(CHOOSER_LABELS[row['chooser']])} in {plain(UTILITY_LABELS[row['utility']])}"
    low, high = 100 * row[f"{which}low"], 100 * row[f"{which}high"]
    return f"{names} {100 * row['difference']:+.1f} points ({low:+.1f} to {high:+.1f})"


def _stakes(matrix: pd.DataFrame) -> str:
    cells = matrix[(matrix["design"] == "halves") & (matrix["tasks"] == ALL)].set_index(
        ["chooser", "utility"]
    )
    areas = cells.loc[["aupr", "auprg", "average_precision"]]
    areas = areas[areas["model_sd"] > 0]
    if areas.empty:
        return ""
    widest = areas.loc[(areas["difference"].abs() / areas["model_sd"]).idxmax()]
    return (
        f"What is at stake: a model taken at random is {between(cells.loc[('random', 'f1')], 3)} in F1 against AUROC's "
        f"choice; the largest difference among the areas, in standard deviations over the models, is "
        f"{widest['difference'] / widest['model_sd']:+.2f} ({plain(CHOOSER_LABELS[widest.name[0]])}'s choice against "
        f"AUROC's in {plain(UTILITY_LABELS[widest.name[1]])})."
    )


def _strata(strata: pd.DataFrame) -> str:
    primary = strata[
        (strata["first"] == PRIMARY[0]) & (strata["second"] == PRIMARY[1]) & (strata["utility"] == "f1")
    ]
    told = "; ".join(
        f"{row['stratum']}: {between(row, 4)}, {row['n_tasks']} tasks"
        for _, row in primary[primary["stratum"].isin(("under 100", "100 or more"))].iterrows()
    )
    return (
        f"When it matters: AUPRG's choice minus AUPR's in F1, by positives: {told}. A description, no test."
    )


def _cause(variance: pd.DataFrame) -> str:
    causes = []
    for utility in PRIMARY_UTILITIES:
        rows = variance[variance["utility"] == utility].set_index("quantity")
        few, many, limit = (between(rows.loc[name], 4) for name in ("quarters", "halves", "limit"))
        causes.append(
            f"{plain(UTILITY_LABELS[utility])}: {few} chosen on a quarter of the rows, {many} on a half, {limit} in "
            f"the limit: {rows['cause'].iloc[0]}"
        )
    by_utility = "; ".join(causes)
    return f"Is the variance of the estimated areas the cause of what AUPRG and AUPR differ by? {by_utility}."


TABLES = {
    "selection": (
        "Models chosen on some test rows and judged on the others (halves; all folds but one), by chooser and "
        "utility: worth of the chosen model minus that of AUROC's choice, mean over tasks, with its 95 % interval over "
        "source groups and the one that holds for all choosers and utilities at once; median over tasks, difference of "
        "the share of models that are beaten, and the standard deviation over models that it may be measured by."
    ),
    "selection_primary": (
        "The primary contrast: AUPRG's choice minus AUPR's in F1 and E[FG1], with intervals that hold for both, the "
        "share of tasks in which either is worth more, and the verdict by the rule that was stated beforehand: one "
        "for both utilities of a design together, the same in both rows, so it is not about a row's own interval."
    ),
    "selection_variance": (
        "AUPRG's choice minus AUPR's when they choose on a quarter of the rows and on a half, judged on the same rows "
        "at the same thresholds; by how much it shrinks, what is left in the limit, and the cause that follows."
    ),
    "selection_agreement": "How often each chooser takes the same model on both halves, ties broken alike.",
    "selection_strata": (
        "The contrasts between AUPR, AUPRG and AUROC on halves by positives, prevalence, number of models and margin "
        "of the best model in AUPR: a description."
    ),
    "selection_tasks": (
        "For each task, design (halves, quarters, folds) and chooser: what the chosen model is worth on the judging "
        "rows by each utility (mean over judging parts, tied choices averaged), and facts of the task's models."
    ),
    "selection_rejections": "Tasks with too few rows of a class to be cut into choosing and judging parts, and why.",
}


FIGURES = {
    "selection_matrix": Figure(
        lambda study: matrix_figure(study.table("selection")),
        "Whose choice is better on the other half of the test rows? Worth of the model that each row's criterion "
        "chooses minus that of AUROC's choice, in points (hundredths) of each column's utility, mean over tasks; "
        "colours in standard deviations over the models. A dot marks cells whose own 95 % interval excludes 0, bold "
        "type those whose interval for the whole matrix does.",
    ),
    "selection_strata": Figure(
        lambda study: strata_figure(study.table("selection_strata")),
        "The primary contrast by strata: AUPRG's choice minus AUPR's on the other half of the test rows, mean and 95 % "
        "interval over source groups, number of tasks in brackets; differences in the grey band are too small to "
        "matter. Strata are descriptive.",
    ),
}
