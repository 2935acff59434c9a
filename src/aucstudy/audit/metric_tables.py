"""The audit of finished scores: how far any metrics disagree on models over tasks, without their predictions."""

from collections.abc import Collection
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.reading.prediction_tables import open_columns
from aucstudy.statistics.intervals import mean_interval
from aucstudy.statistics.ranks import agreement, average_ranks, rounded


@dataclass(frozen=True)
class FinishedScores:
    """A table of finished scores: one row a task and model."""

    tasks: np.ndarray
    models: np.ndarray
    values: pd.DataFrame


@dataclass(frozen=True)
class FinishedAudit:
    """What was found.

    Attributes
    ----------
    facts : n_tasks, n_rows, metrics.
    shares : one row a pair of metrics and number of places: share of tasks that disagree, with its 95 % interval.
    correlations : one row a pair: quartiles over the tasks of the correlation of ranks.
    by_task : one row a task and pair: the best models, the probabilities that the best and the first three differ.
    warnings : a sentence each.
    """

    facts: dict[str, object]
    shares: pd.DataFrame
    correlations: pd.DataFrame
    by_task: pd.DataFrame
    warnings: list[str] = field(default_factory=list)


def read_finished(path: Path, task: str, model: str, metrics: tuple[str, ...]) -> FinishedScores:
    """Read a table of finished scores.

    Raises
    ------
    InputError
        A missing column, a score that is no number, a task and model that stand twice, or no task of two models.
    """
    with open_columns(path) as table:
        table.load((task, model), metrics)
        tasks, models = (np.asarray(table.text(name), dtype=object) for name in (task, model))
        values = pd.DataFrame({metric: table.numbers(metric) for metric in metrics})
    if not len(tasks):
        raise InputError(f"{path}: no rows of data")
    twice = np.flatnonzero(pd.DataFrame({"task": tasks, "model": models}).duplicated())
    if len(twice):
        at = twice[0]
        raise InputError(
            f"{path}: task {tasks[at]!r} and model {models[at]!r} stand twice, again in row {at + 1} of the data; "
            "one row is wanted"
        )
    if pd.Series(tasks).value_counts().max() < 2:
        raise InputError(f"{path}: no task has two models, so there is nothing to rank")
    return FinishedScores(tasks, models, values)


def audit_finished(
    table: FinishedScores, *, lower_is_better: Collection[str] = (), resamples: int = 1000, seed: int = 1
) -> FinishedAudit:
    """How far the metrics disagree on the best model and the first three, ties broken by one shared random order."""
    values = oriented(table, lower_is_better)
    pairs = list(combinations(values.columns, 2))
    rows, alone = [], []
    for task, at in pd.Series(table.tasks).groupby(table.tasks, sort=True).groups.items():
        if len(at) < 2:
            alone.append(task)
            continue
        part = values.iloc[at]
        rows += [_compare(task, table.models[at], part, first, second) for first, second in pairs]
    by_task = pd.DataFrame(rows)
    told = []
    if alone:
        told.append(f"{len(alone)} tasks have one model only and are left out, the first is {alone[0]}.")
    sizes = by_task["n_models"].unique()
    if len(sizes) > 1:
        told.append(
            f"Tasks have {sizes.min()} to {sizes.max()} models: shares of disagreement grow with that number."
        )
    facts = {
        "n_tasks": by_task["task"].nunique(),
        "n_rows": len(table.tasks),
        "metrics": list(values.columns),
    }
    return FinishedAudit(facts, _shares(by_task, resamples, seed), _correlations(by_task), by_task, told)


def oriented(table: FinishedScores, lower_is_better: Collection[str] = ()) -> pd.DataFrame:
    """The values, rounded as for ranking, with losses negated so that larger is better."""
    values = table.values.copy()
    values[list(lower_is_better)] *= -1
    values[:] = rounded(values.to_numpy())
    return values


def _compare(task: str, models: np.ndarray, part: pd.DataFrame, first: str, second: str) -> dict[str, object]:
    a, b = part[first].to_numpy(), part[second].to_numpy()
    rank_a, rank_b = average_ranks(a), average_ranks(b)
    constant = min(np.ptp(rank_a), np.ptp(rank_b)) == 0
    return {
        "task": task,
        "first": first,
        "second": second,
        "best_first": "|".join(models[a == a.max()]),
        "best_second": "|".join(models[b == b.max()]),
        "p_best_differs": 1 - agreement(a, b, 1),
        "p_top3_differs": 1 - agreement(a, b, 3),
        "rank_correlation": np.nan if constant else float(np.corrcoef(rank_a, rank_b)[0, 1]),
        "n_models": len(a),
    }


def _shares(by_task: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    rows = []
    for (first, second), part in by_task.groupby(["first", "second"], sort=False):
        for top, column in ((1, "p_best_differs"), (3, "p_top3_differs")):
            found = mean_interval(part[column].to_numpy(), part["task"].to_numpy(), resamples, seed)
            shares = {"estimate": found.estimate, "low": found.low, "high": found.high}
            rows.append({"first": first, "second": second, "top": top, **shares, "n_tasks": len(part)})
    return pd.DataFrame(rows)


def _correlations(by_task: pd.DataFrame) -> pd.DataFrame:
    grouped = by_task.groupby(["first", "second"], sort=False)["rank_correlation"]
    quartiles = grouped.quantile([0.25, 0.5, 0.75]).unstack()
    return quartiles.set_axis(["lower_quartile", "median", "upper_quartile"], axis=1).reset_index()
