"""The experiment `fold_skew`: how do unequal class ratios of folds change a mean over folds?

The experiment also asks how a metric should be aggregated over folds.
"""

import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import AREAS_COMPARED, CLIPPED
from aucstudy.experiments.fold_cuts import (
    Cuts,
    class_counts,
    cluster_folds,
    cuts_of,
    half_of_each_fold,
    matched_control,
)
from aucstudy.experiments.inputs import Task
from aucstudy.experiments.quantities import Frames, Quantity, each, measured_rows
from aucstudy.metrics.bounds import aucpr_min
from aucstudy.metrics.kernel import Order, order_of
from aucstudy.metrics.subsets import areas_of_subsets
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import draws_needed, generator

Sides = dict[str, tuple[pd.Series, pd.Series]]  # By effect, of the skewed folds and of the control folds.
MOVED = "aupr_moved"  # The AUPR of each fold is computed at the prevalence of all rows.
AREAS_AVERAGED = (*AREAS_COMPARED, CLIPPED, MOVED)
AREAS_JUDGED = ("aupr", CLIPPED, "auroc")
WITHIN = (2.5, 97.5)
BEYOND_AUROC = "winner changes beyond AUROC"
POOLED, MEAN, MEAN_NORMALISED, MEAN_MOVED = "pooled", "mean", "mean AUCNPR", "mean at one prevalence"
MEANS = (MEAN, MEAN_NORMALISED, MEAN_MOVED)
SAME, OTHER = "same half", "other half"
CHOICE = "area of the winner"
EFFECTS = ("error", "distance", "winner changes", CHOICE)


# Effects on choices, for which means of AUPR, of AUCNPR and of AUPR at one prevalence are compared.
COMPARED = ("winner changes", "size in model SDs")
_SIDES = {"": "skewed", " of the control": "control", " minus the control": "difference"}


def effects(frames: Frames) -> pd.DataFrame:
    """Return the effects of the skew of folds, with a row for each task, cut, metric and effect.

    `skewed` is the effect in skewed folds, `control` in control folds, and `difference` the first minus the second.
    """
    tasks = measured_rows(frames, "fold_skew_tasks")
    keys = ["task_id", "cut", "spread", "area", "left_out"]
    sides = {name: (tasks, *both) for name, both in _sides(tasks).items()}
    changes = tasks.assign(skewed=tasks["winner_changes"], control=tasks["control_winner_changes"])
    auroc = changes[changes["area"] == "auroc"].set_index(["task_id", "cut"])[["skewed", "control"]]
    others = changes[changes["area"] != "auroc"]
    beyond = (
        others[["skewed", "control"]]
        - auroc.loc[pd.MultiIndex.from_frame(others[["task_id", "cut"]])].to_numpy()
    )
    sides[BEYOND_AUROC] = others, beyond["skewed"], beyond["control"]
    rows = [
        of_effect[keys].assign(effect=name, skewed=skewed, control=control, difference=skewed - control)
        for name, (of_effect, skewed, control) in sides.items()
    ]
    return pd.concat(rows, ignore_index=True)


def skew_of_folds(frames: Frames) -> pd.DataFrame:
    tasks = measured_rows(frames, "fold_skew_tasks")
    return tasks[tasks["area"] == "aupr"]


def compared_means(frames: Frames) -> pd.DataFrame:
    """Return the effects of AUPR, of AUCNPR and of AUPR at one prevalence, and their differences."""
    rows = effects(frames)
    rows = rows[rows["effect"].isin(COMPARED)]
    keys = ["task_id", "cut", "spread", "effect"]
    of_area = {
        area: rows[rows["area"] == area].set_index(keys)["skewed"] for area in ("aupr", "aucnpr", MOVED)
    }
    values = {(area, ""): column for area, column in of_area.items()}
    values |= {(a, b): of_area[a] - of_area[b] for a, b in (("aupr", "aucnpr"), ("aucnpr", MOVED))}
    return pd.concat(
        [column.rename("value").reset_index().assign(first=a, second=b) for (a, b), column in values.items()],
        ignore_index=True,
    )


def differences_of_means(frames: Frames) -> pd.DataFrame:
    rows = compared_means(frames)
    return rows[rows["second"] != ""]


def aggregates(frames: Frames) -> pd.DataFrame:
    """Return the errors and choices of each aggregate of folds, and how they differ from those of pooling."""
    halves = measured_rows(frames, "halves")
    keys = ["task_id", "cut", "spread", "area", "standard", "effect"]
    rows = []
    for name in (POOLED, *MEANS):
        of_aggregate = halves if name in (POOLED, MEAN) else halves[halves["area"] == "aupr"]
        values = of_aggregate[keys].assign(first=name)
        rows.append(values.assign(second="", value=of_aggregate[name]))
        if name != POOLED:
            rows.append(values.assign(second=POOLED, value=of_aggregate[name] - of_aggregate[POOLED]))
    return pd.concat(rows, ignore_index=True)


_CUT = {"setting": "{cut}", "at": "{spread:g}"}
_THIRDS = ("rarest third", "middle third", "most frequent third")
_LEFT_OUT = ("under 10 % of folds left out", "10 % or more of folds left out")
QUANTITIES = (
    *(
        Quantity("{effect}" + words, effects, side, {"first": "{area}", **_CUT}, kind=kind)
        for words, side in _SIDES.items()
        for kind in ("mean", "median")[: 1 + (side == "difference")]
    ),
    *(
        Quantity("{effect}" + words, effects, side, {"first": "{area}", **_CUT}, {"effect": "error"}, subsets=_LEFT_OUT)
        for words, side in _SIDES.items()
    ),
    *each(("prevalence_sd", "prevalence_shift", "left_out"), skew_of_folds, keys=_CUT),
    Quantity("{effect}", differences_of_means, "value", {"first": "{first}", "second": "{second}", **_CUT}),
    Quantity("{effect}", compared_means, "value", {"first": "{first}", "second": "{second}", **_CUT}, subsets=_THIRDS),
    Quantity(
        "{area}: {effect}", aggregates, "value",
        {"first": "{first}", "second": "{second}", "target": "{standard}", **_CUT},
    ),
    Quantity(
        "SD over models", skew_of_folds, "model_sd", {"first": "aupr"}, {"cut": "spread 0"},
        subsets=("prevalence 0.4 or more", "prevalence under 0.1", "prevalence 0.4 or more minus under 0.1"),
    ),
)  # fmt: skip


def of_task(
    task: Task, *, folds: int, spreads: Sequence[float], draws: int, clusterings: int, seed: int
) -> dict[str, pd.DataFrame]:
    """Return the errors of means over folds for each cut of a task, and the errors of each aggregate.

    The errors of the aggregates are computed from half as many draws.
    """
    predictions, y = task.predictions, task.predictions.y_true
    draws, order = draws_needed(draws, y), order_of(y, predictions.scores)
    merged = fold_means(order, np.zeros((1, len(y)), dtype=np.uint8), 1, equal_skew=True)[:, 0]
    clusters = task.rows and cluster_folds(task.rows[0], folds, clusterings, seed)
    tasks, halves = [], []
    for cuts in cuts_of(predictions, folds, spreads, draws, seed, clusters):
        rng = generator(seed, predictions.task_id, "fold skew control and halves", cuts.name)
        tasks.append(departures(order, merged, cuts, draws, rng))
        halves.append(aggregates_on_halves(order, predictions.row_id, cuts, max(1, draws // 2), rng))
    frames = {"fold_skew_tasks": tasks, "halves": halves}
    return {name: pd.concat(cut_frames, ignore_index=True) for name, cut_frames in frames.items()}


def fold_means(order: Order, folds: np.ndarray, n_folds: int, *, equal_skew: bool = False) -> np.ndarray:
    """Return means (areas, draws, models) of `AREAS_AVERAGED` over the folds with both classes.

    They are NaN if no fold has both. Folds of `equal_skew` have the prevalence of all rows, so their AUPR is
    also their AUPR at this prevalence.
    """
    prevalence = None if equal_skew else order.positive.mean()
    values = areas_of_subsets(order, folds, n_folds, aupr_at=prevalence, names=(*AREAS_COMPARED, CLIPPED))
    if equal_skew:
        values = np.concatenate([values, values[:1]])
    n_usable = np.isfinite(values[0, :, :, 0]).sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nansum(values, axis=2) / np.where(n_usable > 0, n_usable, np.nan)[None, :, None]


def winner_changes(values: np.ndarray, merged: np.ndarray) -> np.ndarray:
    """Return the probability (..., draws) that the best model is another one by `values` than by `merged`.

    `values` are (..., draws, models) and `merged` are (..., models). Tied models are put in a random order
    that is the same for both. If a value of a draw is NaN, the result is NaN.
    """
    values, merged = rounded(values), rounded(merged)[..., None, :]
    is_best, is_best_merged = (areas == areas.max(axis=-1, keepdims=True) for areas in (values, merged))
    with np.errstate(invalid="ignore", divide="ignore"):
        changes = 1 - (is_best & is_best_merged).sum(axis=-1) / (is_best | is_best_merged).sum(axis=-1)
    return np.where(np.isnan(values).any(axis=-1), np.nan, changes)


def departures(
    order: Order, merged: np.ndarray, cuts: Cuts, draws: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Return how the mean over folds of each metric differs from its merged value, with a control.

    There is one row for each metric. The merged value is the metric on all rows together.
    """
    control = matched_control(order.positive, repeated(cuts.folds, draws), cuts.n_folds, rng)
    skewed = _departures(order, cuts.folds, cuts.n_folds, merged, equal_skew=False)
    equal = _departures(order, control, cuts.n_folds, merged, equal_skew=True)
    columns = {"cut": cuts.name, "spread": cuts.spread, "area": AREAS_AVERAGED, **skewed}
    columns |= {"control": equal.pop("error"), **{f"control_{name}": side for name, side in equal.items()}}
    return pd.DataFrame({**columns, "model_sd": merged.std(axis=1)})


def repeated(folds: np.ndarray, draws: int) -> np.ndarray:
    return np.repeat(folds, max(1, draws // len(folds)), axis=0)


def _departures(
    order: Order, folds: np.ndarray, n_folds: int, merged: np.ndarray, *, equal_skew: bool
) -> dict[str, np.ndarray]:
    """Return the errors and ranking changes of the mean over folds by metric, and the skew of the folds.

    They are means over draws and, except the ranking changes, over models. `low` and `high` contain the
    middle 95 % of the draws.
    """
    means = fold_means(order, folds, n_folds, equal_skew=equal_skew)
    errors = means - merged[:, None, :]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # Without a fold of two classes, NaN is right.
        low, high = np.nanpercentile(errors.mean(axis=2), WITHIN, axis=1)
        return {
            "error": np.nanmean(errors, axis=(1, 2)),
            "size": np.nanmean(np.abs(errors), axis=(1, 2)),
            "winner_changes": np.nanmean(winner_changes(means, merged), axis=1),
            "low": low,
            "high": high,
            **_skew(order.positive, folds, n_folds),
        }


def _skew(y_true: np.ndarray, folds: np.ndarray, n_folds: int) -> dict[str, float]:
    positives, negatives = class_counts(y_true, folds, n_folds)
    with np.errstate(invalid="ignore"):
        shares = positives / (positives + negatives)
    two_classes = np.where((positives > 0) & (negatives > 0), shares, np.nan)
    return {
        "left_out": np.isnan(two_classes).mean(),
        "prevalence_sd": np.nanstd(shares, axis=1).mean(),
        "prevalence_shift": np.nanmean(np.nanmean(two_classes, axis=1)) - y_true.mean(),
    }


def aggregates_on_halves(
    order: Order, units: np.ndarray, cuts: Cuts, draws: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Return the errors and choices of each aggregate, with one row for each metric, standard and effect.

    The aggregates are computed from a random half of every fold, and compared with the metric on the rows of
    the same half or of the other half. Draws without a fold of two classes are left out. The mean AUCNPR is
    converted back to AUPR at the prevalence of all rows.
    """
    folds = repeated(cuts.folds[:draws], draws)
    first = half_of_each_fold(order.positive, folds, units, rng)
    halves = areas_of_subsets(order, np.where(first, 0, 1), 2, names=AREAS_JUDGED)
    first_means = fold_means(order, np.where(first, folds, cuts.n_folds), cuts.n_folds)
    means = dict(zip(AREAS_AVERAGED, first_means, strict=True))
    minimum = aucpr_min(order.positive.mean())
    rows = []
    for area, half_areas in zip(AREAS_JUDGED, halves, strict=True):
        same_half, other_half = half_areas.transpose(1, 0, 2)
        aggregated = {POOLED: same_half, MEAN: means[area]}
        if area == "aupr":
            aggregated[MEAN_NORMALISED] = minimum + (1 - minimum) * means["aucnpr"]
            aggregated[MEAN_MOVED] = means[MOVED]
        both_finite = np.isfinite(means[area][:, 0]) & np.isfinite(other_half[:, 0])
        values = np.stack([values[both_finite] for values in aggregated.values()])
        for standard, truth in ((SAME, same_half[both_finite]), (OTHER, other_half[both_finite])):
            for effect, judged in zip(EFFECTS, _judged(values, truth), strict=True):
                names = {"area": area, "standard": standard, "effect": effect}
                rows.append(names | dict(zip(aggregated, judged, strict=True)))
    return pd.DataFrame(rows).assign(cut=cuts.name, spread=cuts.spread)


def _judged(values: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the effects (effects, aggregates) of aggregates whose values are (aggregates, draws, models).

    The effects are those of `EFFECTS`, as means over draws and models. The `truth` is (draws, models).
    """
    values, truth = rounded(values), rounded(truth)
    is_best = values == values.max(axis=2, keepdims=True)
    changes = winner_changes(values[:, :, None, :], truth)
    won = (truth * is_best).sum(axis=2) / is_best.sum(axis=2)
    errors = values - truth
    draw_effects = (effect.reshape(len(values), -1) for effect in (errors, np.abs(errors), changes, won))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # Without any draw, NaN is right.
        return np.stack([effect.mean(axis=1) for effect in draw_effects])


def _sides(tasks: pd.DataFrame) -> Sides:
    scale = 1 / tasks["model_sd"].where(tasks["model_sd"] > 0)
    return {
        "error": (tasks["error"], tasks["control"]),
        "size": (tasks["size"], tasks["control_size"]),
        "size in model SDs": (tasks["size"] * scale, tasks["control_size"] * scale),
        "winner changes": (tasks["winner_changes"], tasks["control_winner_changes"]),
    }
