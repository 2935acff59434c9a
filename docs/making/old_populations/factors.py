"""What moves the shares: learners, tasks, positives or ties? Each factor alone, and all of them together."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd
from aucstudy.report.populations.numbers import (
    ALL,
    BEST,
    BY_TASK,
    CORRELATION,
    FIRST_THREE,
    POSITIVES,
    Population,
)

from aucstudy.area_names import DISTINCT_PAIRS
from aucstudy.statistics.intervals import over_tasks, statistic_interval

LEARNERS, TASKS, MANY, TIES = "learners", "tasks", "positives", "ties"
JOINTLY = "the other factors held fixed"
MANY_POSITIVES = 100
MOVED = (BEST, FIRST_THREE, CORRELATION)
RESAMPLES, SEED = 2000, 1
COLUMNS = (
    "factor", "of", "against", "positives", "quantity", "first", "second", "estimate", "low", "high", "n_tasks",
    "n_groups",
)  # fmt: skip


def factors(populations: list[Population]) -> pd.DataFrame:
    """How far each factor moves the share of tasks whose models differ, and the rank correlation.

    Returns
    -------
    populations_factors.csv, differences with 95 % intervals over source groups, a row a factor, pair and quantity:

    * `learners`: two studies on the tasks that both have, paired; also by the number of positives;
    * `tasks`: tasks whose source group is not in the first study, minus those whose group is, with the same learners
      (in the same study if it has both kinds, else in the first);
    * `positives`: tasks with 100 positives and more minus the others, in each study;
    * `ties`: tasks whose best model by one of the two areas is tied minus the others, in each study;
    * with `against` = the other factors held fixed: the coefficients of one linear model of all tasks of all studies.
    """
    known = [each for each in populations if each.by_task is not None]
    rows = []
    for first, second in DISTINCT_PAIRS:
        frames = {
            each.name: each.by_task[(each.by_task["first"] == first) & (each.by_task["second"] == second)]
            for each in known
        }
        for quantity in MOVED:
            column = BY_TASK[quantity][0]
            of_pair = {name: frame.dropna(subset=column) for name, frame in frames.items()}
            for row in _each(of_pair, column):
                rows.append({"quantity": quantity, "first": first, "second": second, **row})
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _each(frames: dict[str, pd.DataFrame], column: str) -> Iterator[dict]:
    yield from _learners(frames, column)
    yield from _tasks(frames, column)
    for name, frame in frames.items():
        many = (frame["n_positive"] >= MANY_POSITIVES).to_numpy()
        tied = (frame["tied"] > 0).to_numpy()
        facts = {"of": name, "positives": ALL}
        yield from _difference({"factor": MANY, **facts, "against": "fewer than 100"}, frame, many, column)
        yield from _difference({"factor": TIES, **facts, "against": "no tied top"}, frame, tied, column)
    yield from _together(frames, column)


def _learners(frames: dict[str, pd.DataFrame], column: str) -> Iterator[dict]:
    for against, of in combinations(frames, 2):
        # a large set that the two cut otherwise is not the same task
        both = frames[of].merge(frames[against], on=["task_id", "n_positive"], suffixes=("", "_against"))
        for positives, (low, high) in {ALL: (0, np.inf), **POSITIVES}.items():
            tasks = both[(both["n_positive"] >= low) & (both["n_positive"] < high)]
            if len(tasks):
                paired = over_tasks(tasks[column] - tasks[f"{column}_against"], tasks["source_group"])
                yield {"factor": LEARNERS, "of": of, "against": against, "positives": positives, **paired}


def _tasks(frames: dict[str, pd.DataFrame], column: str) -> Iterator[dict]:
    name, *others = frames or [None]
    for of in others:
        new = ~frames[of]["source_group"].isin(frames[name]["source_group"])
        mixed = bool(new.any() and not new.all())
        compared = frames[of] if mixed else pd.concat([frames[of][new], frames[name]])
        is_new = (~compared["source_group"].isin(frames[name]["source_group"])).to_numpy()
        against = f"{of}, groups of {name}" if mixed else name
        yield from _difference(
            {"factor": TASKS, "of": of, "against": against, "positives": ALL}, compared, is_new, column
        )


def _difference(facts: dict, tasks: pd.DataFrame, of: np.ndarray, column: str) -> Iterator[dict]:
    """The mean of some tasks minus that of the others; nothing where there are none on one side."""
    if of.any() and not of.all():
        design = np.column_stack([np.ones(len(of)), of])
        yield {**facts, **_coefficient(design, 1, tasks, column)}


def _together(frames: dict[str, pd.DataFrame], column: str) -> Iterator[dict]:
    """One linear model of all tasks of all studies: each factor's coefficient where it can be told from the others."""
    name, *others = frames or [None]
    if not others:
        return
    tasks = pd.concat(frames.values())
    known = set(frames[name]["source_group"])
    columns = {
        "many positives": tasks["n_positive"] >= MANY_POSITIVES,
        "tied top": tasks["tied"] > 0,
        f"tasks not of {name}": ~tasks["source_group"].isin(known),
    }
    factor = dict(zip(columns, (MANY, TIES, TASKS), strict=True))
    for other in others:
        # a study that shares tasks with the first differs by its learners; one that shares none by its tasks
        if set(frames[other]["task_id"]) & set(frames[name]["task_id"]):
            columns[f"learners of {other}"] = tasks["study"] == other
            factor[f"learners of {other}"] = LEARNERS
    design = np.column_stack(
        [np.ones(len(tasks)), *(values.to_numpy(dtype=float) for values in columns.values())]
    )
    if np.linalg.matrix_rank(design) < design.shape[1]:
        return
    for place, label in enumerate(columns, start=1):
        facts = {"factor": factor[label], "of": label, "against": JOINTLY, "positives": ALL}
        yield {**facts, **_coefficient(design, place, tasks, column)}


def _coefficient(design: np.ndarray, place: int, tasks: pd.DataFrame, column: str) -> dict:
    """A least-squares coefficient with its interval by the percentiles of a bootstrap over source groups."""
    values, groups = tasks[column].to_numpy(dtype=float), tasks["source_group"].to_numpy()
    products = np.einsum("ni,nj->nij", design, design).reshape(len(values), -1)
    size = design.shape[1]

    def coefficient(weights: np.ndarray) -> np.ndarray:
        squares = (weights @ products).reshape(-1, size, size)
        crossed = weights @ (design * values[:, None])
        # a resample without one side of a factor has no coefficient
        possible = np.linalg.matrix_rank(squares) == size
        solved = np.full(len(weights), np.nan)
        if possible.any():
            solved[possible] = np.linalg.solve(squares[possible], crossed[possible][..., None])[:, place, 0]
        return solved

    sizes = {"n_tasks": len(values), "n_groups": len(set(groups.tolist()))}
    return {**vars(statistic_interval(coefficient, groups, RESAMPLES, SEED)), **sizes}
