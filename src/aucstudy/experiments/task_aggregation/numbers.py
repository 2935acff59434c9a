"""Which flow is best over many tasks? It depends on the area and on the average [Boyd et al. 2012, section 4.2].

Each task has only some of the flows, so a plain mean over a flow's tasks would reward easy tasks. Means are the flow
effects of an additive model (task + flow) by least squares; medians are of the areas minus the task's mean.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.areas import areas_many
from aucstudy.statistics.intervals import group_weights
from aucstudy.statistics.ranks import average_ranks, rounded
from aucstudy.store.task_store import Predictions

REFERENCE = "mean AUPR"
# bounds the memory of the bootstrap
RESAMPLES_AT_ONCE = 200


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    """One task's `criteria_of`."""
    return {"criteria": criteria_of(task.predictions)}


def over_all(study: Study, *, bootstrap: int, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    flows = study.runs[["task_id", "run_id", "flow_name"]]
    criteria = study.frames["criteria"].merge(flows, on=["task_id", "run_id"])
    return {
        "task_aggregation": task_aggregation_table(criteria, study.source_groups, bootstrap, seed),
        "task_aggregation_tasks": carrying_tasks(criteria),
    }


def criteria_of(predictions: Predictions) -> pd.DataFrame:
    """What the flows of a task are averaged by: one row a run, larger is better everywhere (ranks are negative)."""
    signed = areas_many(predictions.y_true, predictions.scores)
    clipped = areas_many(predictions.y_true, predictions.scores, negative_gains="clip")
    areas = {
        "AUPR": signed.aupr, "AUCNPR": signed.aucnpr, "signed AUPRG": signed.auprg, "clipped AUPRG": clipped.auprg,
        "AUROC": signed.auroc,
    }  # fmt: skip
    ranks = {
        f"rank by {name}": -average_ranks(rounded(values))
        for name, values in areas.items()
        if "clip" not in name
    }
    return pd.DataFrame(
        {"task_id": predictions.task_id, "run_id": list(predictions.run_ids), **areas, **ranks}
    )


def cubes(criteria: pd.DataFrame) -> tuple[list[str], list[str], dict[str, np.ndarray]]:
    """Tasks, flows and for each criterion the (tasks, flows) values, NaN where a task lacks a flow.

    Parameters
    ----------
    criteria : rows of `criteria_of` with the column flow_name.
    """
    names = [name for name in criteria.columns if name not in ("task_id", "run_id", "flow_name")]
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
    medians = {
        f"median {name}": (flow_medians, values)
        for name, values in tables.items()
        if not name.startswith("rank")
    }
    return means | medians


def task_aggregation_table(
    criteria: pd.DataFrame, source_groups: pd.Series, resamples: int, seed: int
) -> pd.DataFrame:
    """The best flow by each average, and how firmly.

    Returns
    -------
    One row an average: `best` and `second` flow, `margin` between them, `best_again` (share of resamples in which it is
    best again), `differs` (share in which it is not the best by mean AUPR of that resample), `flips` (number of single
    tasks without which another flow is best).
    """
    tasks, flows, tables = cubes(criteria)
    weights = group_weights(source_groups[tasks].to_numpy(), resamples, seed)
    alone = np.vstack([np.ones((1, len(tasks))), 1 - np.eye(len(tasks))])
    best_by, rows = {}, []
    for name, (average, values) in _averages(tables).items():
        best_by[name] = _best(average(values, weights))
        left_out = average(values, alone)
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


def _best(effects: np.ndarray) -> np.ndarray:
    return np.argmax(np.where(np.isnan(effects), -np.inf, effects), axis=1)


def carrying_tasks(criteria: pd.DataFrame) -> pd.DataFrame:
    """Which tasks carry an average: how the lead of its best flow over the best by mean AUPR changes without each.

    Returns
    -------
    One row a mean and task: `lead` with all tasks (over the runner-up where both choose alike), `without` the task,
    `carried` (the difference, largest first within an average) and `lowest_value` of the criterion in the task.
    """
    tasks, flows, tables = cubes(criteria)
    alone = np.vstack([np.ones((1, len(tasks))), 1 - np.eye(len(tasks))])
    effects = {name: flow_means(values, alone) for name, values in tables.items()}
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
