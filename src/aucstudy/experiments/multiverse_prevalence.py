"""Disagreement by prevalence: across tasks, where it is confounded, and within tasks, where it is not."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.experiments.disagreement import by_top, first_places_differ
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.tied_groups import areas_of_groups, tied_groups
from aucstudy.statistics.intervals import estimated, over_tasks, statistic_interval
from aucstudy.statistics.ranks import rounded

SHARE = ["first", "second", "top"]
PREVALENCE_BINS = (0.0, 0.05, 0.1, 0.2, 0.35, 1.0)
POSITIVE_BINS = (1, 50, 100, np.inf)
MANY_POSITIVES = 100


def of_task(task: Task, *, prevalences: Sequence[float], seed: int) -> dict[str, pd.DataFrame]:
    rows, rankings = [], tied_groups(task.predictions.y_true, task.predictions.scores)
    for prevalence in prevalences:
        areas = dict(zip(AREAS, rounded(areas_of_groups(rankings, prevalence=prevalence)).T, strict=True))
        rows += [(prevalence, *key, differs) for key, differs in first_places_differ(areas).items()]
    return {"moved": pd.DataFrame(rows, columns=["prevalence", *SHARE, "differs"])}


def over_all(study: Study, *, bootstrap: int, seed: int) -> dict[str, pd.DataFrame]:
    if "moved" not in study.frames:
        return {}
    by_task = study.table("disagreement_tasks")
    contrasts = by_top(by_task[by_task["second"] != "aucnpr"])
    contrasts = contrasts.merge(study.tasks[["task_id", "prevalence", "n_positive"]], on="task_id")
    moved_by_share = dict(iter(study.frames["moved"].groupby(SHARE)))

    def quantities(tasks: pd.DataFrame) -> Mapping[int, Mapping]:
        rows = [*_across(tasks), *_by_positives(tasks, bootstrap, seed)]
        for prevalence, at_prevalence in moved_by_share[tuple(tasks.iloc[0][SHARE])].groupby("prevalence"):
            share = _share(at_prevalence)
            rows.append(_row("within tasks", prevalence, prevalence, prevalence, "all", share))
        return dict(enumerate(rows))

    return {"prevalence": estimated(contrasts, SHARE, quantities)}


def _row(scope: str, prevalence: float, low: float, high: float, positives: str, share: Mapping) -> dict:
    bounds = {"prevalence": prevalence, "prevalence_low": low, "prevalence_high": high}
    return {"scope": scope, **bounds, "positives": positives, **share}


def _share(tasks: pd.DataFrame) -> dict[str, float]:
    return over_tasks(tasks["differs"], tasks["source_group"], exact=True)


def _across(tasks: pd.DataFrame) -> Iterator[dict]:
    for low, high in pairwise(PREVALENCE_BINS):
        strata = {"all": tasks[(tasks["prevalence"] >= low) & (tasks["prevalence"] < high)]}
        n_positive = strata["all"]["n_positive"]
        for lower, upper in pairwise(POSITIVE_BINS):
            name = f"{lower} and more" if np.isinf(upper) else f"{lower} to {upper - 1}"
            strata[name] = strata["all"][(n_positive >= lower) & (n_positive < upper)]
        for name, chosen in strata.items():
            if len(chosen):
                yield _row("across tasks", chosen["prevalence"].mean(), low, high, name, _share(chosen))


def by_positives_table(by_task: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    """The rows of prevalence.csv by the number of positives, of disagreement_tasks.csv with `n_positive`."""
    contrasts = by_top(by_task[by_task["second"] != "aucnpr"])
    return estimated(contrasts, SHARE, lambda tasks: dict(enumerate(_by_positives(tasks, resamples, seed))))


def _by_positives(tasks: pd.DataFrame, resamples: int, seed: int) -> Iterator[dict]:
    """The share among tasks with few and with many positives, and the difference with its interval."""
    many_positives = (tasks["n_positive"] >= MANY_POSITIVES).to_numpy()
    if many_positives.all() or not many_positives.any():
        return
    groups, values = tasks["source_group"].to_numpy(), tasks["differs"].to_numpy(dtype=float)

    def difference(weights: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = [
                weights[:, group] @ values[group] / weights[:, group].sum(axis=1)
                for group in (many_positives, ~many_positives)
            ]
        return shares[0] - shares[1]

    sizes = {"n_tasks": len(values), "n_groups": len(set(groups))}
    shares = {
        f"fewer than {MANY_POSITIVES}": _share(tasks[~many_positives]),
        f"{MANY_POSITIVES} and more": _share(tasks[many_positives]),
        "many minus few": {**vars(statistic_interval(difference, groups, resamples, seed)), **sizes},
    }
    for positives, share in shares.items():
        yield _row("by positives", np.nan, 0.0, 1.0, positives, share)
