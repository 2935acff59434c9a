"""The experiment `disagreement`: do the metrics pick the same models?

It follows section 4 and figures 4 and 5 of Flach & Kull 2015.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import AREAS_COMPARED, DISTINCT_PAIRS
from aucstudy.experiments.inputs import Study
from aucstudy.experiments.quantities import Frames, Quantity, measured_rows
from aucstudy.metrics.registry import metric_named
from aucstudy.statistics.disagreement import TOP_COLUMNS, disagreement
from aucstudy.statistics.ranks import (
    agreement,
    average_ranks,
    permuted_ranks,
    random_orders,
    rounded,
)
from aucstudy.statistics.seeds import generator
from aucstudy.store.estimates import ALL, TASK
from aucstudy.store.measured import REPETITION_MEAN
from aucstudy.store.task_store import Predictions

Values = dict[str, pd.DataFrame]  # By task, a frame with a row for each run_id and a column for each metric.
SHARE = ["first", "second", "top"]
RANKS = "correlations of ranks"  # Each kind of correlation is a quantity of its own.
# The quantities by how tied models count.
TIES = {"expected": "differs", "strict": "differs strictly", "lenient": "differs leniently"}
# A model has many ties if more than this share of its positives have the same score as a negative.
TIED_ABOVE = 0.5


def differences(frames: Frames) -> pd.DataFrame:
    """Return the probability that two metrics put different models first, for one place and for three places.

    It is 1 by the strict way of counting if the sets of best models differ, and by the lenient way if they have
    no model in common. `can_differ` is false for AUPR and AUCNPR, which rank the models of a task alike by definition.
    """
    by_place = by_top(measured_rows(frames, "disagreement_tasks"))
    p = by_place["differs"]
    alike = (by_place["first"] == "aupr") & (by_place["second"] == "aucnpr")
    return by_place.assign(
        expected=p, strict=(p > 0).astype(float), lenient=(p == 1).astype(float), can_differ=~alike
    )


def more_alike(frames: Frames) -> pd.DataFrame:
    """Return how much more often AUPR and AUROC pick different best models than AUPR and AUPRG do."""
    by_task = measured_rows(frames, "disagreement_tasks")
    with_roc, with_prg = (
        by_task[(by_task["first"] == "aupr") & (by_task["second"] == second)].set_index("task_id")
        for second in ("auroc", "auprg")
    )
    return with_roc.assign(more=with_roc["p_best_differs"] - with_prg["p_best_differs"]).reset_index()


_PAIR = {"first": "{first}", "second": "{second}"}
QUANTITIES = (
    *(
        Quantity(name, differences, ties, {**_PAIR, "at": "{top}"}, kind="share", exact="can_differ")
        for ties, name in TIES.items()
    ),
    Quantity(
        "differs", differences, "differs", {**_PAIR, "at": "{top}"}, {"top": 1, "second": "auroc"},
        kind="share", subsets=("100 or more positives minus under 100",), by_rule=True,
    ),
    Quantity("differs more often than aupr and auprg", more_alike, "more", {**_PAIR, "at": "1"}),
    *(
        Quantity("rank correlation", "disagreement_tasks", "rank_correlation", _PAIR, kind=kind)
        for kind in ("lower quartile", "median", "upper quartile")
    ),
    Quantity(RANKS, "rank_levels", "count", _PAIR, kind="correlation"),
)  # fmt: skip


def by_task(study: Study, *, metrics: list[str], aggregation: str, seed: int) -> dict[str, pd.DataFrame]:
    values = task_values(study.scores(aggregation), [metric_named(name).key for name in metrics])
    return {
        "disagreement_tasks": disagreement_by_task(values, study.source_groups),
        "rank_levels": rank_levels(values),
    }


def over_all(
    study: Study,
    *,
    metrics: list[str],
    permutations: int,
    flip_pair: list[str] | None,
    aggregation: str,
    seed: int,
) -> dict[str, pd.DataFrame]:
    scores = study.scores(aggregation)
    values = task_values(scores, [metric_named(name).key for name in metrics])
    return {
        "disagreement": disagreement_shares(study.estimates, pairs_of(values)),
        "disagreement_ranks": rank_heat(values, permutations, seed),
        "flip_pair": clearest_flip(
            scores[scores["aggregation"] != REPETITION_MEAN],  # Its curves are not those of the predictions.
            lru_cache(maxsize=2)(study.predictions),
            flip_pair,
        ),
    }


def task_values(scores: pd.DataFrame, metrics: Sequence[str] = AREAS_COMPARED) -> Values:
    scores, columns = scores.sort_values(["task_id", "run_id"], kind="stable"), list(metrics)
    values = pd.DataFrame(rounded(scores[columns]), columns=columns, index=scores["run_id"])
    return {str(task_id): values.iloc[rows] for task_id, rows in scores.groupby("task_id").indices.items()}


def pairs_of(values: Values) -> list[tuple[str, str]]:
    """Return the pairs of metrics that are compared, which are the same in all tasks."""
    return list(combinations(next(iter(values.values())).columns, 2))


def disagreement_by_task(values: Values, source_groups: pd.Series) -> pd.DataFrame:
    # The import is here because it takes most of a second and figures need no correlations.
    from scipy.stats import kendalltau

    rows = []
    for task_id, task_values in values.items():
        for first, second in pairs_of(values):
            a, b = task_values[first].to_numpy(), task_values[second].to_numpy()
            both = disagreement(a, b, task_values.index)
            kendall = {"kendall_tau_b": kendalltau(a, b).statistic}
            keys = {
                "task_id": task_id,
                "source_group": source_groups[task_id],
                "first": first,
                "second": second,
            }
            rows.append({**keys, **both, **kendall})
    return pd.DataFrame(rows)


def first_places_differ(areas: Mapping[str, np.ndarray]) -> dict[tuple[str, str, int], float]:
    """Return the probability that two metrics put different models first, by (first, second, top).

    `areas` has the rounded values of the same models by metric.
    """
    return {
        (a, b, top): 1 - agreement(areas[a], areas[b], top) for a, b in DISTINCT_PAIRS for top in TOP_COLUMNS
    }


def by_top(by_task: pd.DataFrame) -> pd.DataFrame:
    by_task = by_task.reset_index(drop=True)
    tops = [by_task.assign(top=top, differs=by_task[column]) for top, column in TOP_COLUMNS.items()]
    return pd.concat(tops).sort_index(kind="stable")


def disagreement_shares(estimates: pd.DataFrame, pairs: Iterable[tuple[str, str]]) -> pd.DataFrame:
    """Return the paper's table: how often two metrics pick different models, with each task counted once."""
    is_share = (estimates["weight"] == TASK) & estimates["quantity"].isin(TIES.values())
    shares = estimates[is_share & (estimates["subset"] == ALL)]
    shares = shares.set_index(["quantity", "first", "second", "at"]).sort_index()
    rows = [
        {"first": first, "second": second, "top": top, "ties": ties, **shares.loc[(name, first, second, top)]}
        for first, second in pairs
        for top in TOP_COLUMNS
        for ties, name in TIES.items()
    ]
    return pd.DataFrame(rows).rename(columns={"n_sources": "n_groups"})


def rank_levels(values: Values) -> pd.DataFrame:
    """Return how many models of each task have each pair of average ranks by two metrics.

    Average ranks are multiples of one half (1, 1.5, 2, ...), so twice the rank minus 2 is a whole number from 0 on.
    """
    frames = []
    for task_id, task_areas in values.items():
        levels = (2 * task_areas.apply(average_ranks) - 2).round().astype(int)
        for first, second in pairs_of(values):
            counts = levels.groupby([first, second]).size().rename("count").reset_index()
            cells = counts.set_axis(["first_level", "second_level", "count"], axis=1)
            frames.append(cells.assign(task_id=task_id, first=first, second=second))
    return pd.concat(frames, ignore_index=True)


def rank_heat(values: Values, permutations: int, seed: int) -> pd.DataFrame:
    """Return how many models have each pair of ranks by two metrics.

    The number is a mean over random orders of tied models.
    """
    size = max(len(task_values) for task_values in values.values())
    counts = {pair: np.zeros((size + 1, size + 1)) for pair in pairs_of(values)}
    for task_id, task_values in values.items():
        rng = generator(seed, task_id, "tied models")
        orders = random_orders(len(task_values), permutations, rng)
        ranks = {key: permuted_ranks(task_values[key].to_numpy(), orders) for key in task_values}
        for (first, second), table in counts.items():
            np.add.at(table, (ranks[first], ranks[second]), 1 / permutations)
    frames = []
    for (first, second), table in counts.items():
        i, j = np.nonzero(table)
        cells = {"rank_first": i, "rank_second": j, "count": table[i, j]}
        frames.append(pd.DataFrame({"first": first, "second": second, **cells}))
    return pd.concat(frames, ignore_index=True)


def clearest_flip(
    scores: pd.DataFrame, predictions: Callable[[str], Predictions], pinned: list[str] | None = None
) -> pd.DataFrame:
    """Return the scores of the two models to draw as in figure 5, or no row if there are none.

    `pinned` has a task_id and two run_ids, whose order is kept. Without it, or if the scores lack these runs,
    the models are chosen by the rule on the page of the experiment, and the one with the higher AUPR comes
    first.
    """
    rule = "largest smaller margin of two untied models"
    if pinned:
        task_id, *runs = pinned
        rows = scores[scores["task_id"] == task_id].set_index("run_id", drop=False)
        if rows.index.isin(runs).sum() == len(runs):
            return rows.loc[runs].assign(rule="pinned")
        rule += f": the pinned runs {' and '.join(runs)} of task {task_id} are not both in the scores"
    scores = scores.sort_values(["task_id", "run_id"]).reset_index(drop=True).assign(rule=rule)
    for flip in _flips(scores):
        pair = scores.loc[list(flip)]
        task_predictions = predictions(pair["task_id"].iloc[0])
        if all(tied_positives(task_predictions, run_id) <= TIED_ABOVE for run_id in pair["run_id"]):
            return pair
    return scores.iloc[:0]


def _flips(scores: pd.DataFrame) -> list[tuple[int, int]]:
    """Return the pairs of models that AUPR and AUPRG order differently, as index labels of `scores`.

    The model with the higher AUPR comes first in a pair. The pairs are sorted by the smaller of their margins
    in AUPR and AUPRG, the largest first. Models with an AUPRG below 0 are left out.
    """
    pairs = []
    for _, task in scores[scores["auprg"] >= 0].groupby("task_id", sort=True):
        aupr, auprg = (task[area].to_numpy() for area in ("aupr", "auprg"))
        margins = np.minimum(np.subtract.outer(aupr, aupr), -np.subtract.outer(auprg, auprg))
        pairs += [(margins[i, j], task.index[i], task.index[j]) for i, j in np.argwhere(margins > 0)]
    return [(first, second) for _, first, second in sorted(pairs, key=lambda pair: -pair[0])]


def tied_positives(predictions: Predictions, run_id: str) -> float:
    scores = predictions.scores[:, predictions.run_ids.index(run_id)]
    is_positive = predictions.y_true.astype(bool)
    return float(np.isin(scores[is_positive], scores[~is_positive]).mean())


def tasks_at_quartiles(correlations: pd.Series, pinned: list[str] | None = None) -> list[str]:
    if pinned and set(pinned) <= set(correlations.index):
        return list(pinned)
    task_ids = correlations.dropna().sort_index().sort_values(kind="stable").index
    return [task_ids[round(q * (len(task_ids) - 1))] for q in (0.25, 0.75)]
