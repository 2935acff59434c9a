"""Which summary precision-recall curve over folds? Second open question of Boyd et al. 2012."""

import warnings
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from aucstudy.experiments.fold_cuts import unequal_folds
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.bounds import aucpr_min, min_precision
from aucstudy.metrics.ranking import Order, false_positives_of_subsets, order_of
from aucstudy.statistics.intervals import estimated, over_tasks, with_interval
from aucstudy.statistics.seeds import generator

# of the number of negatives: how far false positives may fall before a curve counts as impossible
TOLERANCE = 1e-9
JUDGED_BY = ("aucnpr_error", "aucpr_error", "achievable", "distance")


def of_task(
    task: Task, *, folds: Sequence[int], spreads: Sequence[float], draws: int, points: int, seed: int
) -> dict[str, pd.DataFrame]:
    y, recalls = task.predictions.y_true, recall_grid(points)
    order, t = order_of(y, task.predictions.scores), recalls * y.sum()
    merged_precision = t / (t + false_positives_of_subsets(order, np.zeros(len(y)), 1, recalls)[0])
    rows = []
    for n_folds in folds:
        for spread in spreads:
            rng = generator(seed, task.task_id, "summary curves", n_folds, spread)
            cuts = unequal_folds(y, n_folds, spread, draws, rng)
            measures = np.stack([summaries_of(order, cut, merged_precision, recalls) for cut in cuts])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)  # every fold may be of one class: NaN
                means = np.nanmean(np.abs(measures), axis=(0, 1))
            for method, values in zip(METHODS, means, strict=True):
                facts = {"folds": n_folds, "spread": spread, "method": method}
                rows.append(facts | dict(zip(JUDGED_BY, values, strict=True)))
    return {"summary_curves_tasks": pd.DataFrame(rows)}


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    def of_methods(tasks: pd.DataFrame) -> dict:
        return {method: of_method(method_rows) for method, method_rows in tasks.groupby("method", sort=False)}

    def of_method(tasks: pd.DataFrame) -> dict:
        groups = tasks["source_group"]
        return {
            "aucpr_error": tasks["aucpr_error"].mean(),
            **with_interval("aucnpr_error", tasks["aucnpr_error"], groups),
            **with_interval("achievable", tasks["achievable"], groups, exact=True),
            **over_tasks(tasks["distance"], groups, name="distance"),
        }

    tasks = study.frames["summary_curves_tasks"]
    if tasks.empty:
        return {}
    return {"summary_curves": estimated(tasks, ["folds", "spread"], of_methods, column="method")}


def recall_grid(points: int) -> np.ndarray:
    """(points,) recalls in the middle of equal steps, over which the mean of precision is the area."""
    return (np.arange(points) + 0.5) / points


# of (points,) recalls, (folds, models, points) false positives there, and the positives and negatives of each fold
def vertical(r, f, P, N):
    return (r * P / (r * P + f)).mean(axis=0)


def pooled_counts(r, f, P, N):
    """False positives per positive, all folds' counts added at equal recall."""
    return r / (r + f.sum(axis=0) / P.sum())


def mean_rates(r, f, P, N):
    """The mean of the folds' false positive rates, at the prevalence of all folds together."""
    pi = P.sum() / (P.sum() + N.sum())
    return r * pi / (r * pi + (1 - pi) * (f / N).mean(axis=0))


def normalised_precision(r, f, P, N):
    """The mean of how far precision has come from the fold's minimum curve to 1, at the minimum curve of all."""
    fold_minimum = min_precision(r, P / (P + N))
    merged_minimum = min_precision(r, P.sum() / (P.sum() + N.sum()))
    gain = (r * P / (r * P + f) - fold_minimum) / (1 - fold_minimum)
    return merged_minimum + (1 - merged_minimum) * gain.mean(axis=0)


def normalised_distance(r, f, P, N):
    """The mean distance from the minimum curve, in shares of the area above it: keeps the mean AUCNPR."""
    pi, merged_share = P / (P + N), P.sum() / (P.sum() + N.sum())
    share = (r * P / (r * P + f) - min_precision(r, pi)) / (1 - aucpr_min(pi))
    return min_precision(r, merged_share) + (1 - aucpr_min(merged_share)) * share.mean(axis=0)


def repaired(r, f, P, N):
    """Normalised precision whose false positives may not fall: a curve that a ranking can have."""
    positives, negatives = P.sum(), N.sum()
    with np.errstate(divide="ignore"):
        false = r * positives * (1 / np.clip(normalised_precision(r, f, P, N), 0, 1) - 1)
    return r * positives / (r * positives + np.minimum(np.maximum.accumulate(false, axis=-1), negatives))


METHODS: dict[str, Callable] = {
    "vertical": vertical,
    "pooled counts": pooled_counts,
    "mean rates": mean_rates,
    "normalised precision": normalised_precision,
    "normalised, repaired": repaired,
    "normalised distance": normalised_distance,
}


def achievable(
    precision: np.ndarray, recalls: np.ndarray, n_positive: float, n_negative: float
) -> np.ndarray:
    """Whether a ranking has a curve: its false positives r P (1 / p - 1) rise with recall from 0 to at most N.

    >>> bool(achievable(np.array([0.5, 0.9]), np.array([0.25, 0.75]), 4, 4))
    False
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        false = recalls * n_positive * (1 / precision - 1)
    slack = TOLERANCE * n_negative
    is_precision = ((precision > 0) & (precision <= 1 + TOLERANCE)).all(axis=-1)
    rises = (np.diff(false, axis=-1) >= -slack).all(axis=-1)
    return is_precision & rises & (false[..., 0] >= -slack) & (false[..., -1] <= n_negative + slack)


def summaries_of(order: Order, folds: np.ndarray, merged: np.ndarray, recalls: np.ndarray) -> np.ndarray:
    """(models, methods, 4) signed errors and more, as JUDGED_BY names them, from (models, points) merged precision."""
    rows, positives = np.bincount(folds), np.bincount(folds, weights=order.positive)
    usable = np.flatnonzero((positives > 0) & (positives < rows))
    measures = np.full((len(merged), len(METHODS), len(JUDGED_BY)), np.nan)
    if not usable.size:
        return measures
    position = np.full(len(rows), len(usable))
    position[usable] = np.arange(len(usable))
    f = false_positives_of_subsets(order, position[folds], len(usable), recalls)
    P, N = positives[usable][:, None, None], (rows - positives)[usable][:, None, None]
    merged_aucpr_min, fold_minima = aucpr_min(P.sum() / (P.sum() + N.sum())), aucpr_min(P / (P + N))[:, 0]
    by_fold = (recalls * P / (recalls * P + f)).mean(axis=-1)
    aucnpr = ((by_fold - fold_minima) / (1 - fold_minima)).mean(axis=0)
    for i, summary in enumerate(METHODS.values()):
        p = summary(recalls, f, P, N)
        area = p.mean(axis=-1)
        measures[:, i, 0] = (area - merged_aucpr_min) / (1 - merged_aucpr_min) - aucnpr
        measures[:, i, 1] = area - by_fold.mean(axis=0)
        measures[:, i, 2] = achievable(p, recalls, P.sum(), N.sum())
        measures[:, i, 3] = np.abs(p - merged).mean(axis=-1)
    return measures
