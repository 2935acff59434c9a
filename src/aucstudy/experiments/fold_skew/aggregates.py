"""Which aggregate of folds should be used? Each chooses on one half of the rows and is judged on the other.

Half of each fold's positives and negatives is aggregated; the other half, whose rows no aggregate has seen, is the
standard: its merged area. Pooling, which is the standard on its own rows, can therefore lose. The standard asks for
one ranking of all rows, as one deployed model gives; it does not ask whether the scores of several fitted models may
be compared, which is what the cut "own folds" of the main table shows.
"""

import warnings

import numpy as np
import pandas as pd

from aucstudy.experiments.fold_skew.by_task import (
    AREAS_AVERAGED,
    Cuts,
    areas_in_turn,
    fold_means,
    winner_changes,
)
from aucstudy.experiments.fold_skew.fold_cuts import half_of_each_fold
from aucstudy.experiments.fold_skew.names import (
    CHOICE,
    MEAN,
    MEAN_MOVED,
    MEAN_NORMALISED,
    MOVED,
    OTHER,
    POOLED,
    SAME,
)
from aucstudy.metrics.bounds import aucpr_min
from aucstudy.metrics.engine.walks import SUBSET_AREAS, Order
from aucstudy.statistics.intervals import over_tasks
from aucstudy.statistics.ranks import rounded

EFFECTS = ("error", "distance", "winner changes", CHOICE)
AREAS_JUDGED = ("aupr", "auprg_clipped", "auroc")


def aggregates_on_halves(
    order: Order, units: np.ndarray, cuts: Cuts, draws: int, rng: np.random.Generator
) -> pd.DataFrame:
    """How each aggregate of the folds does on one task, mean over draws.

    Parameters
    ----------
    units : (n,) the data set's row of each test prediction.
    draws : how many cuts are halved, each of few cuts several times.

    Returns
    -------
    One row an area, aggregate and standard ("same half": the merged value of the rows aggregated, which pooling is by
    definition; "other half"): `error` (aggregate minus standard, mean over models), `distance` (its absolute value),
    `winner changes` (probability that the aggregate's best model is not the standard's), `area of the winner` (what
    the standard gives to the aggregate's best model). AUCNPR is mapped back to AUPR at the prevalence of all rows, an
    increasing map that changes no winner. Draws without a fold of two classes are left out of every aggregate.
    """
    y = order.positive
    folds = np.repeat(cuts.folds[:draws], max(1, draws // len(cuts.folds)), axis=0)
    first = half_of_each_fold(y, folds, units, rng)
    halves = areas_in_turn(order, np.where(first, 0, 1), 2)
    means = dict(
        zip(
            AREAS_AVERAGED, fold_means(order, np.where(first, folds, cuts.n_folds), cuts.n_folds), strict=True
        )
    )
    least = aucpr_min(y.mean())
    means["aucnpr"] = least + (1 - least) * means["aucnpr"]
    rows = []
    for area in AREAS_JUDGED:
        same, other = halves[SUBSET_AREAS.index(area)].transpose(1, 0, 2)
        aggregated = {POOLED: same, MEAN: means[area]}
        if area == "aupr":
            aggregated |= {MEAN_NORMALISED: means["aucnpr"], MEAN_MOVED: means[MOVED]}
        known = np.isfinite(means[area][:, 0]) & np.isfinite(other[:, 0])
        values = np.stack([values[known] for values in aggregated.values()])
        for standard, truth in ((SAME, same[known]), (OTHER, other[known])):
            for aggregate, effects in zip(aggregated, _judged(values, truth), strict=True):
                judged = dict(zip(EFFECTS, effects, strict=True))
                rows.append({"area": area, "aggregate": aggregate, "standard": standard, **judged})
    return pd.DataFrame(rows).assign(cut=cuts.name, spread=cuts.spread)


def _judged(values: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """(aggregates, effects) of (aggregates, draws, models) values, the truth being (draws, models)."""
    values, truth = rounded(values), rounded(truth)
    chosen = values == values.max(axis=2, keepdims=True)
    changes = winner_changes(values[:, :, None, :], truth)
    won = (truth * chosen).sum(axis=2) / chosen.sum(axis=2)
    errors = values - truth
    of_draws = (effect.reshape(len(values), -1) for effect in (errors, np.abs(errors), changes, won))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no draw may be known: NaN
        return np.stack([effect.mean(axis=1) for effect in of_draws], axis=1)


def aggregates_table(by_task: pd.DataFrame, source_groups: pd.Series) -> pd.DataFrame:
    """What each aggregate of the folds is worth, over all tasks.

    Returns
    -------
    One row a cut, area, standard, effect and aggregate: `estimate` with its 95 % interval (estimate_low,
    estimate_high), and `difference` (the aggregate minus pooling, on the same draws) with its own (low, high). Less is
    better for `distance` and `winner changes`, more for `area of the winner`.
    """
    rows = []
    keys = ["cut", "area", "standard"]
    for key, some in by_task.groupby(keys, sort=False):
        pooled = some[some["aggregate"] == POOLED].set_index("task_id")
        groups = source_groups[pooled.index].to_numpy()
        for effect in EFFECTS:
            for aggregate, tasks in some.groupby("aggregate", sort=False):
                values = tasks.set_index("task_id")[effect]
                against = over_tasks(values - pooled[effect], groups, name="difference")
                rows.append(
                    {
                        **dict(zip(keys, key, strict=True)),
                        "spread": tasks["spread"].iloc[0],
                        "effect": effect,
                        "aggregate": aggregate,
                        **with_interval("estimate", values, groups),
                        **against,
                    }
                )
    return pd.DataFrame(rows)


def with_interval(name: str, values: pd.Series, groups: np.ndarray) -> dict[str, float]:
    """The mean over tasks as columns name, name_low and name_high, beside other means in one row."""
    mean = over_tasks(values, groups, name=name)
    return {name: mean[name], f"{name}_low": mean["low"], f"{name}_high": mean["high"]}
