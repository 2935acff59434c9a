"""The source of the study `few_thinned`: packaged data sets whose positives are made rare.

Of each source group, the data set with the most positives is used. If several have the most, it is the first
by name.

A task is a data set, a split of its rows by class, and a way of training. Thinned training leaves out
positives until a prevalence is reached. Natural training uses all training rows. Crossed training has the
positives of thinned training and leaves out negatives until the share of positives is that of natural
training.

Fold 0 of a task has the validation rows (`pool` in the code), and fold 1 has the test rows (`judge`). If the
setting `calibration_folds` is not 0, fold 2 has the training rows. All rows are scored by models that were
not fitted on them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from aucstudy.errors import InputError
from aucstudy.learners.cross_validation import (
    Named,
    ScoresOf,
    cross_validated_scores,
    derived_seed,
    fill_task,
    prepare_fold,
)
from aucstudy.learners.datasets import DataSet, Lists, at_most, known_names, load, row_of, source_file
from aucstudy.learners.flows import FLOWS, Flow
from aucstudy.sources import (
    OWN_SETTINGS,
    check_numbers,
    check_settings,
    fill,
    schema_of_list,
    schema_of_names,
)
from aucstudy.sources.packaged import check_files, lists_of, names_of
from aucstudy.store.files import sha256_of
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.task_store import Batch, Filled

NAME = "held_out"
IN_BATCHES = True
PATHS = ("lists",)
INPUT_FILES = ("lists",)
PROVIDES = ("held_out", "held_rows")

# JSON schemas of the settings. Each setting may be left out, and `Chosen` has its default.
ROWS = {"type": "integer", "minimum": 100}
SPLITS = {"type": "integer", "minimum": 1, "maximum": 100}
CALIBRATION_FOLDS = {"enum": [0, 2, 3, 4, 5]}
GROUPS = {"enum": ["open", "all"]}
CLOSED_GROUPS = schema_of_list("source groups")
SETTINGS = {
    "lists": schema_of_list("CSV files"),
    "datasets": schema_of_names("all"),
    "flows": schema_of_names("all"),
    "prevalences": {
        "type": "array",
        "items": {"type": "number", "exclusiveMinimum": 0, "maximum": 0.5},
        "minItems": 1,
        "uniqueItems": True,
        "description": "a list of prevalences over 0, up to .5",
    },
    "natural": {"type": "boolean"},
    "crossed": {"type": "boolean"},
    "splits": SPLITS,
    "training_rows": ROWS,
    "rows": ROWS,
    "groups": GROUPS,
    "closed": CLOSED_GROUPS,
    "calibration_folds": CALIBRATION_FOLDS,
}

LEAST_TRAINING = 15  # lowest number of positives that thinning keeps
# The validation rows need this number of positives, and enough negatives for the prevalence.
LEAST_CHOSEN_ON = 10
LEAST_POSITIVES = LEAST_TRAINING + 2 * LEAST_CHOSEN_ON
THINNED, CROSSED, NATURAL = "thinned", "crossed", "natural"


@dataclass(frozen=True)
class Chosen:
    """The settings of the source, which few_thinned.yaml explains."""

    datasets: tuple[str, ...]
    flows: tuple[Flow, ...]
    prevalences: tuple[float, ...] = (0.003, 0.01, 0.03, 0.1)
    natural: bool = True
    crossed: bool = True
    splits: int = 3
    training_rows: int = 5000
    rows: int = 40_000
    groups: str = "open"
    closed: tuple[str, ...] = ()
    lists: Lists = ()
    calibration_folds: int = 0

    @property
    def arms(self) -> list[tuple[str, float | None]]:
        """The ways of training, each with the prevalence that decides how many positives are kept.

        None keeps all positives.
        """
        arms: list[tuple[str, float | None]] = [(THINNED, prevalence) for prevalence in self.prevalences]
        arms += [(NATURAL, None)] * self.natural
        return arms + [(CROSSED, prevalence) for prevalence in self.prevalences if self.crossed]

    def by_group(self) -> dict[str, list[str]]:
        groups: dict[str, list[str]] = {}
        for name in self.datasets:
            groups.setdefault(row_of(name, self.lists).source_group, []).append(name)
        return groups


def chosen(settings: Mapping) -> Chosen:
    lists = lists_of(settings)
    names = names_of(settings, "datasets", "all", known_names(lists), OWN_SETTINGS)
    flows = names_of(settings, "flows", "all", FLOWS, OWN_SETTINGS)
    tuples = {key: tuple(settings[key]) for key in ("prevalences", "closed") if key in settings}
    others = ("datasets", "flows", "lists", *tuples)
    scalars = {key: value for key, value in settings.items() if key not in others}
    drawn_from = tuple(flow for name, flow in FLOWS.items() if name in flows)
    return Chosen(names, drawn_from, lists=lists, **tuples, **scalars)


def check(settings: Mapping, *, models_per_task: int, min_flows: int) -> None:
    check_settings(settings, SETTINGS)
    study = chosen(settings)
    check_files(study.datasets, study.lists)
    n_flows = len(study.flows)
    check_numbers(f"{OWN_SETTINGS}.flows", n_flows, models_per_task=models_per_task, min_flows=min_flows)
    known_groups = {row_of(name, study.lists).source_group for name in known_names(study.lists)}
    if unknown := set(study.closed) - known_groups:
        raise InputError(f"{OWN_SETTINGS}.closed: {min(unknown)!r} is the source group of no listed data set")


def work(settings: Mapping, models: int, seed: int) -> dict[str, int]:
    study = chosen(settings)
    return {
        group: 1000 + min(study.rows, max(row_of(name, study.lists).n_rows for name in names))
        for group, names in study.by_group().items()
    }


def fetch(batch: Batch) -> None:
    study = chosen(batch.settings)
    with threadpool_limits(limits=1):
        costs = work(batch.settings, batch.models_per_task, batch.seed)
        fill(batch, costs, partial(_fill_group, batch, study))


def _fill_group(batch: Batch, study: Chosen, group: str) -> Filled:
    is_closed = group in study.closed
    data, filled = most_positives(study, group, batch.seed)
    if data is None:
        return filled
    if is_closed and study.groups != "all":
        detail = f"source group {group} is closed; {OWN_SETTINGS}.groups: all opens it"
        return filled + _rejected([data.name], Reason.HELD_BACK, detail)
    if data.target.sum() < LEAST_POSITIVES:
        detail = f"{data.target.sum()} positives"
        return filled + _rejected([data.name], Reason.TOO_FEW_POSITIVES, detail)
    for number in range(study.splits):
        filled += _fill_split(batch, data, study, {"split": number, "closed": is_closed})
    return filled


def _rejected(names: Sequence[str], reason: Reason, detail: str) -> Filled:
    return Filled(rejections=[Rejection(name, "", Stage.SELECT, reason, detail) for name in names])


def most_positives(study: Chosen, group: str, seed: int) -> tuple[DataSet | None, Filled]:
    """Return the observed data set of a source group that has the most positives, and rejections.

    All other data sets are rejected. If all data sets are simulated, the first value is None.
    """
    simulated_names = [name for name in study.by_group()[group] if row_of(name, study.lists).simulated]
    observed_names = sorted(set(study.by_group()[group]) - set(simulated_names))
    sets = [at_most(load(name, study.lists), study.rows, seed) for name in observed_names]
    best = max(sets, key=lambda data: data.target.sum(), default=None)
    rejections = _rejected(simulated_names, Reason.SIMULATED, "the rows were made, not observed")
    if best is not None:
        unused_names = [data.name for data in sets if data is not best]
        rejections += _rejected(unused_names, Reason.OTHER_OF_GROUP, f"{best.name} has more positives")
    return best, rejections


class Split(NamedTuple):
    """The row numbers of the three parts of a data set."""

    training: np.ndarray
    pool: np.ndarray
    judge: np.ndarray


def split_rows(data: DataSet, study: Chosen, number: int, seed: int) -> Split:
    """Split the rows of each class at random into training, validation and test rows, positives first.

    A third of the rows are training rows, but at most `training_rows`. If these would have fewer than
    LEAST_TRAINING positives, there are more. One half of the other rows are validation rows, and the other
    half are test rows.
    """
    n, n_positive = len(data.target), int(data.target.sum())
    n_training = max(min(study.training_rows, n // 3), ceil(LEAST_TRAINING * n / n_positive))
    random = np.random.default_rng(derived_seed(seed, data.name, "held out", number))
    by_class = []
    for positive in (True, False):
        rows = random.permutation(np.flatnonzero(data.target == positive))
        train = round(n_training * len(rows) / n)
        by_class.append(np.split(rows, [train, train + (len(rows) - train) // 2]))
    return Split(*map(np.concatenate, zip(*by_class, strict=True)))


def lack(target: np.ndarray, prevalence: float, positives: int = LEAST_CHOSEN_ON) -> str:
    """Return what the validation rows lack for a sample, or "" if they have enough rows for one."""
    n_positive, n_negative = int(target.sum()), int((~target).sum())
    negatives = round(positives * (1 - prevalence) / prevalence)
    if n_positive >= positives and n_negative >= negatives:
        return ""
    need = f"{positives} and {negatives} are needed at prevalence {prevalence:g}"
    return f"the pool has {n_positive} positives and {n_negative} others; {need}"


def thinned(training: np.ndarray, target: np.ndarray, prevalence: float) -> np.ndarray:
    """Return the training rows without the positives that are too many for the prevalence.

    At least LEAST_TRAINING positives are kept. Those that are kept for a low prevalence are also kept for a
    higher one.
    """
    positive, negative = training[target[training]], training[~target[training]]
    n_positive = max(LEAST_TRAINING, round(len(negative) * prevalence / (1 - prevalence)))
    return np.concatenate([positive[:n_positive], negative])


def crossed(training: np.ndarray, target: np.ndarray, prevalence: float) -> np.ndarray:
    """Return the positives that `thinned` keeps, and negatives in the proportion of all training rows."""
    positive, negative = training[target[training]], training[~target[training]]
    n_positive = target[thinned(training, target, prevalence)].sum()
    n_negative = round(len(negative) * n_positive / len(positive))
    return np.concatenate([positive[:n_positive], negative[:n_negative]])


TRAINING_ROWS = {THINNED: thinned, CROSSED: crossed, NATURAL: lambda training, target, prevalence: training}
TASK_NAMES = {THINNED: "p{:g}", CROSSED: "c{:g}", NATURAL: "natural"}


def _fill_split(batch: Batch, data: DataSet, study: Chosen, facts: Mapping) -> Filled:
    filled, split = Filled(), split_rows(data, study, facts["split"], batch.seed)
    natural = data.target.mean()
    rare_prevalences = [prevalence for prevalence in study.prevalences if prevalence <= natural]
    usable_prevalences = [
        prevalence for prevalence in rare_prevalences if not lack(data.target[split.pool], prevalence)
    ]
    source = {"source": NAME, "sha256": sha256_of(source_file(data.name, study.lists))}
    for trained, prevalence in study.arms:
        task_id = f"{data.name}.{TASK_NAMES[trained].format(prevalence)}.s{facts['split']}"
        if prevalence and prevalence not in rare_prevalences:
            detail = f"prevalence {prevalence:g} asked for, {natural:.4g} is natural"
            filled += _rejected([task_id], Reason.TOO_FEW_POSITIVES, detail)
        elif prevalence not in usable_prevalences if prevalence else not usable_prevalences:
            detail = lack(data.target[split.pool], prevalence) if prevalence else "no prevalence has a sample"
            filled += _rejected([task_id], Reason.TOO_FEW_ROWS, detail)
        else:
            rows = split._replace(training=TRAINING_ROWS[trained](split.training, data.target, prevalence))
            arm = {**facts, "trained": trained, "trained_at": prevalence or np.nan}
            inside = inside_folds(data.target[rows.training], study.calibration_folds, task_id, batch.seed)
            filled += fill_trained(batch, data, task_id, rows, study.flows, arm, source, inside=inside)
    return filled


def inside_folds(target: np.ndarray, n_folds: int, task_id: str, seed: int) -> list[np.ndarray]:
    """Return `n_folds` random parts of the training rows, as places among them; an empty list for 0.

    Each class is cut evenly.
    """
    if not n_folds:
        return []
    random = np.random.default_rng(derived_seed(seed, task_id, "inside"))
    part = np.empty(len(target), dtype=int)
    for value in (True, False):
        rows = random.permutation(np.flatnonzero(target == value))
        part[rows] = np.arange(len(rows)) % n_folds
    return [np.flatnonzero(part == number) for number in range(n_folds)]


def fill_trained(
    batch: Batch,
    data: DataSet,
    task_id: str,
    split: Split,
    flows: Sequence[Named],
    facts: Mapping,
    source: Mapping,
    scores_of: ScoresOf = cross_validated_scores,
    inside: Sequence[np.ndarray] = (),
) -> Filled:
    """Fill the task of models that are fitted on the training rows and score the other two parts.

    `inside` are parts of the training rows, as places among them. Each part is scored by models that are
    fitted on the other parts. All parts together are the third fold, from which scores can be calibrated with
    training labels alone.
    """
    parts = [split.pool, split.judge, *[split.training] * bool(inside)]
    rows = np.concatenate(parts)
    n_held = len(split.pool) + len(split.judge)
    held = prepare_fold(data, split.training, rows[:n_held])
    fitted = [replace(held, test=np.arange(n_held))]
    for part in inside:
        fold = prepare_fold(data, np.delete(split.training, part), split.training[part])
        fitted.append(replace(fold, test=n_held + part))
    folds = np.split(np.arange(len(rows)), np.cumsum([len(part) for part in parts])[:-1])
    facts = {
        **facts, "dataset_id": data.name, "dataset_name": data.name, "n_training": len(split.training),
        "n_training_positive": int(data.target[split.training].sum()),
    }  # fmt: skip
    return fill_task(
        batch,
        replace(data, name=task_id, features=data.features.iloc[:0], target=data.target[rows]),
        [replace(held, test=fold) for fold in folds],
        flows,
        **source,
        scores_of=lambda flow, folds, task_id, seed: scores_of(flow, fitted, task_id, seed),
        facts=facts,
    )
