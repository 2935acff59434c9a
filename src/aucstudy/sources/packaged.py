"""The source `packaged`: real data sets out of installed packages, learners of scikit-learn or WEKA, no network."""

from collections.abc import Collection, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, partial
from math import ceil
from typing import Any

from threadpoolctl import threadpool_limits

from aucstudy.errors import InputError
from aucstudy.learners.cross_validation import fill_task, prepare_folds
from aucstudy.learners.datasets import (
    DataSet,
    at_most,
    known_names,
    load,
    names_meant,
    outcomes,
    predicted_seconds,
    source_file,
)
from aucstudy.learners.flows import FLOWS, Flow
from aucstudy.learners.weka.bridge import Weka, check_installed, fill_weka_task
from aucstudy.learners.weka.flows import WEKA_FLOWS, WekaFlow, task_seconds
from aucstudy.sources import check_numbers, fill
from aucstudy.store.files import sha256_of
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.task_store import Batch, Filled

IN_BATCHES = True
ROWS_DEPEND_ON = ("rows",)


@dataclass(frozen=True)
class Chosen:
    datasets: tuple[str, ...]
    flows: tuple[Flow, ...] | tuple[WekaFlow, ...]
    folds: int
    rows: int | None = None
    learners: str = "scikit-learn"
    flow_seconds: float | None = None
    simulated: bool = True


def chosen(settings: Mapping[str, object]) -> Chosen:
    """Read the block `packaged` of a configuration, whose keys are those of `Chosen`.

    InputError where a name is unknown (the nearest known one is named), or `flow_seconds` is asked of learners whose
    costs are not known.

    >>> chosen({"datasets": ["iris"], "flows": "all", "folds": 10}).datasets
    ('iris',)
    """
    word = settings.get("datasets", "default")
    names_of_word = names_meant(word) if isinstance(word, str) else None
    names = (
        tuple(names_of_word) if names_of_word else names_of(settings, "datasets", "default", known_names())
    )
    learners = settings.get("learners", "scikit-learn")
    flow_seconds = settings.get("flow_seconds")
    if flow_seconds is not None and learners != "weka":
        raise InputError(f"packaged.flow_seconds: {flow_seconds!r} is for learners: weka; wanted null")
    known = WEKA_FLOWS if learners == "weka" else FLOWS
    flows = names_of(settings, "flows", "all", known)
    # The registry's order, whatever the order in the settings: it must not change a result.
    drawn_from = tuple(flow for name, flow in known.items() if name in flows)
    folds, rows, simulated = settings.get("folds", 10), settings.get("rows"), settings.get("simulated", True)
    return Chosen(names, drawn_from, folds, rows, learners, flow_seconds, simulated)


def names_of(
    settings: Mapping[str, Any], key: str, word: str, known: Collection[str], block: str = "packaged"
) -> tuple[str, ...]:
    names = settings.get(key, word)
    if names == word:
        return tuple(known)
    if isinstance(names, str):
        raise InputError(f"{block}.{key}: {names!r} is neither {word!r} nor a list of names")
    for name in names:
        if name not in known:
            nearest = get_close_matches(str(name), known, n=1, cutoff=0)[0]
            raise InputError(f"{block}.{key}: {name!r} is not known; the nearest known name is {nearest!r}")
    return tuple(names)


def check(settings: Mapping[str, object], *, models_per_task: int, min_flows: int) -> None:
    study = chosen(settings)
    if study.learners == "weka":
        check_installed()
    for name in study.datasets:
        if name in outcomes():
            source_file(name)
    check_numbers("packaged.flows", len(study.flows), models_per_task=models_per_task, min_flows=min_flows)


def task_ids(settings: Mapping[str, object]) -> list[str]:
    return list(chosen(settings).datasets)


def rows(settings: Mapping[str, object], task_id: str, seed: int) -> tuple[DataSet, None]:
    return at_most(load(task_id), settings.get("rows"), seed), None


def work(settings: Mapping[str, object], models: int, seed: int) -> dict[str, int]:
    return dict(_work(chosen(settings), models, seed))


@cache
def _work(study: Chosen, models: int, seed: int) -> dict[str, int]:
    if study.learners != "weka":
        return {name: ceil(predicted_seconds(name, study.rows)) for name in study.datasets}
    limits = {"folds": study.folds, "models": models, "flow_seconds": study.flow_seconds, "seed": seed}
    return {
        name: ceil(task_seconds(at_most(load(name), study.rows, seed), study.flows, **limits))
        for name in study.datasets
    }


def fetch(batch: Batch) -> None:
    """Fit and score the flows of one batch of tasks: one task a data set, one run a flow drawn for it.

    Predictions depend on the seed, the task and the flow alone, not on what else a study has.
    """
    check(batch.settings, models_per_task=batch.models_per_task, min_flows=batch.min_flows)
    study = chosen(batch.settings)
    # Sums of one thread come out the same on any number of cores.
    with threadpool_limits(limits=1), Weka() if study.learners == "weka" else nullcontext() as weka:
        costs = _work(study, batch.models_per_task, batch.seed)
        fill(batch, costs, partial(_filled, batch, study, weka))


def _filled(batch: Batch, study: Chosen, weka: Weka | None, name: str) -> Filled:
    data = at_most(load(name), study.rows, batch.seed)
    if unfit := _unfit(data, study):
        return unfit
    origin = {"source": "packaged", "sha256": sha256_of(source_file(name))}
    if weka:
        limits = {"n_folds": study.folds, "flow_seconds": study.flow_seconds}
        return fill_weka_task(weka, batch, data, study.flows, **limits, **origin)
    return fill_task(batch, data, prepare_folds(data, study.folds, batch.seed), study.flows, **origin)


def _unfit(data: DataSet, study: Chosen) -> Filled | None:
    n_positive = int(data.target.sum())
    if data.simulated and not study.simulated:
        reason, detail = Reason.SIMULATED, f"{data.simulated}; packaged.simulated is false"
    elif n_positive == 0:
        reason, detail = (
            Reason.CONSTANT_TARGET,
            f"all {len(data.target)} rows are of class {data.negative_class}",
        )
    elif n_positive < study.folds:
        detail = f"{n_positive} rows of class {data.positive_class} for {study.folds} folds"
        reason = Reason.TOO_FEW_ROWS
    else:
        return None
    return Filled(rejections=[Rejection(data.name, "", Stage.FETCH, reason, detail)])
