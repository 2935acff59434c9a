"""Averaging F1 over folds: is another model best where F-Gain is averaged instead? [Flach & Kull 2015, section 3]

F1 is a harmonic mean, so its arithmetic mean over folds is, in the paper's words, misguided; F-Gain is linear where
F1 is harmonic and may be averaged (which is averaging 1/F1). The F1 of the folds' summed counts stands beside both.
"""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from aucstudy.statistics.intervals import mean_interval, unanimous
from aucstudy.statistics.ranks import agreement, rounded

AVERAGES = ("mean_f1", "mean_fg1", "f1_of_sums")
RULES_COMPARED = ("default", "f_calibrated")
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
    by_run = counts.assign(mean_f1=f1, mean_fg1=fg1, wrong=wrong).groupby("run_id", observed=True)
    found = by_run[["mean_f1", "mean_fg1"]].mean()
    sums = by_run[["tp", "wrong"]].sum()
    found["f1_of_sums"] = 2 * sums["tp"] / (2 * sums["tp"] + sums["wrong"])
    return found.reset_index()


BY_TASK = (
    "task_id", "source_group", "rule", "first", "second", "p_differs", "defined", "finite_models", "n_models",
)  # fmt: skip
OVER_TASKS = (
    "rule", "first", "second", "estimate", "low", "high", "n_tasks", "n_groups", "n_left_out",
)  # fmt: skip


def averages_by_task(
    counts_of_tasks: Iterable[tuple[str, pd.DataFrame]], source_groups: pd.Series
) -> pd.DataFrame:
    """How often two averages pick another best model, a task at a time.

    Parameters
    ----------
    counts_of_tasks : task_id and the counts of `thresholds.held_out_counts`.

    Returns
    -------
    One row a task, rule and pair of averages: `p_differs` (ties broken by one shared permutation), `defined` (some
    model has a true positive in every fold, so that some mean F-Gain is finite), `finite_models` (how many have).
    """
    rows = []
    for task_id, counts in counts_of_tasks:
        for rule in RULES_COMPARED:
            part = counts[(counts["rule"] == rule) & (counts["beta"] == 1)]
            if part.empty:
                continue
            found = fold_averages(part)
            finite = int(np.isfinite(found["mean_fg1"]).sum())
            for first, second in PAIRS_OF_AVERAGES:
                differs = 1 - agreement(rounded(found[first]), rounded(found[second]))
                facts = {"task_id": task_id, "source_group": source_groups[task_id], "rule": rule}
                pair = {"first": first, "second": second, "p_differs": differs}
                rows.append(
                    {**facts, **pair, "defined": finite > 0, "finite_models": finite, "n_models": len(found)}
                )
    return pd.DataFrame(rows, columns=[*BY_TASK])


def averages_over_tasks(by_task: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """Share of tasks whose winner changes, of those where some mean F-Gain is finite, with 95 % intervals."""
    rows = []
    for (rule, first, second), part in by_task.groupby(["rule", "first", "second"], sort=False):
        defined = part[part["defined"]]
        if defined.empty:
            continue
        groups = defined["source_group"].to_numpy()
        found = mean_interval(defined["p_differs"].to_numpy(), groups, resamples, seed)
        found = unanimous(found, len(set(groups)))
        rows.append({"rule": rule, "first": first, "second": second, **vars(found)})
        rows[-1] |= {
            "n_tasks": len(defined),
            "n_groups": len(set(groups)),
            "n_left_out": len(part) - len(defined),
        }
    return pd.DataFrame(rows, columns=[*OVER_TASKS])
