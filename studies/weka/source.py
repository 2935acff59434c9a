"""The source of the study `weka`: data, rows and folds of the source `packaged`, and learners of WEKA."""

from collections.abc import Mapping
from functools import cache, partial
from math import ceil
from typing import Any

from aucstudy.learners.datasets import DataSet
from aucstudy.sources import OWN_SETTINGS, check_settings, packaged, schema_of_list, schema_of_names
from aucstudy.sources.packaged import Chosen, check_chosen, fill_tasks
from aucstudy.store.task_store import Batch

from .bridge import Weka, fill_weka_task
from .flows import WEKA_FLOWS, WekaFlow, task_seconds

# Tables and notes use this name because the data sets, rows and folds are those of `packaged`.
NAME = "packaged"
IN_BATCHES = True
PATHS = ("lists",)
INPUT_FILES = ("lists",)
ROWS_DEPEND_ON = ("lists", "rows")

# JSON schemas of the settings. Each setting may be left out.
SETTINGS = {
    "datasets": schema_of_names("default", "listed"),
    "lists": schema_of_list("CSV files"),
    "flows": schema_of_names("all"),
    "folds": {"type": "integer", "minimum": 2, "maximum": 100},
    "rows": {"type": ["integer", "null"], "minimum": 100},
    "simulated": {"type": "boolean"},
    "flow_seconds": {"type": ["number", "null"], "exclusiveMinimum": 0},
}


def check(settings: Mapping[str, Any], *, models_per_task: int, min_flows: int) -> None:
    check_settings(settings, SETTINGS)
    check_chosen(chosen(settings), OWN_SETTINGS, models_per_task=models_per_task, min_flows=min_flows)


def chosen(settings: Mapping[str, Any]) -> Chosen[WekaFlow]:
    return packaged.chosen_from(settings, WEKA_FLOWS, OWN_SETTINGS)


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
