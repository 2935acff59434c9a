"""The first tables of the page on a user's own data: each task's best models, and the models' mean ranks."""

from typing import Any

import pandas as pd

from aucstudy.experiments.compared import AREA_LABELS, DISTINCT_AREAS

# Metrics that agree to this many decimals are tied, because further decimals are floating-point noise.
POOLED, DIGITS = "pooled", 12
MOST_NAMED = 3


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


def mean_ranks(scores: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each model, with its number of tasks and its mean rank over them by each metric.

    Tied models share the mean of their ranks. The models with the best mean rank by the first metric come
    first.

    >>> scores = pd.DataFrame({"task_id": ["a", "a"], "aggregation": "pooled", "flow_name": ["x", "y"],
    ...                        "aupr": [0.5, 0.7], "auprg": [0.1, 0.1], "auroc": [0.8, 0.7]})
    >>> mean_ranks(scores)[0]
    {'model': 'y', 'tasks': 1, 'ranks': {'AUPR': '1.0', 'AUPRG': '1.5', 'AUROC': '2.0'}}
    """
    pooled = _pooled(scores)
    areas = list(DISTINCT_AREAS)
    ranks = pooled.groupby("task_id")[areas].rank(ascending=False)
    by_model = ranks.assign(model=pooled["flow_name"]).groupby("model", sort=True)
    means = by_model[areas].mean().sort_values(areas[0], kind="stable")
    n_tasks = by_model.size()
    return [
        {
            "model": model,
            "tasks": int(n_tasks[model]),
            "ranks": {AREA_LABELS[area]: f"{rank:.1f}" for area, rank in row.items()},
        }
        for model, row in means.iterrows()
    ]


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
