"""Folds of unequal skew: how far the mean over folds moves from the merged value [Boyd et al. 2012, section 4.1].

The rows of a task are cut into folds of one size anew, so that only the share of positives of the folds differs.
Folds hold rows that several fitted models scored, so differences between fold models are mixed in; they are in the
control too. Small folds alone move a mean of areas, so every effect is given as skewed folds minus a control of
random folds with the same sizes and equal skew.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import expit, logit

from aucstudy.experiments.ranks import AREAS_COMPARED, rounded
from aucstudy.experiments.uncertainty import mean_interval
from aucstudy.metrics import areas_many
from aucstudy.seeds import generator
from aucstudy.store import Predictions

CELLS_AT_ONCE = 4_000_000  # scores that one call sorts: bounds the memory
SMALLEST_SHARE = 1e-9  # Beta draws nearer to 0 or 1 count as this: a logit must be finite


def fold_sizes(n_rows: int, folds: int) -> np.ndarray:
    """(folds,) numbers of rows, equal up to one.

    >>> fold_sizes(11, 3).tolist()
    [4, 4, 3]
    """
    return np.full(folds, n_rows // folds) + (np.arange(folds) < n_rows % folds)


def fold_positives(
    n_positive: int, sizes: np.ndarray, spread: float, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """(draws, folds) numbers of positives in folds whose prevalence varies by a controlled amount.

    Each fold's prevalence is drawn from a Beta distribution with the task's prevalence pi as its mean and variance
    `spread` * pi (1 - pi): 0 is stratified, 1 would be folds of one class each. All logits are then moved by one
    number so that the positives add up to `n_positive`, and the numbers are rounded by largest remainder.
    """
    prevalence = n_positive / sizes.sum()
    shape = (draws, len(sizes))
    if spread > 0:
        concentration = 1 / spread - 1
        shares = rng.beta(prevalence * concentration, (1 - prevalence) * concentration, shape)
    else:
        shares = np.full(shape, prevalence)
    odds = logit(np.clip(shares, SMALLEST_SHARE, 1 - SMALLEST_SHARE))
    low, high = np.full((draws, 1), -60.0), np.full((draws, 1), 60.0)
    for _ in range(80):
        middle = (low + high) / 2
        too_many = (sizes * expit(odds + middle)).sum(axis=1, keepdims=True) > n_positive
        low, high = np.where(too_many, low, middle), np.where(too_many, middle, high)
    wanted = sizes * expit(odds + (low + high) / 2)
    counts = np.floor(wanted + 1e-9).astype(int)
    missing = n_positive - counts.sum(axis=1, keepdims=True)
    by_remainder = np.argsort(-(wanted - counts + 1e-6 * rng.random(shape)), axis=1)
    place = np.argsort(by_remainder, axis=1)
    return counts + (place < missing)


def cut(y_true: np.ndarray, sizes: np.ndarray, positives: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(draws, n) fold of each row: rows of each class fall at random into the places that the folds have for them.

    Parameters
    ----------
    positives : (draws, folds) positives of each fold.
    """
    folds = np.empty((len(positives), len(y_true)), dtype=np.int64)
    for rows, places in ((np.flatnonzero(y_true), positives), (np.flatnonzero(~y_true), sizes - positives)):
        for draw, counts in enumerate(places):
            folds[draw, rng.permutation(rows)] = np.repeat(np.arange(len(sizes)), counts)
    return folds


def fold_means(predictions: Predictions, folds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean over folds of each area, folds of one class left out.

    Parameters
    ----------
    folds : (draws, n) fold of each row.

    Returns
    -------
    means : (areas, draws, models) in the order of AREAS_COMPARED; NaN where every fold is of one class.
    left_out : (draws,) share of the folds that are of one class.
    """
    n, n_models = predictions.scores.shape
    n_folds = int(folds.max()) + 1
    at_once = max(1, CELLS_AT_ONCE // (n * n_models))
    means, left_out = [], []
    for part in np.split(folds, range(at_once, len(folds), at_once)):
        groups = (part + n_folds * np.arange(len(part))[:, None]).ravel()
        y, scores = np.tile(predictions.y_true, len(part)), np.tile(predictions.scores, (len(part), 1))
        n_positive = np.bincount(groups, weights=y, minlength=n_folds * len(part))
        n_rows = np.bincount(groups, minlength=n_folds * len(part))
        usable = (n_positive > 0) & (n_positive < n_rows)
        kept = usable[groups]
        values = np.full((len(AREAS_COMPARED), len(usable), n_models), np.nan)
        if usable.any():
            found = areas_many(y[kept], scores[kept], groups=groups[kept])
            values[:, usable] = [getattr(found, area) for area in AREAS_COMPARED]
        values = values.reshape(len(AREAS_COMPARED), len(part), n_folds, n_models)
        known = usable.reshape(len(part), n_folds).sum(axis=1)[None, :, None]
        with np.errstate(invalid="ignore"):
            means.append(np.nansum(values, axis=2) / np.where(known > 0, known, np.nan))
        left_out.append(1 - known[0, :, 0] / n_folds)
    return np.concatenate(means, axis=1), np.concatenate(left_out)


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


def fold_skew_by_task(
    predictions: Predictions, folds: int, spreads: Sequence[float], draws: int, seed: int
) -> pd.DataFrame:
    """How the mean over folds departs from the merged value of a task, folds skewed against the control.

    Returns
    -------
    One row a spread and area: `error` and `control` (mean over draws and models of fold mean minus merged value),
    `size` and `control_size` (the same of its absolute value), `model_sd` (standard deviation of the merged values
    over the models, the scale that matters for choosing one), `winner_changes` and `control_winner_changes`
    (probability that the best model by the fold mean is not the merged best), `left_out` and `control_left_out`
    (share of folds of one class), `prevalence_sd` (over the folds).
    """
    y = predictions.y_true
    sizes = fold_sizes(len(y), folds)
    rng = generator(seed, predictions.task_id, "fold skew")
    merged = np.stack([getattr(areas_many(y, predictions.scores), area) for area in AREAS_COMPARED])

    def measured(spread: float) -> dict[str, np.ndarray]:
        positives = fold_positives(int(y.sum()), sizes, spread, draws, rng)
        means, left_out = fold_means(predictions, cut(y, sizes, positives, rng))
        errors = means - merged[:, None, :]
        return {
            "error": np.nanmean(errors, axis=(1, 2)),
            "size": np.nanmean(np.abs(errors), axis=(1, 2)),
            "winner_changes": np.nanmean(winner_changes(means, merged), axis=1),
            "left_out": np.full(len(AREAS_COMPARED), left_out.mean()),
            "prevalence_sd": np.full(len(AREAS_COMPARED), (positives / sizes).std(axis=1).mean()),
        }

    control = {
        "control" if name == "error" else f"control_{name}": values for name, values in measured(0.0).items()
    }
    model_sd = merged.std(axis=1)
    frames = []
    for spread in spreads:
        facts = {"task_id": predictions.task_id, "spread": spread, "area": AREAS_COMPARED}
        frames.append(pd.DataFrame({**facts, **measured(spread), **control, "model_sd": model_sd}))
    return pd.concat(frames, ignore_index=True)


def fold_skew_table(
    by_task: pd.DataFrame, source_groups: pd.Series, resamples: int, seed: int
) -> pd.DataFrame:
    """What unequal skew of folds does to each area, over all tasks.

    Returns
    -------
    One row a spread, area and effect, each effect skewed folds minus control with its 95 % interval: `error` (fold
    mean minus merged value), `error in model SDs` (the same, divided by the standard deviation of the merged values
    over the models of the task), `winner changes`. `skewed` and `control` are the two means that are subtracted;
    `left_out` is the share of skewed folds that are of one class.
    """
    rows = []
    for (spread, area), part in by_task.groupby(["spread", "area"], sort=False):
        groups = source_groups[part["task_id"]].to_numpy()
        with np.errstate(invalid="ignore", divide="ignore"):
            scale = 1 / part["model_sd"].where(part["model_sd"] > 0)
        effects = {
            "error": (part["error"], part["control"]),
            "error in model SDs": (part["error"] * scale, part["control"] * scale),
            "winner changes": (part["winner_changes"], part["control_winner_changes"]),
        }
        for effect, (skewed, control) in effects.items():
            found = mean_interval((skewed - control).to_numpy(), groups, resamples, seed)
            rows.append(
                {
                    "spread": spread,
                    "area": area,
                    "effect": effect,
                    "skewed": skewed.mean(),
                    "control": control.mean(),
                    "difference": found.estimate,
                    "low": found.low,
                    "high": found.high,
                    "prevalence_sd": part["prevalence_sd"].mean(),
                    "left_out": part["left_out"].mean(),
                    "n_tasks": len(part),
                    "n_groups": len(set(groups)),
                }
            )
    return pd.DataFrame(rows)
