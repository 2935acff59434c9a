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
from aucstudy.metrics.counts import ranking_counts
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


def over_all(study: Study, *, bootstrap: int, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    by_task = study.frames["by_task"]
    table = summary_curves_table(by_task, study.source_groups, bootstrap, seed)
    return {"summary_curves": table, "summary_curves_tasks": by_task}


def recall_grid(points: int) -> np.ndarray:
    """(points,) recalls in the middle of equal steps: the mean of precision over them is the area."""
    return (np.arange(points) + 0.5) / points


def false_positives_at(y_true: np.ndarray, y_score: np.ndarray, recalls: np.ndarray) -> np.ndarray:
    """(points,) false positives of one ranking where it reaches each recall, interpolated within tied scores."""
    counts = ranking_counts(y_true, y_score)
    return np.interp(recalls * counts.P, counts.true_positives, counts.false_positives)


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
    return r * positives / (r * positives + np.minimum(np.maximum.accumulate(false), negatives))


METHODS: dict[str, Callable] = {
    "vertical": vertical,
    "pooled counts": pooled_counts,
    "mean rates": mean_rates,
    "normalised precision": normalised_precision,
    "normalised, repaired": repaired,
    "normalised distance": normalised_distance,
}


def achievable(precision: np.ndarray, recalls: np.ndarray, n_positive: float, n_negative: float) -> bool:
    """Whether a ranking has this curve: its false positives r P (1 / p - 1) rise with recall from 0 to at most N."""
    if (precision <= 0).any() or (precision > 1 + TOLERANCE).any():
        return False
    false = recalls * n_positive * (1 / precision - 1)
    slack = TOLERANCE * n_negative
    return bool((np.diff(false) >= -slack).all() and false[0] >= -slack and false[-1] <= n_negative + slack)


def summaries_of(
    y_true: np.ndarray, scores: np.ndarray, folds: np.ndarray, merged: np.ndarray, recalls: np.ndarray
) -> np.ndarray:
    """(models, methods, 4): area error, AUCPR error, achievable, mean distance to the merged curve.

    Parameters
    ----------
    folds : (n,) fold of each row; those of one class are left out.
    merged : (models, points) precision of the merged curves.
    """
    kept = [k for k in np.unique(folds) if 0 < y_true[folds == k].sum() < (folds == k).sum()]
    P = np.array([[y_true[folds == k].sum()] for k in kept], dtype=float)
    N = np.array([[(~y_true[folds == k]).sum()] for k in kept], dtype=float)
    whole = aucpr_min(P.sum() / (P.sum() + N.sum()))
    own = aucpr_min(P / (P + N))[:, 0]
    judged = np.full((scores.shape[1], len(METHODS), 4), np.nan)
    if not kept:
        return judged
    for model in range(scores.shape[1]):
        f = np.stack(
            [false_positives_at(y_true[folds == k], scores[folds == k, model], recalls) for k in kept]
        )
        by_fold = (recalls * P / (recalls * P + f)).mean(axis=1)
        aucnpr = ((by_fold - own) / (1 - own)).mean()
        for i, summary in enumerate(METHODS.values()):
            p = summary(recalls, f, P, N)
            judged[model, i] = (
                (p.mean() - whole) / (1 - whole) - aucnpr,
                p.mean() - by_fold.mean(),
                achievable(p, recalls, P.sum(), N.sum()),
                np.abs(p - merged[model]).mean(),
            )
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
    y, scores, recalls = predictions.y_true, predictions.scores, recall_grid(points)
    t = recalls * y.sum()
    merged = np.stack([t / (t + false_positives_at(y, column, recalls)) for column in scores.T])
    rows = []
    for n_folds in folds:
        sizes = fold_sizes(len(y), n_folds)
        for spread in spreads:
            rng = generator(seed, predictions.task_id, "summary curves", n_folds, spread)
            positives = fold_positives(int(y.sum()), sizes, spread, draws, rng)
            judged = np.stack(
                [summaries_of(y, scores, one, merged, recalls) for one in cut(y, sizes, positives, rng)]
            )
            means = np.nanmean(np.abs(judged), axis=(0, 1))
            for method, values in zip(METHODS, means, strict=True):
                names = ("aucnpr_error", "aucpr_error", "achievable", "distance")
                facts = {"task_id": predictions.task_id, "folds": n_folds, "spread": spread, "method": method}
                rows.append({**facts, **dict(zip(names, values, strict=True))})
    return pd.DataFrame(rows)


def summary_curves_table(
    by_task: pd.DataFrame, source_groups: pd.Series, resamples: int, seed: int
) -> pd.DataFrame:
    """The means over tasks of `summary_curves_by_task`, and the distance to the merged curve with its 95 % interval."""
    rows = []
    for (folds, spread, method), tasks in by_task.groupby(["folds", "spread", "method"], sort=False):
        groups = source_groups[tasks["task_id"]]
        means = tasks[["aucnpr_error", "aucpr_error", "achievable"]].mean()
        distance = over_tasks(tasks["distance"], groups, resamples, seed, name="distance")
        rows.append({"folds": folds, "spread": spread, "method": method, **means, **distance})
    return pd.DataFrame(rows)
