"""The areas of every column of scores in a user's table, pooled and as the mean over its folds."""

import numpy as np

from aucstudy.area_names import AREAS
from aucstudy.metrics.areas import fold_areas
from aucstudy.reading.prediction_tables import ScoredTable

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
    codes = None if table.folds is None else np.unique(table.folds, return_inverse=True)[1]
    by_fold = fold_areas(table.y_true, table.scores, codes, recall_range=recall_range, prevalence=prevalence)
    notes = []
    if table.y_true.all() or not table.y_true.any():
        only = "positive" if table.y_true.all() else "negative"
        notes.append(f"all {len(table.y_true)} rows are {only}: no area is defined")
    if table.folds is not None and not by_fold.usable.all():
        left_out = f"{(~by_fold.usable).sum()} of {len(by_fold.usable)} folds hold one class only"
        notes.append(f"{left_out} and are left out of the fold means")
    facts = {
        "n": len(table.y_true),
        "n_positive": int(table.y_true.sum()),
        "prevalence": float(table.y_true.mean()),
    }
    aggregations = {"pooled": by_fold.pooled} | ({} if table.folds is None else {"fold_mean": by_fold.mean})
    rows = [
        {"score": name, "aggregation": aggregation, **facts} | {area: float(areas[area][i]) for area in AREAS}
        for i, name in enumerate(table.names)
        for aggregation, areas in aggregations.items()
    ]
    return rows, notes
