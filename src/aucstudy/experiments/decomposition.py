"""The experiment `decomposition`: why do AUPR and AUPRG disagree?

AUPR is changed into AUPRG in steps. The result of each step is a metric of its own.
"""

from itertools import permutations

import numpy as np
import pandas as pd

from aucstudy.experiments.disagreement import TIED_ABOVE
from aucstudy.experiments.inputs import Task
from aucstudy.experiments.quantities import Frames, Quantity, measured_rows
from aucstudy.metrics.decomposition import areas_from_aupr_to_auprg
from aucstudy.metrics.kernel import order_of
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


def changes(frames: Frames) -> pd.DataFrame:
    """Return the share of the pairs of models whose order changes at each step, and at any, with `whole`.

    The scores of a pair are tied or untied, and `any` stands for both.
    """
    shares = measured_rows(frames, "decomposition_tasks")
    whole = shares.groupby(["task_id", "pairs"], sort=False)["share"].sum().rename("whole").reset_index()
    steps = shares[shares["flips_at"].isin(STEPS)]
    sums = steps.groupby(["task_id", "pairs", "flips_at"], sort=False)["share"].sum().reset_index()
    either = [sums.assign(scores="any"), whole.assign(share=whole["whole"], flips_at="whole", scores="any")]
    rows = pd.concat([shares[["task_id", "pairs", "flips_at", "scores", "share"]], *either])
    return rows.drop(columns="whole").merge(whole, on=["task_id", "pairs"])


def changes_in_each_order(frames: Frames) -> pd.DataFrame:
    """Return at which step the order of the best models changes, for each order of the steps.

    `at_step` is the weight of a change if it happens at the step, and otherwise 0.
    """
    swaps = measured_rows(frames, "decomposition_swaps")
    swaps = swaps[swaps["weight"] > 0].reset_index(drop=True)
    if swaps.empty:
        return pd.DataFrame()
    turned = turned_by_order(swaps)
    names = {order: order_name(order) for order in ORDERS}
    rows = [
        swaps.assign(order=names[order], step=step, at_step=swaps["weight"] * (turned[order] == step))
        for order in ORDERS
        for step in STEPS[1:]
    ]
    return pd.concat(rows, ignore_index=True)


def order_name(order: tuple[str, ...]) -> str:
    return " > ".join(order)


def change_of_lead(frames: Frames) -> pd.DataFrame:
    swaps = measured_rows(frames, "decomposition_swaps")
    steps = changes_by_step(swaps).set_axis(swaps.index)
    ids = swaps[["task_id"]]
    return pd.concat([ids.assign(step=step, change=steps[step]) for step in STEPS], ignore_index=True)


_STEP = {"first": "aupr", "second": "auprg", "setting": "{flips_at}, {scores}"}
QUANTITIES = (
    Quantity("order of {pairs} pairs changes", changes, "share", _STEP, kind="share"),
    Quantity("part of the changes of {pairs} pairs", changes, "share", _STEP, kind="ratio", over="whole"),
    Quantity(
        "change of the best model", changes_in_each_order, "at_step",
        {"first": "aupr", "second": "auprg", "target": "{order}", "setting": "{step}"}, kind="share", over="weight",
    ),
    Quantity(
        "change of the lead", change_of_lead, "change", {"first": "aupr", "second": "auprg", "setting": "{step}"},
        kind="median",
    ),
)  # fmt: skip


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    predictions = task.predictions
    areas, other_sequences, tied = areas_from_aupr_to_auprg(order_of(predictions.y_true, predictions.scores))
    if np.isnan(areas).any():
        return {}
    areas = rounded(areas)
    pairs = turned_pairs(areas, rounded(other_sequences), tied, predictions.run_ids)
    return {"decomposition_swaps": pairs[pairs["weight"] > 0], "decomposition_tasks": _shares(areas, pairs)}


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


def changes_by_step(swaps: pd.DataFrame) -> pd.DataFrame:
    leads = swaps[[f"d_{area}" for area in PATH]].to_numpy(dtype=float)
    return pd.DataFrame(np.diff(leads, axis=1), columns=STEPS)
