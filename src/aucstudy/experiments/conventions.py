"""The experiment `conventions`: do the rules in use for the "area under the PR curve" pick the same models?

All rules are computed from the same predictions.
"""

import numpy as np
import pandas as pd

from aucstudy.experiments.disagreement import by_top
from aucstudy.experiments.inputs import Study, Task
from aucstudy.experiments.quantities import Frames, Quantity, measured_rows
from aucstudy.metrics.conventions import CONVENTIONS, aupr_conventions
from aucstudy.metrics.curves import roc_curve
from aucstudy.statistics.ranks import agreement, rounded
from aucstudy.store.estimates import ALL
from aucstudy.store.task_store import Predictions

REFERENCE = "exact"
RIVALS = tuple(name for name in CONVENTIONS if name != REFERENCE)
# The rival `any` disagrees if at least one of the rules in COUNTED does. The rules of computer vision are
# reported one by one, but do not count for `any`.
ANY = "any"
COUNTED = tuple(name for name in RIVALS if CONVENTIONS[name].field == "classification")


def differences(frames: Frames) -> pd.DataFrame:
    return by_top(measured_rows(frames, "conventions_tasks")).dropna(subset="differs")


def excess(frames: Frames) -> pd.DataFrame:
    by_task = measured_rows(frames, "conventions_tasks")
    return by_task[by_task["rival"] != ANY]


_RULES = {"first": REFERENCE, "second": "{rival}"}
QUANTITIES = (
    Quantity(
        "differs", differences, "differs", {**_RULES, "at": "{top}"}, kind="share", exact=True,
        subsets=(
            ALL, "up to 1 % tied pairs", "1 to 10 % tied pairs", "10 to 20 % tied pairs", "more than 20 % tied pairs",
            "up to 50 positives", "51 to 200 positives", "over 200 positives",
        ),
    ),
    Quantity("mean excess", excess, "mean_excess", {"first": "{rival}", "second": REFERENCE}),
)  # fmt: skip


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
    by_rule = excess(study.frames).groupby("rival", sort=False)
    table = pd.DataFrame(
        {"median": by_rule["median_excess"].median(), "largest": by_rule["largest_excess"].max()}
    )
    return {"conventions_excess": table.reset_index()}


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
