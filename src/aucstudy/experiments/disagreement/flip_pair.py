"""The pair of models whose order by AUPR and AUPRG flips most clearly [Flach & Kull 2015, figure 5]."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from aucstudy.store.task_store import Predictions

COLUMNS = ("task_id", "run_id", "flow_name", "auroc", "aupr", "auprg", "prevalence", "n_positive", "rule")
# of the positives of a model that share their score with a negative, as in the decomposition
TIED_ABOVE = 0.5


def clearest_flip(
    scores: pd.DataFrame, predictions: Callable[[str], Predictions], pinned: list[str] | None = None
) -> pd.DataFrame:
    """Choose the two models of figure 5; a pinned pair that the scores do not hold is chosen by rule, and said so.

    Parameters
    ----------
    scores : scores of one aggregation, one row a task and model.
    predictions : gives those of a task by its id.
    pinned : task_id and two run_ids to take instead of choosing.

    Returns
    -------
    Two rows, the model that AUPR prefers first (of a pinned pair, the order given), columns `COLUMNS`. Chosen over all
    pairs i, j of one task, both with AUPRG >= 0 as in the paper's figures and neither tied (at most `TIED_ABOVE`
    of its positives share their score with a negative: a flip of a model of two or three scores says how segments
    between thresholds are counted, not how models rank): the largest of min(AUPR_i - AUPR_j, AUPRG_j - AUPRG_i),
    equal ones by the ids. No row where no such pair flips.
    """
    rule = "largest smaller margin of two untied models"
    if pinned:
        task_id, *runs = pinned
        rows = scores[scores["task_id"] == task_id].set_index("run_id", drop=False)
        if rows.index.isin(runs).sum() == len(runs):
            return rows.loc[runs].assign(rule="pinned")[list(COLUMNS)]
        rule += f": the pinned runs {' and '.join(runs)} of task {task_id} are not both in the scores"
    scores = scores.sort_values(["task_id", "run_id"]).reset_index(drop=True)
    for first, second in _flips(scores):
        pair = scores.loc[[first, second]]
        task = predictions(pair["task_id"].iloc[0])
        if all(tied_positives(task, run_id) <= TIED_ABOVE for run_id in pair["run_id"]):
            return pair.assign(rule=rule)[list(COLUMNS)]
    return scores.iloc[:0].assign(rule=rule)[list(COLUMNS)]


def _flips(scores: pd.DataFrame) -> list[tuple[int, int]]:
    """Rows of the pairs of models whose order flips, AUPR's choice first, the clearest flip first."""
    pairs = []
    for _, task in scores[scores["auprg"] >= 0].groupby("task_id", sort=True):
        aupr, auprg = (task[area].to_numpy() for area in ("aupr", "auprg"))
        margins = np.minimum(np.subtract.outer(aupr, aupr), -np.subtract.outer(auprg, auprg))
        pairs += [(margins[i, j], task.index[i], task.index[j]) for i, j in np.argwhere(margins > 0)]
    return [(first, second) for _, first, second in sorted(pairs, key=lambda pair: -pair[0])]


def tied_positives(predictions: Predictions, run_id: str) -> float:
    """Share of the positives of a model whose score some negative has too."""
    scores = predictions.scores[:, predictions.run_ids.index(run_id)]
    is_positive = predictions.y_true.astype(bool)
    return float(np.isin(scores[is_positive], scores[~is_positive]).mean())
