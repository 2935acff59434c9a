"""Averaging F1 over folds: is another model best where F-Gain is averaged instead? [Flach & Kull 2015, section 3]

F1 is a harmonic mean, so its arithmetic mean over folds is, in the paper's words, misguided; F-Gain is linear where
F1 is harmonic and may be averaged (which is averaging 1/F1). The F1 of the folds' summed counts stands beside both.
"""

import numpy as np
import pandas as pd

from aucstudy.experiments.thresholds.numbers import AVERAGED
from aucstudy.statistics.intervals import over_tasks
from aucstudy.statistics.ranks import agreement, rounded

BY_TASK = ("rule", "first", "second", "p_differs", "defined", "finite_models", "n_models")
OVER_TASKS = (
    "rule", "first", "second", "estimate", "low", "high", "n_tasks", "n_groups", "n_left_out",
)  # fmt: skip
AVERAGES = ("mean_f1", "mean_fg1", "f1_of_sums")
PAIRS_OF_AVERAGES = (("mean_f1", "mean_fg1"), ("mean_f1", "f1_of_sums"), ("mean_fg1", "f1_of_sums"))


def fold_averages(counts: pd.DataFrame) -> pd.DataFrame:
    """Three summaries of F1 over the folds of one task.

    Parameters
    ----------
    counts : one row a run_id and fold: tp, fp, n_positive, n.

    Returns
    -------
    One row a run_id: mean_f1, mean_fg1 (each fold's F-Gain at its own prevalence; -inf where a fold has no true
    positive: F1 is 0 there, and so is the harmonic mean), f1_of_sums.

    Examples
    --------
    >>> counts = pd.DataFrame({"run_id": "a", "tp": [2, 1], "fp": [0, 1], "n_positive": 2, "n": 8})
    >>> fold_averages(counts).round(3).to_dict("records")
    [{'run_id': 'a', 'mean_f1': 0.75, 'mean_fg1': 0.833, 'f1_of_sums': 0.75}]
    """
    wrong = counts["fp"] + counts["n_positive"] - counts["tp"]
    with np.errstate(divide="ignore", invalid="ignore"):
        f1 = 2 * counts["tp"] / (2 * counts["tp"] + wrong)
        odds = counts["n_positive"] / (counts["n"] - counts["n_positive"])
        fg1 = np.where(counts["tp"] > 0, 1 - odds * wrong / (2 * counts["tp"]), -np.inf)
    by_run = counts.assign(mean_f1=f1, mean_fg1=fg1, wrong=wrong).groupby("run_id")
    averages = by_run[["mean_f1", "mean_fg1"]].mean()
    sums = by_run[["tp", "wrong"]].sum()
    averages["f1_of_sums"] = 2 * sums["tp"] / (2 * sums["tp"] + sums["wrong"])
    return averages.reset_index()


def averages_of_task(counts: pd.DataFrame) -> pd.DataFrame:
    """How often two averages pick another best model in one task.

    Parameters
    ----------
    counts : as `thresholds.numbers.held_out_counts` gives them.

    Returns
    -------
    One row a rule and pair of averages: `p_differs` (ties broken by one shared permutation), `defined` (some model
    has a true positive in every fold, so that some mean F-Gain is finite), `finite_models` (how many have).
    """
    rows = []
    for rule in AVERAGED:
        of_rule = counts[(counts["rule"] == rule) & (counts["beta"] == 1)]
        if of_rule.empty:
            continue
        averages = fold_averages(of_rule)
        finite = int(np.isfinite(averages["mean_fg1"]).sum())
        facts = {"defined": finite > 0, "finite_models": finite, "n_models": len(averages)}
        for first, second in PAIRS_OF_AVERAGES:
            differs = 1 - agreement(rounded(averages[first]), rounded(averages[second]))
            rows.append({"rule": rule, "first": first, "second": second, "p_differs": differs, **facts})
    return pd.DataFrame(rows, columns=list(BY_TASK))


def averages_over_tasks(by_task: pd.DataFrame) -> pd.DataFrame:
    """Share of tasks whose winner changes, of those where some mean F-Gain is finite, with 95 % intervals."""
    rows = []
    for (rule, first, second), tasks in by_task.groupby(["rule", "first", "second"], sort=False):
        defined = tasks[tasks["defined"]]
        if defined.empty:
            continue
        share = over_tasks(defined["p_differs"], defined["source_group"], exact=True)
        left_out = {"n_left_out": len(tasks) - len(defined)}
        rows.append({"rule": rule, "first": first, "second": second, **share, **left_out})
    return pd.DataFrame(rows, columns=list(OVER_TASKS))
