"""F-calibration at work: thresholds from the PRG hull of the other folds against thresholds tuned by search.

Flach & Kull 2015 say that F-calibrated scores pre-empt tuning a threshold for any F_beta: predict positive where the
calibrated score is at least 1/(1 + beta^2). Here that is tried on rows that no threshold has seen: the pooled
predictions of the other folds set the threshold, the held-out fold tells what it is worth.
"""

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Study, Task
from aucstudy.experiments.thresholds.calibration import (
    calibration_of_task,
    cases_over_tasks,
    intervals_of_task,
    leads_over_tasks,
)
from aucstudy.metrics.engine.walks import best_thresholds
from aucstudy.metrics.hulls import prg_hull, roc_hull
from aucstudy.statistics.intervals import over_tasks
from aucstudy.store.task_store import Predictions

BETAS = (0.5, 1.0, 2.0)
RULES = ("default", "probability_half", "f_calibrated", "searched", "hindsight")
BY_TASK = (
    "task_id", "source_group", "beta", "rule", "f", "same_as_searched", "minus_searched", "minus_default",
    "minus_probability_half", "n_models",
)  # fmt: skip
OVER_TASKS = ("beta", "rule", "quantity", "estimate", "low", "high", "n_tasks", "n_groups")
QUANTITIES = ("f", "minus_searched", "minus_default", "minus_probability_half", "same_as_searched")


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    """One task's `held_out_counts`, `reached_of_models`, calibration cases and intervals of beta.

    Without rows where no fold can be held out.
    """
    counts = held_out_counts(task.predictions)
    by_task = reached_of_models(counts) if len(counts) else pd.DataFrame(columns=list(BY_TASK[2:]))
    frames = {
        "by_task": by_task,
        "calibration": calibration_of_task(task.predictions, seed),
        "beta_intervals": intervals_of_task(task.predictions),
    }
    for frame in frames.values():
        frame.insert(0, "task_id", task.task_id)
        frame.insert(1, "source_group", task.source_group)
    return {"held_out_counts": counts.assign(task_id=task.task_id), **frames}


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    by_task, cases, leads = (study.frames[name] for name in ("by_task", "calibration", "beta_intervals"))
    return {
        "thresholds": reached_over_tasks(by_task),
        "thresholds_calibration": cases_over_tasks(cases),
        "thresholds_intervals": leads_over_tasks(leads),
        "thresholds_tasks": by_task,
    }


def default_threshold(scores: np.ndarray) -> np.ndarray:
    """The threshold a model comes with: 1/2 where all of its (n, m) scores lie in [0, 1], else 0 (a decision value).

    >>> default_threshold(np.array([[0.1, -2.0], [0.9, 3.0]])).tolist()
    [0.5, 0.0]
    """
    return np.where((scores.min(axis=0) >= 0) & (scores.max(axis=0) <= 1), 0.5, 0.0)


def calibrated_thresholds(y_true: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The lowest score whose F-calibrated value is at least 1/(1 + beta^2), one a beta.

    Parameters
    ----------
    y_true, scores : (n,) the rows to calibrate on, of both classes.

    Returns
    -------
    (3,) thresholds in the order of `BETAS`: a row is predicted positive where its score is at least that.

    Examples
    --------
    >>> calibrated_thresholds(np.array([1, 1, 0, 0, 1, 0]), np.array([0.8, 0.8, 0.6, 0.4, 0.4, 0.2])).tolist()
    [0.8, 0.8, 0.4]
    """
    hull = prg_hull(y_true, scores)
    wanted = 1 / (1 + np.square(BETAS))
    return hull.thresholds[(hull.d >= wanted[:, None]).sum(axis=1)]


def searched_thresholds(y_true: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """The threshold with the highest F_beta of all, half way to the next lower score, one a beta.

    Parameters and result as for `calibrated_thresholds`.

    >>> searched_thresholds(np.array([1, 1, 0, 0, 1, 0]), np.array([0.8, 0.8, 0.6, 0.4, 0.4, 0.2])).round(2).tolist()
    [0.7, 0.7, 0.3]
    """
    return best_thresholds(y_true, scores, np.square(BETAS))


def held_out_counts(predictions: Predictions) -> pd.DataFrame:
    """True and false positives of every model in every held-out fold, by rule and beta.

    `default` (see `default_threshold`), `probability_half` (1/2 on the probabilities of the ROC hull), `f_calibrated`
    and `searched` see the other folds only; `hindsight` is the best single threshold on all rows, those it is judged
    on included: what no tuning can beat by much.

    Returns
    -------
    One row a run_id, fold, rule and beta: tp, fp, n_positive, n (of the fold). Folds whose other folds, or which
    themselves, hold one class only have no rows.
    """
    y, scores, folds = predictions.y_true, predictions.scores, predictions.folds
    shape = (len(predictions.run_ids), len(RULES), len(BETAS))
    thresholds = np.empty(shape)
    thresholds[:, 0] = default_threshold(scores)[:, None]
    for m in range(shape[0]):
        thresholds[m, 4] = searched_thresholds(y, scores[:, m])
    frames = []
    for fold in np.unique(folds):
        held_out = folds == fold
        if min(y[held_out].sum(), (~y[held_out]).sum(), y[~held_out].sum(), (~y[~held_out]).sum()) == 0:
            continue
        for m in range(shape[0]):
            train = y[~held_out], scores[~held_out, m]
            thresholds[m, 1] = _half_probability(*train)
            thresholds[m, 2], thresholds[m, 3] = calibrated_thresholds(*train), searched_thresholds(*train)
        predicted = scores[held_out].T[:, None, None, :] >= thresholds[..., None]
        tp, fp = ((predicted & (y[held_out] == value)).sum(axis=-1) for value in (True, False))
        frames.append(_long(predictions.run_ids, fold, tp, fp, y[held_out]))
    columns = ["run_id", "fold", "rule", "beta", "tp", "fp", "n_positive", "n"]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def _half_probability(y_true: np.ndarray, scores: np.ndarray) -> float:
    hull = roc_hull(y_true, scores)
    return hull.thresholds[(hull.probability >= 0.5).sum()]


def _long(run_ids: tuple[str, ...], fold: int, tp: np.ndarray, fp: np.ndarray, y: np.ndarray) -> pd.DataFrame:
    """(m, rules, betas) counts of one fold as rows."""
    run, rule, beta = (index.reshape(-1) for index in np.indices(tp.shape))
    return pd.DataFrame(
        {
            "run_id": np.array(run_ids, dtype=object)[run],
            "fold": fold,
            "rule": np.array(RULES, dtype=object)[rule],
            "beta": np.array(BETAS)[beta],
            "tp": tp.reshape(-1),
            "fp": fp.reshape(-1),
            "n_positive": int(y.sum()),
            "n": len(y),
        }
    )


def reached(counts: pd.DataFrame) -> pd.DataFrame:
    """F_beta that each rule reaches over all held-out folds of one task, the folds' counts summed.

    Parameters
    ----------
    counts : as `held_out_counts` gives them.

    Returns
    -------
    One row a run_id, rule and beta: f, and `same_as_searched`, the share of folds whose counts are those of the
    threshold found by search.
    """
    keys = ["run_id", "beta", "rule"]
    total = counts.groupby(keys, sort=False)[["tp", "fp", "n_positive"]].sum().reset_index()
    squared = total["beta"] ** 2
    total["f"] = (1 + squared) * total["tp"] / (total["tp"] + total["fp"] + squared * total["n_positive"])
    searched = counts[counts["rule"] == "searched"].drop(columns="rule")
    both = counts.merge(searched, on=["run_id", "fold", "beta"], suffixes=("", "_searched"))
    both["same"] = (both["tp"] == both["tp_searched"]) & (both["fp"] == both["fp_searched"])
    same = both.groupby(keys, sort=False)["same"].mean().rename("same_as_searched").reset_index()
    return total.merge(same, on=keys)[[*keys, "f", "same_as_searched"]]


def reached_of_models(counts: pd.DataFrame) -> pd.DataFrame:
    """Means of `reached` over one task's models.

    Returns
    -------
    One row a beta and rule: `f`, `same_as_searched`, `minus_searched`, `minus_default`, `minus_probability_half`
    (mean of the models' differences of f), `n_models`.
    """
    of_models = reached(counts)
    wide = of_models.pivot(index=["run_id", "beta"], columns="rule", values="f")
    for other in ("searched", "default", "probability_half"):
        minus = wide.sub(wide[other], axis=0).stack().rename(f"minus_{other}").reset_index()
        of_models = of_models.merge(minus, on=["run_id", "beta", "rule"])
    means = of_models.drop(columns="run_id").groupby(["beta", "rule"], sort=False).mean().reset_index()
    return means.assign(n_models=of_models["run_id"].nunique())


def reached_over_tasks(by_task: pd.DataFrame) -> pd.DataFrame:
    """Means over tasks with 95 % intervals over source groups.

    Returns
    -------
    One row a beta, rule and quantity (one of `QUANTITIES`): estimate, low, high, n_tasks, n_groups.
    """
    rows = []
    for (beta, rule), tasks in by_task.groupby(["beta", "rule"], sort=False):
        for quantity in QUANTITIES:
            mean = over_tasks(tasks[quantity], tasks["source_group"])
            rows.append({"beta": beta, "rule": rule, "quantity": quantity, **mean})
    return pd.DataFrame(rows, columns=list(OVER_TASKS))
