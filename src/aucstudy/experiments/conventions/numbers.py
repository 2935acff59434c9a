"""One name, several numbers: do the conventions in use for "area under the PR curve" pick the same models?

Several rules carry that name in well-used tools, among them those of Chen et al. 2024. Here the exact integral is
the reference and the others are its rivals, on the same predictions: whatever differs, differs by convention alone.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.conventions import CONVENTIONS, aupr_conventions
from aucstudy.metrics.curves import roc_curve
from aucstudy.statistics.intervals import over_tasks
from aucstudy.statistics.ranks import agreement, rounded
from aucstudy.store.task_store import Predictions

REFERENCE = "exact"
RIVALS = tuple(name for name in CONVENTIONS if name != REFERENCE)
# at least one of the rivals
ANY = "any"
TIE_CLASSES = (
    (-1, 0.01, "up to 1 % tied"),
    (0.01, 0.1, "1 to 10 %"),
    (0.1, 0.2, "10 to 20 %"),
    (0.2, 1, "more than 20 %"),
)
POSITIVE_CLASSES = ((0, 50, "up to 50 positives"), (50, 200, "51 to 200"), (200, np.inf, "more than 200"))


def of_task(task: Task, *, seed: int) -> dict[str, pd.DataFrame]:
    """One task's `convention_values` and `compare_conventions`."""
    values = convention_values(task.predictions)
    return {
        "by_task": compare_conventions(task.predictions, task.source_group, values),
        "convention_values": values.reset_index().assign(task_id=task.task_id),
    }


def over_all(study: Study, *, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's tables."""
    by_task = study.frames["by_task"]
    return {
        "conventions": convention_shares(by_task),
        "conventions_excess": convention_excess(by_task),
        "conventions_tasks": by_task,
    }


def convention_values(predictions: Predictions) -> pd.DataFrame:
    """Every convention's area of one task's models.

    Returns
    -------
    One row a model, indexed by run_id; one column a convention, and `tied_pairs`, the share of (positive, negative)
    pairs with equal scores.
    """
    rows = []
    for scores in predictions.scores.T:
        curve = roc_curve(predictions.y_true, scores)
        tied = float(np.diff(curve.tpr) @ np.diff(curve.fpr))
        rows.append({**aupr_conventions(predictions.y_true, scores), "tied_pairs": tied})
    return pd.DataFrame(rows, index=pd.Index(predictions.run_ids, name="run_id"))


def compare_conventions(predictions: Predictions, source_group: str, values: pd.DataFrame) -> pd.DataFrame:
    """How far each rival departs from the exact area in one task.

    Parameters
    ----------
    values : the task's `convention_values`.

    Returns
    -------
    One row a rival, and a last one, `any`: `best_exact`, `best_rival` (run_ids, joined by "|" where tied),
    `p_best_differs`, `p_top3_differs` (probability over shared random tie-breaking; the latter is NaN for `any`),
    `largest_difference` (of the rival's area from the exact one, signed), `mean_excess`, `median_excess`,
    `largest_excess` (over the models, of the rival's area minus the exact one), `tied_pairs` (mean over the models).
    """
    areas = {name: rounded(values[name].to_numpy()) for name in (REFERENCE, *RIVALS)}
    exact = areas[REFERENCE]
    facts = {
        "task_id": predictions.task_id,
        "source_group": source_group,
        "n_positive": int(predictions.y_true.sum()),
        "tied_pairs": values["tied_pairs"].mean(),
        "n_models": len(values),
    }
    rows, best_sets = [], [_best(exact)]
    for rival in RIVALS:
        area = areas[rival]
        best_sets.append(_best(area))
        difference = area - exact
        rows.append(
            {
                **facts,
                "rival": rival,
                "best_exact": "|".join(values.index[best_sets[0]]),
                "best_rival": "|".join(values.index[best_sets[-1]]),
                "p_best_differs": 1 - agreement(exact, area, 1),
                "p_top3_differs": 1 - agreement(exact, area, 3),
                "largest_difference": difference[np.argmax(np.abs(difference))],
                "mean_excess": difference.mean(),
                "median_excess": np.median(difference),
                "largest_excess": difference.max(),
            }
        )
    # the first model of the shared order among all that are best by some rule wins by every rule exactly if it is
    # best by all
    shared, some = np.all(best_sets, axis=0).sum(), np.any(best_sets, axis=0).sum()
    rows.append(
        {**facts, "rival": ANY, "best_exact": rows[0]["best_exact"], "p_best_differs": 1 - shared / some}
    )
    return pd.DataFrame(rows)


def _best(values: np.ndarray) -> np.ndarray:
    return values == values.max()


def convention_shares(by_task: pd.DataFrame) -> pd.DataFrame:
    """Share of tasks whose best model, or ordered first three, the convention alone changes, with 95 % intervals.

    Parameters
    ----------
    by_task : frames of `compare_conventions`, one below the other.

    Returns
    -------
    One row a rival, number of places (`top`) and class of tasks: `split` says what the classes are of (all, tied
    pairs, positives), then `tasks`, `estimate`, `low`, `high`, `n_tasks`, `n_groups`.
    """
    rows = []
    for (rival, top), column in _questions():
        of_rival = by_task[by_task["rival"] == rival]
        for split, name, tasks in _classes(of_rival):
            share = over_tasks(tasks[column], tasks["source_group"], exact=True)
            rows.append({"rival": rival, "top": top, "split": split, "tasks": name, **share})
    return pd.DataFrame(rows)


def convention_excess(by_task: pd.DataFrame) -> pd.DataFrame:
    """How far each rival lies above the exact area, whether or not a winner changes.

    Returns
    -------
    One row a rival: `mean` (over tasks of the mean over models, with its 95 % interval over source groups), `median`
    (over tasks of the median over models), `largest` (of one model), `n_tasks`, `n_groups`.
    """
    rows = []
    for rival in RIVALS:
        tasks = by_task[by_task["rival"] == rival]
        mean = over_tasks(tasks["mean_excess"], tasks["source_group"], name="mean")
        rest = {"median": tasks["median_excess"].median(), "largest": tasks["largest_excess"].max()}
        rows.append({"rival": rival, **mean, **rest})
    return pd.DataFrame(rows)


def _questions() -> Iterator[tuple[tuple[str, int], str]]:
    for rival in RIVALS:
        yield (rival, 1), "p_best_differs"
        yield (rival, 3), "p_top3_differs"
    yield (ANY, 1), "p_best_differs"


def _classes(tasks: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """The tasks as a whole, by tied pairs and by positives; classes without a task are left out."""
    yield "all", "all", tasks
    for split, classes in (("tied_pairs", TIE_CLASSES), ("n_positive", POSITIVE_CLASSES)):
        for low, high, name in classes:
            inside = tasks[(tasks[split] > low) & (tasks[split] <= high)]
            if len(inside):
                yield split, name, inside
