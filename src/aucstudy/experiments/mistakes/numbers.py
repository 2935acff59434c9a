"""The gain of correcting each adjacent wrong pair of a ranking: how it falls with the rank, and whom it lifts."""

from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import xlogy

from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.engine.walks import order_of
from aucstudy.statistics.intervals import over_tasks
from aucstudy.statistics.seeds import generator
from aucstudy.store.task_store import Predictions

FEWEST_PAIRS = 10
SLOPES = ("average_precision", "exact_area", "precision")
TASK_COLUMNS = ("task_id", "source_group", *SLOPES, "n_models")
PAIR_COLUMNS = (
    "source_group", "task_high", "task_low", "prevalence_high", "prevalence_low", "by_average_precision", "by_auroc",
    "n_flows",
)  # fmt: skip


class Mistakes(NamedTuple):
    """The adjacent wrong pairs of a ranking, from the top.

    Attributes
    ----------
    rank : (k,) rank of the negative, from 1; the positive is at the next.
    precision : (k,) of the ranks down to the positive.
    average_precision, exact_area : (k,) what exchanging the two gains. AUROC gains 1 / (P N) by each.
    """

    rank: np.ndarray
    precision: np.ndarray
    average_precision: np.ndarray
    exact_area: np.ndarray


def mistakes_of(labels: np.ndarray) -> Mistakes:
    """The mistakes of (n,) labels, True for a positive, in the order of falling scores.

    Examples
    --------
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
    """One task's mean slopes, over the models with mistakes enough."""
    predictions = task.predictions
    slopes = [
        _slopes(mistakes_of(predictions.y_true[order]))
        for order in _orders(predictions.y_true, predictions.scores, predictions.task_id, seed)
    ]
    known = [each for each in slopes if each is not None]
    means = dict(zip(SLOPES, np.mean(known, axis=0) if known else [np.nan] * len(SLOPES), strict=True))
    row = {"task_id": task.task_id, "source_group": task.source_group, **means, "n_models": len(known)}
    return {"by_task": pd.DataFrame([row], columns=list(TASK_COLUMNS))}


def _orders(y_true: np.ndarray, scores: np.ndarray, name: str, seed: int) -> np.ndarray:
    """(m, n) rows of each model in the order of falling scores, ties broken once by chance."""
    mixed = np.argsort(generator(seed, name, "mistakes").random(len(scores)))
    return mixed[order_of(y_true[mixed], scores[mixed]).rows]


def _slopes(mistakes: Mistakes) -> list[float] | None:
    """Least-squares slopes of the log gains, and of log precision, on log rank; None with too few mistakes."""
    if len(mistakes.rank) < FEWEST_PAIRS:
        return None
    log_rank = np.log(mistakes.rank)
    return [np.polyfit(log_rank, np.log(getattr(mistakes, name)), 1)[0] for name in SLOPES]


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    by_task, pairs = study.frames["by_task"], subgroups(study, seed)
    return {"mistakes": summary(by_task, pairs), "mistakes_tasks": by_task, "mistakes_subgroups": pairs}


def subgroups(study: Study, seed: int) -> pd.DataFrame:
    """Two tasks of a source group put together, each a subgroup: whose positives the gain of all corrections lifts.

    Returns
    -------
    One row a source group with two tasks of different prevalence and a flow that both have, the two tasks whose
    prevalences differ most: `by_average_precision` and `by_auroc`, the shares of the gain that lift positives of the
    task of higher prevalence, mean over the `n_flows` flows with a mistake.
    """
    flows = study.runs.set_index("run_id")["flow_name"]
    rows = []
    for group, tasks in study.tasks.groupby("source_group"):
        prevalence = tasks.set_index("task_id")["prevalence"].sort_index()
        if prevalence.nunique() < 2:
            continue
        pair = max(
            combinations(prevalence.index, 2), key=lambda two: abs(np.subtract(*prevalence[list(two)]))
        )
        high, low = sorted(pair, key=prevalence.get, reverse=True)
        shares = _shares(study.predictions(high), study.predictions(low), flows, seed)
        if len(shares):
            facts = (
                group,
                high,
                low,
                prevalence[high],
                prevalence[low],
                *np.mean(shares, axis=0),
                len(shares),
            )
            rows.append(dict(zip(PAIR_COLUMNS, facts, strict=True)))
    return pd.DataFrame(rows, columns=list(PAIR_COLUMNS))


def _shares(high: Predictions, low: Predictions, flows: pd.Series, seed: int) -> list[tuple[float, float]]:
    """By flow: the share of the gain that lifts the first task's positives, by average precision and by AUROC."""
    columns = [{flows[run]: k for k, run in enumerate(each.run_ids)} for each in (high, low)]
    shared = [flow for flow in columns[0] if flow in columns[1]]
    if not shared:
        return []
    places = [[by_flow[flow] for flow in shared] for by_flow in columns]
    scores = np.vstack([high.scores[:, places[0]], low.scores[:, places[1]]])
    labels, is_high = np.concatenate([high.y_true, low.y_true]), np.arange(len(scores)) < len(high.y_true)
    shares = []
    for order in _orders(labels, scores, f"{high.task_id}|{low.task_id}", seed):
        mistakes = mistakes_of(labels[order])
        if len(mistakes.rank):
            # the positive of a mistake stands below rank k, which is place k from 0
            lifted = is_high[order][mistakes.rank]
            shares.append((np.average(lifted, weights=mistakes.average_precision), lifted.mean()))
    return shares


def summary(by_task: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Means with 95 % intervals over source groups, a row a quantity: the slopes, and the shares of the gain."""
    known = by_task[by_task["n_models"] > 0]
    rows = [
        {"quantity": f"slope, {name}", **over_tasks(known[name], known["source_group"])} for name in SLOPES
    ]
    shares = {
        "higher prevalence, by_average_precision": pairs["by_average_precision"],
        "higher prevalence, by_auroc": pairs["by_auroc"],
        "higher prevalence, difference": pairs["by_average_precision"] - pairs["by_auroc"],
    }
    rows += [{"quantity": name, **over_tasks(share, pairs["source_group"])} for name, share in shares.items()]
    return pd.DataFrame(rows)
