"""F-calibration at work: thresholds from the PRG hull of the other folds against thresholds tuned by search.

Flach & Kull 2015 say that F-calibrated scores pre-empt tuning a threshold for any F_beta: predict positive where the
calibrated score is at least 1/(1 + beta^2). Here that is tried on rows that no threshold has seen: the pooled
predictions of the other folds set the threshold, the held-out fold tells what it is worth.
"""

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Study, Task
from aucstudy.experiments.thresholds.calibration import (
    HeldOutFolds,
    calibration_of_task,
    cases_over_tasks,
    f_of,
    held_out_folds,
    intervals_of_task,
    leads_over_tasks,
)
from aucstudy.experiments.thresholds.held_out import (
    BETAS_SQUARED,
    HELD_OUT,
    THRESHOLDS,
    HeldOut,
    judged_thresholds,
)
from aucstudy.metrics.engine.walks import order_of
from aucstudy.statistics.intervals import over_tasks
from aucstudy.store.task_store import Predictions

# rules whose F1 the experiment `favour` averages over folds
AVERAGED = ("default", "f_calibrated")
BETAS, RULES = tuple(np.sqrt(BETAS_SQUARED).tolist()), THRESHOLDS
BY_TASK = (
    "task_id", "source_group", "beta", "rule", "f", "same_as_searched", "minus_searched", "minus_default",
    "minus_probability_half", "n_models",
)  # fmt: skip
OF_MODELS = ("run_id", "beta", "rule", "f", "same_as_searched")
OVER_TASKS = ("beta", "rule", "quantity", "estimate", "low", "high", "n_tasks", "n_groups")
QUANTITIES = ("f", "minus_searched", "minus_default", "minus_probability_half", "same_as_searched")


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    """What each of a task's models `reached`, its means, calibration cases, intervals of beta, and the counts of F1.

    Without rows where no fold can be held out. `f1_counts` are the `held_out_counts` of the rules `AVERAGED` at beta 1.
    """
    predictions = task.predictions
    order = order_of(predictions.y_true, predictions.scores)
    folds = held_out_folds(predictions)
    default = default_threshold(predictions.scores)
    judged = judged_thresholds(order, predictions.scores, folds.roles, default)
    counts = held_out_counts(predictions, folds, judged)
    of_models = reached(counts) if len(counts) else pd.DataFrame(columns=list(OF_MODELS))
    by_task = reached_over_models(of_models) if len(counts) else pd.DataFrame(columns=list(BY_TASK[2:]))
    frames = {
        "by_task": by_task,
        "calibration": calibration_of_task(predictions, folds, order, seed),
        "beta_intervals": intervals_of_task(judged),
    }
    for frame in frames.values():
        frame.insert(0, "task_id", task.task_id)
        frame.insert(1, "source_group", task.source_group)
    averaged = counts[counts["rule"].isin(AVERAGED) & (counts["beta"] == 1)]
    of_folds = {"f1_counts": averaged, "reached": of_models}
    return {key: frame.assign(task_id=task.task_id) for key, frame in of_folds.items()} | frames


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


def held_out_counts(predictions: Predictions, folds: HeldOutFolds, judged: HeldOut) -> pd.DataFrame:
    """True and false positives of every model in every held-out fold, by rule and beta.

    `default` (see `default_threshold`), `probability_half` (1/2 on the probabilities of the ROC hull), `f_calibrated`
    (the lowest score whose F-calibrated value is at least 1/(1 + beta^2)) and `searched` (the highest F_beta of all,
    half way to the next lower score) see the other folds only; `hindsight` is the best single threshold on all rows,
    those it is judged on included: what no tuning can beat by much.

    Parameters
    ----------
    judged : of these folds.

    Returns
    -------
    One row a run_id, fold, rule and beta: tp, fp, n_positive, n (of the fold). Folds whose other folds, or which
    themselves, hold one class only have no rows.
    """
    fold, run, rule, beta = (index.reshape(-1) for index in np.indices(judged.at_thresholds.shape[:-1]))
    tp, fp, n_positive = judged.at_thresholds.reshape(-1, 3).T
    columns = {
        "run_id": np.array(predictions.run_ids, dtype=object)[run],
        "fold": folds.numbers[fold],
        "rule": np.array(RULES, dtype=object)[rule],
        "beta": np.array(BETAS)[beta],
        "tp": tp,
        "fp": fp,
        "n_positive": n_positive,
        "n": (folds.roles == HELD_OUT).sum(axis=1)[fold],
    }
    return pd.DataFrame(columns) if len(fold) else pd.DataFrame(columns=list(columns))


def reached(counts: pd.DataFrame) -> pd.DataFrame:
    """F_beta that each rule reaches over all held-out folds of one task, the folds' counts summed.

    Parameters
    ----------
    counts : as `held_out_counts` gives them: of each fold all runs, of each run all rules, of each rule all betas.

    Returns
    -------
    One row a run_id, rule and beta, in this order: f, and `same_as_searched`, the share of folds whose counts are
    those of the threshold found by search.
    """
    of_fold = (counts["run_id"].nunique(), len(RULES), len(BETAS))
    tp, fp, n_positive = (
        counts[name].to_numpy().reshape(-1, *of_fold) for name in ("tp", "fp", "n_positive")
    )
    searched = slice(RULES.index("searched"), RULES.index("searched") + 1)
    same = (tp == tp[:, :, searched]) & (fp == fp[:, :, searched])
    of_models = counts.head(np.prod(of_fold))[["run_id", "beta", "rule"]].reset_index(drop=True)
    summed = np.stack([tp, fp, n_positive], axis=-1).sum(axis=0)
    of_models["f"] = f_of(summed, np.square(BETAS)).ravel()
    of_models["same_as_searched"] = same.mean(axis=0).ravel()
    return of_models


def reached_over_models(of_models: pd.DataFrame) -> pd.DataFrame:
    """Means over one task's models.

    Parameters
    ----------
    of_models : as `reached` gives it.

    Returns
    -------
    One row a beta and rule: `f`, `same_as_searched`, `minus_searched`, `minus_default`, `minus_probability_half`
    (mean of the models' differences of f), `n_models`.
    """
    f = of_models["f"].to_numpy().reshape(-1, len(RULES), len(BETAS))
    others = ("searched", "default", "probability_half")
    minus = {f"minus_{rule}": (f - f[:, [RULES.index(rule)]]).ravel() for rule in others}
    of_models = of_models.assign(**minus)
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
