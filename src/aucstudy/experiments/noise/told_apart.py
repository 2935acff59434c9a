"""Which pairs of models does an area tell apart? [Saito & Rehmsmeier 2015: PR plots show what ROC plots hide]

An area tells two models apart if it orders them alike on nearly all half samples: the halves vary around the whole
sample as the whole sample does around the population (see `numbers.swaps_of_task`).
"""

import numpy as np
import pandas as pd

from aucstudy.statistics.intervals import over_tasks

# of each one-sided test of an order, here and of a swap: one side of a 95 % interval, as in the audit
SWAP_LEVEL = 0.025
AGREE = 1 - SWAP_LEVEL
COMPARED = ("aupr", "auroc")
RARE = 0.1
RARE_TASKS = f"prevalence under {RARE:g}"
QUANTITIES = {
    "aupr only": ("aupr_only",),
    "auroc only": ("auroc_only",),
    "both": ("both",),
    "aupr only minus auroc only": ("aupr_only", "auroc_only"),
}
OVER_TASKS = ("tasks", "quantity", "estimate", "low", "high", "n_tasks", "n_groups")


def told_apart(halves: np.ndarray) -> np.ndarray:
    """Whether each pair of models is ordered alike by nearly all half samples.

    Parameters
    ----------
    halves : (half samples, m) areas.

    Returns
    -------
    (m (m - 1) / 2,) bool, the pairs in the order of `np.triu_indices`; a tie supports neither order.

    Examples
    --------
    >>> told_apart(np.array([[3.0, 2, 1], [3, 1, 2]])).tolist()
    [True, True, False]
    """
    i, j = np.triu_indices(halves.shape[1], 1)
    one, other = halves[:, i], halves[:, j]
    return np.maximum((one > other).mean(axis=0), (one < other).mean(axis=0)) >= AGREE


def pairs_of_task(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> dict[str, float]:
    """Shares of a task's pairs of models that AUPR, AUROC or both tell apart.

    Parameters
    ----------
    first, second : (splits, m) areas by name on the two halves.
    """
    by_pr, by_roc = (
        told_apart(np.concatenate([half[area] for half in (first, second)])) for area in COMPARED
    )
    shares = {"aupr_only": by_pr & ~by_roc, "auroc_only": by_roc & ~by_pr, "both": by_pr & by_roc}
    return {name: float(pairs.mean()) if len(pairs) else np.nan for name, pairs in shares.items()}


def pairs_over_tasks(by_task: pd.DataFrame, prevalences: pd.Series) -> pd.DataFrame:
    """Mean shares over tasks, over all and over those of low prevalence.

    Parameters
    ----------
    by_task : rows of `pairs_of_task` with task_id and source_group.
    prevalences : of each task, indexed by task_id.

    Returns
    -------
    One row a set of tasks (`all` or `RARE_TASKS`) and quantity, with the 95 % interval over source groups.
    """
    rare = (prevalences[by_task["task_id"]] < RARE).to_numpy()
    rows = []
    for name, tasks in (("all", by_task), (RARE_TASKS, by_task[rare])):
        for quantity, (plus, *minus) in QUANTITIES.items() if len(tasks) else ():
            values = tasks[plus] - (tasks[minus[0]] if minus else 0.0)
            mean = over_tasks(values, tasks["source_group"])
            rows.append({"tasks": name, "quantity": quantity, **mean})
    return pd.DataFrame(rows, columns=list(OVER_TASKS))
