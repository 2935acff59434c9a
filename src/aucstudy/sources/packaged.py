"""The source `packaged`, which fits learners of scikit-learn to data sets in installed packages.

It needs no network. A study's own source may fill its task store by the same rules with other flows. It can
use `chosen_from`, `check_chosen` and `fill_tasks`.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any, Generic

from threadpoolctl import threadpool_limits

from aucstudy.errors import InputError
from aucstudy.learners.cross_validation import AnyFlow, fill_task, prepare_folds
from aucstudy.learners.datasets import (
    DataSet,
    Lists,
    at_most,
    default_names,
    known_names,
    load,
    outcomes,
    predicted_seconds,
    row_of,
    source_file,
)
from aucstudy.learners.flows import FLOWS, Flow
from aucstudy.sources import check_numbers, fill
from aucstudy.store.files import sha256_of
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.task_store import Batch, Filled

IN_BATCHES = True
PATHS = ("lists",)
INPUT_FILES = ("lists",)
ROWS_DEPEND_ON = ("lists", "rows")


@dataclass(frozen=True)
class Chosen(Generic[AnyFlow]):
    datasets: tuple[str, ...]
    flows: tuple[AnyFlow, ...]
    folds: int
    rows: int | None
    simulated: bool
    lists: Lists

    def load(self, name: str, seed: int) -> DataSet:
        return at_most(load(name, self.lists), self.rows, seed)


def chosen(settings: Mapping[str, Any]) -> Chosen[Flow]:
    """Return what the block `packaged` of a configuration chooses. Its keys are the fields of `Chosen`.

    Raise InputError if a name is unknown. The message gives the nearest known name.

    >>> chosen({"datasets": ["iris"], "flows": "all", "folds": 10}).datasets
    ('iris',)
    """
    return chosen_from(settings, FLOWS, "packaged")


def chosen_from(settings: Mapping[str, Any], known: Mapping[str, AnyFlow], block: str) -> Chosen[AnyFlow]:
    """Return what `chosen` returns, for a source with flows of its own.

    The argument `known` holds these flows by name, and `block` is the name of the settings in messages.
    """
    lists = lists_of(settings)
    names = names_of(settings, "flows", "all", known, block)
    # The flows keep the order of `known`, because the order in the settings must not change a result.
    flows = tuple(flow for name, flow in known.items() if name in names)
    rows, simulated = settings.get("rows"), settings.get("simulated", True)
    return Chosen(_datasets(settings, lists, block), flows, settings.get("folds", 10), rows, simulated, lists)


def lists_of(settings: Mapping[str, Any]) -> Lists:
    return tuple(map(Path, settings.get("lists") or ()))


def _datasets(settings: Mapping[str, Any], lists: Lists, block: str) -> tuple[str, ...]:
    word = settings.get("datasets", "default")
    if word == "default":
        return tuple(default_names())
    if word == "listed" and not lists:
        raise InputError(f"{block}.datasets: 'listed' means all sets of {block}.lists, which names no file")
    if word == "listed":
        return tuple(outcomes(lists))
    return names_of(settings, "datasets", "default", known_names(lists), block)


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
    check_chosen(chosen(settings), models_per_task=models_per_task, min_flows=min_flows)


def check_chosen(study: Chosen, block: str = "packaged", **numbers: int) -> None:
    """Raise InputError if the package of a data set of the lists is missing or there are too few flows.

    The `numbers` are models_per_task and min_flows, which must not exceed the number of chosen flows.
    """
    check_files(study.datasets, study.lists)
    check_numbers(f"{block}.flows", len(study.flows), **numbers)


def check_files(names: Sequence[str], lists: Lists) -> None:
    for name in names:
        if name in outcomes(lists):
            source_file(name, lists)


def task_ids(settings: Mapping[str, object]) -> list[str]:
    return list(chosen(settings).datasets)


def rows(settings: Mapping[str, object], task_id: str, seed: int) -> tuple[DataSet, None]:
    return at_most(load(task_id, lists_of(settings)), settings.get("rows"), seed), None


def work(settings: Mapping[str, object], models: int, seed: int) -> dict[str, int]:
    study = chosen(settings)
    rows = {name: row_of(name, study.lists) for name in study.datasets}
    return {name: ceil(predicted_seconds(row, study.rows)) for name, row in rows.items()}


def fetch(batch: Batch) -> None:
    """Fit the flows to the data sets of one batch and write their predictions.

    A data set is a task, and each flow drawn for it is a run. The predictions of a flow do not depend on
    which other tasks and flows the study has.
    """
    check(batch.settings, models_per_task=batch.models_per_task, min_flows=batch.min_flows)
    study = chosen(batch.settings)

    def fill_data(data: DataSet, **origin: str) -> Filled:
        return fill_task(batch, data, prepare_folds(data, study.folds, batch.seed), study.flows, **origin)

    fill_tasks(batch, study, work(batch.settings, batch.models_per_task, batch.seed), fill_data)


def fill_tasks(
    batch: Batch, study: Chosen, costs: Mapping[str, int], fill_data: Callable[..., Filled]
) -> None:
    """Fill the task store with the data sets of one batch. The `costs` are those that `work` returns.

    A call of `fill_data(data, source=, sha256=)` makes the task of a data set. A data set with too few
    positives for the folds is rejected, and so is a simulated one if the settings exclude these.
    """
    # With one thread, sums are added in the same order on any number of cores.
    with threadpool_limits(limits=1):
        fill(batch, costs, partial(_filled, batch, study, fill_data))


def _filled(batch: Batch, study: Chosen, fill_data: Callable[..., Filled], name: str) -> Filled:
    data = study.load(name, batch.seed)
    if unfit := _unfit(data, study):
        return unfit
    return fill_data(data, source="packaged", sha256=sha256_of(source_file(name, study.lists)))


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
