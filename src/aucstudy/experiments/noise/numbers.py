"""Is the disagreement of two areas more than noise? Like is compared with like, on halves of the test rows.

Two areas on two different halves disagree for two reasons: the areas differ, and the rows do. One area on the same
two halves disagrees for the second reason only. The difference of the two is the excess: 0 if the areas order the
models alike but for noise. (Disagreement on the same rows against one area's disagreement with itself on resampled
rows compares unlike things: both areas share the noise of the same rows, so it comes out negative even for areas that
truly differ.) All of it is conditional on the fitted models: no model is fitted again.
"""

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS_COMPARED, PAIRS
from aucstudy.experiments.inputs import Study, Task
from aucstudy.experiments.noise.shares import noise_over_tasks
from aucstudy.experiments.noise.told_apart import SWAP_LEVEL, pairs_of_task, pairs_over_tasks
from aucstudy.metrics.engine.walks import Order, areas_of_subsets, order_of
from aucstudy.statistics.ranks import rounded
from aucstudy.statistics.seeds import generator
from aucstudy.statistics.stratified import parts_in_turn, stratified_parts
from aucstudy.store.task_store import Predictions

TOPS = (1, 3)
EXCESS_COLUMNS = (
    "task_id", "splits", "first", "second", "top", "across", "self_first", "self_second", "excess",
)  # fmt: skip
SWAP_COLUMNS = (
    "task_id", "splits", "first", "second", "run_first", "run_second", "margin_first", "margin_second",
    "p_first", "p_second", "p", "real", "confirmed", "reversed",
)  # fmt: skip
PAIR_COLUMNS = ("task_id", "aupr_only", "auroc_only", "both")


def of_task(task: Task, *, splits: int, seed: int) -> dict[str, pd.DataFrame]:
    """One task's `noise_of_task`, with its source group; no rows where some half never holds both classes."""
    frames = noise_of_task(task.predictions, splits, seed)
    for frame in frames.values():
        frame.insert(1, "source_group", task.source_group)
    return frames


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    excess, swaps, pairs = (study.frames[name] for name in ("excess", "swaps", "pairs"))
    prevalences = study.tasks.set_index("task_id")["prevalence"]
    return {
        "noise": noise_over_tasks(excess, swaps),
        "noise_pairs": pairs_over_tasks(pairs, prevalences),
        "noise_tasks": excess,
        "noise_swaps": swaps,
    }


def half_splits(
    y_true: np.ndarray, folds: np.ndarray, units: np.ndarray, splits: int, rng: np.random.Generator
) -> np.ndarray:
    """Split the rows into halves as `stratified_parts` does.

    Returns
    -------
    (splits, n) bool, True for the first half. Each class, and each class within a fold, is halved to within a row.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> half_splits(np.array([1, 1, 0, 0, 0, 0]), np.array([0, 0, 0, 0, 1, 1]), np.arange(6), 9, rng).sum(1).tolist()
    [3, 3, 3, 3, 3, 3, 3, 3, 3]
    """
    return stratified_parts(y_true, folds, units, 2, splits, rng) == 0


def half_areas(
    order: Order, predictions: Predictions, splits: int, seed: int
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """The rounded areas of every model on both halves of every split: (splits, m) by area, for each half.

    Splits whose halves do not both hold both classes (a class with one row) are NaN.
    """
    rows = predictions.y_true, predictions.folds, predictions.row_id
    rng = generator(seed, predictions.task_id, "halves")
    turns = [_areas(order, halves, 2) for halves in parts_in_turn(*rows, 2, splits, rng)]
    joined = {area: rounded(np.concatenate([areas[area] for areas in turns])) for area in AREAS_COMPARED}
    return tuple({area: values[:, half] for area, values in joined.items()} for half in (0, 1))


def _areas(order: Order, parts: np.ndarray, n_parts: int) -> dict[str, np.ndarray]:
    """(splits, parts, m) areas by name on the parts of every split."""
    areas = areas_of_subsets(order, parts, n_parts, of=AREAS_COMPARED)
    return dict(zip(AREAS_COMPARED, areas, strict=True))


def first_places(values: np.ndarray, shared: np.ndarray, top: int) -> np.ndarray:
    """The `top` best models in order, (splits, top), tied models in the order of `shared`.

    Parameters
    ----------
    values : (splits, m), larger is better.
    shared : (splits, m), a permutation of the models in each split, the same for all areas and halves.
    """
    return np.lexsort((shared, -values), axis=-1)[:, :top]


def excess_of_task(
    first: dict[str, np.ndarray], second: dict[str, np.ndarray], shared: np.ndarray
) -> list[dict]:
    """Disagreement across halves, of each area with itself and of each pair of areas.

    Parameters
    ----------
    first, second : (splits, m) areas by name on the two halves.
    shared : as in `first_places`.

    Returns
    -------
    A dict a pair and top: first, second, top, `across` (mean of the two ways to give the halves to the two areas),
    `self_first`, `self_second` (an area with itself on the other half), `excess` = across - mean of the two.
    """
    rows = []
    for top in TOPS:
        best = [
            {area: first_places(values, shared, top) for area, values in half.items()}
            for half in (first, second)
        ]

        def differ(a: str, b: str, best: list = best) -> float:
            ways = [(best[0][a] != best[1][b]).any(axis=1), (best[0][b] != best[1][a]).any(axis=1)]
            return float(np.mean(ways))

        for a, b in PAIRS:
            across, alone = differ(a, b), (differ(a, a), differ(b, b))
            shares = {"across": across, "self_first": alone[0], "self_second": alone[1]}
            rows.append({"first": a, "second": b, "top": top, **shares, "excess": across - sum(alone) / 2})
    return rows


def swaps_of_task(
    whole: dict[str, np.ndarray],
    run_ids: tuple[str, ...],
    first: dict[str, np.ndarray],
    second: dict[str, np.ndarray],
) -> list[dict]:
    """The swap of each pair of areas that pick different best models for certain, and whether it is real.

    With i the best model by the first area and j by the second, the swap is real only if both signs are supported:
    first_i > first_j and second_j > second_i (an intersection-union test: p is the larger of the two one-sided
    shares). The halves serve as paired resamples without repeated rows: around the whole sample's value the area of a
    random half varies as much as the whole sample's does around the population's, and no row is doubled into a tie as
    in a bootstrap (which moves AUPR up and AUPRG down where positives are few).

    Parameters
    ----------
    whole : (m,) rounded areas by name on all rows.
    first, second : as in `excess_of_task`.

    Returns
    -------
    A dict a swap: first, second, run_first (i), run_second (j), margin_first = first_i - first_j, margin_second =
    second_j - second_i, p_first, p_second (share of halves where the margin is not positive), p, real (p <= .025);
    confirmed, reversed: share of splits whose swap on one half (the winners chosen there) has both signs, or neither,
    on the other half: choosing and testing on different rows.
    """
    rows = []
    for a, b in PAIRS:
        if (swap := certain_swap(whole, a, b)) is None:
            continue
        i, j = swap
        p_first, p_second = shares_against(first, second, a, b, i, j)
        ways = [_on_other_half(first, second, a, b), _on_other_half(second, first, a, b)]
        confirmed, turned = np.mean(ways, axis=0)
        rows.append(
            {
                "first": a,
                "second": b,
                "run_first": run_ids[i],
                "run_second": run_ids[j],
                "margin_first": whole[a][i] - whole[a][j],
                "margin_second": whole[b][j] - whole[b][i],
                "p_first": p_first,
                "p_second": p_second,
                "p": max(p_first, p_second),
                "real": max(p_first, p_second) <= SWAP_LEVEL,
                "confirmed": confirmed,
                "reversed": turned,
            }
        )
    return rows


def certain_swap(whole: dict[str, np.ndarray], a: str, b: str) -> tuple[int, int] | None:
    """The best models by two areas, None if one model may be both; of tied ones the two nearest in the other area."""
    best_a, best_b = (np.flatnonzero(whole[area] == whole[area].max()) for area in (a, b))
    if len(np.intersect1d(best_a, best_b)):
        return None
    return int(best_a[np.argmax(whole[b][best_a])]), int(best_b[np.argmax(whole[a][best_b])])


def shares_against(
    first: dict[str, np.ndarray], second: dict[str, np.ndarray], a: str, b: str, i: int, j: int
) -> tuple[float, float]:
    """The one-sided p of each sign of a swap: shares of halves in which i is not above j by a, nor j above i by b."""
    lost = [
        np.concatenate([half[area][:, win] <= half[area][:, lose] for half in (first, second)])
        for area, win, lose in ((a, i, j), (b, j, i))
    ]
    return tuple((1 + fails.sum()) / (1 + len(fails)) for fails in lost)


def _on_other_half(
    chosen: dict[str, np.ndarray], tested: dict[str, np.ndarray], a: str, b: str
) -> tuple[float, float]:
    """Share of splits whose swap on the chosen half has both its signs, and both the opposite ones, on the other."""
    split = np.arange(len(chosen[a]))
    i, j = chosen[a].argmax(axis=1), chosen[b].argmax(axis=1)
    swapped = (chosen[a][split, i] > chosen[a][split, j]) & (chosen[b][split, j] > chosen[b][split, i])
    margins = tested[a][split, i] - tested[a][split, j], tested[b][split, j] - tested[b][split, i]
    confirmed = swapped & (np.minimum(*margins) > 0)
    return float(confirmed.mean()), float((swapped & (np.maximum(*margins) < 0)).mean())


def noise_of_task(predictions: Predictions, splits: int, seed: int) -> dict[str, pd.DataFrame]:
    """One task's frames: the rows of `excess_of_task` and of `swaps_of_task`, and what `pairs_of_task` gives."""
    order = order_of(predictions.y_true, predictions.scores)
    everything = np.zeros((1, len(predictions.y_true)), dtype=np.uint8)
    whole = {area: rounded(values[0, 0]) for area, values in _areas(order, everything, 1).items()}
    first, second = half_areas(order, predictions, splits, seed)
    known = np.isfinite(first["aupr"][:, 0]) & np.isfinite(second["aupr"][:, 0])
    first, second = ({area: values[known] for area, values in half.items()} for half in (first, second))
    facts = {"task_id": predictions.task_id, "splits": int(known.sum())}
    if not known.any():
        columns = {"excess": EXCESS_COLUMNS, "swaps": SWAP_COLUMNS, "pairs": PAIR_COLUMNS}
        return {name: pd.DataFrame(columns=list(of_frame)) for name, of_frame in columns.items()}
    models = np.tile(np.arange(len(predictions.run_ids)), (known.sum(), 1))
    shared = generator(seed, predictions.task_id, "tied models on halves").permuted(models, axis=1)
    excess = [{**facts, **row} for row in excess_of_task(first, second, shared)]
    swaps = [{**facts, **row} for row in swaps_of_task(whole, predictions.run_ids, first, second)]
    pairs = {"task_id": predictions.task_id, **pairs_of_task(first, second)}
    return {
        "excess": pd.DataFrame(excess),
        "swaps": pd.DataFrame(swaps, columns=list(SWAP_COLUMNS)),
        "pairs": pd.DataFrame([pairs], columns=list(PAIR_COLUMNS)),
    }
