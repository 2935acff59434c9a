"""The experiment `downsampling.prevalence_shift`: estimates of a metric at another prevalence.

It is about the first open question of Boyd et al. 2012, how a metric at one prevalence can be estimated from
a test set of another prevalence.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import AREAS_COMPARED
from aucstudy.experiments.downsampling import (
    EVERY_RATIO,
    admitted,
    areas_of_all,
    areas_of_cuts,
    negative_orders,
    ratio_name,
)
from aucstudy.experiments.few_negatives import aupr_with_all_negatives
from aucstudy.experiments.inputs import Task
from aucstudy.experiments.quantities import Frames, Quantity, each, measured_rows
from aucstudy.metrics.bounds import aucpr_min
from aucstudy.metrics.kernel import Order, order_of
from aucstudy.metrics.subsets import areas_of_subsets
from aucstudy.statistics.seeds import draws_needed, generator


def with_gaps(frames: Frames) -> pd.DataFrame:
    """Return the rows by task with the bias of the metric that is only cut, which is the gap to be closed."""
    by_task = measured_rows(frames, "prevalence_shift_tasks")
    keys = ["task_id", "ratio", "area"]
    cut = by_task[by_task["estimator"] == "downsampled"].set_index(keys)["bias"].rename("gap")
    difference = by_task["truth"] + by_task["bias"] - by_task["analytic"]
    of_cut = by_task.assign(above_analytic=difference.where(by_task["estimator"] == "downsampled"))
    return of_cut.join(cut, on=keys)


_OF_ESTIMATOR = {"first": "{area}", "second": "{estimator}", "setting": "{ratio}"}
QUANTITIES = (
    *each(("bias", "sd", "rmse"), with_gaps, keys=_OF_ESTIMATOR, subsets=(EVERY_RATIO,)),
    *each(
        {"lowest bias": "low", "highest bias": "high"}, with_gaps, keys=_OF_ESTIMATOR,
        where={"estimator": "corrected"}, subsets=(EVERY_RATIO,),
    ),
    Quantity(
        "part of the gap that is left", with_gaps, "bias", _OF_ESTIMATOR, kind="ratio", over="gap",
        subsets=(EVERY_RATIO,),
    ),
    Quantity(
        "metric minus its analytic value", with_gaps, "above_analytic", {"first": "{area}", "setting": "{ratio}"},
        {"estimator": "downsampled"}, subsets=(EVERY_RATIO,),
    ),
)  # fmt: skip


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
