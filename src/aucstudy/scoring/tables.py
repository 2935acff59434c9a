"""The metrics and the curves of each column of scores in a table."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from aucstudy.errors import InputError
from aucstudy.metrics.areas import areas_many, by_key, fold_areas
from aucstudy.metrics.curves import pr_curve, prg_curve, roc_curve
from aucstudy.metrics.registry import keys
from aucstudy.reading.prediction_tables import ScoredTable

if TYPE_CHECKING:
    import pandas as pd

FACTS = ("n", "n_positive", "prevalence")
FOLDS_LEFT_OUT = "folds hold one class only and are left out of the fold means"
GROUPS_UNDEFINED = "groups hold one class only: no area is defined there"
AGGREGATIONS = ("pooled", "fold_mean")  # of all rows
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
    by: str | None = None,
) -> tuple[list[dict[str, object]], list[str]]:
    """Return rows with the metrics of each column of scores, and notes for the reader of a line each.

    A metric that is not defined is NaN. With `interval` the pooled metrics have 95 % intervals. The ends of
    all other intervals are NaN. With `by`, the name of the column that holds the folds, each fold has rows of
    its own, and there is no mean.
    """
    if by and table.folds is not None:
        return _score_by(table, table.folds, by, interval, recall_range=recall_range, prevalence=prevalence)
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


def _score_by(
    table: ScoredTable, folds: np.ndarray, by: str, interval: bool, **options
) -> tuple[list[dict[str, object]], list[str]]:
    """Return the rows of `score` for all rows and for each fold, and the notes."""
    pooled, notes = score(replace(table, folds=None), interval=interval, **options)
    present, codes = np.unique(folds, return_inverse=True)
    names = group_names([table.fold_names[code] for code in present], by)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # A note says that areas of one class are not defined.
        areas = by_key(areas_many(table.y_true, table.scores, groups=codes, **options))
    n, n_positive = np.bincount(codes), np.bincount(codes, weights=table.y_true).astype(int)
    n_undefined = int(((n_positive == 0) | (n_positive == n)).sum())
    if n_undefined:
        notes.append(f"{n_undefined} of {len(names)} {GROUPS_UNDEFINED}")
    rows = []
    for i, row in enumerate(pooled):
        rows.append(row)
        for group, name in enumerate(names):
            facts = {
                "n": int(n[group]),
                "n_positive": int(n_positive[group]),
                "prevalence": float(n_positive[group] / n[group]),
            }
            values = {key: float(areas[key][group][i]) for key in keys()}
            rows.append(score_row(table.names[i], name, facts | values, [np.nan] * len(limit_keys())))
    return rows, notes


def group_names(names: Sequence[str], by: str) -> list[str]:
    """Return the names of groups, of which none is the name of an aggregation of all rows.

    >>> group_names(["a", "pooled"], "site")
    ['a', 'site=pooled']
    """
    shown = []
    for name in names:
        clear = name
        while clear in AGGREGATIONS or (clear != name and clear in names):
            clear = f"{by}={clear}"
        shown.append(clear)
    return shown


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
