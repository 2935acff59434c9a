"""Folds of unequal skew: how far the mean over folds moves from the merged value [Boyd et al. 2012, section 4.1].

The rows of a task are cut into folds of one size anew, so that only the share of positives of the folds differs.
Folds hold rows that several fitted models scored, so differences between fold models are mixed in; they are in the
control too. Small folds alone move a mean of areas, so every effect is given as skewed folds minus a control of
random folds with the same sizes and equal skew.
"""

import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS_COMPARED
from aucstudy.experiments.fold_skew.fold_cuts import cluster_folds, cut, fold_positives, fold_sizes
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.areas import areas_many
from aucstudy.metrics.engine.walks import SUBSET_AREAS, Order, areas_of_subsets, order_of
from aucstudy.statistics.draws import draws_needed
from aucstudy.statistics.intervals import over_tasks
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator
from aucstudy.store.task_store import Predictions

# rows x draws held at once: bounds the memory of a large task
CELLS_AT_ONCE = 4_000_000
AREAS_AVERAGED = (*AREAS_COMPARED, "auprg_clipped")
CLUSTERS = "clusters"
TABLE_COLUMNS = (
    "cut", "spread", "area", "effect", "skewed", "control", "difference", "low", "high", "median", "prevalence_sd",
    "left_out", "n_tasks", "n_groups",
)  # fmt: skip


def of_task(
    task: Task, *, folds: int, spreads: Sequence[float], draws: int, clusterings: int, seed: int
) -> dict[str, pd.DataFrame]:
    """One task's `fold_skew_by_task`, with folds of similar rows where the source has the rows."""
    clusters = task.rows and cluster_folds(task.rows[0], folds, clusterings, seed)
    return {"by_task": fold_skew_by_task(task.predictions, folds, spreads, draws, seed, clusters)}


def over_all(study: Study, *, bootstrap: int, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    by_task, groups = study.frames["by_task"], study.source_groups
    prevalences = study.tasks.set_index("task_id")["prevalence"]
    return {
        "fold_skew": fold_skew_table(by_task, groups, bootstrap, seed),
        "fold_skew_averaging": averaging_table(by_task, prevalences, groups, bootstrap, seed),
        "fold_skew_tasks": by_task,
    }


def areas_averaged(y_true: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """(areas, models) areas of all rows in the order of AREAS_AVERAGED."""
    signed = areas_many(y_true, scores)
    clipped = areas_many(y_true, scores, negative_gains="clip")
    return np.stack([*(getattr(signed, area) for area in AREAS_COMPARED), clipped.auprg])


def fold_means(order: Order, folds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean over folds of each area, folds of one class left out.

    Parameters
    ----------
    folds : (draws, n) fold of each row.

    Returns
    -------
    means : (areas, draws, models) in the order of AREAS_AVERAGED; NaN where every fold is of one class.
    left_out : (draws,) share of the folds that are of one class.
    """
    n_folds = int(folds.max()) + 1
    at_once = max(1, CELLS_AT_ONCE // folds.shape[1])
    means, left_out = [], []
    for some in np.split(folds, range(at_once, len(folds), at_once)):
        of_folds = areas_of_subsets(order, some, n_folds)
        values = of_folds[[SUBSET_AREAS.index(area) for area in AREAS_AVERAGED]]
        known = np.isfinite(values[0, :, :, 0]).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            means.append(np.nansum(values, axis=2) / np.where(known > 0, known, np.nan)[None, :, None])
        left_out.append(1 - known / n_folds)
    return np.concatenate(means, axis=1), np.concatenate(left_out)


def winner_changes(values: np.ndarray, merged: np.ndarray) -> np.ndarray:
    """Probability that the best model by each draw's values is not the merged one's, ties broken alike for both.

    Parameters
    ----------
    values : (..., draws, models); merged : (..., models).

    Returns
    -------
    (..., draws) in [0, 1]; NaN where a draw's values are.
    """
    values, merged = rounded(values), rounded(merged)[..., None, :]
    a, b = values == values.max(axis=-1, keepdims=True), merged == merged.max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        changes = 1 - (a & b).sum(axis=-1) / (a | b).sum(axis=-1)
    return np.where(np.isnan(values).any(axis=-1), np.nan, changes)


def fold_skew_by_task(
    predictions: Predictions,
    folds: int,
    spreads: Sequence[float],
    draws: int,
    seed: int,
    clusters: np.ndarray | None = None,
) -> pd.DataFrame:
    """How the mean over folds departs from the merged value of a task, folds skewed against the control.

    Parameters
    ----------
    clusters : (draws, n) folds of similar rows, where the features are at hand.

    Returns
    -------
    One row a cut ("spread 0.1", ..., "clusters") and area: `error` and `control` (mean over draws and models of fold
    mean minus merged value), `size` and `control_size` (the same of its absolute value), `model_sd` (standard deviation
    of the merged values over the models, the scale that matters for choosing one), `winner_changes` and
    `control_winner_changes` (probability that the best model by the fold mean is not the merged best), `left_out` and
    `control_left_out` (share of folds of one class), `prevalence_sd` (over the folds).
    """
    y = predictions.y_true
    sizes, draws = fold_sizes(len(y), folds), draws_needed(draws, y)
    rng = generator(seed, predictions.task_id, "fold skew")
    merged = areas_averaged(y, predictions.scores)
    order = order_of(y, predictions.scores)

    def random_folds(sizes: np.ndarray, spread: float, draws: int) -> np.ndarray:
        return cut(y, sizes, fold_positives(int(y.sum()), sizes, spread, draws, rng), rng)

    control = _departures(order, random_folds(sizes, 0.0, draws), merged)
    frames = []
    for spread in spreads:
        skewed = _departures(order, random_folds(sizes, spread, draws), merged)
        frames.append(_against(skewed, control, cut=f"spread {spread:g}", spread=spread))
    if clusters is not None:
        same = [random_folds(np.bincount(one, minlength=folds), 0.0, 1) for one in clusters]
        control = _departures(order, np.concatenate(same), merged)
        skewed = _departures(order, clusters, merged)
        frames.append(_against(skewed, control, cut=CLUSTERS, spread=np.nan))
    by_task = pd.concat(frames, ignore_index=True).assign(model_sd=lambda f: f["area"].map(_model_sd(merged)))
    by_task.insert(0, "task_id", predictions.task_id)
    return by_task


def _departures(order: Order, folds: np.ndarray, merged: np.ndarray) -> dict[str, np.ndarray]:
    """What (draws, n) folds do to each area's mean over folds, mean over draws and models."""
    means, left_out = fold_means(order, folds)
    errors = means - merged[:, None, :]
    prevalence = [_prevalence_sd(order.positive, one) for one in folds]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # every fold of every draw may be of one class: NaN
        return {
            "error": np.nanmean(errors, axis=(1, 2)),
            "size": np.nanmean(np.abs(errors), axis=(1, 2)),
            "winner_changes": np.nanmean(winner_changes(means, merged), axis=1),
            "left_out": np.full(len(AREAS_AVERAGED), left_out.mean()),
            "prevalence_sd": np.full(len(AREAS_AVERAGED), np.mean(prevalence)),
        }


def _prevalence_sd(y_true: np.ndarray, folds: np.ndarray) -> float:
    sizes = np.bincount(folds)
    shares = np.bincount(folds, weights=y_true)[sizes > 0] / sizes[sizes > 0]
    return float(shares.std())


def _against(skewed: dict, control: dict, **facts: object) -> pd.DataFrame:
    named = {"control" if name == "error" else f"control_{name}": values for name, values in control.items()}
    return pd.DataFrame({**facts, "area": AREAS_AVERAGED, **skewed, **named})


def _model_sd(merged: np.ndarray) -> dict[str, float]:
    return dict(zip(AREAS_AVERAGED, merged.std(axis=1), strict=True))


def fold_skew_table(
    by_task: pd.DataFrame, source_groups: pd.Series, resamples: int, seed: int
) -> pd.DataFrame:
    """What unequal skew of folds does to each area, over all tasks.

    Returns
    -------
    One row a cut, area and effect, each effect skewed folds minus control with its 95 % interval: `error` (fold mean
    minus merged value), `size` (of the error), `size in model SDs` (the same, divided by the standard deviation of the
    merged values over the models of the task), `winner changes`. `skewed` and `control` are the two means that are
    subtracted, `median` is the median over tasks of the difference; `left_out` is the share of skewed folds that are
    of one class.
    """
    rows = []
    for (name, area), tasks in by_task.groupby(["cut", "area"], sort=False):
        groups = source_groups[tasks["task_id"]].to_numpy()
        for effect, (skewed, control) in _effects(tasks).items():
            difference = (skewed - control).to_numpy()
            rows.append(
                {
                    "cut": name,
                    "spread": tasks["spread"].iloc[0],
                    "area": area,
                    "effect": effect,
                    "skewed": skewed.mean(),
                    "control": control.mean(),
                    **over_tasks(difference, groups, resamples, seed, name="difference"),
                    "median": np.nanmedian(difference),
                    "prevalence_sd": tasks["prevalence_sd"].mean(),
                    "left_out": tasks["left_out"].mean(),
                }
            )
    return pd.DataFrame(rows)[list(TABLE_COLUMNS)]


def _effects(tasks: pd.DataFrame) -> dict[str, tuple[pd.Series, pd.Series]]:
    """Skewed and control values of each effect, a row a task."""
    scale = 1 / tasks["model_sd"].where(tasks["model_sd"] > 0)
    return {
        "error": (tasks["error"], tasks["control"]),
        "size": (tasks["size"], tasks["control_size"]),
        "size in model SDs": (tasks["size"] * scale, tasks["control_size"] * scale),
        "winner changes": (tasks["winner_changes"], tasks["control_winner_changes"]),
    }


def averaging_table(
    by_task: pd.DataFrame, prevalences: pd.Series, source_groups: pd.Series, resamples: int, seed: int
) -> pd.DataFrame:
    """Boyd et al.'s advice tested: averaging AUCNPR over folds against averaging AUPR, on the same cuts.

    Parameters
    ----------
    prevalences : of each task, indexed by task_id.

    Returns
    -------
    One row a cut, third of the tasks by prevalence (and `all`) and effect (winner changes, size in model SDs), no
    control subtracted: `aupr`, `aucnpr`, and `gain` (the first minus the second: positive where averaging AUCNPR is
    better) with its 95 % interval.
    """
    thirds = (
        pd.qcut(prevalences, 3, labels=["rarest", "middle", "most frequent"]).astype(str)
        if prevalences.nunique() > 2
        else pd.Series("rarest", index=prevalences.index)
    )
    compared = by_task[by_task["area"].isin(("aupr", "aucnpr"))]
    rows = []
    for name, of_cut in compared.groupby("cut", sort=False):
        effects = {area: _effects(tasks.set_index("task_id")) for area, tasks in of_cut.groupby("area")}
        for third in ("all", *dict.fromkeys(thirds.sort_index())):
            for effect in ("winner changes", "size in model SDs"):
                aupr, aucnpr = (effects[area][effect][0] for area in ("aupr", "aucnpr"))
                tasks = aupr.index if third == "all" else aupr.index[thirds[aupr.index] == third]
                gain = (aupr - aucnpr)[tasks]
                rows.append(
                    {
                        "cut": name,
                        "tasks": third,
                        "effect": effect,
                        "aupr": aupr[tasks].mean(),
                        "aucnpr": aucnpr[tasks].mean(),
                        **over_tasks(gain, source_groups[tasks], resamples, seed, name="gain"),
                    }
                )
    return pd.DataFrame(rows)
