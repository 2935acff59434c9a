"""The experiment `disagreement`: do the metrics pick the same models?

It follows section 4 and figures 4 and 5 of Flach & Kull 2015.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import AREAS_COMPARED, DISTINCT_PAIRS
from aucstudy.experiments.inputs import Study
from aucstudy.metrics.registry import metric_named
from aucstudy.statistics.intervals import correlation_intervals, estimated
from aucstudy.statistics.ranks import (
    agreement,
    average_ranks,
    permuted_ranks,
    random_orders,
    rank_correlation,
    rounded,
)
from aucstudy.statistics.seeds import generator
from aucstudy.store.measured import REPETITION_MEAN
from aucstudy.store.task_store import Predictions

Values = dict[str, pd.DataFrame]  # By task, a frame with a row for each run_id and a column for each metric.
SHARE = ["first", "second", "top"]
TOP_COLUMNS = {1: "p_best_differs", 3: "p_top3_differs"}
CORRELATIONS = ("pearson_of_ranks", "spearman", "kendall_tau_b")
QUARTILES = {"lower quartile": 0.25, "median": 0.5, "upper quartile": 0.75}
# A model has many ties if more than this share of its positives have the same score as a negative.
TIED_ABOVE = 0.5


def over_all(
    study: Study,
    *,
    metrics: list[str],
    permutations: int,
    flip_pair: list[str] | None,
    aggregation: str,
    seed: int,
) -> dict[str, pd.DataFrame]:
    scores, groups = study.scores(aggregation), study.source_groups
    values = task_values(scores, [metric_named(name).key for name in metrics])
    by_task = disagreement_by_task(values, groups)
    return {
        "disagreement": disagreement_shares(by_task),
        "disagreement_correlation": rank_correlations(values, groups, by_task),
        "disagreement_tasks": by_task,
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
            rows.append(
                {
                    "task_id": task_id, "source_group": source_groups[task_id], "first": first, "second": second,
                    "best_first": "|".join(task_values.index[a == a.max()]),
                    "best_second": "|".join(task_values.index[b == b.max()]),
                    **{column: 1 - agreement(a, b, top) for top, column in TOP_COLUMNS.items()},
                    "rank_correlation": rank_correlation(a, b),
                    "kendall_tau_b": kendalltau(a, b).statistic, "n_models": len(task_values),
                }
            )  # fmt: skip
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


def disagreement_shares(by_task: pd.DataFrame) -> pd.DataFrame:
    def quantities(tasks: pd.DataFrame) -> dict[str, pd.Series]:
        p = tasks["differs"]
        return {"expected": p, "strict": (p > 0).astype(float), "lenient": (p == 1).astype(float)}

    return estimated(
        by_top(by_task), SHARE, quantities, column="ties", bounds_of=lambda key, quantity: {"share": True}
    )


def rank_correlations(values: Values, source_groups: pd.Series, by_task: pd.DataFrame) -> pd.DataFrame:
    groups = source_groups[list(values)].to_numpy()
    # Average ranks are multiples of one half (1, 1.5, 2, ...), so twice the rank minus 2 is a whole number
    # from 0 on.
    levels = 2 * max(len(task_values) for task_values in values.values()) - 1
    cells = [
        (2 * task_values.apply(average_ranks) - 2).round().astype(int) for task_values in values.values()
    ]
    by_pair = by_task.groupby(["first", "second"])["rank_correlation"]
    rows = []
    for first, second in pairs_of(values):
        tables = np.zeros((len(cells), levels, levels))
        for table, task_values in zip(tables, cells, strict=True):
            np.add.at(table, (task_values[first], task_values[second]), 1.0)
        sizes = {"n_tasks": len(groups), "n_groups": len(set(groups)), "n_models": int(tables.sum())}
        facts = {"first": first, "second": second, **sizes}
        across = correlation_intervals(_table_correlations, tables, groups)
        for kind, interval in zip(CORRELATIONS, across, strict=True):
            rows.append({**facts, "scope": "across tasks", "kind": kind, **vars(interval)})
        for name, q in QUARTILES.items():
            estimate = by_pair.get_group((first, second)).quantile(q)
            rows.append({**facts, "scope": f"{name} of tasks", "kind": "spearman", "estimate": estimate})
    return pd.DataFrame(rows)


def _table_correlations(counts: np.ndarray) -> np.ndarray:
    """Return Pearson's, Spearman's and Kendall's (tau-b) correlation, (3, k), of k contingency tables.

    `counts` is (k, levels, levels).
    """
    n = counts.sum(axis=(1, 2))
    x, y = counts.sum(axis=2), counts.sum(axis=1)
    ranks = [np.broadcast_to(np.arange(margin.shape[1], dtype=float), margin.shape) for margin in (x, y)]
    with np.errstate(invalid="ignore", divide="ignore"):
        pearson = _correlation(counts, n, x, y, *ranks)
        spearman = _correlation(counts, n, x, y, *(margin.cumsum(axis=1) - margin / 2 for margin in (x, y)))
        # The models of a cell form concordant pairs with models of cells above and to the right of it, and
        # discordant pairs with models of cells above and to the left.
        above = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1] - counts
        right = np.cumsum(above[:, :, ::-1], axis=2)[:, :, ::-1] - above
        left = np.cumsum(above, axis=2) - above
        concordance = np.einsum("kij,kij->k", counts, right - left)
        n_untied = [(n**2 - (margin**2).sum(axis=1)) / 2 for margin in (x, y)]
        tau = concordance / np.sqrt(n_untied[0] * n_untied[1])
    return np.stack([pearson, spearman, tau])


def _correlation(counts, n, x, y, value_x, value_y) -> np.ndarray:
    value_x = value_x - ((x * value_x).sum(axis=1) / n)[:, None]
    value_y = value_y - ((y * value_y).sum(axis=1) / n)[:, None]
    product = np.einsum("kij,ki,kj->k", counts, value_x, value_y, optimize=True)
    return product / np.sqrt((x * value_x**2).sum(axis=1) * (y * value_y**2).sum(axis=1))


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
