"""The source of this study: data sets, rows and folds of the package's own source `packaged`, learners of WEKA."""

from collections.abc import Callable, Mapping
from functools import cache, partial
from math import ceil
from typing import Any

from aucstudy.errors import InputError
from aucstudy.learners.datasets import DataSet
from aucstudy.sources import packaged
from aucstudy.sources.packaged import Chosen, check_chosen, fill_tasks
from aucstudy.store.task_store import Batch

from .bridge import Weka, fill_weka_task
from .flows import WEKA_FLOWS, WekaFlow, task_seconds

NAME = "packaged"  # in tables and notes: where its data sets come from, and their rows and folds
IN_BATCHES = True
PATHS = ("lists",)
INPUT_FILES = ("lists",)
ROWS_DEPEND_ON = ("lists", "rows")

BLOCK = "source_settings"


def _is_number(value: object, low: float, high: float = float("inf")) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


# what each setting may be, in words; names are looked up by `chosen`
WANTED: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "datasets": ("default, listed, or a list of names", lambda value: isinstance(value, str | list)),
    "lists": ("a list of CSV files", lambda value: isinstance(value, list)),
    "flows": ("all, or a list of names", lambda value: isinstance(value, str | list)),
    "folds": ("a whole number from 2 to 100", lambda value: isinstance(value, int) and 2 <= value <= 100),
    "rows": ("a number of rows from 100, or null", lambda value: value is None or _is_number(value, 100)),
    "simulated": ("true or false", lambda value: isinstance(value, bool)),
    "flow_seconds": ("seconds, or null", lambda value: value is None or _is_number(value, 1e-9)),
}


def check(settings: Mapping[str, Any], *, models_per_task: int, min_flows: int) -> None:
    for key, value in settings.items():
        if key not in WANTED:
            raise InputError(f"{BLOCK}.{key}: unknown key; known are {', '.join(WANTED)}")
        words, is_right = WANTED[key]
        if not is_right(value):
            raise InputError(f"{BLOCK}.{key}: is {value!r}; wanted: {words}")
    check_chosen(chosen(settings), BLOCK, models_per_task=models_per_task, min_flows=min_flows)


def chosen(settings: Mapping[str, Any]) -> Chosen[WekaFlow]:
    return packaged.chosen_from(settings, WEKA_FLOWS, BLOCK)


def task_ids(settings: Mapping[str, Any]) -> list[str]:
    return list(chosen(settings).datasets)


def rows(settings: Mapping[str, Any], task_id: str, seed: int) -> tuple[DataSet, None]:
    return packaged.rows(settings, task_id, seed)


def work(settings: Mapping[str, Any], models: int, seed: int) -> dict[str, int]:
    return dict(_work(chosen(settings), settings.get("flow_seconds"), models, seed))


@cache
def _work(study: Chosen[WekaFlow], flow_seconds: float | None, models: int, seed: int) -> dict[str, int]:
    limits = {"folds": study.folds, "models": models, "flow_seconds": flow_seconds, "seed": seed}
    data_sets = {name: study.load(name, seed) for name in study.datasets}
    return {name: ceil(task_seconds(data, study.flows, **limits)) for name, data in data_sets.items()}


def fetch(batch: Batch) -> None:
    """Fit and score the flows of one batch of tasks, in a Java machine that all its tasks share."""
    numbers = {"models_per_task": batch.models_per_task, "min_flows": batch.min_flows}
    check(batch.settings, **numbers)
    study, costs = chosen(batch.settings), work(batch.settings, batch.models_per_task, batch.seed)
    limits = {"n_folds": study.folds, "flow_seconds": batch.settings.get("flow_seconds")}
    with Weka() as weka:
        fill_tasks(batch, study, costs, partial(fill_weka_task, weka, batch, study.flows, **limits))
