"""The areas of many models pooled over the folds, and as the mean of the folds."""

import warnings
from typing import NamedTuple

import numpy as np

from aucstudy.area_names import AREAS
from aucstudy.metrics.areas import areas_many


class FoldAreas(NamedTuple):
    """The areas of m models, each a (m,) array by name: pooled, and as the mean of the folds that have both classes.

    `n_rows` and `n_positive` are those of each fold, `usable` says which have both classes. Without one that has,
    the means are NaN.
    """

    pooled: dict[str, np.ndarray]
    mean: dict[str, np.ndarray]
    n_rows: np.ndarray
    n_positive: np.ndarray
    usable: np.ndarray


def fold_areas(y_true: np.ndarray, scores: np.ndarray, folds: np.ndarray | None, **options) -> FoldAreas:
    """Every area of (n, m) scores, pooled and as the mean over the folds.

    Parameters
    ----------
    folds : (n,) numbers from 0; None for one fold, whose mean is the pooled area.
    **options : as for `aucstudy.metrics.areas_many`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `usable` says which folds have both classes
        pooled = areas_many(y_true, scores, **options)
        by_fold = None if folds is None else areas_many(y_true, scores, groups=folds, **options)
    whole = {area: getattr(pooled, area) for area in AREAS}
    if by_fold is None:
        n_positive = np.array([np.count_nonzero(y_true)])
        usable = (n_positive > 0) & (n_positive < len(y_true))
        return FoldAreas(whole, whole, np.array([len(y_true)]), n_positive, usable)
    n_rows, n_positive = np.bincount(folds), np.bincount(folds, weights=y_true).astype(int)
    usable = (n_positive > 0) & (n_positive < n_rows)
    undefined = np.full(scores.shape[1], np.nan)
    return FoldAreas(
        whole,
        {area: getattr(by_fold, area)[usable].mean(axis=0) if usable.any() else undefined for area in AREAS},
        n_rows,
        n_positive,
        usable,
    )
