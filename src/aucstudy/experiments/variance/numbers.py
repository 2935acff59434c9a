"""Where the share of tasks with another best model comes from: each factor redrawn alone, then all of them.

Two redraws that differ in one factor only say how often an area then picks another best model than itself, and by how
much the disagreement of two areas moves: the variance of a task's disagreement is half the mean square of the
difference of the two redraws. Redraws of different tasks are independent, so the variance of the share is the sum of
the tasks' variances over the square of their number.

* `learner seed` and `split` are fitted again. A seed on other training rows fits another model, so that a redrawn
  split brings the learners' randomness with it: the second holds the first.
* `test rows`: two halves of the test rows drawn independently, models fixed. Each varies around the whole as a new
  test set of full size would around the population (half the rows without replacement: variance s2/n), without the
  ties of a bootstrap. The observed differences between models stand for the true ones and spread wider, so this is
  too little rather than too much.
* `flows drawn`: so many of the usable flows, as the study draws them; every other factor is measured within them.
* `all four` of them redrawn together, interactions included.
* `data set`: another one of another source group; the share moves as in the bootstrap over source groups.

Rule, stated before the numbers: a published share can come out of a study like this one if it lies in the range of
`all five`, which is the share plus and minus 1.96 standard deviations of all four and the data sets together.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from aucstudy.area_names import DISTINCT_AREAS, DISTINCT_PAIRS
from aucstudy.experiments.inputs import Study, Task
from aucstudy.experiments.variance.replicates import (
    best_differs,
    best_models,
    fitted,
    named_flows,
    replicate_areas,
)
from aucstudy.learners.datasets import DataSet
from aucstudy.published.values import printed_shares
from aucstudy.statistics.intervals import group_weights, over_tasks, statistic_interval
from aucstudy.statistics.seeds import generator

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
# standard deviations to each side of a range that holds 95 % of the redraws
REACH = 1.96
TASK_COLUMNS = ("task_id", "factor", "first", "second", "differs", "variance", "differs_twice", "n_models")
AREA_COLUMNS = ("task_id", "cross_validation", "learner_seed", "flow_name", *DISTINCT_AREAS)
COLUMNS = (
    "factor", "first", "second", "quantity", "estimate", "low", "high", "range_of", "n_tasks", "n_groups", "printed",
    "inside",
)  # fmt: skip


def of_task(
    task: Task,
    *,
    cross_validations: int,
    learner_seeds: int,
    models: int,
    flow_draws: int,
    halves: int,
    folds: int,
    flows: str | Sequence[str],
    seed: int,
) -> dict[str, pd.DataFrame]:
    """One task's areas by replicate and flow, its disagreement by factor, and the fits that failed."""
    data: DataSet = task.rows[0]
    replicates = fitted(data, named_flows(flows), folds, cross_validations, learner_seeds, seed)
    if not replicates.flows:
        empty = (pd.DataFrame(columns=list(columns)) for columns in (AREA_COLUMNS, TASK_COLUMNS))
        return dict(zip(("areas", "by_task", "failures"), (*empty, replicates.failures), strict=True))
    areas = replicate_areas(data, replicates.scores, halves, seed)
    rng = generator(seed, data.name, "variance flows")
    by_task = pd.DataFrame(by_factor(best_models(areas, models, flow_draws, rng)))
    by_task = by_task.assign(task_id=data.name, n_models=len(replicates.flows))[list(TASK_COLUMNS)]
    return {
        "areas": areas_frame(data.name, replicates.flows, areas[:, :, 0]),
        "by_task": by_task,
        "failures": replicates.failures,
    }


def areas_frame(task_id: str, flows: Sequence[str], areas: np.ndarray) -> pd.DataFrame:
    """(cross-validations, learner seeds, areas, m) areas on all test rows, a row a replicate and flow."""
    splits, seeds, _, n_models = areas.shape
    places = np.indices((splits, seeds, n_models)).reshape(3, -1)
    values = areas.transpose(0, 1, 3, 2).reshape(-1, len(DISTINCT_AREAS))
    return pd.DataFrame(
        {
            "task_id": task_id,
            "cross_validation": places[0],
            "learner_seed": places[1],
            "flow_name": np.array(flows)[places[2]],
        }
    ).join(pd.DataFrame(values, columns=list(DISTINCT_AREAS)))


def by_factor(best: np.ndarray) -> Iterator[dict[str, object]]:
    """One task's disagreement under each factor: of an area with itself, and of two areas.

    Parameters
    ----------
    best : (cross-validations, learner seeds, 1 + halves, draws, areas, m) as `best_models` gives them.

    Yields
    ------
    For an area with itself (first is second) `differs`, the probability that the best model differs between two
    redraws. For a pair `differs`, the probability that it differs between the two areas; `variance` of that over
    redraws of the factor; `differs_twice`, the probability that it does so in both of two redraws.
    """
    for factor, axes in FACTORS.items():
        cells = best[:, :, 1:] if ROWS in axes else best[:, :, :1]
        itself = best_differs(cells, np.roll(cells, 1, axes)).mean(axis=(0, 1, 2, 3))
        for area, differs in zip(DISTINCT_AREAS, itself, strict=True):
            yield {"factor": factor, "first": area, "second": area, "differs": differs}
        for first, second in DISTINCT_PAIRS:
            differs = best_differs(*(cells[..., DISTINCT_AREAS.index(area), :] for area in (first, second)))
            other = np.roll(differs, 1, axes)
            yield {
                "factor": factor,
                "first": first,
                "second": second,
                "differs": differs.mean(),
                "variance": ((differs - other) ** 2).mean() / 2,
                "differs_twice": (differs * other).mean(),
            }


def over_all(study: Study, *, bootstrap: int, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    by_task, groups = study.frames["by_task"], study.source_groups
    rows = [
        *itself(by_task, groups),
        *other_data_set(study.frames["areas"], groups, bootstrap, seed),
        *between_areas(by_task, groups, bootstrap, seed),
    ]
    return {
        "variance": pd.DataFrame(rows, columns=list(COLUMNS)),
        "variance_tasks": by_task,
        "variance_failures": study.frames["failures"],
    }


def itself(by_task: pd.DataFrame, source_groups: pd.Series) -> Iterator[dict[str, object]]:
    """Rows of an area's disagreement with itself, over tasks."""
    alone = by_task[by_task["first"] == by_task["second"]]
    for (factor, area), tasks in alone.groupby(["factor", "first"], sort=False):
        groups = source_groups[tasks["task_id"]]
        share = over_tasks(tasks["differs"], groups, exact=True)
        yield {**_facts(factor, area, area, "differs from itself"), **share}


def other_data_set(
    areas: pd.DataFrame, source_groups: pd.Series, resamples: int, seed: int
) -> Iterator[dict[str, object]]:
    """Rows of how often the best of all usable flows differs between two data sets of different source groups."""
    groups = source_groups[sorted(areas["task_id"].unique())].to_numpy()
    apart = (groups[:, None] != groups).astype(float)
    counts = {"n_tasks": len(groups), "n_groups": len(set(groups))}
    for area in DISTINCT_AREAS:
        apart_and_differs = apart * np.mean([
            best_differs(best[:, None], best)
            for _, replicate in areas.groupby(["cross_validation", "learner_seed"])
            for best in [_best_by_task(replicate, area)]
        ], axis=0)  # fmt: skip

        def between_groups(weights, differs=apart_and_differs):
            pairs = [((weights @ of_pair) * weights).sum(axis=1) for of_pair in (apart, differs)]
            return _ratio(np.column_stack(pairs))

        share = vars(statistic_interval(between_groups, groups, resamples, seed))
        yield {**_facts(DATA_SET, area, area, "differs from itself"), **share, **counts}


def _best_by_task(areas: pd.DataFrame, area: str) -> np.ndarray:
    """(tasks, flows) bool: the best flows of each task, tasks in the order of their ids."""
    values = areas.pivot(index="task_id", columns="flow_name", values=area)
    return values.eq(values.max(axis=1), axis=0).to_numpy()


def between_areas(
    by_task: pd.DataFrame, source_groups: pd.Series, resamples: int, seed: int
) -> Iterator[dict[str, object]]:
    """Rows of a pair of areas: how far each factor moves the share, where it then lies, and whether a task repeats it.

    Quantities: `sd of share` over redraws of the factor; `share` on all test rows, with the range that holds 95 % of
    the redraws; `differs again`: given that the best models of the areas differ in one redraw, the probability that
    they do in another.
    """
    printed = printed_shares()
    for first, second in DISTINCT_PAIRS:
        pair = by_task[(by_task["first"] == first) & (by_task["second"] == second)]
        of_factor = {name: rows.set_index("task_id") for name, rows in pair.groupby("factor", sort=False)}
        share = of_factor["split"]["differs"]
        groups = source_groups[share.index].to_numpy()
        counts = {"n_tasks": len(share), "n_groups": len(set(groups))}
        deviations = {}
        for factor, tasks in of_factor.items():
            variance = over_tasks(tasks["variance"], groups)
            ends = {name: np.sqrt(variance[name] / len(share)) for name in ("estimate", "low", "high")}
            deviations[factor] = ends["estimate"]
            yield {**_facts(factor, first, second, "sd of share"), **ends, **counts}
            twice = tasks[["differs", "differs_twice"]].to_numpy()
            again = statistic_interval(
                lambda weights, twice=twice: _ratio(weights @ twice), groups, resamples, seed
            )
            yield {**_facts(factor, first, second, "differs again"), **vars(again), **counts}
        weights = group_weights(groups, resamples, seed)
        deviations[DATA_SET] = (weights @ share.to_numpy() / weights.sum(axis=1)).std()
        deviations[EVERYTHING] = np.hypot(deviations["all four"], deviations[DATA_SET])
        published = printed[first, second, 1] / 100
        for factor, deviation in deviations.items():
            if factor in (DATA_SET, EVERYTHING):
                yield {**_facts(factor, first, second, "sd of share"), "estimate": deviation, **counts}
            low, high = np.clip(share.mean() + REACH * deviation * np.array([-1, 1]), 0, 1)
            inside = bool(low <= published <= high)
            ends = {
                "estimate": share.mean(),
                "low": low,
                "high": high,
                "printed": published,
                "inside": inside,
            }
            yield {**_facts(factor, first, second, "share"), **ends, "range_of": "redraws", **counts}


def _ratio(sums: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return sums[:, 1] / sums[:, 0]


def _facts(factor: str, first: str, second: str, quantity: str) -> dict[str, object]:
    facts = {"factor": factor, "first": first, "second": second, "quantity": quantity}
    return {**facts, "range_of": "source groups"}
