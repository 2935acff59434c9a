"""The metrics and the curves of each column of scores in a table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from aucstudy.errors import InputError
from aucstudy.metrics.areas import fold_areas
from aucstudy.metrics.curves import pr_curve, prg_curve, roc_curve
from aucstudy.metrics.registry import keys
from aucstudy.reading.prediction_tables import ScoredTable

if TYPE_CHECKING:
    import pandas as pd

FACTS = ("n", "n_positive", "prevalence")
FOLDS_LEFT_OUT = "folds hold one class only and are left out of the fold means"
MOST_POINTS = 100_000_000  # on the hyperbolas of a table, which take some gigabytes
COLUMNS = {"roc": ("fpr", "tpr"), "pr": ("recall", "precision"), "prg": ("recall_gain", "precision_gain")}


def columns(*, limits: bool = False) -> tuple[str, ...]:
    """Return the columns of a table of scores, with the ends of the intervals if `limits` is true."""
    return ("score", "aggregation", *FACTS, *keys(), *(limit_keys() if limits else ()))


def limit_keys() -> tuple[str, ...]:
    return tuple(f"{key}_{end}" for key in keys() for end in ("low", "high"))


def score_row(
    name: str, aggregation: str, values: Mapping[str, float], limits: Sequence[float]
) -> dict[str, object]:
    """Return the row of one column of scores.

    `values` has its counts and its metrics by name. `limits` has the ends of its intervals in the order of
    `limit_keys`.
    """
    ends = dict(zip(limit_keys(), limits, strict=True))
    return {
        "score": name,
        "aggregation": aggregation,
        **{key: values[key] for key in (*FACTS, *keys())},
        **ends,
    }


def score(
    table: ScoredTable,
    *,
    recall_range: tuple[float, float] | None = None,
    prevalence: float | None = None,
    interval: bool = False,
) -> tuple[list[dict[str, object]], list[str]]:
    """Return rows with the metrics of each column of scores, and notes for the reader of a line each.

    A metric that is not defined is NaN. With `interval` the pooled metrics have 95 % intervals. The ends of
    all other intervals are NaN.
    """
    codes = None if table.folds is None else np.unique(table.folds, return_inverse=True)[1]
    by_fold = fold_areas(table.y_true, table.scores, codes, recall_range=recall_range, prevalence=prevalence)
    notes = []
    one_class = bool(table.y_true.all() or not table.y_true.any())
    if one_class:
        only_class = "positive" if table.y_true.all() else "negative"
        notes.append(f"all {len(table.y_true)} rows are {only_class}: no area is defined")
    if table.folds is not None and not by_fold.usable.all():
        notes.append(f"{(~by_fold.usable).sum()} of {len(by_fold.usable)} {FOLDS_LEFT_OUT}")
    facts = {
        "n": len(table.y_true),
        "n_positive": int(table.y_true.sum()),
        "prevalence": float(table.y_true.mean()),
    }
    aggregations = {"pooled": by_fold.pooled} | ({} if table.folds is None else {"fold_mean": by_fold.mean})
    no_limits = np.full((len(table.names), len(limit_keys())), np.nan)
    limits = {"pooled": no_limits, "fold_mean": no_limits}
    if interval and not one_class:
        limits["pooled"] = _limits(table, codes, prevalence)
    rows = [
        score_row(
            name,
            aggregation,
            facts | {area: float(areas[area][i]) for area in keys()},
            limits[aggregation][i].tolist(),
        )
        for i, name in enumerate(table.names)
        for aggregation, areas in aggregations.items()
    ]
    return rows, notes


def _limits(table: ScoredTable, folds: np.ndarray | None, prevalence: float | None) -> np.ndarray:
    # The imports are here because they need SciPy, which the metrics alone do not need.
    from aucstudy.metrics.uncertainty.intervals import limits_of_all
    from aucstudy.metrics.uncertainty.sample import checked_sample

    columns = {name: table.scores[:, i] for i, name in enumerate(table.names)}
    cases = table.cases()
    units = {"folds": folds} if cases is None else {"groups": cases}
    sample = checked_sample(table.y_true, columns, prevalence=prevalence, **units)
    return limits_of_all(sample).reshape(len(table.names), -1)


def curve_points(
    table: ScoredTable, kind: str, points_per_segment: int, path: Path | str = ""
) -> "pd.DataFrame":
    """Return the points of each column's curve, with thresholds that fall from infinity on.

    A PR curve also has `points_per_segment` points on each hyperbola between two vertices. The column
    `vertex` is False for them, and their threshold is that of the vertex to which the hyperbola leads.
    """
    # The import is here because the metrics alone do not need it and would take twice as long to start.
    import pandas as pd

    y, frames = table.y_true, []
    if y.all() or not y.any():
        raise InputError(f"{path}: all {len(y)} rows are of one class: there is no curve")
    if kind == "pr":
        # Recall rises once for each different score of a positive.
        points = points_per_segment * sum(np.unique(column).size for column in table.scores[y].T)
        if points > MOST_POINTS:
            raise InputError(
                f"{path}: --points {points_per_segment} gives {points:,} points on the hyperbolas of these curves; at "
                f"most {MOST_POINTS:,} are allowed"
            )
    for i, name in enumerate(table.names):
        scores = table.scores[:, i]
        if kind == "pr":
            curve = pr_curve(y, scores, points_per_segment=points_per_segment)
        else:
            curve = {"roc": roc_curve, "prg": prg_curve}[kind](y, scores)
        columns = {"score": name, "threshold": curve.thresholds}
        columns |= {column: getattr(curve, column) for column in COLUMNS[kind]}
        if kind == "pr":
            # The last point of each threshold is its vertex.
            columns["vertex"] = np.append(np.diff(curve.thresholds) != 0, True)
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames, ignore_index=True)
