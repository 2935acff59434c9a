"""Disagreement by prevalence: across tasks, where it is confounded, and within tasks, where it is not.

Tasks of low prevalence have few positives too, and few positives alone make areas disagree. So the shares across tasks
are told by prevalence and number of positives together. The clean estimate moves the same predictions to other
prevalences: the ROC curve stays, the weight of the negatives changes [the `prevalence` option of the areas].
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS, DISTINCT_PAIRS
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.tied_groups import areas_of_groups, tied_groups
from aucstudy.statistics.intervals import over_tasks, statistic_interval
from aucstudy.statistics.ranks import agreement, rounded
from aucstudy.store.task_store import Predictions

TOPS = (1, 3)
PREVALENCE_BINS = (0.0, 0.05, 0.1, 0.2, 0.35, 1.0)
POSITIVE_BINS = (1, 50, 100, np.inf)
MANY_POSITIVES = 100


def of_task(task: Task, *, prevalences: Sequence[float], seed: int) -> dict[str, pd.DataFrame]:
    """One task's `moved_disagreement`."""
    return {"moved": moved_disagreement(task.predictions, prevalences)}


def over_all(study: Study, *, bootstrap: int, seed: int) -> dict[str, pd.DataFrame]:
    """The experiment's table."""
    by_task, moved = study.table("disagreement_tasks"), study.frames["moved"]
    return {"prevalence": by_prevalence(by_task, moved, study.tasks, bootstrap, seed)}


def moved_disagreement(predictions: Predictions, prevalences: Sequence[float]) -> pd.DataFrame:
    """How far two areas disagree on one task's models when its predictions are moved to other prevalences.

    Parameters
    ----------
    prevalences : in (0, 1), the prevalences to move to.

    Returns
    -------
    One row a prevalence, pair and top: task_id, prevalence, first, second, top, p_differs (ties broken by one shared
    permutation).
    """
    rows, rankings = [], tied_groups(predictions.y_true, predictions.scores)
    for prevalence in prevalences:
        values = dict(zip(AREAS, rounded(areas_of_groups(rankings, prevalence=prevalence)).T, strict=True))
        for first, second in DISTINCT_PAIRS:
            for top in TOPS:
                differs = 1 - agreement(values[first], values[second], top)
                facts = {"task_id": predictions.task_id, "prevalence": prevalence}
                rows.append({**facts, "first": first, "second": second, "top": top, "p_differs": differs})
    return pd.DataFrame(rows)


def by_prevalence(
    by_task: pd.DataFrame, moved: pd.DataFrame, tasks: pd.DataFrame, resamples: int, seed: int
) -> pd.DataFrame:
    """Shares of disagreement by prevalence, with 95 % intervals over source groups.

    Parameters
    ----------
    by_task : as `disagreement.disagreement_by_task` gives it.
    moved : rows of `moved_disagreement` of all tasks.
    tasks : tasks.csv.

    Returns
    -------
    One row a scope, prevalence, stratum, pair and top: `scope` is `across tasks` (each task at its own prevalence, in
    bins of prevalence and, within a bin, strata of the number of positives; stratum `all` is the whole bin), `within
    tasks` (all tasks moved to the prevalence) or `by positives` (the tasks with fewer than 100 positives, the others,
    and `many minus few`, the difference of the two shares: whether the number of positives matters at all);
    prevalence (of bins the mean), prevalence_low, prevalence_high (the bin), positives, estimate, low, high, n_tasks,
    n_groups.
    """
    facts = tasks.set_index("task_id")
    rows = []
    for first, second in DISTINCT_PAIRS:
        pair = by_task[(by_task["first"] == first) & (by_task["second"] == second)].set_index("task_id")
        here = facts.loc[pair.index]
        for top in TOPS:
            question = {"first": first, "second": second, "top": top}
            differs = pair["p_best_differs" if top == 1 else "p_top3_differs"]
            for low, high, positives, chosen in _strata(here):
                bounds = {"prevalence_low": low, "prevalence_high": high, "positives": positives}
                scope = {"scope": "across tasks", "prevalence": here["prevalence"][chosen].mean(), **bounds}
                rows.append({**scope, **question, **_share(differs[chosen], facts)})
            for positives, share in _by_positives(differs, here, resamples, seed):
                bounds = {"prevalence_low": 0.0, "prevalence_high": 1.0, "positives": positives}
                rows.append({"scope": "by positives", "prevalence": np.nan, **bounds, **question, **share})
            of_pair = moved[(moved["first"] == first) & (moved["second"] == second) & (moved["top"] == top)]
            for prevalence, at_prevalence in of_pair.groupby("prevalence"):
                bounds = {"prevalence_low": prevalence, "prevalence_high": prevalence, "positives": "all"}
                scope = {"scope": "within tasks", "prevalence": prevalence, **bounds}
                moved_share = _share(at_prevalence.set_index("task_id")["p_differs"], facts)
                rows.append({**scope, **question, **moved_share})
    return pd.DataFrame(rows)


def _strata(tasks: pd.DataFrame) -> list[tuple[float, float, str, pd.Series]]:
    """Bins of prevalence, whole and by the number of positives, that hold a task."""
    strata = []
    for low, high in pairwise(PREVALENCE_BINS):
        inside = (tasks["prevalence"] >= low) & (tasks["prevalence"] < high)
        strata.append((low, high, "all", inside))
        for least, most in pairwise(POSITIVE_BINS):
            name = f"{least} and more" if np.isinf(most) else f"{least} to {most - 1}"
            strata.append(
                (low, high, name, inside & (tasks["n_positive"] >= least) & (tasks["n_positive"] < most))
            )
    return [stratum for stratum in strata if stratum[3].any()]


def _share(differs: pd.Series, facts: pd.DataFrame) -> dict[str, float]:
    return over_tasks(differs, facts["source_group"][differs.index], exact=True)


def _by_positives(
    differs: pd.Series, facts: pd.DataFrame, resamples: int, seed: int
) -> Iterator[tuple[str, dict[str, float]]]:
    """The share among tasks with few and with many positives, and the difference with its interval."""
    many = (facts["n_positive"] >= MANY_POSITIVES).to_numpy()
    if many.all() or not many.any():
        return
    yield f"fewer than {MANY_POSITIVES}", _share(differs[~many], facts)
    yield f"{MANY_POSITIVES} and more", _share(differs[many], facts)
    groups, values = facts["source_group"].to_numpy(), differs.to_numpy(dtype=float)

    def difference(weights: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = [weights[:, of] @ values[of] / weights[:, of].sum(axis=1) for of in (many, ~many)]
        return shares[0] - shares[1]

    sizes = {"n_tasks": len(values), "n_groups": len(set(groups))}
    yield "many minus few", {**vars(statistic_interval(difference, groups, resamples, seed)), **sizes}
