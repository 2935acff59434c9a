"""Is the disagreement of two areas more than noise?

Two areas on opposite halves of the test rows are compared with one area on opposite halves.
"""

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS_COMPARED, PAIRS
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.ranking import Order, areas_of_subsets, order_of
from aucstudy.statistics.intervals import estimated, ratio_interval
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator
from aucstudy.statistics.stratified import parts_in_turn
from aucstudy.store.task_store import Predictions

Areas = dict[str, np.ndarray]  # values by area
TOPS = (1, 3)
# of each one-sided test of an order, of a swap or of two models: one side of a 95 % interval
SWAP_LEVEL = 0.025
RARE = 0.1
RARE_TASKS = f"prevalence under {RARE:g}"


def of_task(task: Task, *, splits: int, seed: int) -> dict[str, pd.DataFrame]:
    """Disagreement across random halves, swaps of best models, and pairs that keep their order; {} without halves."""
    predictions = task.predictions
    order = order_of(predictions.y_true, predictions.scores)
    one_part = np.zeros((1, len(predictions.y_true)), dtype=np.uint8)
    whole_areas = {area: rounded(values[0, 0]) for area, values in _areas(order, one_part, 1).items()}
    halves = half_areas(order, predictions, splits, seed)
    both_classes = np.logical_and(*(np.isfinite(half["aupr"][:, 0]) for half in halves))
    if not both_classes.any():
        return {}
    halves = [{area: values[both_classes] for area, values in half.items()} for half in halves]
    models = np.tile(np.arange(len(predictions.run_ids)), (both_classes.sum(), 1))
    tie_order = generator(seed, predictions.task_id, "tied models on halves").permuted(models, axis=1)
    rows = {
        "noise_tasks": excess_of_task(halves, tie_order),
        "noise_swaps": swaps_of_task(whole_areas, predictions.run_ids, halves),
        "pairs": [pairs_of_task(halves)],
    }
    return {name: pd.DataFrame(rows_of).assign(splits=both_classes.sum()) for name, rows_of in rows.items()}


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    if study.frames["noise_tasks"].empty:
        return {}
    return {
        "noise": noise_table(study.frames["noise_tasks"], study.frames["noise_swaps"]),
        "noise_pairs": pairs_table(study.frames["pairs"], study.tasks.set_index("task_id")["prevalence"]),
    }


def half_areas(order: Order, predictions: Predictions, splits: int, seed: int) -> list[Areas]:
    """(splits, m) rounded areas on both halves of every split, NaN where a half lacks a class."""
    rows = predictions.y_true, predictions.folds, predictions.row_id
    rng = generator(seed, predictions.task_id, "halves")
    turns = [_areas(order, halves, 2) for halves in parts_in_turn(*rows, 2, splits, rng)]
    joined = {area: rounded(np.concatenate([areas[area] for areas in turns])) for area in AREAS_COMPARED}
    return [{area: values[:, half] for area, values in joined.items()} for half in (0, 1)]


def _areas(order: Order, parts: np.ndarray, n_parts: int) -> Areas:
    areas = areas_of_subsets(order, parts, n_parts, names=AREAS_COMPARED)
    return dict(zip(AREAS_COMPARED, areas, strict=True))


def first_places(values: np.ndarray, tie_order: np.ndarray, top: int) -> np.ndarray:
    """(splits, top) best models in order, tied ones by (splits, m) `tie_order`."""
    return np.lexsort((tie_order, -values), axis=-1)[:, :top]


def excess_of_task(halves: list[Areas], tie_order: np.ndarray) -> list[dict]:
    """Disagreement across halves, by pair and top."""
    rows = []
    for top in TOPS:
        best = [
            {area: first_places(values, tie_order, top) for area, values in half.items()} for half in halves
        ]

        def differ(a: str, b: str, best: list = best) -> float:
            return float(np.mean([(best[i][a] != best[1 - i][b]).any(axis=1) for i in (0, 1)]))

        for a, b in PAIRS:
            shares = {"across": differ(a, b), "self_first": differ(a, a), "self_second": differ(b, b)}
            excess = shares["across"] - (shares["self_first"] + shares["self_second"]) / 2
            rows.append({"first": a, "second": b, "top": top, **shares, "excess": excess})
    return rows


def swaps_of_task(whole: Areas, run_ids: tuple[str, ...], halves: list[Areas]) -> list[dict]:
    """The swap of each pair of areas that pick different best models for certain, and whether it is real.

    An intersection-union test: p is the larger of the two one-sided shares. The area of a random half varies around
    that of the sample as this does around the population's, and has no row twice: the ties of a bootstrap move AUPR up
    and AUPRG down where positives are few.
    """
    rows = []
    for a, b in PAIRS:
        if (swap := certain_swap(whole, a, b)) is None:
            continue
        i, j = swap
        p = shares_against(halves, a, b, i, j)
        on_other = [_on_other_half(halves[k], halves[1 - k], a, b) for k in (0, 1)]
        confirmed_share, turned_share = np.mean(on_other, axis=0)
        rows.append(
            {
                "first": a, "second": b, "run_first": run_ids[i], "run_second": run_ids[j],
                "margin_first": whole[a][i] - whole[a][j], "margin_second": whole[b][j] - whole[b][i],
                "p_first": p[0], "p_second": p[1], "p": max(p), "real": max(p) <= SWAP_LEVEL,
                "confirmed": confirmed_share, "reversed": turned_share,
            }
        )  # fmt: skip
    return rows


def certain_swap(whole: Areas, a: str, b: str) -> tuple[int, int] | None:
    """The best models by two areas, None if one model may be both; of tied ones the two nearest in the other area."""
    best_a, best_b = (np.flatnonzero(whole[area] == whole[area].max()) for area in (a, b))
    if len(np.intersect1d(best_a, best_b)):
        return None
    return int(best_a[np.argmax(whole[b][best_a])]), int(best_b[np.argmax(whole[a][best_b])])


def shares_against(halves: list[Areas], a: str, b: str, i: int, j: int) -> tuple[float, ...]:
    """The one-sided p of each sign of a swap: shares of halves in which i is not above j by a, nor j above i by b."""
    fails_by_area = [
        np.concatenate([half[area][:, win] <= half[area][:, lose] for half in halves])
        for area, win, lose in ((a, i, j), (b, j, i))
    ]
    return tuple((1 + fails.sum()) / (1 + len(fails)) for fails in fails_by_area)


def _on_other_half(chosen: Areas, tested: Areas, a: str, b: str) -> tuple[float, float]:
    """Share of splits whose swap has both its signs, and both the opposite ones, on the other half."""
    split = np.arange(len(chosen[a]))
    i, j = chosen[a].argmax(axis=1), chosen[b].argmax(axis=1)
    is_swapped = (chosen[a][split, i] > chosen[a][split, j]) & (chosen[b][split, j] > chosen[b][split, i])
    margins = tested[a][split, i] - tested[a][split, j], tested[b][split, j] - tested[b][split, i]
    is_confirmed = is_swapped & (np.minimum(*margins) > 0)
    return float(is_confirmed.mean()), float((is_swapped & (np.maximum(*margins) < 0)).mean())


def pairs_of_task(halves: list[Areas]) -> dict[str, float]:
    """Shares of a task's pairs of models that only AUPR, only AUROC or both order alike on nearly all halves."""
    pr, roc = (ordered_alike(np.concatenate([half[area] for half in halves])) for area in ("aupr", "auroc"))
    shares = {"aupr_only": pr & ~roc, "auroc_only": roc & ~pr, "both": pr & roc}
    return {name: float(pairs.mean()) if len(pairs) else np.nan for name, pairs in shares.items()}


def ordered_alike(values: np.ndarray) -> np.ndarray:
    i, j = np.triu_indices(values.shape[1], 1)
    ahead, behind = ((values[:, x] > values[:, y]).mean(axis=0) for x, y in ((i, j), (j, i)))
    return np.maximum(ahead, behind) >= 1 - SWAP_LEVEL


def noise_table(excess: pd.DataFrame, swaps: pd.DataFrame) -> pd.DataFrame:
    swaps_by_pair = {
        pair: pair_swaps.set_index("task_id") for pair, pair_swaps in swaps.groupby(["first", "second"])
    }

    def quantities(tasks: pd.DataFrame) -> dict:
        first, second, top = tasks.iloc[0][["first", "second", "top"]]
        values = {name: tasks[name] for name in ("across", "self_first", "self_second", "excess")}
        values["of_ceiling"] = of_ceiling(tasks)
        if top == 1:
            pair = swaps_by_pair.get((first, second), swaps.iloc[:0].set_index("task_id"))
            values["swap"] = pd.Series(tasks.index.isin(pair.index), tasks.index, dtype=float)
            values["real_swap"] = pair["real"].astype(float).reindex(tasks.index, fill_value=0.0)
            values |= {name: pair[name] for name in ("confirmed", "reversed") if len(pair)}
        return values

    def cut(key: tuple, name: str) -> dict:
        return {"exact": name == "real_swap" and key[:2] in swaps_by_pair, "share": name != "excess"}

    splits = {"facts": lambda tasks: {"splits": int(tasks["splits"].max())}}
    return estimated(excess, ["first", "second", "top"], quantities, cut=cut, **splits)


def of_ceiling(tasks: pd.DataFrame) -> dict[str, float]:
    """The mean excess as a share of the largest there could be, 1 - the mean self-disagreement."""
    room = 1 - (tasks["self_first"] + tasks["self_second"]).to_numpy() / 2
    groups = tasks["source_group"].to_numpy()
    sizes = {"n_tasks": len(tasks), "n_groups": len(set(groups))}
    return vars(ratio_interval(tasks["excess"].to_numpy(), room, groups)) | sizes


def pairs_table(pairs: pd.DataFrame, prevalences: pd.Series) -> pd.DataFrame:
    rare = pairs[(prevalences[pairs["task_id"]] < RARE).to_numpy()]
    return estimated(
        pd.concat([pairs.assign(tasks="all"), rare.assign(tasks=RARE_TASKS)]),
        ["tasks"],
        lambda tasks: {
            "aupr only": tasks["aupr_only"],
            "auroc only": tasks["auroc_only"],
            "both": tasks["both"],
            "aupr only minus auroc only": tasks["aupr_only"] - tasks["auroc_only"],
        },
    )
