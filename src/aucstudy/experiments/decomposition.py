"""The experiment `decomposition`: why do AUPR and AUPRG disagree?

AUPR is changed into AUPRG in steps. The result of each step is a metric of its own.
"""

from itertools import permutations

import numpy as np
import pandas as pd

from aucstudy.experiments.disagreement import TIED_ABOVE
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.decomposition import areas_from_aupr_to_auprg
from aucstudy.metrics.kernel import order_of
from aucstudy.statistics.intervals import estimated
from aucstudy.statistics.ranks import agreement, rounded

PATH = ("aupr", "from_baseline", "recall_above_prevalence", "recall_gain", "auprg")
# A step has the name of the metric to which it leads.
STEPS = PATH[1:]
# The three steps that can change the order of two models, in all six sequences. The first sequence is that of
# PATH.
ORDERS = tuple(permutations(STEPS[1:]))
_CUT, _SCALED, _HARMONIC = STEPS[1:]
# These columns of decomposition_swaps.csv say which model is better after steps in another sequence than
# PATH.
AHEAD = {
    frozenset({_SCALED}): "ahead_scaled",
    frozenset({_HARMONIC}): "ahead_harmonic",
    frozenset({_SCALED, _HARMONIC}): "ahead_scaled_harmonic",
    frozenset({_CUT, _HARMONIC}): "ahead_above_harmonic",
}


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    predictions = task.predictions
    areas, other_sequences, tied = areas_from_aupr_to_auprg(order_of(predictions.y_true, predictions.scores))
    if np.isnan(areas).any():
        return {}
    areas = rounded(areas)
    pairs = turned_pairs(areas, rounded(other_sequences), tied, predictions.run_ids)
    return {"decomposition_swaps": pairs[pairs["weight"] > 0], "decomposition_tasks": _shares(areas, pairs)}


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    swaps, shares = study.frames["decomposition_swaps"], study.frames.get("decomposition_tasks")
    if shares is None or shares.empty:
        return {}
    return {"decomposition": shares_over_tasks(shares, swaps)}


def flip_step(differences: np.ndarray) -> np.ndarray:
    """Return the index of the metric from which on the order of two models stays reversed, or 0.

    `differences` (pairs, areas) are the first model's metrics along a path minus the second model's. The
    order is reversed at the end if the first and the last difference have opposite signs. If one of the two
    is 0, it is not reversed.

    >>> flip_step(np.array([[1, 1, -1, -1, -2], [1, -1, 1, 1, -1], [2, 1, 1, -1, 1.0]])).tolist()
    [2, 4, 0]
    """
    is_turned = np.sign(differences) * np.sign(differences[:, :1]) < 0
    held_last = differences.shape[1] - np.argmax(~is_turned[:, ::-1], axis=1)
    return np.where(is_turned[:, -1], held_last, 0)


def turned_by_order(swaps: pd.DataFrame) -> pd.DataFrame:
    leads = {frozenset(STEPS[1 : k + 1]): swaps[f"d_{STEPS[k]}"] for k in range(1, len(STEPS))}
    leads |= {frozenset(): swaps["d_aupr"], **{steps: swaps[name] for steps, name in AHEAD.items()}}
    turned = {}
    for order in ORDERS:
        along = np.column_stack([leads[frozenset(order[:k])] for k in range(len(order) + 1)])
        turned[order] = np.array(("", *order), dtype=object)[flip_step(along)]
    return pd.DataFrame(turned, index=swaps.index)


def ahead_of(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return 1 where the first model has the larger numbers, -1 where the second has, and 0 for equal ones.

    `first` and `second` are (..., 3). The first of the three numbers in which the models differ decides.

    >>> ahead_of(np.array([[2, 0, 1], [1, 0, 0], [1, 1, 1]]), np.array([[2, 0, 3], [0, 5, 5], [1, 1, 1]])).tolist()
    [-1, 1, 0]
    """
    signs = np.sign(first - second).astype(int)
    return np.where(signs[..., 0], signs[..., 0], np.where(signs[..., 1], signs[..., 1], signs[..., 2]))


def turned_pairs(
    areas: np.ndarray, other_sequences: np.ndarray, tied: np.ndarray, run_ids: tuple[str, ...]
) -> pd.DataFrame:
    """Return the pairs of models of which the first is better by AUPR and the second by AUPRG.

    `areas` (m, 5) are the rounded metrics of `PATH`. `other_sequences` (m, 4, 3) has the numbers that
    `ahead_of` compares for each entry of `AHEAD`. `tied` (m,) are the shares of the positives that are tied
    with a negative.

    In the result, `weight` is the probability that AUPR picks the first model and AUPRG the second. It is 0
    if some model is best by both metrics.
    """
    i, j = (ends.reshape(-1) for ends in np.indices((len(areas), len(areas))))
    differences = areas[i] - areas[j]
    is_swapped = (differences[:, 0] > 0) & (differences[:, -1] < 0)
    i, j, differences = i[is_swapped], j[is_swapped], differences[is_swapped]
    best_first, best_second = (areas[:, k] == areas[:, k].max() for k in (0, -1))
    bests_differ = not (best_first & best_second).any()
    weight = bests_differ * best_first[i] * best_second[j] / (best_first.sum() * best_second.sum())
    runs = np.array(run_ids, dtype=object)
    ahead = ahead_of(other_sequences[i], other_sequences[j])
    return pd.DataFrame(
        {
            "run_first": runs[i],
            "run_second": runs[j],
            "weight": weight,
            **{f"d_{area}": differences[:, k] for k, area in enumerate(PATH)},
            "flips_at": np.array(PATH)[flip_step(differences)],
            "n_flips": np.diff(differences < 0).sum(axis=1),
            "tied_first": tied[i],
            "tied_second": tied[j],
            "scores": np.where(np.maximum(tied[i], tied[j]) > TIED_ABOVE, "tied", "untied"),
            **{name: ahead[:, k] for k, name in enumerate(AHEAD.values())},
        }
    )


def _shares(areas: np.ndarray, pairs: pd.DataFrame) -> pd.DataFrame:
    n_pairs = len(areas) * (len(areas) - 1) / 2
    rows = []
    for step in STEPS:
        for scores in ("tied", "untied"):
            flipped = pairs[(pairs["flips_at"] == step) & (pairs["scores"] == scores)]
            rows.append(("best", step, scores, flipped["weight"].sum()))
            rows.append(("all", step, scores, len(flipped) / n_pairs))
    p_differs = 1 - agreement(areas[:, 0], areas[:, -1])
    rows.append(("best", "tie", "any", p_differs if p_differs < 1 else 0.0))
    return pd.DataFrame(rows, columns=["pairs", "flips_at", "scores", "share"])


def shares_over_tasks(shares: pd.DataFrame, swaps: pd.DataFrame) -> pd.DataFrame:
    def quantities(tasks: pd.DataFrame) -> dict:
        by_kind = tasks.pivot_table("share", "task_id", ["flips_at", "scores"], sort=False)
        sums = {(step, "any"): by_kind[step].sum(axis=1) for step in STEPS}
        return {**by_kind, **sums, ("whole", "any"): by_kind.sum(axis=1)}

    table = estimated(shares, ["pairs"], quantities, bounds_of=lambda key, quantity: {"share": True})
    table[["flips_at", "scores"]] = table["quantity"].to_list()
    table["part"] = table["estimate"] / table.groupby("pairs")["estimate"].transform("last")
    medians = changes_by_step(swaps).median()
    is_best_pair = (table["pairs"] == "best") & (table["scores"] == "any")
    return table.assign(median_change=table["flips_at"].map(medians).where(is_best_pair))


def changes_by_step(swaps: pd.DataFrame) -> pd.DataFrame:
    leads = swaps[[f"d_{area}" for area in PATH]].to_numpy(dtype=float)
    return pd.DataFrame(np.diff(leads, axis=1), columns=STEPS)
