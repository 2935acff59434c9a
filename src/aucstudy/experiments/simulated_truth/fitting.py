"""Fits of a finished study that the simulations start from: fitted_models.csv and task_quantities.csv of this folder.

    python -m aucstudy.experiments.simulated_truth.fitting data/default results/default/tables

makes both from the study's predictions and tables. They are committed, so that the simulated tables do not depend on
the study in which they are made.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import norm, rankdata
from sklearn.decomposition import FactorAnalysis

from aucstudy.area_names import AREAS, DISTINCT_AREAS, DISTINCT_PAIRS
from aucstudy.metrics.engine.walks import all_areas, order_of
from aucstudy.statistics.ranks import average_ranks, rounded
from aucstudy.store.tables import read_table, write_table
from aucstudy.store.task_store import Predictions, read_predictions, read_tasks

HERE = Path(__file__).parent
POSITIVES, MODELS = 100, 8
# thresholds with both rates inside (0, 1) that a curve must have to be fitted
POINTS = 10


def fitted_curve(y_true: np.ndarray, scores: np.ndarray) -> tuple[float, float] | None:
    """Mean and deviation of the binormal curve through an empirical ROC curve, None with fewer than `POINTS` points.

    The line through the normal quantiles of the two rates is the reduced major axis, which treats both alike.
    """
    thresholds = np.unique(scores)[1:]
    rates = [
        1 - np.searchsorted(np.sort(scores[side]), thresholds) / side.sum() for side in (y_true, ~y_true)
    ]
    inside = np.logical_and.reduce([(rate > 0) & (rate < 1) for rate in rates])
    if inside.sum() < POINTS:
        return None
    of_tpr, of_fpr = (norm.ppf(rate[inside]) for rate in rates)
    deviation = of_fpr.std() / of_tpr.std()
    return deviation * of_tpr.mean() - of_fpr.mean(), deviation


def fitted_task(predictions: Predictions) -> list[dict]:
    """The binormal curves of a task's `MODELS` best fitted models, by mean rank over AUPR, AUPRG and AUROC.

    `loading_positive` and `loading_negative` are of the one factor behind the normal scores of each class.
    """
    y_true = np.asarray(predictions.y_true, dtype=bool)
    areas = rounded(all_areas(order_of(y_true, predictions.scores)))
    ranks = average_ranks(areas[:, [AREAS.index(name) for name in DISTINCT_AREAS]].T).mean(axis=0)
    fits = {k: fitted_curve(y_true, predictions.scores[:, k]) for k in np.argsort(ranks, kind="stable")}
    kept = [k for k, fit in fits.items() if fit is not None][:MODELS]
    loadings = []
    for side in (y_true, ~y_true):
        normal_scores = norm.ppf(rankdata(predictions.scores[side][:, kept], axis=0) / (side.sum() + 1))
        normal_scores /= normal_scores.std(axis=0)
        loading = FactorAnalysis(1).fit(normal_scores).components_[0]
        loadings.append(np.clip(loading * np.sign(loading.sum()), 0, 0.999))
    return [
        {
            "task_id": predictions.task_id,
            "run_id": predictions.run_ids[k],
            "mean": fits[k][0],
            "deviation": fits[k][1],
            "loading_positive": loadings[0][place],
            "loading_negative": loadings[1][place],
        }
        for place, k in enumerate(kept)
    ]


def fitted_models(store: Path) -> pd.DataFrame:
    """`fitted_task` of each source group's task with the most positives, of those with at least `POSITIVES`."""
    tasks = read_tasks(store)
    tasks = tasks[tasks["n_positive"] >= POSITIVES].sort_values("n_positive", ascending=False, kind="stable")
    chosen = tasks.drop_duplicates("source_group")["task_id"].sort_values()
    return pd.DataFrame(row for task_id in chosen for row in fitted_task(read_predictions(store, task_id)))


def task_quantities(tables: Path) -> pd.DataFrame:
    """What the study estimates over tasks, a value a task: one row a task and quantity.

    Returns
    -------
    quantity, kind (share, difference or correlation), task_id, source_group, n_positive, value.
    """
    positives = read_table(tables / "tasks.csv").set_index("task_id")["n_positive"]
    columns = {
        ("disagreement_tasks", "p_best_differs"): ("best differs", "share"),
        ("disagreement_tasks", "p_top3_differs"): ("first three differ", "share"),
        ("disagreement_tasks", "rank_correlation"): ("rank correlation", "correlation"),
        ("noise_tasks", "excess"): ("excess of halves", "difference"),
    }
    frames = []
    for (table, column), (quantity, kind) in columns.items():
        rows = read_table(tables / f"{table}.csv")
        if "top" in rows:
            rows = rows[rows["top"] == 1]
        for first, second in DISTINCT_PAIRS:
            of_pair = rows[(rows["first"] == first) & (rows["second"] == second)]
            frame = of_pair[["task_id", "source_group"]].assign(
                quantity=f"{quantity}: {first}, {second}", kind=kind, value=of_pair[column]
            )
            frames.append(frame)
    swaps = read_table(tables / "noise_swaps.csv")
    real = swaps[(swaps["first"] == "aupr") & (swaps["second"] == "auroc") & swaps["real"]]["task_id"]
    frames.append(frames[0].assign(quantity="real swap: aupr, auroc", kind="share",
                                   value=frames[0]["task_id"].isin(real).astype(float)))  # fmt: skip
    joined = pd.concat(frames, ignore_index=True)
    joined["n_positive"] = joined["task_id"].map(positives)
    return joined[["quantity", "kind", "task_id", "source_group", "n_positive", "value"]].dropna()


if __name__ == "__main__":
    write_table(fitted_models(Path(sys.argv[1])), HERE / "fitted_models.csv")
    write_table(task_quantities(Path(sys.argv[2])), HERE / "task_quantities.csv")
