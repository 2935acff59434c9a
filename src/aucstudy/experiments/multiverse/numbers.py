"""How sure are the disagreement shares? The same shares under every choice that the paper leaves open or we made.

One choice is changed at a time. Most intervals are those over source groups; where models are redrawn
the range is that of the redraws. Only the flows that were fitted can be redrawn, which in a study of 30 models a task
means fewer than 30: the draw of 30 of all flows is redrawn in the experiment `variance`, which fits them all.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from aucstudy.area_names import DISTINCT_AREAS, DISTINCT_PAIRS
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.areas import areas_many
from aucstudy.metrics.conventions import CONVENTIONS
from aucstudy.statistics.intervals import LEVEL, Interval, over_tasks
from aucstudy.statistics.ranks import agreement, rounded
from aucstudy.statistics.seeds import generator
from aucstudy.store.task_store import Predictions

TOPS = (1, 3)
COLUMNS = (
    "dimension", "choice", "first", "second", "top", "estimate", "low", "high", "range_of", "draws", "n_tasks",
    "n_groups",
)  # fmt: skip
MIN_POSITIVES = (20, 50, 100)
# 30 where a store holds more than the 30 of the paper
MODELS = (30, 20, 10, 5)
OTHER_CONVENTIONS = tuple(name for name in CONVENTIONS if name != "exact")


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    """One task's `other_values`."""
    return {"other_values": other_values(task.predictions, task.frames["convention_values"])}


def over_all(study: Study, *, redraws: int, aggregation: str, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's table."""
    table = multiverse(
        study.scores(),
        study.frames["other_values"],
        study.source_groups,
        aggregation=aggregation,
        redraws=redraws,
        seed=seed,
    )
    return {"multiverse": table}


def other_values(predictions: Predictions, conventions: pd.DataFrame) -> pd.DataFrame:
    """The areas of one task's models that its scores table does not hold.

    Parameters
    ----------
    conventions : the `convention_values` of the task by the experiment `conventions`.

    Returns
    -------
    One row a model: task_id, run_id, `majority_<area>` (the other class positive, scores turned round),
    `auprg_unit_square` (negative precision gains count 0) and the rival conventions of AUPR by their names.
    """
    y, scores = predictions.y_true, predictions.scores
    turned = areas_many(~y, -scores)
    values = {f"majority_{area}": getattr(turned, area) for area in DISTINCT_AREAS}
    values["auprg_unit_square"] = areas_many(y, scores, negative_gains="clip").auprg
    facts = {"task_id": predictions.task_id, "run_id": list(predictions.run_ids)}
    return pd.DataFrame({**facts, **values}).merge(conventions[["run_id", *OTHER_CONVENTIONS]], on="run_id")


def universes(
    scores: pd.DataFrame, other: pd.DataFrame, aggregation: str
) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Every choice of values: dimension, choice, and a frame with task_id, run_id, aupr, auprg, auroc.

    Parameters
    ----------
    scores : scores.parquet, all aggregations.
    other : the rows of `other_values` of all tasks (pooled, like most tools).
    aggregation : the one that ranks in this study; the first frame is the study's own.
    """
    by_aggregation = dict(iter(scores.groupby("aggregation", sort=True)))
    own = by_aggregation[aggregation]
    yield "this study", "as configured", own
    for name, of_aggregation in by_aggregation.items():
        if name != aggregation:
            yield "folds", name, of_aggregation
    pooled = by_aggregation["pooled"].merge(other, on=["task_id", "run_id"], suffixes=("_own", ""))
    majority = {f"majority_{area}": area for area in DISTINCT_AREAS}
    yield "positive class", "majority", other[["task_id", "run_id", *majority]].rename(columns=majority)
    for name in OTHER_CONVENTIONS:
        yield "AUPR is", name, pooled.assign(aupr=pooled[name])
    yield "AUPRG is", "unit_square", pooled.assign(auprg=pooled["auprg_unit_square"])
    for least in MIN_POSITIVES:
        yield "positives", f"at least {least}", own[own["n_positive"] >= least]
    # where a model is perfect all areas agree that it is the best, or choose among perfect ones
    perfect = own.loc[rounded(own["auroc"].to_numpy()) == 1, "task_id"]
    yield "tasks", "no perfect model", own[~own["task_id"].isin(perfect)]


def differing(values: pd.DataFrame) -> pd.DataFrame:
    """The probability that two areas differ on the best model or the ordered first three, task by task.

    Returns
    -------
    Columns (first, second, top), one row a task_id; tasks with an undefined area are left out.
    """
    rows = {}
    for task_id, of_task_values in values.groupby("task_id", sort=True):
        areas = {area: rounded(of_task_values[area].to_numpy()) for area in DISTINCT_AREAS}
        if not np.isfinite(list(areas.values())).all():
            continue
        rows[task_id] = {
            (a, b, top): 1 - agreement(areas[a], areas[b], top) for a, b in DISTINCT_PAIRS for top in TOPS
        }
    return pd.DataFrame(rows).T


def multiverse(
    scores: pd.DataFrame,
    other: pd.DataFrame,
    source_groups: pd.Series,
    *,
    aggregation: str,
    redraws: int,
    seed: int,
) -> pd.DataFrame:
    """Each disagreement share under every choice.

    Returns
    -------
    One row a dimension, choice, pair and top: estimate, low, high, `range_of` (source groups | redraws), draws (how
    many redraws made the range), n_tasks, n_groups.
    """
    rows = []
    for dimension, choice, values in universes(scores, other, aggregation):
        differs = differing(values)
        if differs.empty:
            continue
        kinds = {(dimension, choice): differs}
        if dimension == "this study":
            kinds["ties", "strict"] = (differs > 0).astype(float)
            kinds["ties", "lenient"] = (differs == 1).astype(float)
            kinds["source groups", "one task each"] = differs.groupby(source_groups[differs.index]).mean()
        for (of, kind), shares in kinds.items():
            groups = shares.index if of == "source groups" else source_groups[shares.index]
            rows += _rows(of, kind, shares, groups.to_numpy())
    own = scores[scores["aggregation"] == aggregation]
    return pd.DataFrame(rows + list(_redrawn(own, redraws, seed)))[list(COLUMNS)]


def _rows(dimension: str, choice: str, shares: pd.DataFrame, groups: np.ndarray) -> list[dict]:
    return [
        {
            **_facts(dimension, choice, key),
            **over_tasks(shares[key], groups, exact=True),
            "range_of": "source groups",
            "draws": 0,
        }
        for key in shares
    ]


def _facts(dimension: str, choice: str, key: tuple[str, str, int]) -> dict:
    return {"dimension": dimension, "choice": choice, "first": key[0], "second": key[1], "top": key[2]}


def _redrawn(own: pd.DataFrame, redraws: int, seed: int) -> Iterator[dict]:
    """Shares over redraws of the models of each task, without replacement: mean, and the middle 95 % of the redraws.

    Tasks with fewer models than are drawn are left out.
    """
    tasks = {
        task_id: np.column_stack([rounded(own_values[area].to_numpy()) for area in DISTINCT_AREAS])
        for task_id, own_values in own.sort_values(["task_id", "run_id"]).groupby("task_id")
    }
    column = {area: k for k, area in enumerate(DISTINCT_AREAS)}
    for size in MODELS:
        drawn = {
            task_id: generator(seed, task_id, "redraw", size).permuted(
                np.tile(np.arange(len(values)), (redraws, 1)), axis=1
            )[:, :size]
            for task_id, values in tasks.items()
            if len(values) > size and np.isfinite(values).all()
        }
        if not drawn:
            continue
        for a, b in DISTINCT_PAIRS:
            for top in TOPS:
                shares = np.zeros(redraws)
                for task_id, models in drawn.items():
                    values = tasks[task_id]
                    first, second = (values[models, column[area]] for area in (a, b))
                    shares += _differ(first, second, top)
                shares /= len(drawn)
                low, high = np.percentile(shares, [50 * (1 - LEVEL), 100 - 50 * (1 - LEVEL)])
                share = Interval(shares.mean(), low, high)
                sizes = {"range_of": "redraws", "draws": redraws, "n_tasks": len(drawn), "n_groups": 0}
                yield {**_facts("models drawn", str(size), (a, b, top)), **vars(share), **sizes}


def _differ(first: np.ndarray, second: np.ndarray, top: int) -> np.ndarray:
    """Probability of disagreement for each row of two (draws, m) arrays; the slow way only where models tie."""
    order_a, order_b = (
        np.argsort(-values, axis=1, kind="stable")[:, : top + 1] for values in (first, second)
    )
    differs = (order_a[:, :top] != order_b[:, :top]).any(axis=1).astype(float)
    tied = np.zeros(len(first), dtype=bool)
    for values, order in ((first, order_a), (second, order_b)):
        leading = np.take_along_axis(values, order, axis=1)
        tied |= (leading[:, 1:] == leading[:, :-1]).any(axis=1)
    for row in np.flatnonzero(tied):
        differs[row] = 1 - agreement(first[row], second[row], top)
    return differs
