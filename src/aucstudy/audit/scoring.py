"""The areas of every column of scores in a user's table, pooled and as the mean over its folds."""

import warnings

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from aucstudy.area_names import AREAS
from aucstudy.metrics import areas_many
from aucstudy.prediction_tables import ScoredTable

KEYS = ("score", "aggregation", "n", "n_positive", "prevalence", *AREAS)


def score(
    table: ScoredTable, *, recall_range: tuple[float, float] | None = None, prevalence: float | None = None
) -> tuple[list[dict[str, object]], list[str]]:
    """The areas of each column of scores: pooled and, where there are folds, as the mean over the folds.

    Returns
    -------
    rows : dicts with the keys score, aggregation, n, n_positive, prevalence (as observed) and the areas; NaN where
        an area is not defined.
    notes : what a reader must know of them, a line each.
    """
    options = {"recall_range": recall_range, "prevalence": prevalence}
    notes = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        pooled = areas_many(table.y_true, table.scores, **options)
        by_fold = None
        if table.folds is not None:
            by_fold = areas_many(table.y_true, table.scores, groups=table.folds, **options)
    if table.y_true.all() or not table.y_true.any():
        only = "positive" if table.y_true.all() else "negative"
        notes.append(f"all {len(table.y_true)} rows are {only}: no area is defined")
    usable = np.empty(0, bool)
    if by_fold is not None:
        usable = (by_fold.n_positive[:, 0] > 0) & (by_fold.n_positive[:, 0] < by_fold.n[:, 0])
        if not usable.all():
            left_out = f"{(~usable).sum()} of {len(usable)} folds hold one class only"
            notes.append(f"{left_out} and are left out of the fold means")
    rows = []
    for i, name in enumerate(table.names):
        facts = {
            "n": len(table.y_true),
            "n_positive": int(table.y_true.sum()),
            "prevalence": float(table.y_true.mean()),
        }
        rows.append(
            {"score": name, "aggregation": "pooled", **facts}
            | {area: float(getattr(pooled, area)[i]) for area in AREAS}
        )
        if by_fold is not None:
            means = {area: _mean(getattr(by_fold, area)[usable, i]) for area in AREAS}
            rows.append({"score": name, "aggregation": "fold_mean", **facts, **means})
    return rows, notes


def _mean(values: np.ndarray) -> float:
    return float(values.mean()) if len(values) else float("nan")
