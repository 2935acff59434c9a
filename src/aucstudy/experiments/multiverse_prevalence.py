"""Disagreement by prevalence: across tasks, where it is confounded, and within tasks, where it is not."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from aucstudy.area_names import AREAS
from aucstudy.experiments.disagreement import SHARE, by_top, first_places_differ
from aucstudy.experiments.inputs import Study, Task
from aucstudy.metrics.tied_groups import areas_of_groups, tied_groups
from aucstudy.statistics.intervals import estimated, over_tasks, statistic_interval
from aucstudy.statistics.ranks import rounded

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
    facts = study.tasks[["task_id", "prevalence", "n_positive"]]
    contrasts = _contrasts(study.table("disagreement_tasks")).merge(facts, on="task_id")
    moved_by_share = dict(iter(study.frames["moved"].groupby(SHARE)))

    def quantities(tasks: pd.DataFrame) -> Mapping[int, Mapping]:
        rows = [*_across(tasks), *_by_positives(tasks, bootstrap, seed)]
        for prevalence, at_prevalence in moved_by_share[tuple(tasks.iloc[0][SHARE])].groupby("prevalence"):
            rows.append(_row("within tasks", [prevalence] * 3, "all", _share(at_prevalence)))
        return dict(enumerate(rows))

    return {"prevalence": estimated(contrasts, SHARE, quantities)}


def _contrasts(by_task: pd.DataFrame) -> pd.DataFrame:
    return by_top(by_task[by_task["second"] != "aucnpr"])


def _row(scope: str, prevalences: Sequence[float], positives: str, share: Mapping) -> dict:
    bounds = dict(zip(("prevalence", "prevalence_low", "prevalence_high"), prevalences, strict=True))
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
        for name, stratum in strata.items():
            if len(stratum):
                mean = stratum["prevalence"].mean()
                yield _row("across tasks", [mean, low, high], name, _share(stratum))


def by_positives_table(by_task: pd.DataFrame, resamples: int, seed: int) -> pd.DataFrame:
    def quantities(tasks: pd.DataFrame) -> Mapping[int, Mapping]:
        return dict(enumerate(_by_positives(tasks, resamples, seed)))

    return estimated(_contrasts(by_task), SHARE, quantities)


def _by_positives(tasks: pd.DataFrame, resamples: int, seed: int) -> Iterator[dict]:
    has_many = (tasks["n_positive"] >= MANY_POSITIVES).to_numpy()
    if has_many.all() or not has_many.any():
        return
    groups, values = tasks["source_group"].to_numpy(), tasks["differs"].to_numpy(dtype=float)

    def mean(weights: np.ndarray, tasks: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore", divide="ignore"):
            return weights[:, tasks] @ values[tasks] / weights[:, tasks].sum(axis=1)

    def difference(weights: np.ndarray) -> np.ndarray:
        return mean(weights, has_many) - mean(weights, ~has_many)

    sizes = {"n_tasks": len(values), "n_groups": len(set(groups))}
    shares = {
        f"fewer than {MANY_POSITIVES}": _share(tasks[~has_many]),
        f"{MANY_POSITIVES} and more": _share(tasks[has_many]),
        "many minus few": {**vars(statistic_interval(difference, groups, resamples, seed)), **sizes},
    }
    for positives, share in shares.items():
        yield _row("by positives", [np.nan, 0.0, 1.0], positives, share)
