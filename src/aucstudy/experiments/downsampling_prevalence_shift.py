"""The experiment `downsampling.prevalence_shift`: estimates of a metric at another prevalence.

It is about the first open question of Boyd et al. 2012, how a metric at one prevalence can be estimated from
a test set of another prevalence.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import AREAS_COMPARED
from aucstudy.experiments.downsampling import (
    admitted,
    areas_of_all,
    areas_of_cuts,
    negative_orders,
    ratio_name,
)
from aucstudy.experiments.few_negatives import aupr_with_all_negatives
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.bounds import aucpr_min
from aucstudy.metrics.kernel import Order, order_of
from aucstudy.metrics.subsets import areas_of_subsets
from aucstudy.statistics.intervals import estimated
from aucstudy.statistics.seeds import draws_needed, generator


def of_task(task: Task, *, ratios: Sequence[int], moved_draws: int, seed: int) -> dict[str, pd.DataFrame]:
    y, scores = task.predictions.y_true, task.predictions.scores
    n_positive, prevalence, draws = int(y.sum()), float(y.mean()), draws_needed(moved_draws, y)
    ratios = admitted(y, ratios)
    sizes = [ratio * n_positive for ratio in ratios]
    if not ratios:
        return {}
    order, truth = order_of(y, scores), areas_of_all(y, scores)
    orders = negative_orders(y, draws, generator(seed, task.task_id, "downsampling"))
    rng = generator(seed, task.task_id, "plain subsamples")
    cut = areas_of_cuts(order, orders, sizes)
    moved_areas = areas_of_cuts(order, orders, sizes, prevalence=prevalence)
    plain_areas = areas_of_plain_subsamples(order, draws, [n_positive + size for size in sizes], rng)
    rows = []
    for k, (ratio, size) in enumerate(zip(ratios, sizes, strict=True)):
        low, corrected, high = (
            np.stack([aupr, normalised(aupr, prevalence)])
            for aupr in aupr_with_all_negatives(order, orders, size)
        )
        analytic = areas_of_all(y, scores, prevalence=1 / (1 + ratio)).mean(axis=1)
        estimates = (
            ("downsampled", AREAS_COMPARED, cut[:, k]),
            ("moved", AREAS_COMPARED, moved_areas[:, k]),
            ("corrected", ("aupr", "aucnpr"), corrected),
            ("plain subsample", AREAS_COMPARED, plain_areas[:, k]),
        )
        for estimator, areas, values in estimates:
            for i, area in enumerate(areas):
                which = AREAS_COMPARED.index(area)
                errors = values[i] - truth[which]
                row = {
                    "ratio": ratio_name(ratio), "area": area, "estimator": estimator, "bias": errors.mean(),
                    "sd": errors.std(axis=0, ddof=1).mean(), "rmse": np.sqrt((errors**2).mean(axis=0)).mean(),
                    "truth": truth[which].mean(), "analytic": analytic[which],
                    "n_positive": n_positive, "n_negative": size,
                }  # fmt: skip
                if estimator == "corrected":
                    row |= {"low": (low[i] - truth[which]).mean(), "high": (high[i] - truth[which]).mean()}
                rows.append(row)
    return {"prevalence_shift_tasks": pd.DataFrame(rows)}


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    by_task = study.frames["prevalence_shift_tasks"]
    return {} if by_task.empty else {"prevalence_shift": prevalence_shift_table(by_task)}


def areas_of_plain_subsamples(
    order: Order, draws: int, sizes: Sequence[int], rng: np.random.Generator
) -> np.ndarray:
    """Return metrics (areas, sizes, draws, models) on random rows with the prevalence of all rows.

    `sizes` are the numbers of rows, in ascending order. The subsamples of a draw are nested.
    """
    prevalence = order.positive.mean()
    n_positive = [min(max(1, round(size * prevalence)), size - 1) for size in sizes]
    part_of_row = np.full((draws, len(order.positive)), len(sizes), dtype=np.uint8)
    for positive, sizes_drawn in ((True, n_positive), (False, np.subtract(sizes, n_positive))):
        rows = np.flatnonzero(order.positive == positive)
        subset = np.searchsorted(sizes_drawn, np.arange(len(rows)), side="right").astype(np.uint8)
        part_of_row[:, rows] = rng.permuted(np.tile(subset, (draws, 1)), axis=1)
    areas = areas_of_subsets(order, part_of_row, len(sizes), nested=True, names=AREAS_COMPARED)
    return areas.swapaxes(1, 2)


def normalised(aupr: np.ndarray, prevalence: float) -> np.ndarray:
    return (aupr - aucpr_min(prevalence)) / (1 - aucpr_min(prevalence))


def admitting_every_ratio(by_task: pd.DataFrame) -> pd.DataFrame:
    counts = by_task.groupby("task_id")["ratio"].nunique()
    return by_task[by_task["task_id"].isin(counts.index[counts == by_task["ratio"].nunique()])]


def prevalence_shift_table(by_task: pd.DataFrame) -> pd.DataFrame:
    common = admitting_every_ratio(by_task).rename(columns={"low": "bias_low", "high": "bias_high"})
    is_cut = common["estimator"] == "downsampled"
    difference = (common["truth"] + common["bias"] - common["analytic"]).where(is_cut)
    table = estimated(
        common.assign(analytic_difference=difference),
        ["ratio", "area", "estimator"],
        lambda tasks: {"": tasks["bias"]},
        name="bias",
        facts=lambda tasks: tasks[["sd", "rmse", "bias_low", "bias_high", "analytic_difference"]].mean(),
    )
    table = table.sort_values(["ratio", "area"], key=lambda names: pd.factorize(names)[0], kind="stable")
    gaps = common[is_cut].groupby(["ratio", "area"])["bias"].agg(lambda biases: biases.mean()).rename("gap")
    table = table.join(gaps, on=["ratio", "area"])
    table["gap_closed"] = (1 - (table["bias"] / table["gap"]).abs()).where(table["gap"].abs() > 1e-3)
    return table
