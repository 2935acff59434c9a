"""The inputs of an experiment: one task, or the whole study with the frames of all its tasks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from aucstudy.store.estimates import SOURCE, selected
from aucstudy.store.measured import read_scores
from aucstudy.store.tables import rows_with, study_table
from aucstudy.store.task_store import Predictions, read_predictions, read_runs, read_tasks

RARE = 0.1  # Tasks with a lower prevalence are also analysed on their own.
RARE_TASKS = f"prevalence under {RARE:g}"


@dataclass(frozen=True)
class Task:
    """One task, as `of_task` gets it.

    `facts` is the row of the task in tasks.csv. `frames` has the frames that other experiments measured for
    this task, by name.
    """

    store: Path
    facts: Mapping[str, Any]
    frames: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    load_rows: Callable[[str], tuple] | None = None

    @property
    def task_id(self) -> str:
        return self.facts["task_id"]

    @cached_property
    def predictions(self) -> Predictions:
        return read_predictions(self.store, self.task_id)

    @cached_property
    def rows(self) -> tuple | None:
        """The data set and the fold of each row, or None if the source provides no rows.

        The folds are None if the source does not fix them.
        """
        return self.load_rows and self.load_rows(self.task_id)


@dataclass(frozen=True)
class Study:
    """All tasks of a study, as `over_all` and the functions that draw get them.

    `store` and `tables` are folders. `frames` has the frames of all tasks by name. Their rows are in the
    order of tasks.csv and have the columns task_id and source_group. Functions that draw get no frames. If
    `repeated` is true, the tasks include those whose cross-validation has several repetitions.
    `estimates` are those of the experiment and of the experiments whose tables it reads. Tables and figures
    take those of one `weight`. `brings_models` is true if the models are the user's own.
    """

    store: Path
    tables: Path
    frames: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    repeated: bool = False
    estimates: pd.DataFrame = field(default_factory=pd.DataFrame)
    weight: str = SOURCE
    brings_models: bool = False

    @cached_property
    def tasks(self) -> pd.DataFrame:
        return usable_tasks(read_tasks(self.store), repeated=self.repeated)

    @cached_property
    def source_groups(self) -> pd.Series:
        return self.tasks.set_index("task_id")["source_group"]

    @cached_property
    def runs(self) -> pd.DataFrame:
        return read_runs(self.store)

    def scores(self, aggregation: str | None = None) -> pd.DataFrame:
        return read_scores(self.store / "scores.parquet", aggregation, repeated=self.repeated)

    def predictions(self, task_id: str) -> Predictions:
        return read_predictions(self.store, task_id)

    def table(self, name: str) -> pd.DataFrame | None:
        return study_table(self.tables, name)

    def numbers(self, experiment: str, **keys: object) -> pd.DataFrame:
        """Return the estimates with these keys, as `store.estimates.selected` does."""
        return selected(self.estimates, experiment, weight=self.weight, **keys)

    def rows(self, name: str, *, known: Sequence[str] = (), **where: object) -> pd.DataFrame:
        return rows_with(self.table(name), name, known, **where)


def usable_tasks(tasks: pd.DataFrame, *, repeated: bool = False) -> pd.DataFrame:
    """Return the tasks with two classes and, unless `repeated` is true, with one repetition.

    With several repetitions, the rows of a data set stand several times among the predictions. Most
    experiments would take them for different rows, and split them between halves.
    """
    is_usable = (tasks["n_positive"] > 0) & (tasks["n_positive"] < tasks["n_rows"])
    if "n_repeats" in tasks and not repeated:
        is_usable &= ~(tasks["n_repeats"].fillna(1) > 1)
    return tasks[is_usable].reset_index(drop=True)
