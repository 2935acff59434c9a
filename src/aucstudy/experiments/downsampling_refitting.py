"""The experiment `downsampling.refitting`: flows that are fitted again on training sets cut to a ratio.

Table 3 of Boyd et al. 2012 is repeated here on many tasks.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from aucstudy.experiments.compared import AREAS_COMPARED
from aucstudy.experiments.downsampling import (
    ORIGINAL,
    admitted,
    areas_of_all,
    areas_of_cuts,
    negative_orders,
    ratio_name,
)
from aucstudy.experiments.few_negatives import aupr_with_all_negatives
from aucstudy.experiments.inputs import Study, Task
from aucstudy.experiments.quantities import Frames, each, measured_rows
from aucstudy.learners.cross_validation import FlowFailed, derived_seed, prepare_fold
from aucstudy.learners.datasets import DataSet
from aucstudy.learners.flows import FLOWS, Flow
from aucstudy.metrics.kernel import order_of
from aucstudy.statistics.seeds import generator, seed_sequence

KINDS = ("downsampled", "original")
EFFECTS = ("test skew", "after moving", "ranking", "after correction")


def choose(tasks_csv: pd.DataFrame, *, tasks: int, ratios: Sequence[int], seed: int) -> list[str]:
    """Return the task_ids of at most `tasks` random tasks with enough negatives for every ratio.

    They are in the order of the store. If no task has enough negatives, the task of the lowest prevalence is
    returned.
    """
    n_positive = tasks_csv["n_positive"]
    skewed = tasks_csv.loc[tasks_csv["n_rows"] - n_positive >= max(ratios) * n_positive, "task_id"]
    if skewed.empty:
        # No task has enough negatives, so a single one is cut as far as its negatives allow.
        skewed = tasks_csv.loc[[tasks_csv["prevalence"].idxmin()], "task_id"]
    drawn_tasks = generator(seed, "refitted tasks").permutation(len(skewed))[:tasks]
    return skewed.iloc[np.sort(drawn_tasks)].to_list()


def of_task(
    task: Task,
    *,
    flows: Sequence[str],
    ratios: Sequence[int],
    folds: int,
    training_draws: int,
    draws: int,
    seed: int,
) -> dict[str, pd.DataFrame]:
    data, fold_of_row = task.rows
    tests = rows_of_folds(data, fold_of_row, folds, seed)
    orders = negative_orders(data.target, draws, generator(seed, data.name, "refitting test negatives"))
    frames = []
    for ratio in (*admitted(data.target, ratios), None):
        name = ORIGINAL if ratio is None else ratio_name(ratio)
        for draw in range(training_draws):
            scores = refitted_scores(data, tests, [FLOWS[flow] for flow in flows], ratio, draw, seed)
            fitted = ~np.isnan(scores).any(axis=0)
            areas = refitted_areas(data.target, scores[:, fitted], orders, ratio) if fitted.any() else {}
            frame = pd.DataFrame(areas, index=np.array(flows)[fitted]).reindex(flows)
            frames.append(frame.rename_axis("flow_name").reset_index().assign(ratio=name, draw=draw))
    return {"refitting_tasks": pd.concat(frames, ignore_index=True)}


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    refitted = study.frames.get("refitting_tasks")
    if refitted is None or refitted.empty:
        return {}
    return {"refitting_table_3": refitting_table_3(refitted)}


def effects(frames: Frames) -> pd.DataFrame:
    """Return what a ratio changes in each metric of each task, as means over the flows.

    `test skew` is the effect of the test set's ratio, and `ranking` that of fitting to fewer negatives. The other
    columns are what is left of the first effect after the metric was moved back, and after the correction.
    """
    refitted = measured_rows(frames, "refitting_tasks")
    keys = ["task_id", "source_group", "flow_name"]
    by_ratio = {
        ratio: rows.groupby(keys).mean(numeric_only=True)
        for ratio, rows in refitted.groupby("ratio", sort=False)
    }
    uncut = by_ratio.pop(ORIGINAL)
    by_task = []
    for ratio, cells in by_ratio.items():
        for area in AREAS_COMPARED:
            original_area = cells[f"{area}_original"]
            columns = {
                "test skew": cells[f"{area}_downsampled"] - original_area,
                "after moving": cells[f"{area}_moved"] - original_area,
                "ranking": original_area - uncut[f"{area}_original"].reindex(cells.index),
            }
            if area == "aupr":
                columns["after correction"] = cells["aupr_corrected"] - original_area
            means = pd.DataFrame(columns).groupby(keys[:2]).mean().reset_index()
            by_task.append(means.assign(ratio=ratio, area=area))
    return pd.concat(by_task, ignore_index=True) if by_task else pd.DataFrame()


QUANTITIES = each(EFFECTS, effects, keys={"first": "{area}", "setting": "{ratio}"})


def rows_of_folds(data: DataSet, fold_of_row: np.ndarray | None, folds: int, seed: int) -> list[np.ndarray]:
    if fold_of_row is not None:
        return [np.flatnonzero(fold_of_row == k) for k in np.unique(fold_of_row)]
    state = int(seed_sequence(seed, data.name, "refitting folds").generate_state(1)[0])
    splitter = StratifiedKFold(folds, shuffle=True, random_state=state)
    return [test for _, test in splitter.split(np.zeros(len(data.target)), data.target)]


def refitted_scores(
    data: DataSet, tests: Sequence[np.ndarray], flows: Sequence[Flow], ratio: int | None, draw: int, seed: int
) -> np.ndarray:
    """Return the scores (n, flows) of each row by models that were fitted on the other folds.

    If a ratio is given, the training negatives are cut to it. The draws of the negatives are nested over the
    ratios and the same for all flows. If a flow fails in a fold, its scores of this fold are NaN.
    """
    scores = np.full((len(data.target), len(flows)), np.nan, order="F")
    for number, test in enumerate(tests):
        train = np.setdiff1d(np.arange(len(data.target)), test)
        positives, negatives = train[data.target[train]], train[~data.target[train]]
        shuffled = generator(seed, data.name, "training negatives", draw, number).permutation(negatives)
        sample = shuffled if ratio is None else shuffled[: ratio * len(positives)]
        fold = prepare_fold(data, np.sort(np.concatenate([positives, sample])), test)
        for column, flow in enumerate(flows):
            try:
                with np.errstate(all="ignore"):
                    fitting_seed = derived_seed(seed, data.name, flow.name, number, draw)
                    scores[test, column] = flow.fit_score(fold.X, fold.y, fold.X_test, fitting_seed)
            except (FlowFailed, ValueError, ArithmeticError, np.linalg.LinAlgError):
                scores[test, column] = np.nan
    return scores


def refitted_areas(
    y: np.ndarray, scores: np.ndarray, orders: np.ndarray, ratio: int | None
) -> dict[str, np.ndarray]:
    """Return the metrics (flows,) by name, as means over the draws of test negatives.

    The names end with `_downsampled`, `_original` and `_moved`, and there is `aupr_corrected`. Without a
    ratio, nothing is cut, so all of them are the metrics on the whole test set.
    """
    original_areas = areas_of_all(y, scores)
    kinds = {"downsampled": original_areas, "original": original_areas, "moved": original_areas}
    corrected = original_areas[AREAS_COMPARED.index("aupr")]
    if ratio is not None:
        order, size = order_of(y, scores), ratio * int(y.sum())
        for kind, prevalence in (("downsampled", None), ("moved", float(y.mean()))):
            kinds[kind] = areas_of_cuts(order, orders, [size], prevalence=prevalence)[:, 0].mean(axis=1)
        corrected = aupr_with_all_negatives(order, orders, size)[1].mean(axis=0)
    by_name = {f"{area}_{kind}": kinds[kind][i] for kind in kinds for i, area in enumerate(AREAS_COMPARED)}
    return {"aupr_corrected": corrected, **by_name}


def refitting_table_3(refitted: pd.DataFrame) -> pd.DataFrame:
    columns = [f"{area}_{kind}" for area in AREAS_COMPARED for kind in KINDS]
    keys = ["flow_name", "ratio"]
    by_task = refitted.groupby([*keys, "task_id"], sort=False)[columns]
    means = by_task.mean().groupby(keys, sort=False).mean()
    spreads = by_task.std(ddof=1).groupby(keys, sort=False).mean().add_suffix("_sd")
    n_tasks = by_task.size().groupby(keys, sort=False).size().rename("n_tasks")
    return means.join(spreads).join(n_tasks).reset_index()
