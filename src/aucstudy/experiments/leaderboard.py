"""Which model is best on each task and over all, by every area and want: the set of those that may be."""

import numpy as np
import pandas as pd

from aucstudy.area_names import AREA_LABELS, AREAS
from aucstudy.errors import InputError
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.uncertainty.sample import Sample
from aucstudy.presentation import charts
from aucstudy.statistics.best import Means, area_intervals, contenders, noise_of_areas, worth_of
from aucstudy.statistics.intervals import FEWEST_GROUPS, over_groups
from aucstudy.statistics.ranks import average_ranks, rounded
from aucstudy.store.task_store import Predictions

MEASURED = ("auroc", "aupr", "auprg", "average_precision")  # AUCNPR ranks the models of a task as AUPR does
FEWEST_ROWS = 2  # of a class: with one there is no interval
MOST_PANELS = 4  # side by side
YES, NO, NOT_COMPARED = "yes", "no", "not compared"
KEYS = ["measure", "model"]


def of_task(task: Task, *, seed: int, wants: list[str], draws: int) -> dict[str, pd.DataFrame]:
    sample = sample_of(task.predictions)
    models, single = pd.Index(task.predictions.run_ids), min(sample.class_counts()) < FEWEST_ROWS
    noise = noise_of_areas(sample, resamples=draws, seed=seed)
    intervals = area_intervals(models, noise, sample)
    areas = intervals.pivot(index="model", columns="metric", values="value").loc[models]
    of_areas = [AREAS.index(area) for area in MEASURED]
    frames = [intervals[intervals["metric"].isin(MEASURED)]]
    sets = [contenders(areas[[*MEASURED]], noise, of_areas)]
    for want in () if single else wants:
        try:
            worth = worth_of(want, sample, draws=draws, seed=seed)
        except InputError:  # the first 1000 of 200 rows: the task has no row of this want
            continue
        frames.append(worth.intervals(want, models))
        sets.append(contenders(pd.DataFrame({want: worth.whole}, models), worth, [0], worth.least))
    rows = pd.concat(frames).merge(
        pd.concat(sets)[["metric", "model", "may_be_best"]], on=["metric", "model"]
    )
    # a class of one row excludes no model
    rows["may_be_best"] = np.where(rows["may_be_best"] | single, YES, NO)
    rows["rank"] = rows.groupby("metric")["value"].transform(lambda of: average_ranks(rounded(of.to_numpy())))
    rows = rows.rename(columns={"metric": "measure", "model": "run_id"})
    return {"leaderboard_tasks": rows[["measure", "run_id", "value", "low", "high", "rank", "may_be_best"]]}


def sample_of(predictions: Predictions) -> Sample:
    """The rows of a task; where repeats predict a row again, the row is what is sampled."""
    ids, rows = np.unique(predictions.row_id, return_inverse=True)
    y, scores = predictions.y_true, predictions.scores
    if len(ids) < len(rows):
        return Sample(y, scores, groups=rows, cases=True)
    return Sample(y, scores, folds=predictions.folds)


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    by_task = study.frames["leaderboard_tasks"].merge(study.runs[["run_id", "flow_name"]], on="run_id")
    by_task = by_task.rename(columns={"flow_name": "model"})
    columns = ["task_id", "source_group", *KEYS, "value", "low", "high", "rank", "may_be_best"]
    measures = list(dict.fromkeys(by_task["measure"]))
    boards = [board_of(by_task[by_task["measure"] == measure]) for measure in measures]
    return {"leaderboard": pd.concat(boards, ignore_index=True), "leaderboard_tasks": by_task[columns]}


def board_of(by_task: pd.DataFrame) -> pd.DataFrame:
    """A row a model, the one ahead first: of one measure, the means over source groups and which may be the highest.

    Models that stand in every task are compared, and those only, as a mean over other tasks is of other tasks.
    """
    n_tasks = by_task["task_id"].nunique()
    groups = by_task.groupby(["source_group", "model"])["value"].mean().unstack()
    compared = by_task["model"].value_counts().loc[groups.columns] == n_tasks
    rows = [
        {
            "measure": rows["measure"].iloc[0],
            "model": model,
            **over_groups(rows["value"], rows["source_group"]),
            "mean_rank": over_groups(rows["rank"], rows["source_group"])["estimate"],
            "tasks_in_set": (rows["may_be_best"] == YES).mean(),
            "may_be_best": NOT_COMPARED,
        }
        for model, rows in by_task.groupby("model")
    ]
    board = pd.DataFrame(rows).set_index("model")
    complete = groups.loc[:, compared]
    if len(groups) >= FEWEST_GROUPS and compared.sum() > 1:
        means = Means.of_groups(complete.to_numpy())
        overall = contenders(pd.DataFrame({"mean": means.means}, complete.columns), means, [0]).set_index(
            "model"
        )
        board.loc[overall.index, "may_be_best"] = np.where(overall["may_be_best"], YES, NO)
        board.loc[overall.index, "lead"] = overall["lead"]
        board.loc[overall.index, "lead_low"] = overall["low"]
    board = board.reindex(columns=[*board.columns, *({"lead", "lead_low"} - {*board.columns})])
    order = pd.DataFrame({"alone": ~compared, "behind": -board["estimate"].round(12)})
    columns = ["measure", "model", "estimate", "low", "high", "mean_rank", "tasks_in_set", "may_be_best"]
    ordered = board.loc[order.sort_values(["alone", "behind"], kind="stable").index].reset_index()
    return ordered[[*columns, "lead", "lead_low", "n_tasks", "n_groups"]]


def leaderboard(study: Study):
    table = study.rows("leaderboard")
    if (table["may_be_best"] == NOT_COMPARED).all():
        return f"no two models stand in every task, or source groups are fewer than {FEWEST_GROUPS}"
    measures, first = list(dict.fromkeys(table["measure"])), table["measure"].iloc[0]
    models = table.loc[table["measure"] == first, "model"].tolist()
    columns = min(len(measures), MOST_PANELS)
    lines = -(-len(measures) // columns)
    figure, axes = charts.panels(
        lines, columns, height=lines * (0.2 * len(models) + 0.55) + 0.4, sharey=True, squeeze=False
    )
    y = {model: len(models) - i for i, model in enumerate(models)}
    looks = {YES: ("may be best", "black"), NO: ("excluded as best", "white")}
    ends = -table[["lead", "lead_low"]].set_axis(["low", "high"], axis=1)
    behind = table.assign(behind=-table["lead"], **ends)
    for axis, measure in zip(axes.flat, measures, strict=False):
        axis.axvline(0, color=charts.MUTED, linewidth=0.8)
        for verdict, (_, face) in looks.items():
            rows = behind[(behind["measure"] == measure) & (behind["may_be_best"] == verdict)]
            look = {"color": "black", "markerfacecolor": face, "markersize": 4}
            charts.across(axis, rows["model"].map(y), rows, estimate="behind", scale=1, **look)
        axis.set_title(AREA_LABELS.get(measure, measure))
        axis.grid(True, axis="x")
        axis.locator_params(axis="x", nbins=4)
        axis.set_ylim(0.4, len(models) + 0.6)
    for axis in axes.flat[len(measures) :]:
        axis.set_visible(False)
    for line in axes:
        charts.named_rows(line, y.values(), y)
    mark = {"marker": "o", "linestyle": "none", "color": "black"}
    charts.legend_above(
        figure, [charts.line(name, markerfacecolor=face, **mark) for name, face in looks.values()]
    )
    figure.supxlabel("behind the model ahead, mean over source groups", fontsize="medium")
    return figure
