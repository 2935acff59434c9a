"""Stratified cross-validation, which makes a task of the store from a data set and flows.

Flows that fail, and tasks with too few flows left, become rejections.
"""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from aucstudy.learners.datasets import DataSet
from aucstudy.learners.flows import Flow, sk
from aucstudy.statistics.seeds import seed_sequence
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.task_store import (
    Batch,
    Filled,
    Predictions,
    run_id,
    run_rows,
    task_row,
    write_predictions,
)


def derived_seed(seed: int, *names: object) -> int:
    """Return a seed that depends only on `seed` and on the names of what it is used for."""
    return int(seed_sequence(seed, *names).generate_state(1)[0])


class Split(NamedTuple):
    """The numbers of the training rows and of the test rows of one fold."""

    train: np.ndarray
    test: np.ndarray


@dataclass(frozen=True)
class Fold:
    """The prepared rows of one fold, which are the same for all flows.

    The training rows are `X` (n, d) with the labels `y` (n,) bool. The test rows are `X_test` (m, d), and
    `test` (m,) has their numbers in the data set.
    """

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    test: np.ndarray


def stratified_folds(data: DataSet, n_folds: int, seed: int) -> list[Split]:
    splitter = sk.StratifiedKFold(n_folds, shuffle=True, random_state=derived_seed(seed, data.name, "folds"))
    return [Split(train, test) for train, test in splitter.split(np.zeros(len(data.target)), data.target)]


def prepare_folds(data: DataSet, n_folds: int, seed: int) -> list[Fold]:
    return [prepare_fold(data, *split) for split in stratified_folds(data, n_folds, seed)]


def prepare_fold(data: DataSet, train: np.ndarray, test: np.ndarray) -> Fold:
    coder = sk.OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    blocks = []
    for names, kind, strategy, last_step in (
        (data.numeric, float, "median", sk.StandardScaler()),
        (data.categorical, object, "most_frequent", coder),
    ):
        if names:
            # A column without any value in the training rows becomes 0, so that every fold has all columns.
            imputer = sk.SimpleImputer(strategy=strategy, keep_empty_features=True)
            rows = data.features[names].to_numpy(dtype=kind)
            steps = sk.make_pipeline(imputer, last_step)
            blocks.append((steps.fit_transform(rows[train]), steps.transform(rows[test])))
    X, X_test = map(np.hstack, zip(*blocks, strict=True))
    return Fold(X, data.target[train], X_test, test)


class FlowFailed(Exception):
    """A flow cannot be used on a task; the text says why in one line."""


def cross_validated_scores(flow: Flow, folds: Sequence[Fold], task_id: str, seed: int) -> np.ndarray:
    """Return the score (n,) of each row, by the model of the fold that tests this row.

    FlowFailed if fitting or scoring raises an exception in a fold, or if a score is NaN.
    """
    scores = np.full(sum(len(fold.test) for fold in folds), np.nan)
    for number, fold in enumerate(folds):
        fitting_seed = derived_seed(seed, task_id, flow.name, number)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                # Some flows stop their optimiser early by their settings, as flows of WEKA did.
                warnings.simplefilter("ignore", sk.ConvergenceWarning)
                scores[fold.test] = flow.fit_score(fold.X, fold.y, fold.X_test, fitting_seed)
        except Exception as error:  # Whatever a learner raises, the study goes on without the flow.
            why = (str(error).splitlines() or [""])[0]
            raise FlowFailed(f"fold {number}: {type(error).__name__}: {why}") from error
        refuse_nan(number, scores[fold.test])
    return scores


def refuse_nan(fold: int, scores: np.ndarray) -> None:
    missing = np.count_nonzero(np.isnan(scores))
    if missing:
        raise FlowFailed(f"fold {fold}: {missing} of {len(scores)} scores are NaN")


class Named(Protocol):
    """A flow of any source."""

    @property
    def name(self) -> str: ...
    @property
    def setup_id(self) -> str: ...


AnyFlow = TypeVar("AnyFlow", bound=Named)
# A function of (flow, folds, task_id, seed) that returns the scores (n,) of the flow or raises FlowFailed.
ScoresOf = Callable[[Any, Any, str, int], np.ndarray]


@dataclass(frozen=True)
class Drawn:
    """The m flows that were drawn for a task, in the order of the study's flows, and their scores.

    `scores` (n, m) are in Fortran order. `failures` has the reason for each flow that failed, by its name.
    """

    flows: tuple[Named, ...]
    scores: np.ndarray
    failures: dict[str, str]


def drawing_order(flows: Iterable[AnyFlow], task_id: str, seed: int) -> list[AnyFlow]:
    """Return the flows in a random order that depends on the task and the seed.

    Leaving out some flows does not change the order of the others.
    """
    return sorted(flows, key=lambda flow: (derived_seed(seed, task_id, flow.name, "draw"), flow.name))


def draw_flows(
    flows: Sequence[AnyFlow],
    folds: Sequence[Fold | Split],
    task_id: str,
    n_models: int,
    seed: int,
    scores_of: ScoresOf = cross_validated_scores,
) -> Drawn:
    """Compute the scores of `n_models` flows, taken in the task's random order.

    A flow that fails is replaced by the next one. There are fewer than `n_models` where too many fail.
    """
    columns, failures = {}, {}
    for flow in drawing_order(flows, task_id, seed):
        if len(columns) == n_models:
            break
        try:
            columns[flow.name] = scores_of(flow, folds, task_id, seed)
        except FlowFailed as failure:
            failures[flow.name] = str(failure)
    used_flows = tuple(flow for flow in flows if flow.name in columns)
    n_rows = sum(len(fold.test) for fold in folds)
    scores = (
        np.array([columns[flow.name] for flow in used_flows], dtype=float).reshape(len(used_flows), n_rows).T
    )
    return Drawn(used_flows, scores, failures)


def fill_task(
    batch: Batch,
    data: DataSet,
    folds: Sequence[Fold | Split],
    flows: Sequence[Named],
    *,
    source: str,
    sha256: str,
    scores_of: ScoresOf = cross_validated_scores,
    facts: Mapping[str, object] = MappingProxyType({}),
) -> Filled:
    """Draw, fit and score the flows of one task, write its predictions, and return its rows for the store.

    A flow that fails becomes a rejection, and the next in the task's random order replaces it. The task is
    rejected if fewer than `min_flows` flows remain besides the ones that failed. `facts` are further columns
    of the task's row.
    """
    drawn_flows = draw_flows(flows, folds, data.name, batch.models_per_task, batch.seed, scores_of)
    rejections = [
        Rejection(data.name, run_id(data.name, name), Stage.FETCH, Reason.FIT_FAILED, f"{name}: {why}")
        for name, why in drawn_flows.failures.items()
    ]
    n_candidates = len(flows) - len(drawn_flows.failures)
    if n_candidates < batch.min_flows:
        detail = f"{n_candidates} of {len(flows)} flows are usable, min_flows is {batch.min_flows}"
        rejections.append(Rejection(data.name, "", Stage.FETCH, Reason.TOO_FEW_FLOWS, detail))
        return Filled(rejections=rejections)
    n = len(data.target)
    fold_of_row = np.empty(n, dtype=np.int16)
    for number, fold in enumerate(folds):
        fold_of_row[fold.test] = number
    predictions = Predictions(
        task_id=data.name,
        row_id=np.arange(n),
        repeat=np.zeros(n),
        fold=fold_of_row,
        y_true=data.target,
        scores=drawn_flows.scores,
        run_ids=tuple(run_id(data.name, flow.name) for flow in drawn_flows.flows),
    )
    task_facts = task_row(
        predictions,
        positive_class=data.positive_class,
        negative_class=data.negative_class,
        source=source,
        source_group=data.source_group,
        n_candidates=n_candidates,
        **facts,
    )
    if data.n_rows_whole is not None:
        task_facts["n_rows_whole"] = data.n_rows_whole
    if data.simulated:
        task_facts["simulated"] = data.simulated
    write_predictions(batch.folder, predictions, task_facts)
    names = [flow.name for flow in drawn_flows.flows]
    setup_ids = [flow.setup_id for flow in drawn_flows.flows]
    return Filled([task_facts], run_rows(predictions, names, setup_ids, sha256), rejections)
