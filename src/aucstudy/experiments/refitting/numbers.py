"""Table 3 of Boyd et al. 2012 on many tasks: training sets cut to a ratio and the flows fitted again.

Each model is scored on the test set cut to the same ratio and on the original one. The difference has two parts: the
skew of the test set, which changes the area of one and the same ranking, and the ranking itself, which changes with
what it was trained on.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from aucstudy.area_names import AREAS_COMPARED
from aucstudy.experiments.downsampling.numbers import (
    ORIGINAL,
    admitted,
    areas_of_all,
    areas_of_cuts,
    negative_orders,
    ratio_name,
)
from aucstudy.experiments.inputs import Study, Task
from aucstudy.experiments.prevalence_shift.corrected_aupr import corrected_aupr
from aucstudy.learners.cross_validation import FlowFailed, derived_seed, prepare_fold
from aucstudy.learners.datasets import DataSet
from aucstudy.learners.flows import FLOWS, Flow
from aucstudy.metrics.engine.walks import order_of
from aucstudy.statistics.intervals import over_tasks
from aucstudy.statistics.seeds import generator, seed_sequence
from aucstudy.store.task_store import Predictions


@dataclass(frozen=True)
class Plan:
    """What is fitted: flows, ratios, folds (where the source fixes none), draws of training and of test negatives."""

    flows: tuple[str, ...]
    ratios: tuple[int, ...]
    folds: int
    training_draws: int
    draws: int


def choose(
    tasks_csv: pd.DataFrame, *, tasks: int, ratios: Sequence[int], seed: int, **settings: object
) -> list[str]:
    """The tasks that are refitted, see `chosen_tasks`."""
    return chosen_tasks(tasks_csv, ratios, tasks, seed)


def of_task(
    task: Task,
    *,
    flows: Sequence[str],
    ratios: Sequence[int],
    folds: int,
    training_draws: int,
    draws: int,
    seed: int,
    **settings: object,
) -> dict[str, pd.DataFrame]:
    """One task's `refitted_areas`."""
    plan = Plan(tuple(flows), tuple(ratios), folds, training_draws, draws)
    data, fixed_folds = task.rows
    return {"by_task": refitted_areas(data, fixed_folds, plan, seed)}


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    refitted = study.frames["by_task"]
    return {
        "refitting": refitting_table(refitted, study.source_groups),
        "refitting_table_3": refitting_table_3(refitted),
        "refitting_tasks": refitted,
    }


def chosen_tasks(tasks: pd.DataFrame, ratios: Sequence[int], at_most: int, seed: int) -> list[str]:
    """At most so many of the tasks that admit every ratio, drawn by seed and in the order of the store."""
    skewed = tasks[tasks["n_rows"] - tasks["n_positive"] >= max(ratios) * tasks["n_positive"]]["task_id"]
    if skewed.empty:
        # one task, cut as far as its negatives reach
        skewed = tasks.loc[[tasks["prevalence"].idxmin()], "task_id"]
    drawn = generator(seed, "refitted tasks").permutation(len(skewed))[:at_most]
    return skewed.iloc[np.sort(drawn)].to_list()


def splits(data: DataSet, fold_of_row: np.ndarray | None, folds: int, seed: int) -> list[np.ndarray]:
    """The test rows of each fold: those that the source fixes, or stratified ones."""
    if fold_of_row is not None:
        return [np.flatnonzero(fold_of_row == k) for k in np.unique(fold_of_row)]
    state = int(seed_sequence(seed, data.name, "refitting folds").generate_state(1)[0])
    splitter = StratifiedKFold(folds, shuffle=True, random_state=state)
    return [test for _, test in splitter.split(np.zeros(len(data.target)), data.target)]


def refitted_scores(
    data: DataSet, tests: Sequence[np.ndarray], flows: Sequence[Flow], ratio: int | None, draw: int, seed: int
) -> np.ndarray:
    """(n, flows) scores of every row by models of the other folds, whose training negatives are cut to a ratio.

    The draws of training negatives are nested over the ratios and shared by the flows; None leaves all of them. A
    flow that fails has NaN in its whole column.
    """
    scores = np.full((len(data.target), len(flows)), np.nan, order="F")
    for number, test in enumerate(tests):
        train = np.setdiff1d(np.arange(len(data.target)), test)
        positives, negatives = train[data.target[train]], train[~data.target[train]]
        shuffled = generator(seed, data.name, "training negatives", draw, number).permutation(negatives)
        kept = shuffled if ratio is None else shuffled[: ratio * len(positives)]
        fold = prepare_fold(data, np.sort(np.concatenate([positives, kept])), test)
        for column, flow in enumerate(flows):
            try:
                with np.errstate(all="ignore"):
                    fitting_seed = derived_seed(seed, data.name, flow.name, number, draw)
                    scores[test, column] = flow.fit_score(fold.X, fold.y, fold.X_test, fitting_seed)
            except (FlowFailed, ValueError, ArithmeticError, np.linalg.LinAlgError):
                scores[test, column] = np.nan
    scores[:, np.isnan(scores).any(axis=0)] = np.nan
    return scores


def refitted_areas(data: DataSet, fold_of_row: np.ndarray | None, plan: Plan, seed: int) -> pd.DataFrame:
    """The areas of refitted flows on the cut and on the original test set.

    Returns
    -------
    One row a ratio (and "original"), flow and draw of training negatives, and for each area: `<area>_downsampled`
    (mean over draws of the test set cut to the training ratio), `<area>_original`, `<area>_moved` (the first moved to
    the original skew); `aupr_corrected`. NaN where a flow failed.
    """
    tests = splits(data, fold_of_row, plan.folds, seed)
    flows = [FLOWS[name] for name in plan.flows]
    y, n_positive = data.target, int(data.target.sum())
    orders = negative_orders(y, plan.draws, generator(seed, data.name, "refitting test negatives"))
    frames = []
    for ratio in (*admitted(y, plan.ratios), None):
        for draw in range(plan.training_draws):
            scores = refitted_scores(data, tests, flows, ratio, draw, seed)
            good = ~np.isnan(scores).any(axis=0)
            columns = {"flow_name": list(plan.flows)}
            if good.any():
                rows = np.arange(len(y))
                kept = Predictions(data.name, rows, rows, rows, y, np.asfortranarray(scores[:, good]), ())
                columns |= _measured(kept, orders, None if ratio is None else ratio * n_positive, good)
            facts = {
                "task_id": data.name,
                "ratio": ORIGINAL if ratio is None else ratio_name(ratio),
                "draw": draw,
            }
            frames.append(pd.DataFrame({**facts, **columns}))
    return pd.concat(frames, ignore_index=True)


def _measured(
    kept: Predictions, orders: np.ndarray, n_sampled: int | None, good: np.ndarray
) -> dict[str, np.ndarray]:
    original = areas_of_all(kept)
    downsampled = moved = original
    corrected = original[AREAS_COMPARED.index("aupr")]
    if n_sampled is not None:
        order = order_of(kept.y_true, kept.scores)
        downsampled, moved = (
            areas_of_cuts(order, orders, [n_sampled], prevalence=prevalence)[:, 0].mean(axis=1)
            for prevalence in (None, float(kept.y_true.mean()))
        )
        corrected = corrected_aupr(order, orders, n_sampled)[1].mean(axis=0)
    areas = {"aupr_corrected": corrected}
    for kind, values in (("downsampled", downsampled), ("original", original), ("moved", moved)):
        areas |= {f"{area}_{kind}": values[i] for i, area in enumerate(AREAS_COMPARED)}
    return {name: _placed(values, good) for name, values in areas.items()}


def _placed(values: np.ndarray, good: np.ndarray) -> np.ndarray:
    """Values of the good flows in the columns of all, NaN for the others."""
    placed = np.full(len(good), np.nan)
    placed[good] = values
    return placed


def refitting_table(refitted: pd.DataFrame, source_groups: pd.Series) -> pd.DataFrame:
    """The parts of the difference between a downsampled and the original area, over tasks, with 95 % intervals.

    Returns
    -------
    One row a ratio, area and effect: `test skew` (downsampled minus original test set, the same models), `after
    moving` and `after correction` (what is left of it when the area is moved back), `ranking` (models of the cut
    minus models of the whole training set, both on the original test set).
    """
    base = refitted[refitted["ratio"] == ORIGINAL].groupby(["task_id", "flow_name"]).mean(numeric_only=True)
    rows = []
    for ratio, of_ratio in refitted.groupby("ratio", sort=False):
        if ratio == ORIGINAL:
            continue
        cells = of_ratio.groupby(["task_id", "flow_name"]).mean(numeric_only=True)
        for area in AREAS_COMPARED:
            effects = {
                "test skew": cells[f"{area}_downsampled"] - cells[f"{area}_original"],
                "after moving": cells[f"{area}_moved"] - cells[f"{area}_original"],
                "ranking": cells[f"{area}_original"] - base[f"{area}_original"].reindex(cells.index),
            }
            if area == "aupr":
                effects["after correction"] = cells["aupr_corrected"] - cells["aupr_original"]
            for effect, values in effects.items():
                by_task = values.groupby("task_id").mean()
                groups = source_groups[by_task.index]
                difference = over_tasks(by_task, groups, name="difference")
                rows.append({"ratio": ratio, "area": area, "effect": effect, **difference})
    columns = ["ratio", "area", "effect", "difference", "low", "high", "n_tasks", "n_groups"]
    return pd.DataFrame(rows, columns=columns)


def refitting_table_3(refitted: pd.DataFrame) -> pd.DataFrame:
    """Table 3 in the paper's layout: for each flow and ratio the mean over tasks and the spread over training draws.

    Returns
    -------
    One row a flow and ratio: AUPR and AUCNPR (and AUPRG, AUROC) on the downsampled and on the original test set;
    `<area>_<test set>_sd` is the mean over tasks of the standard deviation over the draws of training negatives.
    """
    columns = [f"{area}_{kind}" for area in AREAS_COMPARED for kind in ("downsampled", "original")]
    grouped = refitted.groupby(["flow_name", "ratio", "task_id"], sort=False)[columns]
    means = grouped.mean().groupby(["flow_name", "ratio"], sort=False).mean()
    spreads = grouped.std(ddof=1).groupby(["flow_name", "ratio"], sort=False).mean().add_suffix("_sd")
    n_tasks = grouped.size().groupby(["flow_name", "ratio"], sort=False).size().rename("n_tasks")
    return means.join(spreads).join(n_tasks).reset_index()
