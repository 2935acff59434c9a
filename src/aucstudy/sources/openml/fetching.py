"""Fetching one task with its first usable runs in a seeded order, or the reasons why it is rejected."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TypeVar

import numpy as np

from aucstudy.sources.openml.files import Unusable
from aucstudy.sources.openml.lists import ListedRun
from aucstudy.sources.openml.run import UsableRun, recorded_auroc, usable_run
from aucstudy.sources.openml.selection import TaskJob, source_group
from aucstudy.sources.openml.settings import Settings
from aucstudy.sources.openml.task import Target, TaskFacts, described_task, truth_of
from aucstudy.sources.openml.transport import NoAnswer, Session
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.task_store import Batch, Filled, Predictions, run_row, task_row, write_predictions

# The stage at which a task or run is rejected, by the reason. All other reasons belong to the stage `read`.
STAGES = dict.fromkeys(
    (
        Reason.WRONG_PROCEDURE, Reason.NOT_BINARY, Reason.ONE_CLASS, Reason.TOO_FEW_ROWS, Reason.TOO_MANY_ROWS,
        Reason.TOO_FEW_FLOWS,
    ),
    Stage.SELECT,
) | dict.fromkeys(
    (Reason.SERVER_ERROR, Reason.NO_PREDICTIONS_FILE, Reason.FILE_MISSING, Reason.FILE_PRIVATE), Stage.FETCH
)  # fmt: skip
Result = TypeVar("Result")


class TaskFetch:
    """Fetches one task."""

    def __init__(self, session: Session, settings: Settings, batch: Batch, job: TaskJob):
        self.session, self.settings, self.batch, self.job = session, settings, batch, job
        self.rejections: list[Rejection] = []

    def fetch(self) -> Filled:
        """Store the predictions of the task and return its rows of the task store, or only rejections.

        Raise NoAnswer if the server gave no valid answer and the settings do not do without it.
        """
        try:
            facts, target = self._truth()
            positive, negative = target.positive_and_negative()
            usable = self._usable_runs(target, positive, int(facts.repeats))
        except Unusable as error:
            self._reject("", error)
        except NoAnswer as error:
            self._reject("", self._done_without(error))
        else:
            return self._stored(facts, target, (positive, negative), usable)
        return Filled(rejections=self.rejections)

    def _truth(self) -> tuple[TaskFacts, Target]:
        settings = self.settings
        facts = described_task(self.session, self.job.task_id)
        procedure = (facts.procedure, facts.repeats, facts.folds)
        allowed = [("crossvalidation", str(number), str(settings.folds)) for number in settings.repeats]
        if procedure not in allowed:
            raise Unusable(Reason.WRONG_PROCEDURE, "{} {} x {}".format(*procedure))
        if len(facts.classes) < 2:
            raise Unusable(Reason.NOT_BINARY, f"the target {facts.target!r} has {len(facts.classes)} classes")
        target = truth_of(self.session, facts)
        if fault := settings.rows_fault(len(target.codes)):
            raise Unusable(*fault)
        return facts, target

    def _usable_runs(self, target: Target, positive: int, repeats: int) -> list[UsableRun]:
        """Return one run of each of the first usable slots, sorted by run id, all in the same folds.

        Raise Unusable if there are too few.
        """
        n_models = self.batch.models_per_task
        spare = map(iter, self.job.slots())
        slots = [slot for _, slot in zip(range(n_models), spare, strict=False)]
        usable: list[UsableRun] = []
        folds: np.ndarray | None = None
        while slots and len(usable) + len(slots) >= n_models:
            tries = [attempt for slot in slots if (attempt := _next_run(slot, spare))]
            results = self._each(
                lambda run: self._attempt(run, target, positive, repeats), [run for _, run in tries]
            )
            folds = _common_folds(results) if folds is None else folds
            slots = []
            for (slot, listed), attempted in zip(tries, results, strict=True):
                result = _in_folds(attempted, folds)
                if isinstance(result, Unusable):
                    self._reject(listed.run_id, result)
                    slots.append(slot)
                else:
                    usable.append(result)
        if len(usable) < n_models:
            raise Unusable(Reason.TOO_FEW_FLOWS, f"{len(usable)} usable, {n_models} needed")
        return sorted(usable, key=lambda run: int(run.listed.run_id))

    def _each(self, function: Callable[[ListedRun], Result], runs: list[ListedRun]) -> list[Result]:
        if self.settings.connections == 1:
            return [*map(function, runs)]
        with ThreadPoolExecutor(self.settings.connections) as pool:
            return [*pool.map(function, runs)]

    def _attempt(
        self, listed: ListedRun, target: Target, positive: int, repeats: int
    ) -> UsableRun | Unusable:
        pinned = self.job.sha256.get(listed.run_id, "")
        try:
            return usable_run(self.session, self.settings, listed, target, positive, repeats, pinned)
        except Unusable as error:
            return error
        except NoAnswer as error:
            return self._done_without(error)

    def _done_without(self, error: NoAnswer) -> Unusable:
        """Return the rejection in place of an answer if the settings do without it, else raise the error.

        A server that cannot be reached gives no status. This always ends the fetch.
        """
        if self.settings.unanswered == "stop" or not error.status:
            raise error
        return Unusable(Reason.SERVER_ERROR, str(error))

    def _reject(self, run_id: str, error: Unusable) -> None:
        stage = STAGES.get(error.reason, Stage.READ)
        self.rejections.append(Rejection(self.job.task_id, run_id, stage, error.reason, error.detail))

    def _stored(
        self, facts: TaskFacts, target: Target, classes: tuple[int, int], usable: list[UsableRun]
    ) -> Filled:
        positive, negative = classes
        repeats = int(facts.repeats)
        first = usable[0].predictions
        predictions = Predictions(
            facts.task_id, first.row_id, first.repeat,
            fold=next(run.predictions.fold for run in usable if run.predictions.fold is not None),
            y_true=target.codes[first.row_id] == positive,
            scores=np.array([run.predictions.score for run in usable]).T,  # Each column is contiguous.
            run_ids=tuple(run.listed.run_id for run in usable),
        )  # fmt: skip
        task_facts = task_row(
            predictions, dataset_id=facts.dataset_id, dataset_name=facts.dataset_name,
            positive_class=target.classes[positive], negative_class=target.classes[negative],
            n_folds=repeats * self.settings.folds, source="openml",
            source_group=source_group(facts.dataset_name, facts.target), n_candidates=self.job.n_candidates,
        )  # fmt: skip
        if repeats > 1:
            task_facts["n_repeats"] = repeats
        runs = [
            run_row(
                predictions, column,
                flow_id=run.described.flow_id or run.listed.flow_id,
                flow_name=run.described.flow_name or run.listed.flow_name,
                setup_id=run.described.setup_id or run.listed.setup_id, upload_time=run.listed.upload_time,
                server_auroc=recorded_auroc(run.listed, run.described, target, positive), sha256=run.sha256,
            )
            for column, run in enumerate(usable)
        ]  # fmt: skip
        write_predictions(self.batch.folder, predictions, task_facts)
        return Filled([task_facts], runs, self.rejections)


def _next_run(
    slot: Iterator[ListedRun], spare: Iterator[Iterator[ListedRun]]
) -> tuple[Iterator[ListedRun], ListedRun] | None:
    """Return the next run and its slot. If `slot` has no more runs, they come from the next spare slot."""
    return next(((source, run) for source in chain([slot], spare) for run in source), None)


def _common_folds(results: list[UsableRun | Unusable]) -> np.ndarray | None:
    folds = [run.predictions.fold for run in results if isinstance(run, UsableRun)]
    known_folds = [fold for fold in folds if fold is not None]
    counts = Counter(fold.tobytes() for fold in known_folds)
    return max(known_folds, key=lambda fold: counts[fold.tobytes()], default=None)


def _in_folds(result: UsableRun | Unusable, folds: np.ndarray | None) -> UsableRun | Unusable:
    if isinstance(result, Unusable):
        return result
    if folds is None:
        return Unusable(Reason.FOLDS_BROKEN, "no folds, and no other run has any")
    fold = result.predictions.fold
    if fold is not None and not np.array_equal(fold, folds):
        detail = f"{(fold != folds).sum()} rows are in other folds than in most runs"
        return Unusable(Reason.FOLDS_BROKEN, detail)
    return result
