"""Folds of unequal skew: how far the mean over folds moves from the merged value [Boyd et al. 2012, section 4.1].

Two things are told apart. The error is the mean over folds minus the merged value: what one makes who averages. Small
folds alone make one, and so do folds of one class that cannot be counted; what is left beside a control with as many
positives in each fold, the same folds left out and equal skew is the work of skew. AUROC, which does not depend on
skew, is the negative control: what moves it is not skew either.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from aucstudy.experiments.fold_skew.aggregates import aggregates_on_halves, aggregates_table, with_interval
from aucstudy.experiments.fold_skew.by_task import cuts_of, departures, merged_areas
from aucstudy.experiments.fold_skew.fold_cuts import cluster_folds
from aucstudy.experiments.fold_skew.names import BEYOND_AUROC, FEW_LEFT_OUT, MORE_LEFT_OUT, MOVED
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.engine.walks import order_of
from aucstudy.statistics.draws import draws_needed
from aucstudy.statistics.intervals import over_tasks
from aucstudy.statistics.seeds import generator
from aucstudy.store.task_store import Predictions

FEW = 0.1  # share of folds left out that FEW_LEFT_OUT and MORE_LEFT_OUT part at
TABLE_COLUMNS = (
    "cut", "spread", "area", "effect", "skewed", "skewed_low", "skewed_high", "control", "control_low",
    "control_high", "difference", "low", "high", "median", "prevalence_sd", "prevalence_shift", "left_out",
    "n_tasks", "n_groups",
)  # fmt: skip


def of_task(
    task: Task, *, folds: int, spreads: Sequence[float], draws: int, clusterings: int, seed: int
) -> dict[str, pd.DataFrame]:
    """One task's `fold_skew_by_task`, with folds of similar rows where the source has the rows."""
    clusters = task.rows and cluster_folds(task.rows[0], folds, clusterings, seed)
    return fold_skew_by_task(task.predictions, folds, spreads, draws, seed, clusters)


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    by_task, groups = study.frames["by_task"], study.source_groups
    prevalences = study.tasks.set_index("task_id")["prevalence"]
    return {
        "fold_skew": fold_skew_table(by_task, groups),
        "fold_skew_averaging": averaging_table(by_task, prevalences, groups),
        "fold_skew_aggregates": aggregates_table(study.frames["aggregates"], groups),
        "fold_skew_tasks": by_task,
    }


def fold_skew_by_task(
    predictions: Predictions,
    folds: int,
    spreads: Sequence[float],
    draws: int,
    seed: int,
    clusters: np.ndarray | None = None,
) -> dict[str, pd.DataFrame]:
    """The rows of `departures` (frame "by_task") and of `aggregates_on_halves` ("aggregates") of all cuts of a task.

    Half as many cuts are halved as are measured whole: aggregates are compared on the same draws.

    Parameters
    ----------
    clusters : (draws, n) folds of similar rows, where the features are at hand.
    """
    y, units = predictions.y_true, predictions.row_id
    draws = draws_needed(draws, y)
    order = order_of(y, predictions.scores)
    merged = merged_areas(order)
    by_task, aggregates = [], []
    for cuts in cuts_of(predictions, folds, spreads, draws, seed, clusters):
        rng = generator(seed, predictions.task_id, "fold skew control and halves", cuts.name)
        by_task.append(departures(order, merged, cuts, draws, rng))
        aggregates.append(aggregates_on_halves(order, units, cuts, max(1, draws // 2), rng))
    frames = {"by_task": by_task, "aggregates": aggregates}
    joined = {name: pd.concat(several, ignore_index=True) for name, several in frames.items()}
    for frame in joined.values():
        frame.insert(0, "task_id", predictions.task_id)
    return joined


def fold_skew_table(by_task: pd.DataFrame, source_groups: pd.Series) -> pd.DataFrame:
    """What unequal skew of folds does to each area, over all tasks.

    Returns
    -------
    One row a cut, area and effect: `error` (fold mean minus merged value), `size` (of the error), `size in model SDs`
    (the same, divided by the standard deviation of the merged values over the models of the task), `winner changes`,
    `winner changes beyond AUROC` (the same minus AUROC's, task by task), and `error` again in the tasks with under 10 %
    of the folds left out and in the others, where there are any. `skewed` is the effect of the skewed folds and
    `control` that of the control, `difference` is the first minus the second, each with its 95 % interval (of the
    difference: low, high); `median` is the median over tasks of the difference. `prevalence_shift` is how far the mean
    prevalence of the skewed folds that are kept lies above that of all rows, `left_out` the share of folds, of the
    skewed and of the control, that are of one class.
    """
    rows = []
    for name, of_cut in by_task.groupby("cut", sort=False):
        by_area = {area: tasks.set_index("task_id") for area, tasks in of_cut.groupby("area", sort=False)}
        effects = {area: _effects(tasks) for area, tasks in by_area.items()}
        for area, tasks in by_area.items():
            effects[area] |= _by_left_out(tasks)
            if area != "auroc":
                effects[area][BEYOND_AUROC] = _minus(
                    effects[area]["winner changes"], effects["auroc"]["winner changes"]
                )
            for effect, (skewed, control) in effects[area].items():
                difference = skewed - control
                groups = source_groups[skewed.index].to_numpy()
                rows.append(
                    {
                        "cut": name,
                        "spread": tasks["spread"].iloc[0],
                        "area": area,
                        "effect": effect,
                        **with_interval("skewed", skewed, groups),
                        **with_interval("control", control, groups),
                        **over_tasks(difference, groups, name="difference"),
                        "median": difference.median(),
                        **tasks.loc[skewed.index, ["prevalence_sd", "prevalence_shift", "left_out"]].mean(),
                    }
                )
    return pd.DataFrame(rows)[list(TABLE_COLUMNS)]


def _by_left_out(tasks: pd.DataFrame) -> dict[str, tuple[pd.Series, pd.Series]]:
    """The error where few folds are left out and where more are: what is left out moves the mean too."""
    few = tasks["left_out"] < FEW
    parts = {FEW_LEFT_OUT: tasks[few], MORE_LEFT_OUT: tasks[~few]}
    return {name: (some["error"], some["control"]) for name, some in parts.items() if len(some)}


def _minus(
    first: tuple[pd.Series, pd.Series], second: tuple[pd.Series, pd.Series]
) -> tuple[pd.Series, pd.Series]:
    return first[0] - second[0], first[1] - second[1]


def _effects(tasks: pd.DataFrame) -> dict[str, tuple[pd.Series, pd.Series]]:
    """Skewed and control values of each effect, a row a task."""
    scale = 1 / tasks["model_sd"].where(tasks["model_sd"] > 0)
    return {
        "error": (tasks["error"], tasks["control"]),
        "size": (tasks["size"], tasks["control_size"]),
        "size in model SDs": (tasks["size"] * scale, tasks["control_size"] * scale),
        "winner changes": (tasks["winner_changes"], tasks["control_winner_changes"]),
    }


def averaging_table(by_task: pd.DataFrame, prevalences: pd.Series, source_groups: pd.Series) -> pd.DataFrame:
    """Boyd et al.'s advice tested: averaging AUCNPR over folds against averaging AUPR, on the same cuts.

    Parameters
    ----------
    prevalences : of each task, indexed by task_id.

    Returns
    -------
    One row a cut, third of the tasks by prevalence (and `all`) and effect (winner changes, size in model SDs), no
    control subtracted: `aupr`, `aucnpr`, `gain` (the first minus the second: positive where averaging AUCNPR is
    better) with its 95 % interval; `moved` (AUPR of the folds computed at the prevalence of all rows) and `moved_gain`
    (aucnpr minus moved: positive where moving the folds is better still) with moved_gain_low and moved_gain_high.
    """
    thirds = (
        pd.qcut(prevalences, 3, labels=["rarest", "middle", "most frequent"]).astype(str)
        if prevalences.nunique() > 2
        else pd.Series("rarest", index=prevalences.index)
    )
    compared = ("aupr", "aucnpr", MOVED)
    rows = []
    for name, of_cut in by_task[by_task["area"].isin(compared)].groupby("cut", sort=False):
        effects = {area: _effects(tasks.set_index("task_id")) for area, tasks in of_cut.groupby("area")}
        for third in ("all", *dict.fromkeys(thirds.sort_index())):
            for effect in ("winner changes", "size in model SDs"):
                aupr, aucnpr, moved = (effects[area][effect][0] for area in compared)
                tasks = aupr.index if third == "all" else aupr.index[thirds[aupr.index] == third]
                groups = source_groups[tasks]
                rows.append(
                    {
                        "cut": name,
                        "tasks": third,
                        "effect": effect,
                        "aupr": aupr[tasks].mean(),
                        "aucnpr": aucnpr[tasks].mean(),
                        **over_tasks((aupr - aucnpr)[tasks], groups, name="gain"),
                        "moved": moved[tasks].mean(),
                        **with_interval("moved_gain", (aucnpr - moved)[tasks], groups),
                    }
                )
    return pd.DataFrame(rows)
