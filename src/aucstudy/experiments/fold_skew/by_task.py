"""What one task shows: cuts of its rows into folds, and how far each area's mean over folds is from the merged value.

The rows of a task are cut into folds of one size anew, so that only the share of positives of the folds differs;
beside them stand folds of similar rows and the folds in which the rows were predicted. Cut anew, a fold holds rows
that several fitted models scored; the folds as predicted hold one fitted model's each, and their control does not.
"""

import warnings
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS_COMPARED
from aucstudy.experiments.fold_skew.fold_cuts import (
    class_counts,
    cut,
    fold_positives,
    fold_sizes,
    matched_control,
)
from aucstudy.experiments.fold_skew.names import CLUSTERS, MOVED, OWN
from aucstudy.metrics.engine.walks import SUBSET_AREAS, Order, areas_of_subsets
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator
from aucstudy.store.task_store import Predictions

# rows x draws held at once: bounds the memory of a large task
CELLS_AT_ONCE = 4_000_000
AREAS_AVERAGED = (*AREAS_COMPARED, "auprg_clipped", MOVED)
PLACES = [SUBSET_AREAS.index(area) for area in AREAS_AVERAGED[:-1]]
# folds that one walk takes, with one number to spare for rows in no fold
MOST_FOLDS = 126
WITHIN = (2.5, 97.5)


class Cuts(NamedTuple):
    """Draws of one way to cut the rows.

    Attributes
    ----------
    name : "spread 0.1", ..., "clusters", "own folds".
    spread : variance of the folds' prevalence that was asked for, NaN where none was.
    folds : (draws, n) fold of each row, 0 to n_folds - 1; one draw where the folds are fixed.
    """

    name: str
    spread: float
    folds: np.ndarray
    n_folds: int


def cuts_of(
    predictions: Predictions,
    folds: int,
    spreads: Sequence[float],
    draws: int,
    seed: int,
    clusters: np.ndarray | None = None,
) -> Iterator[Cuts]:
    """All cuts of a task, one way after the other.

    Parameters
    ----------
    clusters : (draws, n) folds of similar rows, where the features are at hand.
    """
    y = predictions.y_true
    sizes = fold_sizes(len(y), folds)
    for spread in spreads:
        rng = generator(seed, predictions.task_id, "fold skew", spread)
        positives = fold_positives(int(y.sum()), sizes, spread, draws, rng)
        yield Cuts(f"spread {spread:g}", spread, cut(y, sizes, positives, rng), folds)
    if clusters is not None:
        yield Cuts(CLUSTERS, np.nan, clusters, folds)
    own = predictions.folds
    if 0 < own.max() < MOST_FOLDS:
        yield Cuts(OWN, np.nan, own[None, :], int(own.max()) + 1)


def areas_in_turn(order: Order, parts: np.ndarray, n_parts: int, aupr_at: float | None = None) -> np.ndarray:
    """`areas_of_subsets` of many draws, some of them at a time."""
    at_once = max(1, CELLS_AT_ONCE // parts.shape[1])
    bounds = [*range(0, len(parts), at_once), len(parts)]
    turns = [
        areas_of_subsets(order, parts[low:high], n_parts, aupr_at=aupr_at) for low, high in pairwise(bounds)
    ]
    return np.concatenate(turns, axis=1)


def fold_means(order: Order, folds: np.ndarray, n_folds: int, *, equal_skew: bool = False) -> np.ndarray:
    """The mean over folds of each area, folds of one class left out.

    Parameters
    ----------
    folds : (draws, n) fold of each row; from n_folds on, none.
    equal_skew : whether all folds have the prevalence of all rows already, so that none need be moved to it.

    Returns
    -------
    (areas, draws, models) in the order of AREAS_AVERAGED; NaN where every fold is of one class.
    """
    areas = areas_in_turn(order, folds, n_folds, None if equal_skew else order.positive.mean())
    values = areas[[*PLACES, PLACES[0] if equal_skew else -1]]
    known = np.isfinite(values[0, :, :, 0]).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nansum(values, axis=2) / np.where(known > 0, known, np.nan)[None, :, None]


def merged_areas(order: Order) -> np.ndarray:
    """(areas, models) areas of all rows in the order of AREAS_AVERAGED."""
    everything = np.zeros((1, len(order.positive)), dtype=np.int64)
    values = areas_in_turn(order, everything, 1)[PLACES, 0, 0]
    return np.concatenate([values, values[:1]])


def winner_changes(values: np.ndarray, merged: np.ndarray) -> np.ndarray:
    """Probability that the best model by each draw's values is not the merged one's, ties broken alike for both.

    Parameters
    ----------
    values : (..., draws, models); merged : (..., models).

    Returns
    -------
    (..., draws) in [0, 1]; NaN where a draw's values are.
    """
    values, merged = rounded(values), rounded(merged)[..., None, :]
    a, b = values == values.max(axis=-1, keepdims=True), merged == merged.max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        changes = 1 - (a & b).sum(axis=-1) / (a | b).sum(axis=-1)
    return np.where(np.isnan(values).any(axis=-1), np.nan, changes)


def departures(
    order: Order, merged: np.ndarray, cuts: Cuts, draws: int, rng: np.random.Generator
) -> pd.DataFrame:
    """How the mean over folds departs from the merged value, the cuts against their matched control.

    Parameters
    ----------
    merged : as `merged_areas` gives it.
    draws : of the control, shared among the cuts; at least one for each.

    Returns
    -------
    One row an area: `error` and `control` (mean over draws and models of fold mean minus merged value), `size` and
    `control_size` (the same of its absolute value), `model_sd` (standard deviation of the merged values over the
    models, the scale that matters for choosing one), `winner_changes` and `control_winner_changes` (probability that
    the best model by the fold mean is not the merged best), `left_out` and `control_left_out` (share of folds of one
    class), `prevalence_sd` and `control_prevalence_sd` (over the folds), `prevalence_shift` and
    `control_prevalence_shift` (mean prevalence of the folds kept minus that of all rows), `control_low` and
    `control_high` (the middle 95 % of the control's draws: what such folds of equal skew do by chance).
    """
    again = np.repeat(cuts.folds, max(1, draws // len(cuts.folds)), axis=0)
    control = matched_control(order.positive, again, cuts.n_folds, rng)
    skewed = _departures(order, cuts.folds, cuts.n_folds, merged, equal_skew=False)
    equal = _departures(order, control, cuts.n_folds, merged, equal_skew=True)
    equal["low"], equal["high"] = equal.pop("range")
    skewed.pop("range")
    named = {"control" if name == "error" else f"control_{name}": values for name, values in equal.items()}
    facts = {"cut": cuts.name, "spread": cuts.spread, "area": AREAS_AVERAGED}
    return pd.DataFrame({**facts, **skewed, **named, "model_sd": merged.std(axis=1)})


def _departures(
    order: Order, folds: np.ndarray, n_folds: int, merged: np.ndarray, *, equal_skew: bool
) -> dict[str, np.ndarray]:
    """What (draws, n) folds do to each area's mean over folds, mean over draws and models."""
    means = fold_means(order, folds, n_folds, equal_skew=equal_skew)
    errors = means - merged[:, None, :]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # every fold of every draw may be of one class: NaN
        return {
            "error": np.nanmean(errors, axis=(1, 2)),
            "size": np.nanmean(np.abs(errors), axis=(1, 2)),
            "winner_changes": np.nanmean(winner_changes(means, merged), axis=1),
            "range": np.nanpercentile(errors.mean(axis=2), WITHIN, axis=1),
            **_skew(order.positive, folds, n_folds),
        }


def _skew(y_true: np.ndarray, folds: np.ndarray, n_folds: int) -> dict[str, float]:
    """Facts of (draws, n) folds, mean over draws."""
    positives, negatives = class_counts(y_true, folds, n_folds)
    with np.errstate(invalid="ignore"):
        shares = positives / (positives + negatives)
    two_classes = np.where((positives > 0) & (negatives > 0), shares, np.nan)
    return {
        "left_out": np.isnan(two_classes).mean(),
        "prevalence_sd": np.nanstd(shares, axis=1).mean(),
        "prevalence_shift": np.nanmean(np.nanmean(two_classes, axis=1)) - y_true.mean(),
    }
