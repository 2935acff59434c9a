"""The experiment `conventions`: do the rules in use for the "area under the PR curve" pick the same models?

All rules are computed from the same predictions.
"""

import numpy as np
import pandas as pd

from aucstudy.experiments.disagreement import by_top
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.conventions import CONVENTIONS, aupr_conventions
from aucstudy.metrics.curves import roc_curve
from aucstudy.statistics.intervals import estimated, over_tasks
from aucstudy.statistics.ranks import agreement, rounded
from aucstudy.store.task_store import Predictions

REFERENCE = "exact"
RIVALS = tuple(name for name in CONVENTIONS if name != REFERENCE)
# The rival `any` disagrees if at least one of the rules in COUNTED does. The rules of computer vision are
# reported one by one, but do not count for `any`.
ANY = "any"
COUNTED = tuple(name for name in RIVALS if CONVENTIONS[name].field == "classification")
CLASSES = (
    ("tied_pairs", -1, 0.01, "up to 1 % tied"),
    ("tied_pairs", 0.01, 0.1, "1 to 10 %"),
    ("tied_pairs", 0.1, 0.2, "10 to 20 %"),
    ("tied_pairs", 0.2, 1, "more than 20 %"),
    ("n_positive", 0, 50, "up to 50 positives"),
    ("n_positive", 50, 200, "51 to 200"),
    ("n_positive", 200, np.inf, "more than 200"),
)


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    values = convention_values(task.predictions)
    areas = {name: rounded(values[name].to_numpy()) for name in CONVENTIONS}
    best = {name: area == area.max() for name, area in areas.items()}
    facts = {
        "n_positive": int(task.predictions.y_true.sum()),
        "tied_pairs": values["tied_pairs"].mean(),
        "n_models": len(values),
        "best_exact": "|".join(values.index[best[REFERENCE]]),
    }
    rows = []
    for rival in RIVALS:
        excess = areas[rival] - areas[REFERENCE]
        p_best, p_top3 = (1 - agreement(areas[REFERENCE], areas[rival], top) for top in (1, 3))
        rows.append(
            {
                **facts, "rival": rival, "best_rival": "|".join(values.index[best[rival]]),
                "p_best_differs": p_best, "p_top3_differs": p_top3,
                "largest_difference": excess[np.argmax(np.abs(excess))], "mean_excess": excess.mean(),
                "median_excess": np.median(excess), "largest_excess": excess.max(),
            }
        )  # fmt: skip
    # Tied models are put in one random order for all rules. Take the models that are best by some rule. The
    # one that comes first is picked by every rule exactly if it is best by all rules.
    is_best = np.stack([best[name] for name in (REFERENCE, *COUNTED)])
    p_best = 1 - is_best.all(axis=0).sum() / is_best.any(axis=0).sum()
    rows.append({**facts, "rival": ANY, "p_best_differs": p_best})
    return {"conventions_tasks": pd.DataFrame(rows), "convention_values": values.reset_index()}


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    by_task = study.frames["conventions_tasks"]
    return {"conventions": convention_shares(by_task), "conventions_excess": convention_excess(by_task)}


def convention_values(predictions: Predictions) -> pd.DataFrame:
    """Return AUPR by every convention and the share of tied pairs, with one row for each model.

    A tied pair is a positive and a negative with equal scores.
    """
    rows = []
    for scores in predictions.scores.T:
        curve = roc_curve(predictions.y_true, scores)
        tied_pairs = float(np.diff(curve.tpr) @ np.diff(curve.fpr))
        rows.append({**aupr_conventions(predictions.y_true, scores), "tied_pairs": tied_pairs})
    return pd.DataFrame(rows, index=pd.Index(predictions.run_ids, name="run_id"))


def convention_shares(by_task: pd.DataFrame) -> pd.DataFrame:
    def quantities(tasks: pd.DataFrame) -> dict[str, dict]:
        classes = {("all", "all"): tasks}
        for split, low, high, name in CLASSES:
            classes[split, name] = tasks[(tasks[split] > low) & (tasks[split] <= high)]
        return {
            name: {"split": split, **over_tasks(some["differs"], some["source_group"], exact=True)}
            for (split, name), some in classes.items()
            if len(some)
        }

    return estimated(by_top(by_task).dropna(subset="differs"), ["rival", "top"], quantities, column="tasks")


def convention_excess(by_task: pd.DataFrame) -> pd.DataFrame:
    def facts(tasks: pd.DataFrame) -> dict[str, float]:
        return {"median": tasks["median_excess"].median(), "largest": tasks["largest_excess"].max()}

    rivals = by_task[by_task["rival"] != ANY]
    return estimated(rivals, ["rival"], lambda tasks: {"": tasks["mean_excess"]}, name="mean", facts=facts)
