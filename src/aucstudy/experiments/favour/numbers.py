"""Does an area favour models with a lower expected F1? [the headline of Flach & Kull 2015]

Where two areas pick different best models, the expected F-Gain of Theorem 3 says which of the two is better. It is
not a function of AUPRG alone (the precision gain at recall gain 0 enters), so AUPRG's choice can be the worse one
too; but it is so near to one that it nearly always sides with AUPRG. The F1 that the models reach on held-out folds,
each at the threshold that its other folds make best, is a judge that knows of no area.
"""

from itertools import product

import numpy as np
import pandas as pd

from aucstudy.experiments.favour.fold_averages import averages_of_task, averages_over_tasks
from aucstudy.experiments.favour.theorems import deviations_of_task, theorems_over_tasks
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.areas import areas_many
from aucstudy.metrics.gains import expected_f_gain
from aucstudy.statistics.intervals import ratio_interval, unanimous
from aucstudy.statistics.ranks import come_first, rounded
from aucstudy.store.task_store import Predictions

CHOOSERS = (("aupr", "auprg"), ("aupr", "auprg_unit_square"), ("aupr", "auroc"), ("auprg", "auroc"))
BY_TASK = ("first", "second", "judge", "differ", "first_lower", "second_lower", "gap")
OVER_TASKS = (
    "first", "second", "judge", "quantity", "estimate", "low", "high", "n_tasks", "n_groups",
)  # fmt: skip
JUDGES = ("expected_fg1", "auprg_unit_square", "held_out_f1")


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    """One task's choices by area, averages of F1 over folds, and deviations from the theorems.

    Of the first two no rows where no fold could be held out: then no model has an F1 to be judged by.
    """
    counts = task.frames["f1_counts"]
    reached = task.frames["reached"]
    y, scores = task.predictions.y_true, task.predictions.scores
    expected = np.array([expected_f_gain(y, column) for column in scores.T])
    choices = favour_of_task(judged_values(task.predictions, reached, expected)) if len(counts) else []
    frames = {
        "favour": pd.DataFrame(choices, columns=list(BY_TASK)),
        "averages": averages_of_task(counts),
    }
    for frame in frames.values():
        frame.insert(0, "task_id", task.task_id)
        frame.insert(1, "source_group", task.source_group)
    deviations = deviations_of_task(task.predictions, expected, seed).assign(task_id=task.task_id)
    return {**frames, "deviations": deviations}


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    by_task, averages = study.frames["favour"], study.frames["averages"]
    return {
        "favour": favour_over_tasks(by_task),
        "favour_tasks": by_task,
        "fold_averages": averages_over_tasks(averages),
        "fold_averages_tasks": averages,
        "theorems": theorems_over_tasks(study.frames["deviations"]),
    }


def judged_values(predictions: Predictions, reached: pd.DataFrame, expected: np.ndarray) -> pd.DataFrame:
    """What chooses and what judges, for every model of a task.

    Parameters
    ----------
    reached : as `thresholds.numbers.reached` gives it for the task.
    expected : (m,) the models' `expected_f_gain`.

    Returns
    -------
    Rounded values indexed by run_id: aupr, auprg (signed), auroc, auprg_unit_square (the area inside the unit square:
    negative precision gains count 0), expected_fg1 (Theorem 3; NaN for the worst ranking) and held_out_f1 (at the
    F-calibrated threshold).
    """
    f1 = reached[(reached["rule"] == "f_calibrated") & (reached["beta"] == 1)].set_index("run_id")["f"]
    y, scores = predictions.y_true, predictions.scores
    areas = areas_many(y, scores)
    columns = {name: getattr(areas, name) for name in ("aupr", "auprg", "auroc")}
    columns["auprg_unit_square"] = areas_many(y, scores, negative_gains="clip").auprg
    columns["expected_fg1"] = expected
    columns["held_out_f1"] = f1.reindex(list(predictions.run_ids)).to_numpy()
    rows = {name: rounded(values) for name, values in columns.items()}
    return pd.DataFrame(rows, index=list(predictions.run_ids))


def favour_of_task(values: pd.DataFrame) -> list[dict]:
    """What the choice of one area rather than another costs in one task.

    Parameters
    ----------
    values : as `judged_values` gives them.

    Returns
    -------
    A dict a pair of areas and judge: first, second, judge, and the probabilities over shared random tie-breaking
    that the winners `differ`, that the first's has the lower value (`first_lower`), that the second's has
    (`second_lower`); `gap`, the expected value of the second's winner minus the first's.
    """
    rows = []
    for (first, second), judge in product(CHOOSERS, JUDGES):
        if judge in (first, second):
            continue
        a, b, worth = (values[name].to_numpy() for name in (first, second, judge))
        best_a, best_b = (frozenset(np.flatnonzero(column == column.max()).tolist()) for column in (a, b))
        expected = dict.fromkeys(("differ", "first_lower", "second_lower", "gap"), 0.0)
        for i, j in product(best_a, best_b):
            if i == j:
                continue
            p = come_first(((i, best_a - {i}), (j, best_b - {j})))
            expected["differ"] += p
            expected["first_lower"] += p * (worth[i] < worth[j])
            expected["second_lower"] += p * (worth[j] < worth[i])
            expected["gap"] += p * (worth[j] - worth[i])
        rows.append({"first": first, "second": second, "judge": judge, **expected})
    return rows


def favour_over_tasks(by_task: pd.DataFrame) -> pd.DataFrame:
    """Shares of the tasks where the two areas pick different winners, with 95 % intervals over source groups.

    Returns
    -------
    One row a pair of areas, judge and quantity: `first_lower`, `second_lower` (share of the differing tasks),
    `first_minus_second_lower` (their difference), `gap` (mean over the differing tasks of the second's winner minus
    the first's, in the judge's units), `differ` (share of all tasks); n_tasks is the expected number of tasks.
    """
    rows = []
    for (first, second, judge), tasks in by_task.groupby(["first", "second", "judge"], sort=False):
        groups, differ = tasks["source_group"].to_numpy(), tasks["differ"].to_numpy()
        tasks = tasks.assign(first_minus_second_lower=tasks["first_lower"] - tasks["second_lower"])
        for quantity in ("first_lower", "second_lower", "first_minus_second_lower", "gap", "differ"):
            of = np.ones(len(tasks)) if quantity == "differ" else differ
            share = quantity in ("first_lower", "second_lower", "differ")
            ratio = ratio_interval(tasks[quantity].to_numpy(), of, groups, share=share)
            if quantity in ("first_lower", "second_lower"):
                ratio = unanimous(ratio, len(set(groups[of > 0])))
            row = {"first": first, "second": second, "judge": judge, "quantity": quantity, **vars(ratio)}
            rows.append({**row, "n_tasks": of.sum(), "n_groups": len(set(groups[of > 0]))})
    return pd.DataFrame(rows, columns=[*OVER_TASKS])
