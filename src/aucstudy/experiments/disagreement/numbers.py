"""Do the areas pick the same models? [Flach & Kull 2015, section 4, figure 4]

For each pair of areas: the share of tasks whose best model, and whose first three models in order, differ;
the correlation of ranks across all tasks and within each; how often a model is ranked i by one and j by the
other.
"""

from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from aucstudy.area_names import AREAS_COMPARED, PAIRS
from aucstudy.experiments.disagreement.flip_pair import clearest_flip
from aucstudy.experiments.inputs import Study
from aucstudy.statistics.intervals import Interval, correlation_intervals, over_tasks
from aucstudy.statistics.ranks import agreement, average_ranks, permuted_ranks, rounded
from aucstudy.statistics.seeds import generator

TOPS = (1, 3)
CORRELATIONS = ("pearson_of_ranks", "spearman", "kendall_tau_b")


def over_all(
    study: Study,
    *,
    permutations: int,
    flip_pair: list[str] | None,
    aggregation: str,
    seed: int,
) -> dict[str, pd.DataFrame]:
    """The experiment's tables: all of them follow from the scores, which models are tied from the predictions."""
    scores, groups = study.scores(aggregation), study.source_groups
    values = task_values(scores)
    by_task = disagreement_by_task(values, groups)
    return {
        "disagreement": disagreement_shares(by_task),
        "disagreement_correlation": rank_correlations(values, groups, by_task),
        "disagreement_tasks": by_task,
        "disagreement_ranks": rank_heat(values, permutations, seed),
        "flip_pair": clearest_flip(scores, lru_cache(maxsize=2)(study.predictions), flip_pair),
    }


def task_values(scores: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rounded areas of each task's models: a frame a task, indexed by run_id, one column an area.

    Parameters
    ----------
    scores : scores of one aggregation, one row a task and model.
    """
    scores = scores.sort_values(["task_id", "run_id"], kind="stable")
    values = pd.DataFrame(
        rounded(scores[list(AREAS_COMPARED)]), columns=list(AREAS_COMPARED), index=scores["run_id"]
    )
    return {str(task_id): values.iloc[rows] for task_id, rows in scores.groupby("task_id").indices.items()}


def disagreement_by_task(values: dict[str, pd.DataFrame], source_groups: pd.Series) -> pd.DataFrame:
    """How far each pair of areas disagrees in each task.

    Parameters
    ----------
    values : as `task_values` gives them.
    source_groups : the source group of each task, indexed by task_id.

    Returns
    -------
    One row a task and pair (first, second): `best_first`, `best_second` (run_ids, joined by "|" where tied),
    `p_best_differs`, `p_top3_differs` (probability over shared random tie-breaking), `rank_correlation`
    (Pearson of average ranks within the task, which is Spearman's), `kendall_tau_b`, `n_models`.
    """
    rows = []
    for task_id, frame in values.items():
        for first, second in PAIRS:
            a, b = frame[first].to_numpy(), frame[second].to_numpy()
            rank_a, rank_b = average_ranks(a), average_ranks(b)
            constant = min(np.ptp(rank_a), np.ptp(rank_b)) == 0
            rows.append(
                {
                    "task_id": task_id,
                    "source_group": source_groups[task_id],
                    "first": first,
                    "second": second,
                    "best_first": "|".join(frame.index[a == a.max()]),
                    "best_second": "|".join(frame.index[b == b.max()]),
                    "p_best_differs": 1 - agreement(a, b, 1),
                    "p_top3_differs": 1 - agreement(a, b, 3),
                    "rank_correlation": np.nan if constant else np.corrcoef(rank_a, rank_b)[0, 1],
                    "kendall_tau_b": kendalltau(rank_a, rank_b).statistic,
                    "n_models": len(frame),
                }
            )
    return pd.DataFrame(rows)


def disagreement_shares(by_task: pd.DataFrame) -> pd.DataFrame:
    """Share of tasks that disagree on the best model and on the ordered first three, with 95 % intervals.

    `ties` says how tied models count: `expected` is the share expected under shared random tie-breaking,
    `strict` counts a task unless the areas agree for certain, `lenient` only if they cannot agree.
    """
    rows = []
    for (first, second), tasks in by_task.groupby(["first", "second"], sort=False):
        for top in TOPS:
            p = tasks["p_best_differs" if top == 1 else "p_top3_differs"].to_numpy()
            kinds = {"expected": p, "strict": (p > 0).astype(float), "lenient": (p == 1).astype(float)}
            for ties, differs in kinds.items():
                share = over_tasks(differs, tasks["source_group"], share=True)
                rows.append({"first": first, "second": second, "top": top, "ties": ties, **share})
    return pd.DataFrame(rows)


def rank_correlations(
    values: dict[str, pd.DataFrame],
    source_groups: pd.Series,
    by_task: pd.DataFrame,
) -> pd.DataFrame:
    """Correlation of the models' ranks by two areas.

    `scope` is `across tasks` (all pairs of ranks in one sample, three kinds of correlation) or a quartile of
    the correlations within tasks, which have no interval.
    """
    groups = source_groups[list(values)].to_numpy()
    # of average ranks, which are halves: 1, 1.5, 2, ...
    levels = 2 * max(len(frame) for frame in values.values()) - 1
    rows = []
    for first, second in PAIRS:
        facts = {"first": first, "second": second}
        tables = np.stack([_joint_ranks(frame[first], frame[second], levels) for frame in values.values()])
        sizes = {"n_tasks": len(groups), "n_groups": len(set(groups)), "n_models": int(tables.sum())}
        across = correlation_intervals(_table_correlations, tables, groups)
        for kind, interval in zip(CORRELATIONS, across, strict=True):
            rows.append({**facts, "scope": "across tasks", "kind": kind, **vars(interval), **sizes})
        within = by_task[(by_task["first"] == first) & (by_task["second"] == second)][
            "rank_correlation"
        ].dropna()
        for name, q in (("lower quartile", 0.25), ("median", 0.5), ("upper quartile", 0.75)):
            estimate = within.quantile(q) if len(within) else np.nan
            quartile = vars(Interval(estimate, np.nan, np.nan))
            rows.append({**facts, "scope": f"{name} of tasks", "kind": "spearman", **quartile, **sizes})
    return pd.DataFrame(rows)


def _joint_ranks(first: pd.Series, second: pd.Series, levels: int) -> np.ndarray:
    """(levels, levels) counts of (rank by first, rank by second)."""
    cells = [np.rint(2 * average_ranks(column.to_numpy())).astype(int) - 2 for column in (first, second)]
    table = np.zeros((levels, levels))
    np.add.at(table, tuple(cells), 1.0)
    return table


def _table_correlations(counts: np.ndarray) -> np.ndarray:
    """(3, k) Pearson, Spearman and Kendall's tau-b of k contingency tables."""
    n = counts.sum(axis=(1, 2))
    x, y = counts.sum(axis=2), counts.sum(axis=1)
    ranks = np.arange(counts.shape[1], dtype=float)[None, :]
    with np.errstate(invalid="ignore", divide="ignore"):
        pearson = _correlation(
            counts, n, x, y, np.broadcast_to(ranks, x.shape), np.broadcast_to(ranks, y.shape)
        )
        spearman = _correlation(counts, n, x, y, np.cumsum(x, axis=1) - x / 2, np.cumsum(y, axis=1) - y / 2)
        # pairs above and to the right of a cell are concordant, those above and to the left discordant
        above = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1] - counts
        right = np.cumsum(above[:, :, ::-1], axis=2)[:, :, ::-1] - above
        left = np.cumsum(above, axis=2) - above
        concordance = np.einsum("kij,kij->k", counts, right - left)
        untied = [(n**2 - (margin**2).sum(axis=1)) / 2 for margin in (x, y)]
        tau = concordance / np.sqrt(untied[0] * untied[1])
    return np.stack([pearson, spearman, tau])


def _correlation(counts, n, x, y, value_x, value_y) -> np.ndarray:
    """Pearson correlation of k contingency tables with the given values of rows and columns."""
    value_x = value_x - ((x * value_x).sum(axis=1) / n)[:, None]
    value_y = value_y - ((y * value_y).sum(axis=1) / n)[:, None]
    product = np.einsum("kij,ki,kj->k", counts, value_x, value_y, optimize=True)
    return product / np.sqrt((x * value_x**2).sum(axis=1) * (y * value_y**2).sum(axis=1))


def rank_heat(values: dict[str, pd.DataFrame], permutations: int, seed: int) -> pd.DataFrame:
    """How many models are ranked i by one area and j by the other, expected over shared random tie-breaking.

    Returns
    -------
    One row a pair and cell that is not empty: first, second, rank_first, rank_second, count (expected
    models).
    """
    size = max(len(frame) for frame in values.values())
    counts = {pair: np.zeros((size + 1, size + 1)) for pair in PAIRS}
    for task_id, frame in values.items():
        rng = generator(seed, task_id, "tied models")
        orders = rng.permuted(np.tile(np.arange(len(frame)), (permutations, 1)), axis=1)
        ranks = {area: permuted_ranks(frame[area].to_numpy(), orders) for area in AREAS_COMPARED}
        for (first, second), table in counts.items():
            np.add.at(table, (ranks[first], ranks[second]), 1 / permutations)
    frames = []
    for (first, second), table in counts.items():
        i, j = np.nonzero(table)
        cells = {"rank_first": i, "rank_second": j, "count": table[i, j]}
        frames.append(pd.DataFrame({"first": first, "second": second, **cells}))
    return pd.concat(frames, ignore_index=True)
