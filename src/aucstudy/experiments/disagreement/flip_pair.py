"""The pair of models whose order by AUPR and AUPRG flips most clearly [Flach & Kull 2015, figure 5]."""

import numpy as np
import pandas as pd

COLUMNS = ("task_id", "run_id", "flow_name", "auroc", "aupr", "auprg", "prevalence", "n_positive", "rule")


def clearest_flip(scores: pd.DataFrame, pinned: list[str] | None = None) -> pd.DataFrame:
    """Choose the two models of figure 5; a pinned pair that the scores do not hold is chosen by rule, and said so.

    Parameters
    ----------
    scores : scores of one aggregation, one row a task and model.
    pinned : task_id and two run_ids to take instead of choosing.

    Returns
    -------
    Two rows, the model that AUPR prefers first (of a pinned pair, the order given), columns `COLUMNS`. Chosen over all
    pairs i, j of one task, both with AUPRG >= 0 as in the paper's figures: the largest of min(AUPR_i - AUPR_j,
    AUPRG_j - AUPRG_i), ties by the ids. No row where no pair flips.
    """
    rule = "largest smaller margin"
    if pinned:
        task_id, *runs = pinned
        rows = scores[scores["task_id"] == task_id].set_index("run_id", drop=False)
        if rows.index.isin(runs).sum() == len(runs):
            return rows.loc[runs].assign(rule="pinned")[list(COLUMNS)]
        rule += f": the pinned runs {' and '.join(runs)} of task {task_id} are not both in the scores"
    best, margin = None, 0.0
    for _, task in scores.sort_values(["task_id", "run_id"]).groupby("task_id", sort=True):
        task = task[task["auprg"] >= 0]
        aupr, auprg = (task[area].to_numpy() for area in ("aupr", "auprg"))
        flips = np.minimum(np.subtract.outer(aupr, aupr), -np.subtract.outer(auprg, auprg))
        if flips.size and flips.max() > margin:
            margin = flips.max()
            best = task.iloc[list(np.unravel_index(flips.argmax(), flips.shape))]
    chosen = scores.iloc[:0] if best is None else best
    return chosen.assign(rule=rule)[list(COLUMNS)]
