"""The experiment `task_aggregation`: which flow is best over all tasks?

The answer can depend on the metric and on the average [Boyd et al. 2012, section 4.2].
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.linalg import solve
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.areas import areas_many
from aucstudy.statistics.intervals import group_weights
from aucstudy.statistics.ranks import average_ranks, rounded

REFERENCE = "mean AUPR"
RESAMPLES_AT_ONCE = 200  # This bounds the memory that the bootstrap needs.
# The cost of an operation of a sparse product, and the overhead of Python for the system of a resample. The
# unit of both is the cost of an operation on a dense system.
SPARSE_COST, SYSTEM_COST = 5, 2_000_000


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    """Return the criteria by which flows are averaged, with one row for each run.

    For each criterion, larger is better. Ranks are therefore negative.
    """
    y, scores = task.predictions.y_true, task.predictions.scores
    signed = areas_many(y, scores)
    areas = {
        "AUPR": signed.aupr, "AUCNPR": signed.aucnpr, "signed AUPRG": signed.auprg,
        "clipped AUPRG": areas_many(y, scores, negative_gains="clip").auprg, "AUROC": signed.auroc,
    }  # fmt: skip
    ranked = [name for name in areas if "clip" not in name]
    ranks = {f"rank by {name}": -average_ranks(rounded(areas[name])) for name in ranked}
    return {"criteria": pd.DataFrame({"run_id": list(task.predictions.run_ids), **areas, **ranks})}


def over_all(study: Study, *, bootstrap: int, share: float, seed: int) -> dict[str, pd.DataFrame]:
    if "criteria" not in study.frames:
        return {}
    flows = study.runs[["task_id", "run_id", "flow_name"]]
    criteria = comparable(study.frames["criteria"].merge(flows, on=["task_id", "run_id"]), share)
    if criteria["flow_name"].nunique() < 2:
        return {}
    averages = averages_of(criteria)
    return {
        "task_aggregation": task_aggregation_table(averages, study.source_groups, bootstrap, seed),
        "task_aggregation_tasks": carrying_tasks(averages),
    }


def comparable(criteria: pd.DataFrame, share: float) -> pd.DataFrame:
    """Return the rows of flows that were fitted in enough tasks, for tasks that can be compared.

    A flow needs at least the given share of all tasks. The tasks are the largest set that is connected by
    common flows.
    """
    n_tasks = criteria["task_id"].nunique()
    in_enough_tasks = criteria.groupby("flow_name")["task_id"].transform("nunique") >= share * n_tasks
    criteria = criteria[in_enough_tasks].reset_index(drop=True)
    task_of, flow_of = (
        criteria[name].astype("category").cat.codes.to_numpy() for name in ("task_id", "flow_name")
    )
    has_value = np.zeros((task_of.max(initial=-1) + 1, flow_of.max(initial=-1) + 1), dtype=bool)
    has_value[task_of, flow_of] = True
    return criteria[largest_part(has_value, np.ones(len(has_value)))[task_of]]


def largest_part(known: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return which tasks (tasks,) belong to the largest set that is connected by common flows.

    `known` (tasks, flows) says which tasks have a value of which flow. Only tasks with a weight above 0 are
    considered.

    >>> known = np.array([[True, True, False], [False, True, False], [False, False, True]])
    >>> largest_part(known, np.ones(3)).tolist(), largest_part(known, np.array([1, 0, 1])).tolist()
    ([True, True, False], [True, False, False])
    """
    tasks = np.flatnonzero(weights)
    n_tasks, n_flows = known.shape
    edges = coo_array(known[tasks])
    graph = coo_array((np.ones(edges.nnz), (tasks[edges.row], n_tasks + edges.col)), (n_tasks + n_flows,) * 2)
    part_of_task = connected_components(graph, directed=False)[1][:n_tasks]
    size = np.bincount(part_of_task[tasks], minlength=1)
    return (weights > 0) & (part_of_task == size.argmax())


def flow_means(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the flow effects (..., k, flows) of additive models that are fitted by least squares.

    A value is the sum of a task effect and a flow effect. There are k fits to the (..., tasks, flows)
    `values`, with a row of the (k, tasks) `weights` each. The flow effects of a fit add up to 0. If every
    task has every flow, they are the means of the flows minus the mean of all flows. A fit uses only the
    `largest_part` of its tasks. A flow that none of these tasks has is NaN. The same values must be missing
    for all criteria.
    """
    criteria = values.reshape(-1, *values.shape[-2:])
    has_value = np.isfinite(criteria[0])
    centred = np.where(has_value, criteria - np.nanmean(criteria, axis=2, keepdims=True), 0.0)
    weights = np.where([largest_part(has_value, resample) for resample in weights], weights, 0.0)
    effects_of = _by_tasks if fewer_operations_by_tasks(has_value, weights, len(criteria)) else _by_flows
    blocks = np.array_split(weights, max(1, -(-len(weights) // RESAMPLES_AT_ONCE)))
    effects = np.concatenate([effects_of(has_value, centred, block) for block in blocks], axis=1)
    return effects.reshape(*values.shape[:-2], *effects.shape[1:])


def fewer_operations_by_tasks(known: np.ndarray, weights: np.ndarray, n_criteria: int) -> bool:
    """Return whether systems with an unknown for each task take fewer operations than `_by_flows`."""
    n_tasks, n_flows = known.shape
    n_used = np.count_nonzero(weights) / max(len(weights), 1)
    squares = np.sum(known.sum(axis=0, dtype=float) ** 2) * (n_used / n_tasks) ** 2
    by_tasks = SYSTEM_COST + n_used**3 / 3 + SPARSE_COST * squares
    by_flows = n_criteria * 2 * n_flows**3 / 3 + known.sum() * n_flows
    return bool(by_tasks < by_flows)


def _by_flows(known: np.ndarray, centred: np.ndarray, weights: np.ndarray) -> np.ndarray:
    n_flows, share = known.shape[1], known / known.sum(axis=1, keepdims=True)
    counts = weights @ known
    together = np.stack([weights[:, has] @ share[has] for has in known.T], axis=1)
    system = counts[:, :, None] * np.eye(n_flows) - together
    absent = counts == 0
    system += np.eye(n_flows) * absent[:, :, None] + (~absent)[:, :, None] * (~absent)[:, None, :]
    # Each right-hand side is solved on its own. Nine at once would change the twelfth digit of committed
    # tables.
    effects = [np.linalg.solve(system, (weights @ values)[:, :, None])[:, :, 0] for values in centred]
    return np.where(absent, np.nan, effects)


def _by_tasks(known: np.ndarray, centred: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the same effects as `_by_flows`, computed from the effects of the tasks with a weight."""
    has, task_sums, sums = csr_array(known.astype(float)), centred.sum(axis=2), weights @ centred
    effects = np.full(sums.shape, np.nan)
    for k, weight in enumerate(weights):
        tasks = np.flatnonzero(weight)
        if not len(tasks):
            continue
        weight, flows_of_used = weight[tasks], has[tasks]
        counts = weight @ flows_of_used
        present = counts > 0
        share = np.divide(1.0, counts, out=np.zeros_like(counts), where=present)
        means = sums[:, k] * share
        system = ((flows_of_used * share) @ flows_of_used.T).toarray()
        system *= -np.outer(weight, weight)
        system += 1.0
        system[np.diag_indices(len(tasks))] += weight * flows_of_used.sum(axis=1)
        right_side = weight[:, None] * (task_sums[:, tasks].T - flows_of_used @ means.T)
        task_effects = solve(system, right_side, assume_a="pos")
        flow_effects = (means - (flows_of_used.T @ (weight[:, None] * task_effects)).T * share)[:, present]
        effects[:, k, present] = flow_effects - flow_effects.mean(axis=1, keepdims=True)
    return effects


def flow_medians(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the weighted medians (k, flows) over tasks of the values minus the mean of their task.

    `values` are (tasks, flows) and `weights` are (k, tasks). A flow without a task that has a weight is NaN.
    """
    centred = values - np.nanmean(values, axis=1, keepdims=True)
    medians = np.full((len(weights), values.shape[1]), np.nan)
    for flow, column in enumerate(centred.T):
        tasks = np.flatnonzero(np.isfinite(column))
        tasks = tasks[np.argsort(column[tasks], kind="stable")]
        share = np.cumsum(weights[:, tasks], axis=1)
        middle = np.argmax(share >= share[:, -1:] / 2, axis=1)
        medians[:, flow] = np.where(share[:, -1] > 0, column[tasks][middle], np.nan)
    return medians


class Averages(NamedTuple):
    """The values of flows in tasks and their averages over the tasks.

    `criteria` has (tasks, flows) values by criterion, NaN where a task lacks a flow. `left_out` has (1 +
    tasks, flows) averages by name. The first is over all tasks, and each of the others is without one task.
    """

    tasks: list[str]
    flows: list[str]
    criteria: dict[str, np.ndarray]
    left_out: dict[str, np.ndarray]


def averages_of(criteria: pd.DataFrame) -> Averages:
    names = criteria.columns.drop(["task_id", "source_group", "run_id", "flow_name"])
    pivots = {name: criteria.pivot_table(index="task_id", columns="flow_name", values=name) for name in names}
    tasks, flows = (list(axis) for axis in pivots[names[0]].axes)
    values = {name: table.to_numpy() for name, table in pivots.items()}
    left_out = np.vstack([np.ones((1, len(tasks))), 1 - np.eye(len(tasks))])
    return Averages(tasks, flows, values, _averages(values, left_out))


def _averages(criteria: Mapping[str, np.ndarray], weights: np.ndarray) -> dict[str, np.ndarray]:
    means = flow_means(np.stack(list(criteria.values())), weights)
    medians = {name: values for name, values in criteria.items() if not name.startswith("rank")}
    return {f"mean {name}": mean for name, mean in zip(criteria, means, strict=True)} | {
        f"median {name}": flow_medians(values, weights) for name, values in medians.items()
    }


def task_aggregation_table(
    averages: Averages, source_groups: pd.Series, resamples: int, seed: int
) -> pd.DataFrame:
    tasks, flows = averages.tasks, averages.flows
    weights = group_weights(source_groups[tasks].to_numpy(), resamples, seed)
    best_by = {name: _best(effects) for name, effects in _averages(averages.criteria, weights).items()}
    rows = []
    for name, effects in averages.left_out.items():
        order = np.argsort(-np.nan_to_num(effects[0], nan=-np.inf), kind="stable")
        rows.append(
            {
                "average": name,
                "best": flows[order[0]],
                "second": flows[order[1]],
                "margin": effects[0, order[0]] - effects[0, order[1]],
                "best_again": (best_by[name] == order[0]).mean(),
                "differs": (best_by[name] != best_by[REFERENCE]).mean(),
                "flips": int((_best(effects[1:]) != order[0]).sum()),
                "n_tasks": len(tasks),
                "n_flows": len(flows),
                "resamples": resamples,
            }
        )
    return pd.DataFrame(rows)


def _best(effects: np.ndarray) -> np.ndarray:
    return np.argmax(np.where(np.isnan(effects), -np.inf, effects), axis=1)


def carrying_tasks(averages: Averages) -> pd.DataFrame:
    """Return how the lead of each mean's best flow changes if one task is left out.

    The lead is that over the best flow by mean AUPR. If this is the same flow, it is the lead over the second
    best by this mean.
    """
    tasks, flows = averages.tasks, averages.flows
    reference = int(_best(averages.left_out[REFERENCE][:1])[0])
    frames = []
    for name, values in averages.criteria.items():
        effects = averages.left_out[f"mean {name}"]
        order = np.argsort(-effects[0], kind="stable")
        best, rival = int(order[0]), reference if reference != order[0] else int(order[1])
        lead = effects[:, best] - effects[:, rival]
        facts = {"average": f"mean {name}", "best": flows[best], "other": flows[rival], "lead": lead[0]}
        frame = pd.DataFrame({**facts, "task_id": tasks, "without": lead[1:], "carried": lead[0] - lead[1:]})
        frame["lowest_value"] = np.nanmin(values, axis=1)
        frames.append(frame.sort_values(["carried", "task_id"], ascending=[False, True], kind="stable"))
    return pd.concat(frames, ignore_index=True)
