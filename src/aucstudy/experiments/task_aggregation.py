"""Which flow is best over all tasks? It depends on the area and on the average [Boyd et al. 2012, section 4.2]."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.areas import areas_many
from aucstudy.presentation import charts
from aucstudy.statistics.intervals import group_weights
from aucstudy.statistics.ranks import average_ranks, rounded

REFERENCE = "mean AUPR"
# bounds the memory of the bootstrap
RESAMPLES_AT_ONCE = 200
CLAIM = (
    "mean AUCNPR",
    95,
)  # supported if its best flow differs from the reference's in so many % of the resamples


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    """What the flows of a task are averaged by: one row a run, larger is better everywhere (ranks are negative)."""
    y, scores = task.predictions.y_true, task.predictions.scores
    signed = areas_many(y, scores)
    clipped = areas_many(y, scores, negative_gains="clip")
    areas = {
        "AUPR": signed.aupr, "AUCNPR": signed.aucnpr, "signed AUPRG": signed.auprg, "clipped AUPRG": clipped.auprg,
        "AUROC": signed.auroc,
    }  # fmt: skip
    ranks = {
        f"rank by {name}": -average_ranks(rounded(values))
        for name, values in areas.items()
        if "clip" not in name
    }
    return {"criteria": pd.DataFrame({"run_id": list(task.predictions.run_ids), **areas, **ranks})}


def over_all(study: Study, *, bootstrap: int, seed: int) -> dict[str, pd.DataFrame]:
    if "criteria" not in study.frames:
        return {}
    flows = study.runs[["task_id", "run_id", "flow_name"]]
    criteria = study.frames["criteria"].merge(flows, on=["task_id", "run_id"])
    return {
        "task_aggregation": task_aggregation_table(criteria, study.source_groups, bootstrap, seed),
        "task_aggregation_tasks": carrying_tasks(criteria),
    }


def cubes(criteria: pd.DataFrame) -> tuple[list[str], list[str], dict[str, np.ndarray]]:
    """Tasks, flows and for each criterion the (tasks, flows) values, NaN where a task lacks a flow."""
    names = criteria.columns.drop(["task_id", "source_group", "run_id", "flow_name"])
    wide = {name: criteria.pivot_table(index="task_id", columns="flow_name", values=name) for name in names}
    first = wide[names[0]]
    return list(first.index), list(first.columns), {name: table.to_numpy() for name, table in wide.items()}


def flow_means(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(k, flows) flow effects of the additive model under (k, tasks) weights; NaN for a flow without any task.

    The effects add up to 0; with complete tasks they are the flows' means minus the mean of all.
    """
    known = np.isfinite(values)
    size = known.sum(axis=1, keepdims=True)
    centred = np.where(known, values - np.nanmean(values, axis=1, keepdims=True), 0.0)
    share = known / size
    solved = []
    for some in np.array_split(weights, max(1, -(-len(weights) // RESAMPLES_AT_ONCE))):
        counts = some @ known
        together = np.stack([some[:, has] @ share[has] for has in known.T], axis=1)
        system = counts[:, :, None] * np.eye(known.shape[1]) - together
        absent = counts == 0
        system += np.eye(known.shape[1]) * absent[:, :, None] + (~absent)[:, :, None] * (~absent)[:, None, :]
        effects = np.linalg.solve(system, (some @ centred)[:, :, None])[:, :, 0]
        solved.append(np.where(absent, np.nan, effects))
    return np.concatenate(solved)


def flow_medians(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(k, flows) weighted medians over tasks of the values minus the task's mean; NaN for a flow without any task."""
    centred = values - np.nanmean(values, axis=1, keepdims=True)
    medians = np.full((len(weights), values.shape[1]), np.nan)
    for flow, column in enumerate(centred.T):
        tasks = np.flatnonzero(np.isfinite(column))
        tasks = tasks[np.argsort(column[tasks], kind="stable")]
        share = np.cumsum(weights[:, tasks], axis=1)
        place = np.argmax(share >= share[:, -1:] / 2, axis=1)
        medians[:, flow] = np.where(share[:, -1] > 0, column[tasks][place], np.nan)
    return medians


def _averages(tables: Mapping[str, np.ndarray]) -> dict[str, tuple]:
    means = {f"mean {name}": (flow_means, values) for name, values in tables.items()}
    areas = {name: values for name, values in tables.items() if not name.startswith("rank")}
    return means | {f"median {name}": (flow_medians, values) for name, values in areas.items()}


def task_aggregation_table(
    criteria: pd.DataFrame, source_groups: pd.Series, resamples: int, seed: int
) -> pd.DataFrame:
    tasks, flows, tables = cubes(criteria)
    weights = group_weights(source_groups[tasks].to_numpy(), resamples, seed)
    best_by, rows = {}, []
    for name, (average, values) in _averages(tables).items():
        best_by[name] = _best(average(values, weights))
        left_out = average(values, _all_and_without_each(tasks))
        order = np.argsort(-np.nan_to_num(left_out[0], nan=-np.inf), kind="stable")
        rows.append(
            {
                "average": name,
                "best": flows[order[0]],
                "second": flows[order[1]],
                "margin": left_out[0, order[0]] - left_out[0, order[1]],
                "best_again": (best_by[name] == order[0]).mean(),
                "differs": (best_by[name] != best_by[REFERENCE]).mean(),
                "flips": int((_best(left_out[1:]) != order[0]).sum()),
                "n_tasks": len(tasks),
                "n_flows": len(flows),
            }
        )
    return pd.DataFrame(rows)


def _all_and_without_each(tasks: list[str]) -> np.ndarray:
    """(1 + tasks, tasks) weights."""
    return np.vstack([np.ones((1, len(tasks))), 1 - np.eye(len(tasks))])


def _best(effects: np.ndarray) -> np.ndarray:
    return np.argmax(np.where(np.isnan(effects), -np.inf, effects), axis=1)


def carrying_tasks(criteria: pd.DataFrame) -> pd.DataFrame:
    """How the lead of each mean's best flow over the best by mean AUPR changes without each task."""
    tasks, flows, tables = cubes(criteria)
    effects = {name: flow_means(values, _all_and_without_each(tasks)) for name, values in tables.items()}
    reference = int(_best(effects["AUPR"][:1])[0])
    frames = []
    for name, effect in effects.items():
        order = np.argsort(-effect[0], kind="stable")
        best, other = int(order[0]), reference if reference != order[0] else int(order[1])
        lead = effect[:, best] - effect[:, other]
        facts = {"average": f"mean {name}", "best": flows[best], "other": flows[other], "lead": lead[0]}
        frame = pd.DataFrame({**facts, "task_id": tasks, "without": lead[1:], "carried": lead[0] - lead[1:]})
        frame["lowest_value"] = np.nanmin(tables[name], axis=1)
        frames.append(frame.sort_values(["carried", "task_id"], ascending=[False, True], kind="stable"))
    return pd.concat(frames, ignore_index=True)


def task_aggregation(study: Study):
    table = study.table("task_aggregation")
    figure, axis = charts.panels(height=0.24 * len(table) + 1.1)
    y = np.arange(len(table))[::-1]
    again, differs = charts.SERIES_COLOURS[1], charts.SERIES_COLOURS[0]
    axis.barh(y + 0.2, 100 * table["best_again"], 0.36, color=again)
    axis.barh(y - 0.2, 100 * table["differs"], 0.36, color=differs)
    for place, share in zip(y, 100 * table["differs"], strict=True):
        axis.text(share + 0.7, place - 0.24, f"{share:.0f}", va="center", fontsize=charts.NOTE)
    claimed, needed = CLAIM
    mark = {"color": charts.AREA_COLOURS["auprg"], "marker": "|", "markersize": 7, "markeredgewidth": 2}
    axis.plot(needed, y[(table["average"] == claimed).argmax()] - 0.2, **mark)
    charts.named_rows(axis, y, table["average"])
    flows = axis.secondary_yaxis("right")
    charts.named_rows(flows, y, table["best"])
    flows.spines["right"].set_visible(False)
    axis.text(1.011, 1, "best of all tasks", weight="bold", transform=axis.transAxes)
    axis.set(xlim=(0, 105), xticks=range(0, 101, 20), ylim=(-0.6, len(table) - 0.4))
    axis.set_xlabel("% of the resamples of source groups")
    axis.grid(True, axis="x")
    handles = [
        charts.patch("same flow best again", color=again),
        charts.patch("not the best by mean AUPR", color=differs),
        charts.line(f"claim on {claimed}: {needed} %", linestyle="none", **mark),
    ]
    charts.legend_above(figure, handles)
    return figure
