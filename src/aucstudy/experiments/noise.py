"""The experiment `noise`: is the disagreement of two metrics more than noise?

The test rows are split at random into halves. The disagreement of two metrics on different halves is compared
with the disagreement of one metric with itself on the two halves.
"""

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import AREAS_COMPARED, PAIRS
from aucstudy.experiments.inputs import RARE_TASKS, Task
from aucstudy.experiments.quantities import Frames, Quantity, each, measured_rows
from aucstudy.metrics.kernel import Order, order_of
from aucstudy.metrics.subsets import areas_of_subsets
from aucstudy.statistics.ranks import random_orders, rounded
from aucstudy.statistics.seeds import generator
from aucstudy.statistics.stratified import parts_in_turn
from aucstudy.store.estimates import ALL
from aucstudy.store.task_store import Predictions

# By metric, the (m,) values on all rows or the (splits, m) values on one half of each split.
AreaValues = dict[str, np.ndarray]
TOPS = (1, 3)
# The level of each one-sided test that one model is above another. It is one side of a 95 % interval.
SWAP_LEVEL = 0.025


def on_halves(frames: Frames) -> pd.DataFrame:
    """Return the rows by task with `itself`, how often a single metric picks different models (mean of the two)."""
    by_task = measured_rows(frames, "noise_tasks")
    itself = (by_task["self_first"] + by_task["self_second"]) / 2
    return by_task.assign(itself=itself, largest=1 - itself)


def swaps_in_tasks(frames: Frames) -> pd.DataFrame:
    """Return the rows by task for the best model, with whether there is a ranking change and a real one.

    `any_swap` says whether there is a ranking change in any task. AUPR and AUCNPR rank alike by construction.
    """
    keys = ["task_id", "first", "second"]
    by_task, swaps = measured_rows(frames, "noise_tasks"), frames["noise_swaps"]
    by_task = by_task[by_task["top"] == 1]
    has_swap = by_task[keys].merge(swaps[[*keys, "real"]], how="left", on=keys)["real"].to_numpy()
    is_swap = pd.notna(has_swap)
    real = np.array([value is True or value == 1 for value in has_swap])
    rows = by_task.assign(swap=is_swap.astype(float), real_swap=real.astype(float))
    return rows.assign(any_swap=rows.groupby(["first", "second"])["swap"].transform("max") > 0)


def pairs_told_apart(frames: Frames) -> pd.DataFrame:
    pairs = measured_rows(frames, "pairs")
    return pairs.assign(minus=pairs["aupr_only"] - pairs["auroc_only"])


_PAIR = {"first": "{first}", "second": "{second}"}
_PLACES = {**_PAIR, "at": "{top}"}
_PREVALENCES = (ALL, RARE_TASKS)
QUANTITIES = (
    *each(("across", "self_first", "self_second", "itself"), on_halves, keys=_PLACES, kind="share"),
    Quantity("excess", on_halves, "excess", _PLACES),
    Quantity("excess of its ceiling", on_halves, "excess", _PLACES, kind="ratio", over="largest"),
    Quantity("swap", swaps_in_tasks, "swap", _PLACES, kind="share"),
    *(
        Quantity("real swap", swaps_in_tasks, "real_swap", _PLACES, {"any_swap": some}, kind="share", exact=some)
        for some in (True, False)
    ),
    *each(("confirmed", "reversed"), "noise_swaps", keys={**_PAIR, "at": "1"}, kind="share"),
    *each(
        {"pairs told apart by both": "both", "pairs told apart by one": "aupr_only"}, pairs_told_apart,
        keys={"first": "aupr"}, subsets=_PREVALENCES,
    ),
    Quantity("pairs told apart by one", pairs_told_apart, "auroc_only", {"first": "auroc"}, subsets=_PREVALENCES),
    Quantity(
        "pairs told apart by one", pairs_told_apart, "minus", {"first": "aupr", "second": "auroc"},
        subsets=_PREVALENCES,
    ),
)  # fmt: skip


def of_task(task: Task, *, splits: int, seed: int) -> dict[str, pd.DataFrame]:
    predictions = task.predictions
    order = order_of(predictions.y_true, predictions.scores)
    all_rows = np.zeros((1, len(predictions.y_true)), dtype=np.uint8)
    areas = {area: rounded(values[0, 0]) for area, values in _areas(order, all_rows, 1).items()}
    halves = half_areas(order, predictions, splits, seed)
    both_classes = np.logical_and(*(np.isfinite(half["aupr"][:, 0]) for half in halves))
    n_splits = both_classes.sum()
    if not n_splits:
        return {}
    halves = [{area: values[both_classes] for area, values in half.items()} for half in halves]
    rng = generator(seed, predictions.task_id, "tied models on halves")
    tie_order = random_orders(len(predictions.run_ids), n_splits, rng)
    rows = {
        "noise_tasks": excess_of_task(halves, tie_order),
        "noise_swaps": swaps_of_task(areas, predictions.run_ids, halves),
        "pairs": [pairs_of_task(halves)],
    }
    return {name: pd.DataFrame(frame_rows).assign(splits=n_splits) for name, frame_rows in rows.items()}


def half_areas(order: Order, predictions: Predictions, splits: int, seed: int) -> list[AreaValues]:
    """Return the rounded metrics on each of the two halves of every split, NaN where a half lacks a class."""
    rows = predictions.y_true, predictions.folds, predictions.row_id
    rng = generator(seed, predictions.task_id, "halves")
    batches = [_areas(order, halves, 2) for halves in parts_in_turn(*rows, 2, splits, rng)]
    joined = {area: rounded(np.concatenate([areas[area] for areas in batches])) for area in AREAS_COMPARED}
    return [{area: values[:, half] for area, values in joined.items()} for half in (0, 1)]


def _areas(order: Order, part_of_row: np.ndarray, n_parts: int) -> AreaValues:
    """Return the values (splits, parts, m) of each metric on each part of the rows."""
    areas = areas_of_subsets(order, part_of_row, n_parts, names=AREAS_COMPARED)
    return dict(zip(AREAS_COMPARED, areas, strict=True))


def excess_of_task(halves: list[AreaValues], tie_order: np.ndarray) -> list[dict]:
    rows = []
    for top in TOPS:
        best = [{area: first_places(half[area], tie_order, top) for area in half} for half in halves]
        differ = {
            (a, b): np.mean([(best[i][a] != best[1 - i][b]).any(axis=1) for i in (0, 1)])
            for a, b in [*PAIRS, *((area, area) for area in AREAS_COMPARED)]
        }
        for a, b in PAIRS:
            shares = {"across": differ[a, b], "self_first": differ[a, a], "self_second": differ[b, b]}
            excess = shares["across"] - (shares["self_first"] + shares["self_second"]) / 2
            rows.append({"first": a, "second": b, "top": top, **shares, "excess": excess})
    return rows


def first_places(values: np.ndarray, tie_order: np.ndarray, top: int) -> np.ndarray:
    """Return the best models (splits, top) in order.

    Tied models are ordered by their `tie_order` (splits, m), the smallest first.
    """
    return np.lexsort((tie_order, -values), axis=-1)[:, :top]


def swaps_of_task(areas: AreaValues, run_ids: tuple[str, ...], halves: list[AreaValues]) -> list[dict]:
    """Return the ranking change of each pair of metrics without a common best model, and whether it is real.

    This is an intersection-union test. Each metric is tested for ranking its best model above the other
    metric's, and `p` is the larger of the two p-values. The test uses halves because they contain no row
    twice. In a bootstrap, repeated rows are tied, which raises AUPR and lowers AUPRG if there are few
    positives.
    """
    rows = []
    for a, b in PAIRS:
        if (swap := untied_swap(areas, a, b)) is None:
            continue
        i, j = swap
        p = shares_against(halves, a, b, i, j)
        shares = [_on_other_half(halves[k], halves[1 - k], a, b) for k in (0, 1)]
        confirmed, turned = np.mean(shares, axis=0)
        rows.append(
            {
                "first": a, "second": b, "run_first": run_ids[i], "run_second": run_ids[j],
                "margin_first": areas[a][i] - areas[a][j], "margin_second": areas[b][j] - areas[b][i],
                "p_first": p[0], "p_second": p[1], "p": max(p), "real": max(p) <= SWAP_LEVEL,
                "confirmed": confirmed, "reversed": turned,
            }
        )  # fmt: skip
    return rows


def untied_swap(areas: AreaValues, a: str, b: str) -> tuple[int, int] | None:
    """Return the best models by two metrics, or None if these have a best model in common.

    Of several models that are tied for the best by one metric, the best by the other metric is taken.
    """
    best_a, best_b = (np.flatnonzero(areas[area] == areas[area].max()) for area in (a, b))
    if len(np.intersect1d(best_a, best_b)):
        return None
    return int(best_a[np.argmax(areas[b][best_a])]), int(best_b[np.argmax(areas[a][best_b])])


def shares_against(halves: list[AreaValues], a: str, b: str, i: int, j: int) -> tuple[float, ...]:
    """Return the p-values of two one-sided tests: i is above j by metric a, and j is above i by metric b.

    A p-value is the share of halves in which this is not so, with one such half added.
    """
    contradicted = [
        np.concatenate([half[area][:, better] <= half[area][:, worse] for half in halves])
        for area, better, worse in ((a, i, j), (b, j, i))
    ]
    return tuple((1 + against.sum()) / (1 + len(against)) for against in contradicted)


def _on_other_half(choosing: AreaValues, testing: AreaValues, a: str, b: str) -> tuple[float, float]:
    """Return the shares of splits in which a disagreement is confirmed and reversed on the other half.

    The two metrics disagree on the choosing half if each ranks its best model strictly above that of the
    other. This is confirmed if both metrics do so on the testing half, and reversed if both rank the other's
    model higher there.
    """
    split, i, j = np.arange(len(choosing[a])), choosing[a].argmax(axis=1), choosing[b].argmax(axis=1)

    def margins(half: AreaValues) -> np.ndarray:
        return np.stack([half[a][split, i] - half[a][split, j], half[b][split, j] - half[b][split, i]])

    swaps, tested = (margins(choosing) > 0).all(axis=0), margins(testing)
    return (swaps & (tested > 0).all(axis=0)).mean(), (swaps & (tested < 0).all(axis=0)).mean()


def pairs_of_task(halves: list[AreaValues]) -> dict[str, float]:
    """Return the shares of the pairs of models whose order is stable by AUPR only, AUROC only, and both.

    In the last case, the two metrics can order the models differently.
    """
    pr, roc = (order_is_stable(np.concatenate([half[area] for half in halves])) for area in ("aupr", "auroc"))
    shares = {"aupr_only": pr & ~roc, "auroc_only": roc & ~pr, "both": pr & roc}
    return {name: float(pairs.mean()) if len(pairs) else np.nan for name, pairs in shares.items()}


def order_is_stable(values: np.ndarray) -> np.ndarray:
    """Return which pairs of models (pairs,) have the same order, without a tie, on nearly all halves."""
    i, j = np.triu_indices(values.shape[1], 1)
    ahead, behind = ((values[:, x] > values[:, y]).mean(axis=0) for x, y in ((i, j), (j, i)))
    return np.maximum(ahead, behind) >= 1 - SWAP_LEVEL
