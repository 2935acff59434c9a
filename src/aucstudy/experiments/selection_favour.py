"""The experiment `selection.favour`: if two metrics pick different best models, which model is better?

This question is the headline of Flach & Kull 2015.
"""

from itertools import product

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import DISTINCT_AREAS
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.areas import areas_many
from aucstudy.metrics.gains import expected_f_gain
from aucstudy.statistics.intervals import estimated, ratio_interval, unanimous
from aucstudy.statistics.ranks import come_first, rounded
from aucstudy.store.task_store import Predictions

PAIRS = (("aupr", "auprg"), ("aupr", "auprg_unit_square"), ("aupr", "auroc"), ("auprg", "auroc"))
JUDGES = ("expected_fg1", "auprg_unit_square", "held_out_f1")


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    predictions = task.predictions
    reached = task.frames.get("reached", pd.DataFrame())
    if reached.empty:
        return {}
    return {"favour_tasks": pd.DataFrame(favour_of_task(judged_values(predictions, reached)))}


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    if "favour_tasks" not in study.frames:
        return {}
    return {"favour": favour_over_tasks(study.frames["favour_tasks"])}


def judged_values(predictions: Predictions, reached: pd.DataFrame) -> pd.DataFrame:
    """Return the metrics that choose and the metrics that judge, rounded, with one row for each model.

    For `auprg_unit_square`, negative precision gains count as 0.
    """
    f1 = reached[(reached["rule"] == "f_calibrated") & (reached["beta"] == 1)].set_index("run_id")["f"]
    y, scores = predictions.y_true, predictions.scores
    areas = areas_many(y, scores)
    columns = {name: getattr(areas, name) for name in DISTINCT_AREAS}
    columns["auprg_unit_square"] = areas_many(y, scores, negative_gains="clip").auprg
    columns["expected_fg1"] = np.array([expected_f_gain(y, of_model) for of_model in scores.T])
    columns["held_out_f1"] = f1.reindex(list(predictions.run_ids)).to_numpy()
    return pd.DataFrame({name: rounded(values) for name, values in columns.items()})


def favour_of_task(values: pd.DataFrame) -> list[dict]:
    """Return how the models that two metrics choose differ by a third metric, the judge.

    There is a row for each pair of metrics and each judge. `differ` is the probability that the two metrics
    choose different models, if tied models are put in a random order that is the same for both. `first_lower`
    (`second_lower`) is the probability that they do and that the first (second) metric's model is worse by
    the judge. `gap` is the expected value of the judge for the second metric's model minus that for the first
    metric's model.

    All but `differ` are NaN if the judge has no value for a chosen model. For example, the worst ranking has
    no expected F-Gain.
    """
    rows = []
    for (first, second), judge in product(PAIRS, JUDGES):
        if judge in (first, second):
            continue
        a, b, utility = (values[name].to_numpy() for name in (first, second, judge))
        best_a, best_b = (frozenset(np.flatnonzero(column == column.max()).tolist()) for column in (a, b))
        expected = dict.fromkeys(("differ", "first_lower", "second_lower", "gap"), 0.0)
        for i, j in product(best_a, best_b):
            if i != j:
                p = come_first(((i, best_a - {i}), (j, best_b - {j})))
                gap = utility[j] - utility[i]
                expected["differ"] += p
                expected["first_lower"] += p * (gap > 0 if np.isfinite(gap) else np.nan)
                expected["second_lower"] += p * (gap < 0 if np.isfinite(gap) else np.nan)
                expected["gap"] += p * gap
        rows.append({"first": first, "second": second, "judge": judge, **expected})
    return rows


def favour_over_tasks(by_task: pd.DataFrame) -> pd.DataFrame:
    def quantities(tasks: pd.DataFrame) -> dict[str, dict[str, float]]:
        lower = {name: tasks[name] for name in ("first_lower", "second_lower")}
        minus = lower["first_lower"] - lower["second_lower"]
        values = {**lower, "first_minus_second_lower": minus, "gap": tasks["gap"], "differ": tasks["differ"]}
        return {name: _mean_where_they_differ(name, column, tasks) for name, column in values.items()}

    return estimated(by_task, ["first", "second", "judge"], quantities)


def _mean_where_they_differ(name: str, values: pd.Series, tasks: pd.DataFrame) -> dict[str, float]:
    groups, is_lower = tasks["source_group"].to_numpy(), name in ("first_lower", "second_lower")
    weights = (
        np.ones(len(tasks)) if name == "differ" else tasks["differ"].where(values.notna(), 0.0).to_numpy()
    )
    n_groups = len(set(groups[weights > 0]))
    mean = ratio_interval(values.to_numpy(), weights, groups, share=is_lower or name == "differ")
    if is_lower:
        mean = unanimous(mean, n_groups)
    return {**vars(mean), "n_tasks": weights.sum(), "n_groups": n_groups}
