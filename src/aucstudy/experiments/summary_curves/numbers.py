"""Second open question of Boyd et al. 2012: a summary PR curve over folds that keeps area and can be reached.

Six ways to average the folds' curves at equal recall. A summary is judged by its area (does its AUCNPR equal the mean
of the folds'?), by whether a ranking could have it (false positives that only rise, none below the minimum curve), and
by its distance to the merged curve of all folds, by number of folds and by how unequal their skew is.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from aucstudy.experiments.fold_skew.fold_cuts import cut, fold_positives, fold_sizes
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.bounds import aucpr_min, min_precision
from aucstudy.metrics.engine.walks import Order, false_positives_of_subsets, order_of
from aucstudy.statistics.intervals import over_tasks
from aucstudy.statistics.seeds import generator
from aucstudy.store.task_store import Predictions

# of the number of negatives: how far false positives may fall before a curve counts as impossible
TOLERANCE = 1e-9


def of_task(
    task: Task, *, folds: Sequence[int], spreads: Sequence[float], draws: int, points: int, seed: int
) -> dict[str, pd.DataFrame]:
    """One task's `summary_curves_by_task`."""
    return {"by_task": summary_curves_by_task(task.predictions, folds, spreads, draws, points, seed)}


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    by_task = study.frames["by_task"]
    table = summary_curves_table(by_task, study.source_groups)
    return {"summary_curves": table, "summary_curves_tasks": by_task}


def recall_grid(points: int) -> np.ndarray:
    """(points,) recalls in the middle of equal steps: the mean of precision over them is the area."""
    return (np.arange(points) + 0.5) / points


def vertical(r, f, P, N):
    """The mean of the folds' precision."""
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
    own, whole = min_precision(r, P / (P + N)), min_precision(r, P.sum() / (P.sum() + N.sum()))
    return whole + (1 - whole) * ((r * P / (r * P + f) - own) / (1 - own)).mean(axis=0)


def normalised_distance(r, f, P, N):
    """The mean distance from the minimum curve, in shares of the area above it: keeps the mean AUCNPR by design."""
    pi, whole = P / (P + N), P.sum() / (P.sum() + N.sum())
    share = (r * P / (r * P + f) - min_precision(r, pi)) / (1 - aucpr_min(pi))
    return min_precision(r, whole) + (1 - aucpr_min(whole)) * share.mean(axis=0)


def repaired(r, f, P, N):
    """Normalised precision whose false positives are not allowed to fall: a curve that a ranking can have."""
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
    """Whether a ranking has this curve: its false positives r P (1 / p - 1) rise with recall from 0 to at most N.

    Parameters
    ----------
    precision : (..., points) at the (points,) recalls.

    Returns
    -------
    (...) bool.

    Examples
    --------
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
    """(models, methods, 4): area error, AUCPR error, achievable, mean distance to the merged curve.

    Parameters
    ----------
    folds : (n,) fold of each row; those of one class are left out.
    merged : (models, points) precision of the merged curves.
    """
    rows, positives = np.bincount(folds), np.bincount(folds, weights=order.positive)
    kept = np.flatnonzero((positives > 0) & (positives < rows))
    judged = np.full((len(merged), len(METHODS), 4), np.nan)
    if not kept.size:
        return judged
    place = np.full(len(rows), len(kept))
    place[kept] = np.arange(len(kept))
    f = false_positives_of_subsets(order, place[folds], len(kept), recalls)
    P, N = positives[kept][:, None, None], (rows - positives)[kept][:, None, None]
    whole, own = aucpr_min(P.sum() / (P.sum() + N.sum())), aucpr_min(P / (P + N))[:, 0]
    by_fold = (recalls * P / (recalls * P + f)).mean(axis=-1)
    aucnpr = ((by_fold - own) / (1 - own)).mean(axis=0)
    for i, summary in enumerate(METHODS.values()):
        p = summary(recalls, f, P, N)
        area = p.mean(axis=-1)
        judged[:, i, 0] = (area - whole) / (1 - whole) - aucnpr
        judged[:, i, 1] = area - by_fold.mean(axis=0)
        judged[:, i, 2] = achievable(p, recalls, P.sum(), N.sum())
        judged[:, i, 3] = np.abs(p - merged).mean(axis=-1)
    return judged


def summary_curves_by_task(
    predictions: Predictions,
    folds: Sequence[int],
    spreads: Sequence[float],
    draws: int,
    points: int,
    seed: int,
) -> pd.DataFrame:
    """How each summary does on a task, mean over draws and models.

    Returns
    -------
    One row a number of folds, spread of their prevalence and method: `aucnpr_error` and `aucpr_error` (absolute
    difference of the summary's area to the mean of the folds'), `achievable` (share of the curves), `distance` (mean
    absolute difference of precision to the merged curve).
    """
    y, recalls = predictions.y_true, recall_grid(points)
    order, t = order_of(y, predictions.scores), recalls * y.sum()
    merged = t / (t + false_positives_of_subsets(order, np.zeros(len(y)), 1, recalls)[0])
    rows = []
    for n_folds in folds:
        sizes = fold_sizes(len(y), n_folds)
        for spread in spreads:
            rng = generator(seed, predictions.task_id, "summary curves", n_folds, spread)
            positives = fold_positives(int(y.sum()), sizes, spread, draws, rng)
            cuts = cut(y, sizes, positives, rng)
            judged = np.stack([summaries_of(order, one, merged, recalls) for one in cuts])
            means = np.nanmean(np.abs(judged), axis=(0, 1))
            for method, values in zip(METHODS, means, strict=True):
                names = ("aucnpr_error", "aucpr_error", "achievable", "distance")
                facts = {"task_id": predictions.task_id, "folds": n_folds, "spread": spread, "method": method}
                rows.append({**facts, **dict(zip(names, values, strict=True))})
    return pd.DataFrame(rows)


def summary_curves_table(by_task: pd.DataFrame, source_groups: pd.Series) -> pd.DataFrame:
    """The means over tasks of `summary_curves_by_task`, with 95 % intervals.

    low and high are those of the distance; the error of AUCNPR and the achievable share have columns of their own.
    """
    rows = []
    for (folds, spread, method), tasks in by_task.groupby(["folds", "spread", "method"], sort=False):
        groups = source_groups[tasks["task_id"]]
        means = tasks[["aucnpr_error", "aucpr_error", "achievable"]].mean()
        distance = over_tasks(tasks["distance"], groups, name="distance")
        ends = {
            f"{column}_{end}": ends[end]
            for column in ("aucnpr_error", "achievable")
            for ends in [over_tasks(tasks[column], groups, exact=column == "achievable")]
            for end in ("low", "high")
        }
        rows.append({"folds": folds, "spread": spread, "method": method, **means, **distance, **ends})
    return pd.DataFrame(rows)
