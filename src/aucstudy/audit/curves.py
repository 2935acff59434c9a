"""Curves of a table's scores, vertex by vertex."""

from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.metrics.curves import (
    PrecisionRecallCurve,
    PrecisionRecallGainCurve,
    RocCurve,
    pr_curve,
    prg_curve,
    roc_curve,
)
from aucstudy.reading.prediction_tables import ScoredTable

MOST_POINTS = 100_000_000  # on the hyperbolas of a table: some gigabytes
COLUMNS = {
    "roc": ("fpr", "tpr"),
    "pr": ("recall", "precision"),
    "prg": ("recall_gain", "precision_gain"),
}


def curve_points(
    table: ScoredTable, kind: str, points_per_segment: int, path: Path | str = ""
) -> pd.DataFrame:
    """The points of each score's curve.

    Parameters
    ----------
    kind : roc, pr or prg.
    points_per_segment : on the hyperbola between two vertices of a PR curve; the others are straight.

    Returns
    -------
    Columns score, threshold (falling from inf), the two coordinates and, for PR, `vertex`: False for a point on a
    hyperbola, which carries the threshold of the vertex that it leads to.

    Raises
    ------
    InputError
        All rows are of one class, or more than MOST_POINTS points on hyperbolas are asked for.
    """
    if table.y_true.all() or not table.y_true.any():
        raise InputError(f"{path}: all {len(table.y_true)} rows are of one class: there is no curve")
    if kind == "pr":
        _check_points(table, points_per_segment, path)
    frames = []
    for i, name in enumerate(table.names):
        scores = table.exact.get(name, table.scores[:, i])
        curve: RocCurve | PrecisionRecallGainCurve | PrecisionRecallCurve
        if kind == "roc":
            curve = roc_curve(table.y_true, scores)
        elif kind == "prg":
            curve = prg_curve(table.y_true, scores)
        else:
            curve = pr_curve(table.y_true, scores, points_per_segment=points_per_segment)
        columns = {"score": name, "threshold": curve.thresholds}
        columns |= {column: getattr(curve, column) for column in COLUMNS[kind]}
        if kind == "pr":
            # the last point of each threshold is its vertex
            columns["vertex"] = np.append(np.diff(curve.thresholds) != 0, True)
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)


def _check_points(table: ScoredTable, points_per_segment: int, path: Path | str) -> None:
    """Recall rises once for each score that positives have."""
    positives = table.scores[table.y_true]
    points = points_per_segment * sum(np.unique(column).size for column in positives.T)
    if points > MOST_POINTS:
        raise InputError(
            f"{path}: --points {points_per_segment} gives {points:,} points on the hyperbolas of these curves; at most "
            f"{MOST_POINTS:,} are wanted"
        )
