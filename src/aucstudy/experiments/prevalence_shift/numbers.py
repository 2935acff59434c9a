"""First open question of Boyd et al. 2012: can an area be moved between skews simply and accurately?

Test sets cut to a ratio are moved back to the skew of the whole one analytically (the same ROC curve at another
prevalence) and compared with the whole one's area, the truth. A plain subsample of the same size is the control: it
shows what the smaller size alone does. For AUPR and AUCNPR an estimator corrected for few negatives stands beside.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS_COMPARED
from aucstudy.experiments.downsampling.numbers import (
    admitted,
    areas_of_all,
    areas_of_cuts,
    negative_orders,
    ratio_name,
)
from aucstudy.experiments.inputs import Study, Task
from aucstudy.experiments.prevalence_shift.corrected_aupr import corrected_aupr
from aucstudy.metrics.bounds import aucpr_min
from aucstudy.metrics.engine.walks import Order, areas_of_subsets, order_of
from aucstudy.statistics.draws import draws_needed
from aucstudy.statistics.intervals import over_tasks
from aucstudy.statistics.seeds import generator
from aucstudy.store.task_store import Predictions

ESTIMATORS = ("downsampled", "moved", "corrected", "plain subsample")
SHIFT_COLUMNS = (
    "ratio", "area", "estimator", "bias", "low", "high", "sd", "rmse", "gap_closed", "bias_low", "bias_high",
    "analytic_difference", "n_tasks", "n_groups",
)  # fmt: skip


def of_task(task: Task, *, ratios: Sequence[int], moved_draws: int, seed: int) -> dict[str, pd.DataFrame]:
    """One task's `shifted_areas`; no rows where it admits no ratio."""
    return {"by_task": shifted_areas(task.predictions, ratios, moved_draws, seed)}


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    by_task = study.frames["by_task"]
    table = prevalence_shift_table(by_task, study.source_groups)
    return {"prevalence_shift": table, "prevalence_shift_tasks": by_task}


def shifted_areas(predictions: Predictions, ratios: Sequence[int], draws: int, seed: int) -> pd.DataFrame:
    """How far each estimate from a cut test set lies from the area of the whole one.

    Returns
    -------
    One row a ratio, area and estimator: `bias` (mean over models of the mean over draws minus truth), `sd` (over
    draws), `rmse`, all means over the models; `truth`; `analytic` (the whole curve moved to the ratio, which the
    downsampled area would be with endless negatives); `n_negative` (in the cut set), `n_positive`. For the corrected
    estimator `low` and `high` are the biases of its two bounds.
    """
    y, order = predictions.y_true, order_of(predictions.y_true, predictions.scores)
    n_positive, prevalence, draws = int(y.sum()), float(y.mean()), draws_needed(draws, y)
    orders = negative_orders(y, draws, generator(seed, predictions.task_id, "downsampling"))
    kept = admitted(y, ratios)
    sizes = [ratio * n_positive for ratio in kept]
    rng = generator(seed, predictions.task_id, "plain subsamples")
    truth = areas_of_all(predictions)
    downsampled = areas_of_cuts(order, orders, sizes)
    moved = areas_of_cuts(order, orders, sizes, prevalence=prevalence)
    plain = _areas_of_plain_subsamples(order, draws, [n_positive + size for size in sizes], rng)
    rows = []
    for k, (ratio, n_sampled) in enumerate(zip(kept, sizes, strict=True)):
        low, estimate, high = (
            np.stack([aupr, _normalised(aupr, prevalence)])
            for aupr in corrected_aupr(order, orders, n_sampled)
        )
        estimates = {
            "downsampled": downsampled[:, k],
            "moved": moved[:, k],
            "corrected": estimate,
            "plain subsample": plain[:, k],
        }
        analytic = areas_of_all(predictions, prevalence=1 / (1 + ratio)).mean(axis=1)
        for estimator, values in estimates.items():
            areas = ("aupr", "aucnpr") if estimator == "corrected" else AREAS_COMPARED
            for i, area in enumerate(areas):
                which = AREAS_COMPARED.index(area)
                errors = values[i] - truth[which]
                bounds = {"low": np.nan, "high": np.nan}
                if estimator == "corrected":
                    bounds = {"low": (low[i] - truth[which]).mean(), "high": (high[i] - truth[which]).mean()}
                rows.append(
                    {
                        "task_id": predictions.task_id,
                        "ratio": ratio_name(ratio),
                        "area": area,
                        "estimator": estimator,
                        "bias": errors.mean(),
                        "sd": errors.std(axis=0, ddof=1).mean(),
                        "rmse": np.sqrt((errors**2).mean(axis=0)).mean(),
                        **bounds,
                        "truth": truth[which].mean(),
                        "analytic": analytic[which],
                        "n_positive": n_positive,
                        "n_negative": n_sampled,
                    }
                )
    return pd.DataFrame(rows)


def _areas_of_plain_subsamples(
    order: Order, draws: int, sizes: Sequence[int], rng: np.random.Generator
) -> np.ndarray:
    """(areas, sizes, draws, models) areas of nested random rows with the skew of the whole, some of each class."""
    prevalence = order.positive.mean()
    n_positive = [min(max(1, round(size * prevalence)), size - 1) for size in sizes]
    parts = np.full((draws, len(order.positive)), len(sizes), dtype=np.uint8)
    for positive, wanted in ((True, n_positive), (False, np.subtract(sizes, n_positive))):
        rows = np.flatnonzero(order.positive == positive)
        part = np.searchsorted(wanted, np.arange(len(rows)), side="right").astype(np.uint8)
        parts[:, rows] = rng.permuted(np.tile(part, (draws, 1)), axis=1)
    areas = areas_of_subsets(order, parts, len(sizes), nested=True, of=AREAS_COMPARED)
    return areas.swapaxes(1, 2)


def _normalised(aupr: np.ndarray, prevalence: float) -> np.ndarray:
    return (aupr - aucpr_min(prevalence)) / (1 - aucpr_min(prevalence))


def admitting_every_ratio(shifted: pd.DataFrame) -> pd.DataFrame:
    """The rows of `shifted_areas` of the tasks that have negatives enough for every ratio."""
    counts = shifted.groupby("task_id")["ratio"].nunique()
    return shifted[shifted["task_id"].isin(counts.index[counts == shifted["ratio"].nunique()])]


def prevalence_shift_table(shifted: pd.DataFrame, source_groups: pd.Series) -> pd.DataFrame:
    """Bias, spread and the share of the gap that is closed, on the tasks that admit every ratio.

    Returns
    -------
    One row a ratio, area and estimator: `bias` with its 95 % interval, `sd`, `rmse` (means over tasks of those over
    models), `gap_closed` (1 - |bias| / |bias of the downsampled area|), `bias_low` and `bias_high` (of the bounds of
    the corrected estimator), `analytic_difference` (downsampled minus analytic area at that ratio).
    """
    common = admitting_every_ratio(shifted)
    rows = []
    for (ratio, area), estimates in common.groupby(["ratio", "area"], sort=False):
        downsampled = estimates.loc[estimates["estimator"] == "downsampled", "bias"]
        raw = downsampled.mean()
        for estimator in ESTIMATORS:
            mine = estimates[estimates["estimator"] == estimator]
            if mine.empty:
                continue
            groups = source_groups[mine["task_id"]]
            bias = over_tasks(mine["bias"], groups, name="bias")
            analytic = (mine["truth"] + downsampled.to_numpy() - mine["analytic"]).mean()
            rows.append(
                {
                    "ratio": ratio,
                    "area": area,
                    "estimator": estimator,
                    **bias,
                    "sd": mine["sd"].mean(),
                    "rmse": mine["rmse"].mean(),
                    "gap_closed": 1 - abs(bias["bias"] / raw) if abs(raw) > 1e-3 else np.nan,
                    "bias_low": mine["low"].mean(),
                    "bias_high": mine["high"].mean(),
                    "analytic_difference": analytic if estimator == "downsampled" else np.nan,
                }
            )
    return pd.DataFrame(rows, columns=list(SHIFT_COLUMNS))
