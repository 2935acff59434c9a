"""What is correcting a mistake worth to each area, and whose mistakes are worth most? [McDermott et al. 2024]"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import xlogy

from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.ranking import order_of
from aucstudy.statistics.intervals import over_tasks
from aucstudy.statistics.seeds import generator
from aucstudy.store.task_store import Predictions

FEWEST_PAIRS = 10
SLOPES = ("average_precision", "exact_area", "precision")
LIFTED = ("by_average_precision", "by_auroc")


class Mistakes(NamedTuple):
    """The k negatives right above a positive, from the top, and what exchanging the two gains each area.

    `rank` is the negative's, from 1; `precision` that of the ranks down to the positive. AUROC gains 1 / (P N).
    """

    rank: np.ndarray
    precision: np.ndarray
    average_precision: np.ndarray
    exact_area: np.ndarray


def mistakes_of(labels: np.ndarray) -> Mistakes:
    """The mistakes of (n,) labels in the order of falling scores.

    >>> mistakes_of(np.array([False, True, True, False, True])).average_precision.round(4).tolist()
    [0.1667, 0.05]
    """
    k = np.flatnonzero(~labels[:-1] & labels[1:]) + 1
    tp, positives = np.cumsum(labels)[k], labels.sum()
    fp = k + 1 - tp
    # one step of recall at fp false positives has the area 1 - fp ln((tp + fp) / (tp - 1 + fp)), over P
    with np.errstate(divide="ignore"):
        areas = [1 - xlogy(f, (tp + f) / (tp - 1 + f)) for f in (fp - 1, fp)]
    return Mistakes(k, tp / (k + 1), tp / (positives * k * (k + 1)), (areas[0] - areas[1]) / positives)


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    predictions = task.predictions
    orders = _orders(predictions.y_true, predictions.scores, predictions.task_id, seed)
    mistakes = [mistakes_of(predictions.y_true[order]) for order in orders]
    slopes = [_slopes(each) for each in mistakes if len(each.rank) >= FEWEST_PAIRS]
    means = np.mean(slopes, axis=0) if slopes else [np.nan] * len(SLOPES)
    row = {**dict(zip(SLOPES, means, strict=True)), "n_models": len(slopes)}
    return {"mistakes_tasks": pd.DataFrame([row])}


def _orders(y_true: np.ndarray, scores: np.ndarray, name: str, seed: int) -> np.ndarray:
    random_order = np.argsort(generator(seed, name, "mistakes").random(len(scores)))
    return random_order[order_of(y_true[random_order], scores[random_order]).rows]


def _slopes(mistakes: Mistakes) -> list[float]:
    log_rank = np.log(mistakes.rank)
    return [np.polyfit(log_rank, np.log(getattr(mistakes, name)), 1)[0] for name in SLOPES]


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    pairs = subgroups(study, seed)
    return {"mistakes": summary(study.frames["mistakes_tasks"], pairs), "mistakes_subgroups": pairs}


def subgroups(study: Study, seed: int) -> pd.DataFrame:
    """Two tasks of a source group taken as one: how much of the gain of all corrections lifts each one's positives."""
    flows = study.runs.set_index("run_id")["flow_name"]
    rows = []
    for group, tasks in study.tasks.groupby("source_group"):
        prevalence = tasks.set_index("task_id")["prevalence"].sort_index()
        if prevalence.nunique() < 2:
            continue
        pairs = combinations(prevalence.index, 2)
        farthest = max(pairs, key=lambda pair: abs(np.subtract(*prevalence[list(pair)])))
        high, low = sorted(farthest, key=prevalence.get, reverse=True)
        shares = _shares(study.predictions(high), study.predictions(low), flows, seed)
        if shares:
            facts = {"source_group": group, "task_high": high, "task_low": low, "n_flows": len(shares)}
            facts |= {"prevalence_high": prevalence[high], "prevalence_low": prevalence[low]}
            rows.append(facts | dict(zip(LIFTED, np.mean(shares, axis=0), strict=True)))
    return pd.DataFrame(rows)


def _shares(high: Predictions, low: Predictions, flows: pd.Series, seed: int) -> list[tuple[float, float]]:
    """By flow: the share of the gain that lifts the first task's positives, by average precision and by AUROC."""
    columns = [{flows[run]: k for k, run in enumerate(task.run_ids)} for task in (high, low)]
    pairs = np.array([(k, columns[1][flow]) for flow, k in columns[0].items() if flow in columns[1]])
    if not len(pairs):
        return []
    scores = np.vstack([high.scores[:, pairs[:, 0]], low.scores[:, pairs[:, 1]]])
    labels, is_high = np.concatenate([high.y_true, low.y_true]), np.arange(len(scores)) < len(high.y_true)
    shares = []
    for order in _orders(labels, scores, f"{high.task_id}|{low.task_id}", seed):
        mistakes = mistakes_of(labels[order])
        if len(mistakes.rank):
            # the positive of a mistake stands below rank k, which is place k from 0
            is_lifted = is_high[order][mistakes.rank]
            shares.append((np.average(is_lifted, weights=mistakes.average_precision), is_lifted.mean()))
    return shares


def summary(by_task: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    slopes = by_task[by_task["n_models"] > 0].set_index("source_group")[[*SLOPES]]
    shares = pairs.reindex(columns=["source_group", *LIFTED]).set_index("source_group")
    shares["difference"] = shares["by_average_precision"] - shares["by_auroc"]
    columns = {f"slope, {name}": values for name, values in slopes.items()}
    columns |= {f"higher prevalence, {name}": values for name, values in shares.items()}
    return pd.DataFrame(
        {"quantity": name, **over_tasks(values, values.index)} for name, values in columns.items()
    )
