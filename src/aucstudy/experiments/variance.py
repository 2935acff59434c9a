"""How far does the share of tasks with another best model depend on chance? What was drawn is drawn again."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.area_names import DISTINCT_AREAS, DISTINCT_PAIRS
from aucstudy.experiments.inputs import Study, Task
from aucstudy.learners.cross_validation import FlowFailed, cross_validated_scores, derived_seed, prepare_folds
from aucstudy.learners.datasets import DataSet
from aucstudy.learners.flows import FLOWS, Flow
from aucstudy.metrics.ranking import areas_of_subsets, order_of
from aucstudy.published import printed_shares
from aucstudy.statistics.intervals import estimated, group_weights, over_tasks, statistic_interval
from aucstudy.statistics.ranks import random_orders, rounded
from aucstudy.statistics.seeds import generator
from aucstudy.statistics.stratified import half_splits

# axes of the best models: cross-validation, learner seed, rows, draw of flows
ROWS = 2
FACTORS = {
    "learner seed": (1,),
    "split": (0,),
    "test rows": (ROWS,),
    "flows drawn": (3,),
    "all four": (0, 1, ROWS, 3),
}
DATA_SET, EVERYTHING = "data set", "all five"
ITSELF = "differs from itself"
# standard deviations to each side of a range that holds 95 % of the redraws
REACH = 1.96


def of_task(
    task: Task,
    *,
    cross_validations: int,
    learner_seeds: int,
    models: int,
    flow_draws: int,
    halves: int,
    flows: str | Sequence[str],
    seed: int,
) -> dict[str, pd.DataFrame]:
    data: DataSet = task.rows[0]
    named_flows = [flow for name, flow in FLOWS.items() if flows == "all" or name in flows]
    n_folds = int(task.facts["n_folds"])
    replicates = fitted(data, named_flows, n_folds, cross_validations, learner_seeds, seed)
    frames = {"variance_failures": replicates.failures} if len(replicates.failures) else {}
    if not replicates.flows:
        return frames
    areas = replicate_areas(data, replicates.scores, halves, seed)
    best = best_models(areas, models, flow_draws, generator(seed, data.name, "variance flows"))
    by_task = pd.DataFrame(by_factor(best)).assign(n_models=len(replicates.flows))
    return {**frames, "areas": areas_frame(replicates.flows, areas[:, :, 0]), "variance_tasks": by_task}


def over_all(study: Study, *, bootstrap: int, seed: int) -> dict[str, pd.DataFrame]:
    by_task = study.frames["variance_tasks"]
    if by_task.empty:
        return {}
    itself = estimated(
        by_task[by_task["first"] == by_task["second"]],
        ["factor", "first", "second"],
        lambda tasks: {ITSELF: tasks["differs"]},
        bounds_of=lambda key, quantity: {"exact": True},
    )
    rows = [*other_data_set(study.frames["areas"], bootstrap, seed), *between_areas(by_task, bootstrap, seed)]
    table = pd.concat([itself, pd.DataFrame(rows)], ignore_index=True)
    return {"variance": table.assign(range_of=table["range_of"].fillna("source groups"))}


class Replicates(NamedTuple):
    """The m flows of a task that were fitted on every cross-validation with every learner seed, and fits that failed.

    `scores` are (cross-validations, learner seeds, n, m) float64.
    """

    flows: tuple[str, ...]
    scores: np.ndarray
    failures: pd.DataFrame


def redrawn(seed: int, factor: str, number: int) -> int:
    """The seed of a factor's redraw; number 0 is the study's own, which made the task store."""
    return seed if number == 0 else derived_seed(seed, "variance", factor, number)


def fitted(
    data: DataSet, flows: Sequence[Flow], n_folds: int, cross_validations: int, learner_seeds: int, seed: int
) -> Replicates:
    scores = np.full((cross_validations, learner_seeds, len(data.target), len(flows)), np.nan)
    failures = []
    for split in range(cross_validations):
        prepared = prepare_folds(data, n_folds, redrawn(seed, "cross-validation", split))
        for column, flow in enumerate(flows):
            for number in range(learner_seeds if flow.seeded else 1):
                try:
                    scores[split, number, :, column] = cross_validated_scores(
                        flow, prepared, data.name, redrawn(seed, "learner seed", number)
                    )
                except FlowFailed as failure:
                    replicate = {"flow_name": flow.name, "cross_validation": split, "learner_seed": number}
                    failures.append({**replicate, "detail": str(failure)})
            if not flow.seeded:
                scores[split, 1:, :, column] = scores[split, 0, :, column]
    usable = ~np.isnan(scores).any(axis=(0, 1, 2))
    names = tuple(flow.name for flow, used in zip(flows, usable, strict=True) if used)
    return Replicates(names, scores[..., usable], pd.DataFrame(failures))


def replicate_areas(data: DataSet, scores: np.ndarray, halves: int, seed: int) -> np.ndarray:
    """(cross-validations, learner seeds, 1 + halves, areas, m) rounded areas, on all test rows and on random halves.

    The halves are the same in every replicate.
    """
    y, one_cell = data.target, np.zeros(len(data.target), dtype=int)
    rng = generator(seed, data.name, "variance halves")
    left_out = ~half_splits(y, one_cell, np.arange(len(y)), halves, rng)
    part_of_row = np.vstack([np.zeros(len(y), dtype=bool), left_out])

    def areas(replicate: np.ndarray) -> np.ndarray:
        by_area = areas_of_subsets(order_of(y, replicate), part_of_row, 1, names=DISTINCT_AREAS)
        return by_area[:, :, 0].swapaxes(0, 1)

    return rounded(np.array([[areas(replicate) for replicate in split_scores] for split_scores in scores]))


def areas_frame(flows: Sequence[str], areas: np.ndarray) -> pd.DataFrame:
    splits, seeds, _, _ = areas.shape
    keys = {"cross_validation": range(splits), "learner_seed": range(seeds), "flow_name": flows}
    replicates = pd.MultiIndex.from_product(keys.values(), names=keys).to_frame(index=False)
    values = areas.transpose(0, 1, 3, 2).reshape(-1, len(DISTINCT_AREAS))
    return replicates.assign(**dict(zip(DISTINCT_AREAS, values.T, strict=True)))


def best_models(areas: np.ndarray, models: int, draws: int, rng: np.random.Generator) -> np.ndarray:
    """(..., draws, areas, m) bool: which of the models drawn are best by (..., areas, m) areas; several where they tie.

    The replicates share the draws of so many `models`.
    """
    is_drawn = random_orders(areas.shape[-1], draws, rng) < models
    values = np.where(is_drawn[:, None], areas[..., None, :, :], -np.inf)
    return values == values.max(axis=-1, keepdims=True)


def best_differs(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Probability that the best models of two (..., m) bool sets differ, ties broken by one shared permutation.

    As `statistics.ranks.agreement`, but the two may have been chosen from different models.

    >>> best_differs(np.array([True, True, False]), np.array([True, False, False])).item()
    0.5
    """
    return 1 - (first & second).sum(axis=-1) / (first | second).sum(axis=-1)


def by_factor(best: np.ndarray) -> Iterator[dict[str, object]]:
    """Rows of variance_tasks, of (cross-validations, learner seeds, 1 + halves, draws, areas, m) best models."""
    for factor, axes in FACTORS.items():
        cells = best[:, :, 1:] if ROWS in axes else best[:, :, :1]
        itself = best_differs(cells, np.roll(cells, 1, axes)).mean(axis=(0, 1, 2, 3))
        for area, p_differs in zip(DISTINCT_AREAS, itself, strict=True):
            yield {"factor": factor, "first": area, "second": area, "differs": p_differs}
        for first, second in DISTINCT_PAIRS:
            p_differs = best_differs(*(cells[..., DISTINCT_AREAS.index(area), :] for area in (first, second)))
            redrawn_differs = np.roll(p_differs, 1, axes)
            variance = ((p_differs - redrawn_differs) ** 2).mean() / 2
            numbers = {"variance": variance, "differs_twice": (p_differs * redrawn_differs).mean()}
            yield {"factor": factor, "first": first, "second": second, "differs": p_differs.mean(), **numbers}


def other_data_set(areas: pd.DataFrame, resamples: int, seed: int) -> Iterator[dict[str, object]]:
    groups = areas.drop_duplicates("task_id").set_index("task_id")["source_group"].sort_index().to_numpy()
    other_group = (groups[:, None] != groups).astype(float)
    counts = {"n_tasks": len(groups), "n_groups": len(set(groups))}
    replicates = [frame for _, frame in areas.groupby(["cross_validation", "learner_seed"])]
    for area in DISTINCT_AREAS:
        best_by_replicate = [_best_by_task(replicate, area) for replicate in replicates]
        differs = other_group * np.mean(
            [best_differs(best[:, None], best) for best in best_by_replicate], axis=0
        )

        def between_groups(weights, differs=differs):
            pairs = [((weights @ matrix) * weights).sum(axis=1) for matrix in (other_group, differs)]
            return _ratio(np.column_stack(pairs))

        share = vars(statistic_interval(between_groups, groups, resamples, seed))
        yield {"factor": DATA_SET, "first": area, "second": area, "quantity": ITSELF, **share, **counts}


def _best_by_task(areas: pd.DataFrame, area: str) -> np.ndarray:
    values = areas.pivot(index="task_id", columns="flow_name", values=area)
    return values.eq(values.max(axis=1), axis=0).to_numpy()


def between_areas(by_task: pd.DataFrame, resamples: int, seed: int) -> Iterator[dict[str, object]]:
    """Rows of each pair of areas: how far each factor moves the share, and whether a task repeats it."""
    printed_table = printed_shares()
    for first, second in DISTINCT_PAIRS:
        pair = by_task[(by_task["first"] == first) & (by_task["second"] == second)]
        factors = {name: rows.set_index("task_id") for name, rows in pair.groupby("factor", sort=False)}
        share = factors["split"]["differs"]
        groups = factors["split"]["source_group"].to_numpy()
        facts = {"first": first, "second": second, "n_tasks": len(share), "n_groups": len(set(groups))}
        deviations = {}
        for factor, tasks in factors.items():
            mean = over_tasks(tasks["variance"], groups)
            ends = {name: np.sqrt(max(mean[name], 0.0) / len(share)) for name in ("estimate", "low", "high")}
            deviations[factor] = ends["estimate"]
            yield {**facts, "factor": factor, "quantity": "sd of share", **ends}
            both_shares = tasks[["differs", "differs_twice"]].to_numpy()
            differs_again = statistic_interval(
                lambda weights, shares=both_shares: _ratio(weights @ shares), groups, resamples, seed
            )
            yield {**facts, "factor": factor, "quantity": "differs again", **vars(differs_again)}
        weights = group_weights(groups, resamples, seed)
        deviations[DATA_SET] = (weights @ share.to_numpy() / weights.sum(axis=1)).std()
        deviations[EVERYTHING] = np.hypot(deviations["all four"], deviations[DATA_SET])
        published = printed_table[first, second, 1] / 100
        for factor, deviation in deviations.items():
            if factor in (DATA_SET, EVERYTHING):
                yield {**facts, "factor": factor, "quantity": "sd of share", "estimate": deviation}
            low, high = np.clip(share.mean() + REACH * deviation * np.array([-1, 1]), 0, 1)
            ends = {"estimate": share.mean(), "low": low, "high": high, "range_of": "redraws"}
            claim = {"printed": published, "inside": bool(low <= published <= high)}
            yield {**facts, "factor": factor, "quantity": "share", **ends, **claim}


def _ratio(sums: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return sums[:, 1] / sums[:, 0]
