"""The experiment `selection.favour`: if two metrics pick different best models, which model is better?

This question is the headline of Flach & Kull 2015.
"""

from itertools import product

import numpy as np
import pandas as pd

from aucstudy.experiments.compared import DISTINCT_AREAS
from aucstudy.experiments.inputs import Task
from aucstudy.experiments.quantities import Frames, Quantity, measured_rows
from aucstudy.metrics.areas import areas_many
from aucstudy.metrics.gains import expected_f_gain
from aucstudy.statistics.ranks import come_first, rounded
from aucstudy.store.task_store import Predictions

PAIRS = (("aupr", "auprg"), ("aupr", "auprg_unit_square"), ("aupr", "auroc"), ("auprg", "auroc"))
JUDGES = ("expected_fg1", "auprg_unit_square", "held_out_f1")


def where_they_differ(frames: Frames) -> pd.DataFrame:
    """Return the rows with the probability that two metrics differ as the weight, 0 where the judge has no value."""
    by_task = measured_rows(frames, "favour_tasks")
    return by_task.assign(
        weight=by_task["differ"].where(by_task["first_lower"].notna(), 0.0),
        minus=by_task["first_lower"] - by_task["second_lower"],
    )


_JUDGED = {"first": "{first}", "second": "{second}", "target": "{judge}"}
QUANTITIES = (
    Quantity("differs", where_they_differ, "differ", _JUDGED, kind="share"),
    *(
        Quantity(name, where_they_differ, column, _JUDGED, kind="share", over="weight", exact=True)
        for name, column in (("first is worse", "first_lower"), ("second is worse", "second_lower"))
    ),
    Quantity("first is worse more often", where_they_differ, "minus", _JUDGED, over="weight"),
    Quantity("second minus first", where_they_differ, "gap", _JUDGED, over="weight"),
)  # fmt: skip


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    predictions = task.predictions
    reached = task.frames.get("reached", pd.DataFrame())
    if reached.empty:
        return {}
    return {"favour_tasks": pd.DataFrame(favour_of_task(judged_values(predictions, reached)))}


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
