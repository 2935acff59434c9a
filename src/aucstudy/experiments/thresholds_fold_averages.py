"""The experiment `thresholds.fold_averages`: does the best model depend on how F1 is averaged over folds?

The mean of F1, the mean of F-Gain and the F1 of summed counts are compared.
"""

from typing import Any

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Task
from aucstudy.experiments.quantities import Frames, Quantity, measured_rows
from aucstudy.statistics.ranks import agreement, rounded

AVERAGES = ("mean_f1", "mean_fg1", "f1_of_sums")
COUNTS = ("tp", "fp", "n_positive", "n")
PAIRS_OF_AVERAGES = (("mean_f1", "mean_fg1"), ("mean_f1", "f1_of_sums"), ("mean_fg1", "f1_of_sums"))


def winners(frames: Frames) -> pd.DataFrame:
    """Return the rows of pairs of averages for tasks in which some model has a finite mean F-Gain."""
    by_task = measured_rows(frames, "fold_averages_tasks")
    return by_task[by_task["defined"].astype(bool)]


def infinite_models(frames: Frames) -> pd.DataFrame:
    by_task = measured_rows(frames, "fold_averages_tasks")
    by_task = by_task[(by_task["first"] == "mean_f1") & (by_task["second"] == "mean_fg1")]
    return by_task.assign(infinite=1 - by_task["finite_models"] / by_task["n_models"])


def gains(frames: Frames) -> pd.DataFrame:
    """Return F1 of the best model by mean F-Gain minus F1 of the best model by mean F1."""
    choices = measured_rows(frames, "fold_averages_choices")
    keys = ["rule", "task_id"]
    f_gain, f1 = (
        choices[choices["average"] == average].set_index(keys)["f1"] for average in ("mean_fg1", "mean_f1")
    )
    return (f_gain - f1).rename("gain").reset_index()


_AVERAGES = {"first": "{first}", "second": "{second}", "setting": "{rule}"}
QUANTITIES = (
    Quantity("differs", winners, "p_differs", _AVERAGES, kind="share"),
    Quantity(
        "models without a finite mean", infinite_models, "infinite", {"first": "mean_fg1", "setting": "{rule}"},
        kind="share",
    ),
    Quantity(
        "F1 of the choice", gains, "gain",
        {"first": "mean_fg1", "second": "mean_f1", "target": "f1", "setting": "{rule}"},
    ),
)  # fmt: skip


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    f1_counts = task.frames.get("f1_counts", pd.DataFrame())
    if f1_counts.empty:
        return {}
    return {
        "fold_averages_tasks": averages_of_task(f1_counts),
        "fold_averages_choices": choices_of_task(f1_counts),
    }


def fold_averages(counts: pd.DataFrame) -> pd.DataFrame:
    """Return three summaries of F1 over the folds of each run_id.

    `counts` has the columns tp, fp, n_positive and n, with a row for each fold of a run_id.

    >>> counts = pd.DataFrame({"run_id": "a", "tp": [2, 1], "fp": [0, 1], "n_positive": 2, "n": 8})
    >>> fold_averages(counts).round(3).to_dict("records")
    [{'run_id': 'a', 'mean_f1': 0.75, 'mean_fg1': 0.833, 'f1_of_sums': 0.75}]
    """
    n_wrong, f1, fg1 = _of_each_fold(*(counts[name] for name in COUNTS))
    by_run = counts.assign(mean_f1=f1, mean_fg1=fg1, wrong=n_wrong).groupby("run_id")
    averages, sums = by_run[["mean_f1", "mean_fg1"]].mean(), by_run[["tp", "wrong"]].sum()
    averages["f1_of_sums"] = 2 * sums["tp"] / (2 * sums["tp"] + sums["wrong"])
    return averages.reset_index()


def _of_each_fold(tp: Any, fp: Any, n_positive: Any, n: Any) -> tuple[Any, Any, Any]:
    """Return the number of wrong rows, F1 and F-Gain, each of the shape of the counts."""
    n_wrong = fp + n_positive - tp
    with np.errstate(divide="ignore", invalid="ignore"):
        f1 = 2 * tp / (2 * tp + n_wrong)
        odds = n_positive / (n - n_positive)
        fg1 = np.where(tp > 0, 1 - odds * n_wrong / (2 * tp), -np.inf)
    return n_wrong, f1, fg1


def averages_of_task(counts: pd.DataFrame) -> pd.DataFrame:
    """Return the probability that two summaries of F1 pick different best models.

    There is a row for each rule and pair of summaries. Tied models are put in a random order that is the same
    for both summaries. `defined` says whether some model has a finite mean F-Gain.
    """
    rows = []
    for rule, rule_counts in counts.groupby("rule", sort=False):
        averages = fold_averages(rule_counts)
        finite = int(np.isfinite(averages["mean_fg1"]).sum())
        facts = {"defined": finite > 0, "finite_models": finite, "n_models": len(averages)}
        for first, second in PAIRS_OF_AVERAGES:
            p_differs = 1 - agreement(rounded(averages[first]), rounded(averages[second]))
            rows.append({"rule": rule, "first": first, "second": second, "p_differs": p_differs, **facts})
    return pd.DataFrame(rows)


def choices_of_task(counts: pd.DataFrame) -> pd.DataFrame:
    """Return F1, on a fold that is left out, of the best model by each summary of the other folds.

    It is a mean over tied models and over the folds that are left out in turn. A fold is skipped if no model
    has a finite mean F-Gain on the other folds.

    >>> tp = {"a": [2, 2, 2], "b": [1, 1, 1]}
    >>> counts = [{"rule": "default", "run_id": run, "fold": k, "tp": t, "fp": 0, "n_positive": 2, "n": 8}
    ...           for run, hits in tp.items() for k, t in enumerate(hits)]
    >>> choices_of_task(pd.DataFrame(counts)).to_dict("records")[0]
    {'rule': 'default', 'average': 'mean_f1', 'f1': 1.0}
    """
    rows = []
    for rule, rule_counts in counts.groupby("rule", sort=False):
        # One row for each model and one column for each fold: a frame for each fold would take ten times as long.
        by_fold = rule_counts.pivot(index="run_id", columns="fold", values=list(COUNTS))
        tp, *others = (by_fold[name].to_numpy() for name in COUNTS)
        n_wrong, f1, fg1 = _of_each_fold(tp, *others)
        f1_of_choices: dict[str, list[float]] = {name: [] for name in AVERAGES}
        for fold in range(tp.shape[1]):
            kept = np.arange(tp.shape[1]) != fold
            mean_f1, mean_fg1 = f1[:, kept].mean(axis=1), fg1[:, kept].mean(axis=1)
            if not np.isfinite(mean_fg1).any():
                continue
            hits = 2 * tp[:, kept].sum(axis=1)
            f1_of_sums = hits / (hits + n_wrong[:, kept].sum(axis=1))
            for name, average in zip(AVERAGES, (mean_f1, mean_fg1, f1_of_sums), strict=True):
                values = rounded(average)
                f1_of_choices[name].append(f1[values == values.max(), fold].mean())
        rows += [
            {"rule": rule, "average": name, "f1": np.mean(f1)} for name, f1 in f1_of_choices.items() if f1
        ]
    return pd.DataFrame(rows, columns=["rule", "average", "f1"])
