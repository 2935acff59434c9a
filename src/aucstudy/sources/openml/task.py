"""One task: its truth, and its usable runs in seeded order."""

import hashlib
import re
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np

from aucstudy.sources.openml.client import Client, Evaluation, Run, TaskFacts
from aucstudy.sources.openml.predictions import (
    RunPredictions,
    Target,
    Unusable,
    read_parquet_target,
    read_predictions,
    read_target,
)
from aucstudy.sources.openml.selection import TaskJob
from aucstudy.sources.openml.settings import Settings
from aucstudy.sources.openml.transport import (
    Answer,
    Lasting,
    NoAnswer,
    NotFound,
    Request,
    ServerUnavailable,
    Transport,
    UnusableAnswer,
    arff_fault,
    is_arff,
    parquet_fault,
)
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.task_store import Batch, Filled, Predictions, run_row, task_row, write_predictions

PRIVATE = {401, 403}
# where a task or run was dropped, by the reason: as soon as it was looked at, on the way, or else when it was read
STAGES = dict.fromkeys(
    (
        Reason.WRONG_PROCEDURE, Reason.NOT_BINARY, Reason.ONE_CLASS, Reason.TOO_FEW_ROWS, Reason.TOO_MANY_ROWS,
        Reason.TOO_FEW_FLOWS,
    ),
    Stage.SELECT,
) | dict.fromkeys(
    (Reason.SERVER_ERROR, Reason.NO_PREDICTIONS_FILE, Reason.FILE_MISSING, Reason.FILE_PRIVATE), Stage.FETCH
)  # fmt: skip
# what an uploader did and no broken server does: such a file is kept
OF_THE_UPLOADER = {
    Reason.COLUMNS_MISSING, Reason.CLASSES_MISMATCH, Reason.CONFIDENCE_MISSING, Reason.SWAPPED_COLUMNS,
    Reason.ROWS_DUPLICATED, Reason.FOLDS_BROKEN,
}  # fmt: skip
Read = TypeVar("Read")


@dataclass(frozen=True)
class _UsableRun:
    listed: Evaluation
    described: Run
    predictions: RunPredictions
    sha256: str


def _read_file(
    transport: Transport, request: Request, read: Callable[[bytes], Read], md5: str = ""
) -> tuple[Answer, Read | None, str]:
    """The file, its content (None without status 200), and the cut of its last line, if any.

    What does not read is Unusable once it has come again, or at once if its checksum is right.
    """
    value = error = None
    cut = ""

    def fault(body: bytes) -> str:
        nonlocal value, error, cut
        value, error, why = None, None, request.fault(body)
        cut = f"; {why}" if isinstance(why, Lasting) else ""
        if why and not is_arff(body):
            return why
        actual = hashlib.md5(body, usedforsecurity=False).hexdigest() if md5 else ""
        try:
            if actual != md5:
                detail = f"data set: md5 {actual}, the description says {md5}"
                raise Unusable(Reason.TRUTH_UNAVAILABLE, detail)
            value = read(body)
        except Unusable as unusable:
            error = Unusable(unusable.reason, f"{unusable.detail}{cut}")
            why = Lasting(error) if error.reason in OF_THE_UPLOADER else str(error)
        return "" if md5 and actual == md5 else why

    try:
        answer = transport.get(request, fault)
    except UnusableAnswer as unusable:
        raise error or unusable from None
    if answer.status != 200:
        return answer, None, ""
    if error:
        raise error from None
    return answer, value, cut


class TaskFetch:
    """Fetches one task; `notes` has lines for the user."""

    def __init__(self, client: Client, settings: Settings, batch: Batch, job: TaskJob):
        self.client, self.settings, self.batch, self.job = client, settings, batch, job
        self.rejections: list[Rejection] = []
        self.notes: list[str] = []

    def fetch(self) -> Filled:
        """The task's rows, its predictions stored, or rejections alone. NoAnswer where a request waits."""
        try:
            facts, target = self._truth()
            positive, negative = target.positive_and_negative()
            usable = self._usable_runs(target, positive)
        except (Unusable, UnusableAnswer) as error:
            self._reject("", _unusable(error))
            return Filled(rejections=self.rejections)
        return self._stored(facts, target, (positive, negative), usable)

    def _truth(self) -> tuple[TaskFacts, Target]:
        facts, settings = self.client.task(self.job.task_id), self.settings
        procedure = (facts.procedure, facts.repeats, facts.folds)
        if procedure != ("crossvalidation", str(settings.repeats), str(settings.folds)):
            raise Unusable(Reason.WRONG_PROCEDURE, "{} {} x {}".format(*procedure))
        if len(facts.classes) < 2:
            raise Unusable(Reason.NOT_BINARY, f"the target {facts.target!r} has {len(facts.classes)} classes")
        if not facts.file:
            raise Unusable(Reason.TRUTH_UNAVAILABLE, "the data set has no file")
        target = self._target(facts)
        n = len(target.codes)
        if n < settings.min_rows:
            raise Unusable(Reason.TOO_FEW_ROWS, f"{n} rows, {settings.min_rows} wanted")
        if settings.max_rows is not None and n > settings.max_rows:
            raise Unusable(Reason.TOO_MANY_ROWS, f"{n} rows, at most {settings.max_rows} wanted")
        return facts, target

    def _target(self, facts: TaskFacts) -> Target:
        transport, why = self.client.transport, ""
        request, read = Request(facts.file, arff_fault), partial(read_target, name=facts.target)
        only_parquet = facts.parquet in transport.store and facts.file not in transport.store
        if not only_parquet:
            try:
                request_of_either = replace(request, elsewhere=bool(facts.parquet))
                answer, target, _ = _read_file(transport, request_of_either, read, facts.md5)
            except NotFound:
                only_parquet = True
        if only_parquet:
            try:
                return self._parquet_target(facts)
            except (Unusable, UnusableAnswer) as error:
                why = f"; its Parquet file: {error}"
            answer, target, _ = _read_file(transport, request, read, facts.md5)
        if target is None:
            fault = f"status {answer.status} for the data set {facts.file}{why}"
            raise Unusable(Reason.TRUTH_UNAVAILABLE, fault)
        return target

    def _parquet_target(self, facts: TaskFacts) -> Target:
        """The truth of the Parquet file; Unusable where the server has none that fits."""
        read = partial(read_parquet_target, name=facts.target, classes=facts.classes, n_rows=self.job.n_rows)
        try:
            answer, target, _ = _read_file(self.client.transport, Request(facts.parquet, parquet_fault), read)
        except NoAnswer as error:
            if not error.answered:
                raise
            raise Unusable(Reason.TRUTH_UNAVAILABLE, str(error)) from None
        if target is None:
            raise Unusable(Reason.TRUTH_UNAVAILABLE, f"status {answer.status} for {facts.parquet}")
        note = f"{facts.file} is not there; the classes are from {facts.parquet}"
        self.notes.append(f"task {facts.task_id}: {note}")
        return target

    def _usable_runs(self, target: Target, positive: int) -> list[_UsableRun]:
        """Runs of the first usable slots, all with the same folds."""
        n_models = self.batch.models_per_task
        slots = deque(iter(slot) for slot in self.job.slots)
        next_slots = [slots.popleft() for _ in range(min(n_models, len(slots)))]
        usable: list[_UsableRun] = []
        folds: np.ndarray | None = None
        while next_slots and len(usable) + len(next_slots) >= n_models:
            tries = [attempt for slot in next_slots if (attempt := _next_run(slot, slots))]
            results = self.client.transport.each(
                lambda run: self._attempt(run, target, positive), [run for _, run in tries]
            )
            if unanswered := [result for result in results if isinstance(result, NoAnswer)]:
                raise unanswered[0]
            folds = _common_folds(results) if folds is None else folds
            next_slots = []
            for (slot, listed), result in zip(tries, results, strict=True):
                result = _in_folds(result, folds)
                if isinstance(result, Unusable):
                    self._reject(listed.run_id, result)
                    next_slots.append(slot)
                else:
                    usable.append(result)
        if len(usable) < n_models:
            raise Unusable(Reason.TOO_FEW_FLOWS, f"{len(usable)} usable, {n_models} wanted")
        return sorted(usable, key=lambda run: int(run.listed.run_id))

    def _attempt(
        self, listed: Evaluation, target: Target, positive: int
    ) -> "_UsableRun | Unusable | NoAnswer":
        try:
            run = self.client.run(listed.run_id)
            if run.error:
                raise Unusable(Reason.SERVER_ERROR, run.error)
            if not run.file:
                raise Unusable(Reason.NO_PREDICTIONS_FILE)
            options = {"repeats": self.settings.repeats, "folds": self.settings.folds}
            read = partial(read_predictions, target=target, positive=positive, **options)
            answer, predictions, cut = _read_file(self.client.transport, Request(run.file, arff_fault), read)
            if predictions is None:
                reason = Reason.FILE_PRIVATE if answer.status in PRIVATE else Reason.FILE_MISSING
                raise Unusable(reason, f"status {answer.status} for {answer.url}")
            expected_sha256 = self.job.sha256.get(listed.run_id, answer.sha256)
            if expected_sha256 != answer.sha256:
                detail = f"sha256 {answer.sha256}, pinned is {expected_sha256}{cut}"
                raise Unusable(Reason.FILE_BROKEN, detail)
        except (Unusable, UnusableAnswer) as error:
            return _unusable(error)
        except ServerUnavailable:
            raise
        except NoAnswer as error:  # the others of the task are asked for nevertheless
            return error
        return _UsableRun(listed, run, predictions, answer.sha256)

    def _reject(self, run_id: str, error: Unusable) -> None:
        stage = STAGES.get(error.reason, Stage.READ)
        self.rejections.append(Rejection(self.job.task_id, run_id, stage, error.reason, error.detail))

    def _stored(
        self, facts: TaskFacts, target: Target, classes: tuple[int, int], usable: list[_UsableRun]
    ) -> Filled:
        positive, negative = classes
        first = usable[0].predictions
        predictions = Predictions(
            task_id=facts.task_id,
            row_id=first.row_id,
            repeat=first.repeat,
            fold=next(run.predictions.fold for run in usable if run.predictions.fold is not None),
            y_true=target.codes[first.row_id] == positive,
            scores=np.array([run.predictions.score for run in usable]).T,  # a column is contiguous
            run_ids=tuple(run.listed.run_id for run in usable),
        )
        task_facts = task_row(
            predictions,
            dataset_id=facts.dataset_id,
            dataset_name=facts.dataset_name,
            positive_class=target.classes[positive],
            negative_class=target.classes[negative],
            n_folds=self.settings.repeats * self.settings.folds,
            source="openml",
            source_group=source_group(facts.dataset_name, facts.target),
            n_candidates=self.job.n_candidates,
        )
        runs = [
            run_row(
                predictions,
                column,
                flow_id=run.described.flow_id or run.listed.flow_id,
                flow_name=run.described.flow_name or run.listed.flow_name,
                setup_id=run.described.setup_id or run.listed.setup_id,
                upload_time=run.listed.upload_time,
                server_auroc=recorded_auroc(run.listed, run.described, target, positive),
                sha256=run.sha256,
            )
            for column, run in enumerate(usable)
        ]
        write_predictions(self.batch.folder, predictions, task_facts)
        return Filled([task_facts], runs, self.rejections)


def recorded_auroc(listed: Evaluation, described: Run, target: Target, positive: int) -> float:
    """The server's area of the positive class, or else its mean over the classes, or NaN.

    Class counts tell if an engine had the classes in reverse.
    """
    per_class = list(listed.per_class)
    if len(per_class) == len(target.classes):
        counts = tuple(target.counts)
        if described.class_counts == counts[::-1] != counts:
            per_class.reverse()
        if np.isfinite(per_class[positive]):
            return per_class[positive]
    return listed.auroc


def source_group(dataset_name: str, target: str) -> str:
    """Stem of the name and target, the same for data sets that share rows.

    >>> source_group("BNG(tic-tac-toe,nominal,1000)", "Class"), source_group("fri_c0_250_5", "binaryClass")
    ('tic-tac-toe/class', 'fri_c0/binaryclass')
    """
    name = dataset_name.lower()
    simulated_name = re.fullmatch(r"bng\(([^,()]+).*\)", name)
    stem = simulated_name[1] if simulated_name else re.sub(r"(_seed_.*|\(\d+\)|([-_]\d+)+)$", "", name)
    return f"{stem or name}/{target.lower()}"


def _next_run(
    slot: Iterator[Evaluation], spare: "deque[Iterator[Evaluation]]"
) -> tuple[Iterator[Evaluation], Evaluation] | None:
    while (run := next(slot, None)) is None and spare:
        slot = spare.popleft()
    return None if run is None else (slot, run)


def _common_folds(results: "list[_UsableRun | Unusable]") -> np.ndarray | None:
    folds = [result.predictions.fold for result in results if isinstance(result, _UsableRun)]
    counts = Counter(fold.tobytes() for fold in folds if fold is not None)
    known_folds = (fold for fold in folds if fold is not None)
    return max(known_folds, key=lambda fold: counts[fold.tobytes()], default=None)


def _in_folds(result: "_UsableRun | Unusable", folds: np.ndarray | None) -> "_UsableRun | Unusable":
    if isinstance(result, Unusable):
        return result
    if folds is None:
        return Unusable(Reason.FOLDS_BROKEN, "no folds, and no other run has any")
    fold = result.predictions.fold
    if fold is not None and not np.array_equal(fold, folds):
        detail = f"{(fold != folds).sum()} rows are in other folds than in most runs"
        return Unusable(Reason.FOLDS_BROKEN, detail)
    return result


def _unusable(error: Unusable | UnusableAnswer) -> Unusable:
    return error if isinstance(error, Unusable) else Unusable(Reason.SERVER_ERROR, str(error))
