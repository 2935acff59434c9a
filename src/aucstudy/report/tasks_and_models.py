"""The first tables of the page on a user's own data: each task's best models, and the models' mean ranks."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import AREA_LABELS, DISTINCT_AREAS
from aucstudy.statistics.intervals import FEWEST_GROUPS, simultaneous_intervals
from aucstudy.store.estimates import SOURCE

# Metrics that agree to this many decimals are tied, because further decimals are floating-point noise.
POOLED, DIGITS = "pooled", 12
MOST_NAMED = 3
RESAMPLES, SEED = 2000, 1  # of the intervals of mean ranks


def best_models(tasks: pd.DataFrame, scores: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each task, with its size and the best models by each metric.

    The size is the number of data rows, the positive class with its share, and the number of models. Up to
    three models that tie for the best are named, followed by their value of the metric.

    >>> tasks = pd.DataFrame({"task_id": ["a"], "n_rows": [9], "prevalence": [0.25], "positive_class": ["ill"]})
    >>> scores = pd.DataFrame({"task_id": "a", "aggregation": "pooled", "flow_name": ["x", "y"], "aupr": [0.5, 0.7],
    ...                        "auprg": [0.1, 0.1], "auroc": [0.8, float("nan")]})
    >>> best_models(tasks, scores)[0]["best"]
    {'AUPR': 'y (0.700)', 'AUPRG': 'x, y (0.100)', 'AUROC': 'x (0.800)'}
    """
    pooled = _pooled(scores)
    rows = []
    for task in tasks.itertuples():
        models = pooled[pooled["task_id"] == task.task_id]
        rows.append(
            {
                "task": task.task_id,
                "rows": f"{task.n_rows:,}",
                "positive": f"{task.positive_class} ({task.prevalence:.3f})",
                "models": len(models),
                "best": {AREA_LABELS[area]: _best(models, area) for area in DISTINCT_AREAS},
            }
        )
    return rows


class Standing(NamedTuple):
    """How a model ranks over the tasks of a study.

    `ranks` has its mean rank by each metric as text, with an interval if there are enough sources of data.
    `may_be_best` are the metrics by which no other model has a significantly better mean rank.
    """

    model: str
    n_tasks: int
    ranks: Mapping[str, str]
    may_be_best: Collection[str]


def standings(tasks: pd.DataFrame, scores: pd.DataFrame, weight: str = SOURCE) -> list[Standing]:
    """Return how each model ranks over the tasks, those with the best mean rank by the first metric first.

    The models of a task are ranked from 1, the best. Tied models share the mean of their ranks. With the weight
    `source` the ranks are averaged first over the tasks of each source of data. The 95 % intervals of the mean
    ranks hold together for all models. A model may be the best by a metric unless another model has a
    significantly better mean rank on the tasks that have both of them, at a level of 5 % over all pairs of models
    together. With fewer than `FEWEST_GROUPS` sources, every model may be the best.

    >>> tasks = pd.DataFrame({"task_id": ["a"], "source_group": ["a"]})
    >>> scores = pd.DataFrame({"task_id": ["a", "a"], "aggregation": "pooled", "flow_name": ["x", "y"],
    ...                        "aupr": [0.5, 0.7], "auprg": [0.1, 0.1], "auroc": [0.8, 0.7]})
    >>> standings(tasks, scores)[0].ranks
    {'AUPR': '1.0', 'AUPRG': '1.5', 'AUROC': '2.0'}
    """
    pooled = _pooled(scores)
    groups = tasks.set_index("task_id")["source_group"]
    n_tasks = pooled.groupby("flow_name")["task_id"].nunique()
    text: dict[str, pd.Series] = {}
    best: dict[str, set[str]] = {}
    order = None
    for area in DISTINCT_AREAS:
        ranks = _ranks(pooled, area, groups if weight == SOURCE else None)
        over = ranks.index if weight == SOURCE else groups[ranks.index]
        means = simultaneous_intervals(ranks.to_numpy(), np.asarray(over), RESAMPLES, SEED)
        worst = float(ranks.count(axis=1).max())
        text[area] = pd.Series(
            [_rank_text(*each, worst) for each in zip(*means, strict=True)], index=ranks.columns
        )
        best[area] = _not_beaten(ranks, np.asarray(over))
        order = pd.Series(means.estimate, index=ranks.columns) if order is None else order
    return [
        Standing(
            model,
            int(n_tasks[model]),
            {AREA_LABELS[area]: text[area][model] for area in text},
            [AREA_LABELS[area] for area in best if model in best[area]],
        )
        for model in order.sort_values(kind="stable").index
    ]


def _ranks(pooled: pd.DataFrame, area: str, groups: pd.Series | None) -> pd.DataFrame:
    """Return the rank of each model in each task, or its mean rank in each source of data if `groups` are given."""
    values = pooled.pivot(index="task_id", columns="flow_name", values=area)
    ranks = values.rank(axis=1, ascending=False)
    return ranks if groups is None else ranks.groupby(groups[ranks.index].to_numpy()).mean()


def _not_beaten(ranks: pd.DataFrame, groups: np.ndarray) -> set[str]:
    pairs = list(combinations(ranks.columns, 2))
    if not pairs:
        return set(ranks.columns)
    differences = np.column_stack([ranks[first] - ranks[second] for first, second in pairs])
    _, low, high = simultaneous_intervals(differences, groups, RESAMPLES, SEED)
    beaten = {first for (first, _), end in zip(pairs, low, strict=True) if end > 0}
    beaten |= {second for (_, second), end in zip(pairs, high, strict=True) if end < 0}
    return set(ranks.columns) - beaten


def _rank_text(estimate: float, low: float, high: float, worst: float) -> str:
    """Return a mean rank as text. Its interval is cut off at 1 and at the worst rank.

    >>> _rank_text(2.04, 0.9, 3.2, 3), _rank_text(2.0, float("nan"), float("nan"), 3)
    ('2.0 (1.0 to 3.0)', '2.0')
    """
    if not np.isfinite(low):
        return f"{estimate:.1f}"
    return f"{estimate:.1f} ({max(low, 1):.1f} to {min(high, worst):.1f})"


def who_may_be_best(models: Sequence[Standing], n_groups: int) -> dict[str, list[str]]:
    """Return what the tasks say about the best model: each sentence with the labels of its metrics.

    It is empty if there is only one model, or if the sources of data are too few to tell.
    """
    if len(models) < 2 or n_groups < FEWEST_GROUPS:
        return {}
    labels: dict[str, list[str]] = {}
    for label in models[0].ranks:
        names = [each.model for each in models if label in each.may_be_best]
        if len(names) == len(models):
            sentence = "no model has a significantly better mean rank than another one."
        elif len(names) == 1:
            sentence = f"{names[0]} is the best. Each other model has a significantly worse mean rank."
        else:
            few = f"{', '.join(names[:-1])} or {names[-1]}"
            words = few if len(names) <= MOST_NAMED else f"any of {len(names)} models"
            sentence = f"{words} may be the best. The other models have significantly worse mean ranks."
        labels.setdefault(sentence, []).append(label)
    return labels


def metrics_that_tell(models: Sequence[Standing]) -> list[str]:
    """Return the labels of the metrics by which some models are significantly worse than others."""
    labels = models[0].ranks if models else ()
    return [label for label in labels if any(label not in each.may_be_best for each in models)]


def _pooled(scores: pd.DataFrame) -> pd.DataFrame:
    pooled = scores[scores["aggregation"] == POOLED]
    return pooled.assign(**{area: pooled[area].round(DIGITS) for area in DISTINCT_AREAS})


def _best(models: pd.DataFrame, area: str) -> str:
    if models[area].isna().all():
        return ""
    highest = models[area].max()
    names = list(models.loc[models[area] == highest, "flow_name"])
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more} ({highest:.3f})"
