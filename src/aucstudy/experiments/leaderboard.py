"""Which model is best on each task and over all, by every area and want: the set of those that may be."""

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.errors import InputError
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.uncertainty.sample import Sample
from aucstudy.statistics.best import Student, area_intervals, compared_with_leader, noise_of_areas, worth_of
from aucstudy.statistics.intervals import FEWEST_GROUPS, over_groups
from aucstudy.statistics.ranks import average_ranks, rounded
from aucstudy.store.task_store import Predictions

MEASURED = ("auroc", "aupr", "auprg", "average_precision")  # AUCNPR ranks the models of a task as AUPR does
FEWEST_ROWS = 2  # of a class: with one there is no interval
YES, NO, NOT_COMPARED = "yes", "no", "not compared"
KEYS = ["measure", "model"]
BOARD = [
    *KEYS, "estimate", "low", "high", "mean_rank", "tasks_in_set", "may_be_best", "lead", "lead_low",
    "n_tasks", "n_groups",
]  # fmt: skip


def of_task(task: Task, *, seed: int, wants: list[str], draws: int) -> dict[str, pd.DataFrame]:
    sample = sample_of(task.predictions)
    models, too_few_rows = pd.Index(task.predictions.run_ids), min(sample.class_counts()) < FEWEST_ROWS
    noise = noise_of_areas(sample, resamples=draws, seed=seed)
    intervals = area_intervals(models, noise, sample)
    areas = intervals.pivot(index="model", columns="metric", values="value").loc[models]
    area_indices = [AREAS.index(area) for area in MEASURED]
    frames = [intervals[intervals["metric"].isin(MEASURED)]]
    sets = [compared_with_leader(areas[[*MEASURED]], noise, area_indices)]
    for want in () if too_few_rows else wants:
        try:
            worth = worth_of(want, sample, draws=draws, seed=seed)
        except InputError:  # the first 1000 of 200 rows: the task has no row of this want
            continue
        frames.append(worth.intervals(want, models))
        sets.append(compared_with_leader(pd.DataFrame({want: worth.values}, models), worth, [0], worth.least))
    rows = pd.concat(frames).merge(
        pd.concat(sets)[["metric", "model", "may_be_best"]], on=["metric", "model"]
    )
    # a class of one row excludes no model
    rows["may_be_best"] = np.where(rows["may_be_best"] | too_few_rows, YES, NO)
    rows["rank"] = rows.groupby("metric")["value"].transform(
        lambda values: average_ranks(rounded(values.to_numpy()))
    )
    rows = rows.rename(columns={"metric": "measure", "model": "run_id"})
    return {"leaderboard_tasks": rows[["measure", "run_id", "value", "low", "high", "rank", "may_be_best"]]}


def sample_of(predictions: Predictions) -> Sample:
    ids, rows = np.unique(predictions.row_id, return_inverse=True)
    y, scores = predictions.y_true, predictions.scores
    if len(ids) < len(rows):
        return Sample(y, scores, groups=rows, cases=True)
    return Sample(y, scores, folds=predictions.folds)


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    by_task = study.frames["leaderboard_tasks"].merge(study.runs[["run_id", "flow_name"]], on="run_id")
    by_task = by_task.rename(columns={"flow_name": "model"})
    measure_rows = [rows for _, rows in by_task.groupby("measure", sort=False)]
    by_task["compared"] = pd.concat([compared_rows(rows) for rows in measure_rows])
    boards = [board_of(rows) for _, rows in by_task.groupby("measure", sort=False)]
    by_task["compared"] = np.where(by_task["compared"], YES, NO)
    columns = ["task_id", "source_group", *KEYS, "value", "low", "high", "rank", "may_be_best", "compared"]
    return {"leaderboard": pd.concat(boards, ignore_index=True), "leaderboard_tasks": by_task[columns]}


def compared_rows(by_task: pd.DataFrame) -> pd.Series:
    """Whether each row of one measure is of a model and a task that are compared.

    The model or task with the largest share of gaps is left out, then the next, until each model has each task.
    """
    has_row = pd.crosstab(by_task["task_id"], by_task["model"]) > 0
    while not has_row.to_numpy().all():
        model_gaps, task_gaps = (1 - has_row.mean(axis=axis) for axis in (0, 1))
        if model_gaps.max() >= task_gaps.max():
            has_row = has_row.drop(columns=model_gaps.idxmax())
        else:
            has_row = has_row.drop(index=task_gaps.idxmax())
    return by_task["task_id"].isin(has_row.index) & by_task["model"].isin(has_row.columns)


def board_of(by_task: pd.DataFrame) -> pd.DataFrame:
    """A row a model, the one ahead first: the mean of a measure over source groups, and whether it may be the highest.

    Models that are compared have means of the tasks that all of them have, others of their own tasks.
    """
    models = by_task.loc[by_task["compared"], "model"].unique()
    rows = by_task[by_task["compared"] | ~by_task["model"].isin(models)]
    board = pd.DataFrame({model: _row(of_model) for model, of_model in rows.groupby("model")}).T
    groups = rows[rows["compared"]].groupby(["source_group", "model"])["value"].mean().unstack()
    if len(groups) >= FEWEST_GROUPS and len(models) > 1:
        means = Student.of_groups(groups.to_numpy())
        values = pd.DataFrame({"mean": means.values[:, 0]}, groups.columns)
        compared = compared_with_leader(values, means, [0])
        compared = compared.set_index("model")
        board.loc[compared.index, "may_be_best"] = np.where(compared["may_be_best"], YES, NO)
        board.loc[compared.index, ["lead", "lead_low"]] = compared[["lead", "low"]].to_numpy()
    behind = -board["estimate"].astype(float).round(12)
    order = pd.DataFrame({"alone": ~board.index.isin(models), "behind": behind})
    board.insert(0, "measure", by_task["measure"].iloc[0])
    board_in_order = board.loc[order.sort_values(["alone", "behind"], kind="stable").index]
    return board_in_order.rename_axis("model").reset_index()[BOARD].infer_objects()


def _row(of_model: pd.DataFrame) -> dict[str, object]:
    return {
        **over_groups(of_model["value"], of_model["source_group"]),
        "mean_rank": over_groups(of_model["rank"], of_model["source_group"])["estimate"],
        "tasks_in_set": (of_model["may_be_best"] == YES).mean(),
        "may_be_best": NOT_COMPARED,
        "lead": np.nan,
        "lead_low": np.nan,
    }
