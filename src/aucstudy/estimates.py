"""The one table of estimates of a study: what is averaged over tasks is averaged here, and nowhere else.

A number is first restricted to the tasks of a subset and then averaged in two ways. By weight `task`, each
task counts once. By weight `source`, each source of data counts once, because its tasks are related: they are
different targets, or different cuts, of the same rows. The kinds of numbers are

* `mean` and `share`: the sum of the values over the sum of what the tasks weigh, which is 1 for each task unless
  the quantity says otherwise. By source, the values and weights of a source are divided by its sum of weights.
* `ratio`: the sum of the numerators over the sum of the denominators. By source, both are first averaged over
  the tasks of each source.
* `lower quartile`, `median` and `upper quartile` over tasks. By source, the tasks of a source share a weight of
  1 evenly.
* `correlation`: of the ranks of all models of all tasks together. By source, the models of a source share a
  weight of 1 evenly among its tasks.
* `simultaneous`: a mean whose interval holds together with those of its family. By source, the tasks of a source
  are averaged first.

All intervals are over sources, which are resampled, left out or linearised together with all their tasks,
whichever way the tasks are counted. No interval depends on a seed except the simultaneous ones and those that a
rule fixed before the data.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from aucstudy.experiments.quantities import Frames, Quantity
from aucstudy.learners.default_study import known_groups
from aucstudy.statistics.intervals import (
    Estimate,
    contrast_interval,
    correlation_intervals,
    quantile_interval,
    ratio_interval,
    share_interval,
    simultaneous_intervals,
    statistic_interval,
)
from aucstudy.statistics.ranks import CORRELATIONS, table_correlations
from aucstudy.store.estimates import ALL, KEYS, KNOWN, NEW, QUANTILES, REAL, SOURCE, WEIGHTS, subset_of_part
from aucstudy.store.tables import TooFewRows, read_table

COLUMNS = (
    "experiment", *KEYS, "subset", "weight", "kind", "family",
    "estimate", "low", "high", "n_tasks", "n_sources", "n_models",
)  # fmt: skip
POPULATIONS = "populations"  # in place of an experiment, for what compares studies
RESAMPLES = 2000  # for simultaneous intervals, and for the rules that were written before the data
SEED_OF_RULES = 1
FACTS = ("source_group", "n_positive", "prevalence")
Condition = Callable[[pd.DataFrame], pd.Series]


def _between(column: str, low: float, high: float) -> Condition:
    return lambda rows: rows[column].between(low, high)


def _below(column: str, limit: float) -> Condition:
    return lambda rows: rows[column] < limit


def _from(column: str, limit: float) -> Condition:
    return lambda rows: rows[column] >= limit


def _above(column: str, low: float, high: float = np.inf) -> Condition:
    return lambda rows: (rows[column] > low) & (rows[column] <= high)


def _margin(condition: Condition) -> Condition:
    """A task with a perfect model has no margin: several models may be perfect."""
    return lambda rows: condition(rows) & (rows["n_perfect"] == 0)


def _in_third(number: int) -> Condition:
    """Return the tasks in a third of the tasks by prevalence. Fewer than three prevalences make one third."""

    def in_third(rows: pd.DataFrame) -> pd.Series:
        prevalence = rows.drop_duplicates("task_id").set_index("task_id")["prevalence"]
        third = pd.Series(0, prevalence.index)
        if prevalence.nunique() > 2:
            third = pd.qcut(prevalence, 3, labels=False)
        return rows["task_id"].map(third) == number

    return in_third


def _admits_every_ratio(rows: pd.DataFrame) -> pd.Series:
    n_ratios = rows.groupby("task_id")["ratio"].transform("nunique")
    return n_ratios == rows["ratio"].nunique()


# The conditions are on the rows by task, which have the facts of tasks.csv and what the experiment adds.
SUBSETS: dict[str, Condition] = {
    ALL: lambda rows: pd.Series(True, rows.index),
    "prevalence under 0.1": _below("prevalence", 0.1),
    "prevalence 0.1 to 0.3": _between("prevalence", 0.1, 0.3),
    "prevalence over 0.3": _above("prevalence", 0.3),
    "prevalence 0.1 or more": _from("prevalence", 0.1),
    "prevalence 0.4 or more": _from("prevalence", 0.4),
    "rarest third": _in_third(0),
    "middle third": _in_third(1),
    "most frequent third": _in_third(2),
    "under 50 positives": _below("n_positive", 50),
    "up to 50 positives": _above("n_positive", 0, 50),
    "50 to 200 positives": _between("n_positive", 50, 200),
    "51 to 200 positives": _above("n_positive", 50, 200),
    "over 200 positives": _above("n_positive", 200),
    "under 100 positives": _below("n_positive", 100),
    "100 or more positives": _from("n_positive", 100),
    "10 or fewer models": _above("n_models", 0, 10),
    "11 to 29 models": _between("n_models", 11, 29),
    "30 or more models": _from("n_models", 30),
    "margin in AUPR under 0.001": _margin(_below("margin", 0.001)),
    "margin in AUPR 0.001 to 0.01": _margin(_between("margin", 0.001, 0.01)),
    "margin in AUPR over 0.01": _margin(_above("margin", 0.01)),
    "a perfect model": _above("n_perfect", 0),
    "up to 1 % tied pairs": _above("tied_pairs", -1, 0.01),
    "1 to 10 % tied pairs": _above("tied_pairs", 0.01, 0.1),
    "10 to 20 % tied pairs": _above("tied_pairs", 0.1, 0.2),
    "more than 20 % tied pairs": _above("tied_pairs", 0.2),
    "under 10 % of folds left out": _below("left_out", 0.1),
    "10 % or more of folds left out": _from("left_out", 0.1),
    "negatives for every ratio": _admits_every_ratio,
}
# The estimate is the mean over the tasks of one subset minus the mean over those of another, disjoint one.
CONTRASTS = {
    "prevalence 0.4 or more minus under 0.1": ("prevalence 0.4 or more", "prevalence under 0.1"),
    "100 or more positives minus under 100": ("100 or more positives", "under 100 positives"),
}


def parts_of(tasks: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tasks of a study, and those of some of its data if it also has other data, by name of the part.

    The name of the whole study is "".
    """
    parts = {"": tasks}
    is_known = tasks["source_group"].isin(known_groups())
    if is_known.any() and not is_known.all():
        parts |= {KNOWN: tasks[is_known], NEW: tasks[~is_known]}
    if "simulated" in tasks:
        is_real = tasks["simulated"].fillna("") == ""
        if is_real.any() and not is_real.all():
            parts[REAL] = tasks[is_real]
    return parts


def estimates_of(
    experiment: str, quantities: Iterable[Quantity], frames: Frames, tasks: pd.DataFrame, *, seed: int
) -> pd.DataFrame:
    """Return the rows of an experiment in the table of estimates.

    `frames` are its rows by task, and `tasks` are the rows of tasks.csv. Quantities without any row by task are
    left out.
    """
    rows = []
    for part, part_tasks in parts_of(tasks).items():
        made: dict[object, pd.DataFrame] = {}
        for quantity in quantities:
            if quantity.rows not in made:
                made[quantity.rows] = _with_facts(_rows_of(quantity, frames), part_tasks)
            by_task = made[quantity.rows]
            # Nothing asks for a subset of the tasks that are not simulated.
            subsets = [name for name in quantity.subsets if name == ALL or part != REAL]
            for row in _estimates(quantity, by_task, subsets, seed):
                rows.append({**row, "experiment": experiment, "subset": subset_of_part(row["subset"], part)})
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    table["at"] = pd.to_numeric(table["at"])
    return table


def _rows_of(quantity: Quantity, frames: Frames) -> pd.DataFrame | None:
    """Return the rows by task of a quantity, or None if nothing was measured for it."""
    if isinstance(quantity.rows, str):
        return frames.get(quantity.rows)
    try:
        return quantity.rows(frames)
    except TooFewRows:
        return None


def _with_facts(frame: pd.DataFrame | None, tasks: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of these tasks, with the facts of tasks.csv that they lack."""
    if frame is None or frame.empty:
        return pd.DataFrame()
    facts = [name for name in FACTS if name not in frame]
    rows = frame[frame["task_id"].isin(tasks["task_id"])].reset_index(drop=True)
    return rows.join(tasks.set_index("task_id")[facts], on="task_id") if facts else rows


def _estimates(
    quantity: Quantity, by_task: pd.DataFrame, subsets: Iterable[str], seed: int
) -> Iterator[dict]:
    for column, value in quantity.where.items():
        by_task = by_task[by_task[column] == value] if len(by_task) else by_task
    if by_task.empty:
        return
    for subset in subsets:
        if subset in CONTRASTS:
            first, second = (SUBSETS[name](by_task) for name in CONTRASTS[subset])
            inside = by_task.assign(in_first=first)[first | second]
        else:
            inside = by_task[SUBSETS[subset](by_task)]
        for names, cell in _cells(quantity, inside):
            facts = {"subset": subset, "kind": quantity.kind, "family": quantity.family}
            yield from ({**names, **row, **facts} for row in _of_cell(quantity, cell, subset, seed))


def _of_cell(quantity: Quantity, cell: pd.DataFrame, subset: str, seed: int) -> Iterator[dict]:
    """Yield the numbers of a cell with each weight."""
    weights = [weight for weight in WEIGHTS if not (weight == SOURCE and quantity.by_rule)]
    if quantity.kind == "simultaneous":
        for weight in weights:
            yield from ({**row, "weight": weight} for row in _jointly(quantity, cell, weight, seed))
    elif quantity.kind == "correlation":
        for weight in weights:
            yield from ({**row, "weight": weight} for row in _correlations(cell, weight))
    else:
        observed, sizes = _observed(quantity, cell, subset)
        for weight in weights:
            yield {**vars(_number(quantity, observed, weight)), **sizes, "weight": weight}


def _cells(quantity: Quantity, rows: pd.DataFrame) -> Iterator[tuple[dict, pd.DataFrame]]:
    """Yield the keys of each estimate and its rows. Numbers of one family of intervals are in one cell."""
    by = [name for name in quantity.columns if name not in quantity.jointly]
    if not by:
        if len(rows):
            yield ({} if quantity.jointly else quantity.named({})), rows
        return
    for values, cell in rows.groupby(by, sort=False, dropna=False):
        names = dict(zip(by, values, strict=True))
        yield ({} if quantity.jointly else quantity.named(names)), cell


class _Observations(NamedTuple):
    """The rows by task of one estimate: (n,) numerators, denominators, names of source groups and their codes.

    `in_first` (n,) says which rows belong to the first mean of a contrast.
    """

    values: np.ndarray
    over: np.ndarray
    groups: np.ndarray
    source: np.ndarray
    in_first: np.ndarray | None
    exact: bool


def _observed(
    quantity: Quantity, cell: pd.DataFrame, subset: str
) -> tuple[_Observations, dict[str, int | None]]:
    """Return the rows that an estimate rests on, and their numbers of tasks, sources and models by column."""
    # A study has thousands of cells, so that each column is taken from the frame once.
    values = cell[quantity.value].to_numpy(dtype=float)
    over = cell[quantity.over].to_numpy(dtype=float) if quantity.over else np.ones(len(cell))
    is_used = np.isfinite(values) & np.isfinite(over)
    if quantity.kind != "ratio":
        is_used &= over != 0
    groups = cell["source_group"].to_numpy(dtype=str)[is_used]
    names, source = np.unique(groups, return_inverse=True)
    in_first = cell["in_first"].to_numpy(dtype=bool)[is_used] if subset in CONTRASTS else None
    exact = quantity.exact
    if isinstance(exact, str):
        exact = bool(cell[exact].to_numpy()[is_used].all())
    n_models = int(cell["n_models"].to_numpy()[is_used].sum()) if "n_models" in cell else None
    n_tasks = len(set(cell["task_id"].to_numpy()[is_used].tolist()))
    sizes = {"n_tasks": n_tasks, "n_sources": len(names), "n_models": n_models}
    return _Observations(values[is_used], over[is_used], groups, source, in_first, exact), sizes


def _number(quantity: Quantity, observed: _Observations, weight: str) -> Estimate:
    """Return an estimate in which each task or each source counts once."""
    plain, over, groups, source, in_first, exact = observed
    values = plain
    if weight == SOURCE:
        kind = source if in_first is None else 2 * source + in_first
        of_source = np.bincount(kind, None if quantity.kind == "ratio" else over)[kind]
        values, over = values / of_source, over / of_source
    if in_first is not None:
        return _contrast(quantity, values, over, groups, in_first)
    if quantity.kind in QUANTILES:
        return quantile_interval(plain, over, source, QUANTILES[quantity.kind])
    if quantity.kind == "share":
        return share_interval(values, over, source, exact=exact)
    return ratio_interval(values, over, source)


def _contrast(
    quantity: Quantity, values: np.ndarray, over: np.ndarray, groups: np.ndarray, in_first: np.ndarray
) -> Estimate:
    """Return the difference of two means.

    By source, the values of the tasks of a source and kind have been divided by their number, so that they add
    up to the mean of one observation.
    """
    if not np.all(over == 1):
        kinds = pd.DataFrame({"group": groups, "in_first": in_first, "value": values})
        kinds = kinds.groupby(["group", "in_first"], sort=False, as_index=False).sum()
        values, groups, in_first = (kinds[name].to_numpy() for name in ("value", "group", "in_first"))
    if in_first.all() or not in_first.any():
        return Estimate(np.nan, np.nan, np.nan)
    if not quantity.by_rule:
        return contrast_interval(values, in_first, groups)

    def mean(weights: np.ndarray, kind: np.ndarray) -> np.ndarray:
        with np.errstate(invalid="ignore", divide="ignore"):  # A resample may hold no task of the kind.
            return weights[:, kind] @ values[kind] / weights[:, kind].sum(axis=1)

    return statistic_interval(
        lambda weights: mean(weights, in_first) - mean(weights, ~in_first), groups, RESAMPLES, SEED_OF_RULES
    )


def _jointly(quantity: Quantity, cell: pd.DataFrame, weight: str, seed: int) -> Iterator[dict]:
    """Yield the rows of a family of means, whose intervals hold together."""
    columns, names = [], []
    for values, rows in cell.groupby(quantity.columns, sort=False, dropna=False):
        names.append(quantity.named(dict(zip(quantity.columns, values, strict=True))))
        columns.append(rows.set_index("task_id")[quantity.value].astype(float))
    matrix = pd.concat(columns, axis=1)
    of_task = cell.drop_duplicates("task_id").set_index("task_id")
    groups = of_task["source_group"].reindex(matrix.index)
    n_tasks, n_sources = matrix.notna().sum(), matrix.notna().groupby(groups).any().sum()
    if weight == SOURCE:
        matrix = matrix.groupby(groups).mean()
        groups = matrix.index.to_series()
    joint = simultaneous_intervals(matrix.to_numpy(), groups.to_numpy(), RESAMPLES, seed)
    for k, name in enumerate(names):
        ends = {"estimate": joint.estimate[k], "low": joint.low[k], "high": joint.high[k]}
        yield {**name, **ends, "n_tasks": int(n_tasks.iloc[k]), "n_sources": int(n_sources.iloc[k])}


def _correlations(cell: pd.DataFrame, weight: str) -> Iterator[dict]:
    """Yield the rows of each kind of correlation, of ranks that are counted in contingency tables.

    `cell` has the columns `first_level` and `second_level`, whole numbers from 0 on, and `count`.
    """
    tasks, index = np.unique(cell["task_id"].to_numpy(), return_inverse=True)
    groups = cell.drop_duplicates("task_id").set_index("task_id")["source_group"][tasks].to_numpy()
    levels = int(cell[["first_level", "second_level"]].to_numpy().max()) + 1
    tables = np.zeros((len(tasks), levels, levels))
    np.add.at(tables, (index, cell["first_level"], cell["second_level"]), cell["count"])
    sizes = {"n_tasks": len(tasks), "n_sources": len(set(groups)), "n_models": int(cell["count"].sum())}
    if weight == SOURCE:
        n_tasks = pd.Series(groups).map(pd.Series(groups).value_counts()).to_numpy()
        tables /= (tables.sum(axis=(1, 2)) * n_tasks)[:, None, None]
    numbers = correlation_intervals(table_correlations, tables, groups)
    for kind, number in zip(CORRELATIONS, numbers, strict=True):
        yield {"quantity": kind, **vars(number), **sizes}


def learners_apart(tables: Callable[[str, str], pd.DataFrame], studies: Sequence[str]) -> pd.DataFrame:
    """Return how much more often two metrics pick different best models in one study than in another.

    Only the tasks of both studies are used, so the difference comes from the learners. A large data set of which two
    studies use different rows is not the same task. `tables` returns a table of a study.
    """
    rows = []
    for here, there in combinations(studies, 2):
        keys = ["task_id", "first", "second", "n_positive"]
        both = [
            tables(study, "disagreement_tasks").merge(
                tables(study, "tasks")[["task_id", "n_positive"]], on="task_id"
            )
            for study in (here, there)
        ]
        common = both[0].merge(both[1], on=keys, suffixes=("", "_there"))
        apart = common["p_best_differs"] - common["p_best_differs_there"]
        rows.append(common.assign(apart=apart, here=here, there=there))
    tasks = pd.concat([tables(study, "tasks") for study in studies]).drop_duplicates("task_id")
    quantity = Quantity(
        "differs more often", "apart", "apart",
        {"first": "{first}", "second": "{second}", "setting": "{here} minus {there}"},
    )  # fmt: skip
    table = estimates_of(
        POPULATIONS, [quantity], {"apart": pd.concat(rows, ignore_index=True)}, tasks, seed=0
    )
    return table[table["subset"] == ALL]


def joined(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the table of estimates from those of the experiments. Raise ValueError if a row is there twice."""
    some = [part for part in parts if len(part)]
    table = pd.concat(some or [pd.DataFrame(columns=list(COLUMNS))], ignore_index=True)
    keys = list(COLUMNS[: COLUMNS.index("family")])
    twice = table[table.duplicated(keys)]
    if len(twice):
        raise ValueError(f"two estimates have the same name: {twice.iloc[0][keys].to_dict()}")
    return table


def read_estimates(path: Path) -> pd.DataFrame:
    """Return a table of estimates that was written. Its keys are text, but `at` is a number."""
    return read_table(path, COLUMNS)
