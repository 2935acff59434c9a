"""Why AUPR and AUPRG disagree: the way from one to the other in steps, each a well-defined area.

1. AUPR, the mean precision over recall;
2. the same measured from the baseline: (precision - pi)/(1 - pi), 0 for always-positive and 1 for perfect like AUPRG
   (an increasing map of AUPR: it changes no order);
3. over recall >= pi only: AUPRG does not see the rest;
4. with recall on the gain scale: recall weighted by dr/r^2;
5. with precision on the gain scale too, which is harmonic: AUPRG [Flach & Kull 2015, section 3].

The differences of neighbouring steps add up to AUPRG - AUPR exactly, for a model and for a pair of models.
"""

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.engine.walks import Order, areas_from_aupr_to_auprg, order_of
from aucstudy.statistics.intervals import over_tasks
from aucstudy.statistics.ranks import agreement, rounded
from aucstudy.store.task_store import Predictions

PATH = ("aupr", "from_baseline", "recall_above_prevalence", "recall_gain", "auprg")
# a step is named by the area that it arrives at
STEPS = PATH[1:]
SHARE_COLUMNS = (
    "pairs", "flips_at", "scores", "estimate", "low", "high", "part", "median_change", "n_tasks", "n_groups",
)  # fmt: skip


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    """One task's `decompose_task`."""
    return decompose_task(task.predictions, task.source_group)


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    swaps, shares = study.frames["swaps"], study.frames["shares"]
    return {
        "decomposition": shares_over_tasks(shares, swaps),
        "decomposition_swaps": swaps,
        "decomposition_tasks": shares,
    }


def path_areas(order: Order) -> tuple[np.ndarray, np.ndarray]:
    """The areas on the way from AUPR to AUPRG, for each of m models.

    Returns
    -------
    areas : (m, 5) in the order of `PATH`, NaN where the rows are of one class.
    tied : (m,) share of the positives whose score some negative has too.

    Examples
    --------
    >>> y = np.array([True, True, False, False, True, False])
    >>> areas, tied = path_areas(order_of(y, np.array([[0.8, 0.8, 0.6, 0.4, 0.4, 0.2]]).T))
    >>> areas.round(4).tolist(), tied.round(4).tolist()
    ([[0.8759, 0.7518, 0.5036, 0.6322, 0.7083]], [0.3333])
    """
    return areas_from_aupr_to_auprg(order)


def flip_step(differences: np.ndarray) -> np.ndarray:
    """At which step of the way the order of a pair of models flips for good.

    Parameters
    ----------
    differences : (pairs, 5) differences of two models along `PATH`.

    Returns
    -------
    (pairs,) integers: k where the order of AUPR last holds at `PATH[k - 1]` and is turned from `PATH[k]` on; 0 where
    it is not turned at the end (equal at an end counts as not turned).

    Examples
    --------
    >>> flip_step(np.array([[1, 1, -1, -1, -2], [1, -1, 1, 1, -1], [2, 1, 1, -1, 1.0]])).tolist()
    [2, 4, 0]
    """
    turned = np.sign(differences) * np.sign(differences[:, :1]) < 0
    held_last = differences.shape[1] - np.argmax(~turned[:, ::-1], axis=1)
    return np.where(turned[:, -1], held_last, 0)


def turned_pairs(areas: np.ndarray, tied: np.ndarray, run_ids: tuple[str, ...]) -> pd.DataFrame:
    """Every pair of one task's models that AUPR and AUPRG order differently.

    Parameters
    ----------
    areas, tied : as `path_areas` gives them, the areas rounded.

    Returns
    -------
    One row an ordered pair: run_first (better by AUPR), run_second (better by AUPRG), `weight` (probability that they
    are the two areas' best models, ties broken by one shared permutation; 0 for other pairs), `d_<area>` for the
    areas of `PATH` (first minus second), flips_at (a name of `STEPS`), n_flips, tied_first, tied_second (share of
    positives that tie with a negative), scores (tied if either share is over a half).
    """
    i, j = (ends.reshape(-1) for ends in np.indices((len(areas), len(areas))))
    differences = areas[i] - areas[j]
    kept = (differences[:, 0] > 0) & (differences[:, -1] < 0)
    i, j, differences = i[kept], j[kept], differences[kept]
    best_first, best_second = (areas[:, k] == areas[:, k].max() for k in (0, -1))
    apart = not (best_first & best_second).any()
    weight = apart * best_first[i] * best_second[j] / (best_first.sum() * best_second.sum())
    runs = np.array(run_ids, dtype=object)
    turned = differences < 0
    return pd.DataFrame(
        {
            "run_first": runs[i],
            "run_second": runs[j],
            "weight": weight,
            **{f"d_{area}": differences[:, k] for k, area in enumerate(PATH)},
            "flips_at": np.array(PATH)[flip_step(differences)],
            "n_flips": (turned[:, 1:] != turned[:, :-1]).sum(axis=1),
            "tied_first": tied[i],
            "tied_second": tied[j],
            "scores": np.where(np.maximum(tied[i], tied[j]) > 0.5, "tied", "untied"),
        }
    )


def decompose_task(task: Predictions, source_group: str) -> dict[str, pd.DataFrame]:
    """The swapped best models of a task, and how many of its pairs of models each step turns.

    Returns
    -------
    swaps : the rows of `turned_pairs` that may be the two best models (weight > 0), with task_id and source_group.
    shares : one row for each `pairs`, `flips_at` and `scores`: `share` is the probability that the best models differ
        and are such a pair (pairs `best`), or the share of all pairs of the task's models that are such a pair (pairs
        `all`). Where one area ties best models of the other, flips_at is `tie` and scores `any`.
    Nothing where an area is undefined.
    """
    areas, tied = path_areas(order_of(task.y_true, task.scores))
    if np.isnan(areas).any():
        return {}
    areas = rounded(areas)
    pairs = turned_pairs(areas, tied, task.run_ids)
    frames = {"swaps": pairs[pairs["weight"] > 0].copy(), "shares": _shares(areas, pairs)}
    for frame in frames.values():
        frame.insert(0, "task_id", task.task_id)
        frame.insert(1, "source_group", source_group)
    return frames


def _shares(areas: np.ndarray, pairs: pd.DataFrame) -> pd.DataFrame:
    """The shares of one task, every step and kind of scores, those of 0 too."""
    n_pairs = len(areas) * (len(areas) - 1) / 2
    rows = []
    for step in STEPS:
        for scores in ("tied", "untied"):
            flipped = pairs[(pairs["flips_at"] == step) & (pairs["scores"] == scores)]
            rows.append(("best", step, scores, flipped["weight"].sum()))
            rows.append(("all", step, scores, len(flipped) / n_pairs))
    differs = 1 - agreement(areas[:, 0], areas[:, -1])
    rows.append(("best", "tie", "any", differs if differs < 1 else 0.0))
    return pd.DataFrame(rows, columns=["pairs", "flips_at", "scores", "share"])


def shares_over_tasks(shares: pd.DataFrame, swaps: pd.DataFrame) -> pd.DataFrame:
    """Mean of the shares over tasks with 95 % intervals over source groups.

    Returns
    -------
    One row a kind of pairs, step and kind of scores (`any` is their sum); `part` is the estimate's part of the whole
    disagreement, `median_change` the median over the swapped best pairs of what the step adds to the difference of
    the two models, in units of area (for scores `any`; negative: towards AUPRG's choice).
    """
    rows = []
    for pairs, of_pairs in shares.groupby("pairs", sort=False):
        wide = of_pairs.pivot_table("share", "task_id", ["flips_at", "scores"], sort=False)
        groups = of_pairs.drop_duplicates("task_id").set_index("task_id")["source_group"][wide.index]
        columns = {key: wide[key] for key in wide}
        columns |= {(step, "any"): wide[step].sum(axis=1) for step in STEPS}
        columns["whole", "any"] = wide.sum(axis=1)
        for (step, scores), values in columns.items():
            share = over_tasks(values, groups, share=True)
            known = pairs == "best" and scores == "any" and step in STEPS and len(swaps)
            rows.append(
                {
                    "pairs": pairs,
                    "flips_at": step,
                    "scores": scores,
                    **share,
                    "part": share["estimate"] / columns["whole", "any"].mean(),
                    "median_change": _changes(swaps)[step].median() if known else np.nan,
                }
            )
    return pd.DataFrame(rows)[list(SHARE_COLUMNS)]


def _changes(swaps: pd.DataFrame) -> pd.DataFrame:
    """What each step adds to the difference of each swapped pair: a column a step."""
    along = swaps[[f"d_{area}" for area in PATH]].to_numpy()
    return pd.DataFrame(np.diff(along, axis=1), columns=list(STEPS))
