"""The source of the study `few_natural`: naturally rare outcomes and learners of today.

A task is a data set and a split of its rows into training, validation and test rows. No positive is left out.
Rows that belong together are in the same part. Some tasks have the models of the flows. The others have the
models of one boosting library after 10 rounds, after 20, and so on.

Fold 0 of a task has the validation rows (`pool` in the code), and fold 1 has the test rows (`judge`). If the
setting `calibration_folds` is not 0, the tasks of flows also have the training rows, in fold 2. All rows are
scored by models that were not fitted on them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from threadpoolctl import threadpool_limits

from aucstudy.errors import InputError
from aucstudy.learners.cross_validation import FlowFailed, Fold, cross_validated_scores, derived_seed
from aucstudy.learners.datasets import DataSet, at_most
from aucstudy.learners.flows import Flow
from aucstudy.sources import OWN_SETTINGS, check_numbers, check_settings, fill, schema_of_names
from aucstudy.sources.packaged import names_of
from aucstudy.store.files import sha256_of
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.task_store import Batch, Filled

from .held_out import (
    CALIBRATION_FOLDS,
    CLOSED_GROUPS,
    GROUPS,
    NATURAL,
    ROWS,
    SPLITS,
    Split,
    fill_trained,
)
from .natural_data import load_natural, natural_file, naturals
from .today import (
    FLOWS_TODAY,
    LIBRARIES,
    ROUNDS,
    STEP,
    BoostingFlow,
    Stopped,
    sk,
    staged_scores,
    stops_of,
)

NAME = "natural_outcomes"
IN_BATCHES = True
PROVIDES = ("natural_outcomes", "held_rows")

# JSON schemas of the settings. Each setting may be left out, and `Chosen` has its default.
SETTINGS = {
    "datasets": schema_of_names("all"),
    "flows": schema_of_names("all"),
    "stopping": schema_of_names("all", "none"),
    "rounds": {"type": "integer", "minimum": STEP, "multipleOf": STEP},
    "splits": SPLITS,
    "one_split_above": ROWS,
    "training_rows": ROWS,
    "rows": ROWS,
    "groups": GROUPS,
    "closed": CLOSED_GROUPS,
    "calibration_folds": CALIBRATION_FOLDS,
}

TRAINING_SHARE, VALIDATION_SHARE = 0.4, 0.3
ROUNDS_OF = "rounds of "  # The name of the library follows, in the fact `trained` of a task.


@dataclass(frozen=True)
class Chosen:
    """The settings of the source, which few_natural.yaml explains."""

    datasets: tuple[str, ...]
    flows: tuple[Flow, ...]
    stopping: tuple[str, ...]
    rounds: int = ROUNDS
    splits: int = 5
    one_split_above: int | None = None
    training_rows: int = 20_000
    rows: int = 60_000
    groups: str = "open"
    closed: tuple[str, ...] = ()
    calibration_folds: int = 0

    def splits_of(self, n_rows: int) -> int:
        return 1 if self.one_split_above and n_rows > self.one_split_above else self.splits


def chosen(settings: Mapping) -> Chosen:
    names = names_of(settings, "datasets", "all", naturals(), OWN_SETTINGS)
    flows = names_of(settings, "flows", "all", FLOWS_TODAY, OWN_SETTINGS)
    no_stopping = settings.get("stopping") == "none"
    libraries = () if no_stopping else names_of(settings, "stopping", "all", LIBRARIES, OWN_SETTINGS)
    lists = ("datasets", "flows", "stopping", "closed")
    scalars = {key: value for key, value in settings.items() if key not in lists}
    usable_flows = tuple(flow for name, flow in FLOWS_TODAY.items() if name in flows)
    return Chosen(names, usable_flows, libraries, closed=tuple(settings.get("closed", ())), **scalars)


def check(settings: Mapping, *, models_per_task: int, min_flows: int) -> None:
    check_settings(settings, SETTINGS)
    study = chosen(settings)
    for name in study.datasets:
        natural_file(name)
    boosting_flows = [FLOWS_TODAY[library] for library in study.stopping]
    for key, flows in (("flows", study.flows), ("stopping", boosting_flows)):
        for flow in flows:
            if isinstance(flow, BoostingFlow) and not flow.installed:
                advice = "the extra boosting has it: pip install 'aucstudy[boosting]'"
                raise InputError(
                    f"{OWN_SETTINGS}.{key}: {flow.name} needs {flow.module}, which is not installed; {advice}"
                )
    n_models = {"flows": len(study.flows)} | ({"stopping": study.rounds // STEP} if study.stopping else {})
    for key, n in n_models.items():
        check_numbers(f"{OWN_SETTINGS}.{key}", n, models_per_task=models_per_task, min_flows=min_flows)
    if unknown := set(study.closed) - {row.source_group for row in naturals().values()}:
        raise InputError(
            f"{OWN_SETTINGS}.closed: {min(unknown)!r} is the source group of no naturally rare outcome"
        )


def work(settings: Mapping, models: int, seed: int) -> dict[str, int]:
    study = chosen(settings)
    sizes = {name: min(study.rows, naturals()[name].n_rows) for name in study.datasets}
    return {name: study.splits_of(n) * (1000 + n) for name, n in sizes.items()}


def fetch(batch: Batch) -> None:
    # A limit of threads holds for the libraries that are loaded, so scikit-learn is loaded before.
    assert sk.LogisticRegression
    study = chosen(batch.settings)
    with threadpool_limits(limits=1):
        fill(batch, work(batch.settings, batch.models_per_task, batch.seed), partial(_filled, batch, study))


def _filled(batch: Batch, study: Chosen, name: str) -> Filled:
    row, filled = naturals()[name], Filled()
    is_closed = row.source_group in study.closed
    if is_closed and study.groups != "all":
        detail = f"source group {row.source_group} is closed; {OWN_SETTINGS}.groups: all opens it"
        return Filled(rejections=[Rejection(name, "", Stage.SELECT, Reason.HELD_BACK, detail)])
    data, groups = cut(*load_natural(name), study.rows, batch.seed)
    sha256 = sha256_of(natural_file(name))
    source = {"source": NAME, "sha256": sha256}
    for number in range(study.splits_of(len(data.target))):
        split = split_rows(data, groups, study.training_rows, number, batch.seed)
        # The prevalence of all rows decides the band, also if only some of the rows are used.
        facts = {"split": number, "closed": is_closed, "trained_at": row.n_positive / row.n_rows}
        task_id, trained = f"{name}.s{number}", {**facts, "trained": NATURAL}
        inside = inside_folds(
            data.target, groups, split.training, study.calibration_folds, task_id, batch.seed
        )
        filled += fill_trained(batch, data, task_id, split, study.flows, trained, source, of_flow, inside)
        for library in study.stopping:
            stops, trained = stops_of(library, study.rounds), {**facts, "trained": ROUNDS_OF + library}
            task_name = f"{task_id}.{library}"
            # Every stop is a model, whatever number of models the tasks of flows have.
            every = replace(batch, models_per_task=len(stops))
            filled += fill_trained(every, data, task_name, split, stops, trained, source, OfRounds())
    return filled


def single_precision(scores: np.ndarray) -> np.ndarray:
    """Return scores to single precision, which is about seven digits.

    The last digits of linear algebra differ between processors, and so would the ties.
    """
    return scores.astype(np.float32).astype(float)


def of_flow(flow: Flow, folds: Sequence[Fold], task_id: str, seed: int) -> np.ndarray:
    return single_precision(cross_validated_scores(flow, folds, task_id, seed))


class OfRounds:
    """The scores of a boosting library after each of its stops, from a single fit."""

    scores: dict[str, np.ndarray] | None = None

    def __call__(self, stopped: Stopped, folds: Sequence[Fold], task_id: str, seed: int) -> np.ndarray:
        if self.scores is None:
            (fold,) = folds
            fitting_seed = derived_seed(seed, task_id, stopped.library)
            try:
                columns = staged_scores(
                    stopped.library, fold.X, fold.y, fold.X_test, fitting_seed, stopped.last
                ).T
            except Exception as error:  # Whatever a library raises, the study goes on without it.
                raise FlowFailed(f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}") from error
            names = [stop.name for stop in stops_of(stopped.library, stopped.last)]
            self.scores = dict(zip(names, single_precision(columns), strict=True))
        return self.scores[stopped.name]


def cut(data: DataSet, groups: np.ndarray, rows: int, seed: int) -> tuple[DataSet, np.ndarray]:
    sample = at_most(replace(data, features=data.features.assign(group=groups)), rows, seed)
    return replace(sample, features=sample.features.drop(columns="group")), sample.features[
        "group"
    ].to_numpy()


def split_rows(data: DataSet, groups: np.ndarray, training_rows: int, number: int, seed: int) -> Split:
    """Split the rows at random into training, validation and test rows, in the proportion 4 to 3 to 3.

    If the training rows would be more than `training_rows`, they are about so many, and the other two parts
    are equally large. Groups of rows stay whole, as `dealt` says.
    """
    n = len(data.target)
    training = min(TRAINING_SHARE, training_rows / n)
    ends = np.array([training, training + (1 - training) * VALIDATION_SHARE / (1 - TRAINING_SHARE)])
    random = np.random.default_rng(derived_seed(seed, data.name, "natural", number))
    part = dealt(data.target, groups, ends, random)
    return Split(*(np.flatnonzero(part == k) for k in range(3)))


def dealt(
    target: np.ndarray, groups: np.ndarray, ends: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Return the (n,) numbers of the parts into which the rows are dealt at random.

    Groups of rows stay whole. `ends` are the cumulative shares at which one part ends and the next begins.
    The groups with positives are dealt so that the parts have these shares of the positives. The other groups
    are dealt so that the parts have these shares of their rows.
    """
    _, group_of_row = np.unique(groups, return_inverse=True)
    positives, sizes = np.bincount(group_of_row, target), np.bincount(group_of_row)
    part = np.empty(len(sizes), dtype=int)
    for weights in (positives, np.where(positives > 0, 0, sizes)):
        shuffled = random.permutation(np.flatnonzero(weights))
        if len(shuffled):
            middle = np.cumsum(weights[shuffled]) - weights[shuffled] / 2
            part[shuffled] = np.searchsorted(ends, middle / weights.sum())
    return part[group_of_row]


def inside_folds(
    target: np.ndarray, groups: np.ndarray, training: np.ndarray, n_folds: int, task_id: str, seed: int
) -> list[np.ndarray]:
    """Return `n_folds` random parts of the training rows, as places among them; an empty list for 0.

    Groups of rows stay whole.
    """
    if not n_folds:
        return []
    random = np.random.default_rng(derived_seed(seed, task_id, "inside"))
    ends = np.arange(1, n_folds) / n_folds
    part = dealt(target[training], groups[training], ends, random)
    return [np.flatnonzero(part == number) for number in range(n_folds)]
