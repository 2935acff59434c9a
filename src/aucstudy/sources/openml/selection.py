"""Selecting tasks and runs from the server's lists by the paper's rules, or as in an earlier fetch.

The rules are those of Flach & Kull 2015, section 4. They take binary tasks with 10-fold cross-validated
predictions of at least 30 flows, and draw 30 models of each task at random.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.sources.openml.lists import ListedRun, ListedTask, Lists, LongList
from aucstudy.sources.openml.settings import Settings
from aucstudy.sources.openml.transport import NoAnswer
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.tables import read_table, write_table

IDS_PER_ADDRESS = 200
# The server says that a list is empty also if its query failed.
AGAIN = "if there should be some, run the same command again later"
PINNED = (
    "task_id", "n_candidates", "run_id", "flow_id", "flow_name", "setup_id", "upload_time", "server_auroc",
    "sha256",
)  # fmt: skip


@dataclass(frozen=True)
class Candidate:
    """A task and what the lists say of its runs.

    The runs themselves are read again from the kept lists when they are needed, since all runs of all tasks
    would not fit into memory. `group` has the tasks that share the lists of the task.
    """

    task: ListedTask
    group: tuple[str, ...]
    n_runs: int
    n_flows: int  # A new version of a flow is another flow, as in 2015.
    n_unevaluated_flows: int  # The listed flows if no run of the task has an evaluation, else 0.


@dataclass(frozen=True)
class TaskJob:
    """What to fetch of a task.

    `slots` returns the slots of `draw_runs`. `sha256` holds the pinned digests of files of predictions by run
    id.
    """

    task_id: str
    slots: Callable[[], Sequence[Sequence[ListedRun]]]
    n_candidates: int
    sha256: Mapping[str, str] = field(default_factory=dict)


class Selection:
    """The tasks that qualify by the lists, and the rejections of other tasks and of single runs.

    Once `max_tasks` tasks qualify, the remaining tasks are left out without a rejection. `n_unevaluated` is
    the number of tasks with enough listed flows and no evaluation at all. Raise InputError if the server lists
    no task, or no run of any task.
    """

    def __init__(
        self,
        lists: Lists,
        settings: Settings,
        *,
        min_flows: int,
        seed: int,
        progress: Callable[[str], None] = lambda line: None,
    ):
        self.lists, self.settings, self.min_flows, self.seed = lists, settings, min_flows, seed
        self._runs_of_group = lru_cache(maxsize=1)(partial(_runs, lists, settings))
        self.repeats = lists.procedures(settings.repeats, settings.folds)
        qualifying, rejections = listed_tasks(lists, settings, self.repeats)
        # What the lists say of the tasks of a group, by the first one, if it was read without doubt.
        known: dict[str, tuple[list[Candidate], list[Rejection]]] = {}
        self.candidates, more_rejections, self.n_unevaluated = lists.settled(
            lambda: self._select(qualifying, known, progress)
        )
        self.rejections = rejections + more_rejections
        if lists.are_all_empty("run"):
            raise InputError(f"{lists.server}: no run is listed of any of {len(qualifying)} tasks; {AGAIN}")

    def slots(self, candidate: Candidate) -> list[list[ListedRun]]:
        runs, _, _ = self._runs_of_group(candidate.group)
        task_id, settings = candidate.task.task_id, self.settings
        own_runs = [run for run in runs if run.task_id == task_id]
        return draw_runs(task_id, own_runs, settings.draw, self.seed, settings.first_runs)

    def _select(
        self,
        qualifying: Sequence[ListedTask],
        known: dict[str, tuple[list[Candidate], list[Rejection]]],
        progress: Callable[[str], None],
    ) -> tuple[list[Candidate], list[Rejection], int]:
        lists, settings = self.lists, self.settings
        selected: list[Candidate] = []
        rejections: list[Rejection] = []
        n_unevaluated = 0
        for start in range(0, len(qualifying), settings.tasks_per_list):
            if settings.max_tasks is not None and len(selected) >= settings.max_tasks:
                break
            progress(f"lists of runs: task {start + 1} of {len(qualifying)}, {len(selected)} qualify")
            group = qualifying[start : start + settings.tasks_per_list]
            n_doubts, first = lists.n_doubts, group[0].task_id
            candidates, group_rejections = known.get(first) or self._candidates(group)
            if lists.n_doubts == n_doubts:
                known[first] = candidates, group_rejections
            rejections += group_rejections
            for candidate in candidates:
                if candidate.n_flows < self.min_flows:
                    flows = f"{candidate.n_flows} flows"
                    rejections.append(_rejection(candidate.task, Reason.TOO_FEW_FLOWS, flows))
                    is_active = candidate.task.status == "active"
                    n_unevaluated += is_active and candidate.n_unevaluated_flows >= self.min_flows
                elif candidate.task.status != "active":
                    detail = f"the data set is {candidate.task.status}; {candidate.n_flows} flows"
                    rejections.append(_rejection(candidate.task, Reason.NOT_ACTIVE, detail))
                elif settings.max_tasks is None or len(selected) < settings.max_tasks:
                    selected.append(candidate)
        return selected, rejections, n_unevaluated

    def _candidates(self, group: Sequence[ListedTask]) -> tuple[list[Candidate], list[Rejection]]:
        """Return the tasks of a group and the rejections.

        If there is no answer for the whole group, or if it is long, a list is requested for each task.
        """
        settings, task_ids = self.settings, tuple(task.task_id for task in group)
        try:
            runs, n_unevaluated_flows, rejections = _runs(self.lists, settings, task_ids)
        except (NoAnswer, LongList) as error:
            status = error.status if isinstance(error, NoAnswer) else 200
            if len(group) == 1 and settings.unanswered == "reject" and status:
                return [], [_rejection(group[0], Reason.SERVER_ERROR, str(error))]
            if len(group) == 1 or not status:
                raise
            of_each = [self._candidates([task]) for task in group]
            return list(chain(*(each[0] for each in of_each))), list(chain(*(each[1] for each in of_each)))
        flows: dict[str, set[str]] = {task_id: set() for task_id in task_ids}
        n_runs = Counter(run.task_id for run in runs)
        for run in runs:
            flows[run.task_id].add(run.flow_id)
        return [
            Candidate(task, task_ids, n_runs[i], len(flows[i]), n_unevaluated_flows[i])
            for i, task in zip(task_ids, group, strict=True)
        ], rejections


def task_jobs(
    lists: Lists, settings: Settings, min_flows: int, seed: int, progress: Callable[[str], None]
) -> tuple[list[TaskJob], list[Rejection], int]:
    """Return what to fetch, the rejections, and the number of tasks without any evaluation."""
    if settings.pinned:
        return read_pinned(settings.pinned, settings.uploaded_before), [], 0
    selection = Selection(lists, settings, min_flows=min_flows, seed=seed, progress=progress)
    jobs = [
        TaskJob(candidate.task.task_id, partial(selection.slots, candidate), candidate.n_flows)
        for candidate in selection.candidates
    ]
    return jobs, selection.rejections, selection.n_unevaluated


def listed_tasks(
    lists: Lists, settings: Settings, procedures: Collection[str]
) -> tuple[list[ListedTask], list[Rejection]]:
    listed_ids = lists.suite(settings.suite) if settings.suite else settings.tasks
    filters = [*_filters(settings, listed_ids)]
    pages = lists.settled(lambda: [lists.tasks(each) for each in filters])
    for words, page in zip(filters, pages, strict=True):
        if not page:
            which = ", ".join(f"{name} {value[:50]}" for name, value in words.items())
            raise InputError(f"{lists.server}: no task is listed ({which}); {AGAIN}")
    tasks_by_id: dict[str, ListedTask] = {}
    for task in chain(*pages):
        tasks_by_id.setdefault(task.task_id, task)
    rejections = [
        Rejection(task, "", Stage.SELECT, Reason.WRONG_PROCEDURE, "no classification task of this id")
        for task in listed_ids
        if task not in tasks_by_id
    ]
    tasks = sorted(tasks_by_id.values(), key=lambda task: int(task.task_id))
    faults = {task.task_id: _fault(task, settings, procedures) for task in tasks}
    rejections += filter(None, faults.values())
    return [task for task in tasks if faults[task.task_id] is None], rejections


def draw_runs(
    task_id: str, runs: Iterable[ListedRun], draw: str, seed: int, first_runs: Collection[str] = ()
) -> list[list[ListedRun]]:
    """Return slots of the runs of a task in a seeded order. The first usable run of each slot is to be used.

    If `draw` is `flow_then_run`, a slot holds the runs of a flow. If it is `runs`, a slot holds one run. The
    runs in `first_runs` come before all others in their slot, and so do their slots.
    """
    rng = np.random.default_rng([seed, int(task_id)])
    groups: dict[str, list[ListedRun]] = {}
    for run in sorted(runs, key=lambda run: int(run.run_id)):
        groups.setdefault(run.run_id if draw == "runs" else run.flow_id, []).append(run)
    slots = [groups[name] for name in sorted(groups, key=int)]
    slots = [slots[i] for i in rng.permutation(len(slots))]
    slots = [[slot[j] for j in rng.permutation(len(slot))] for slot in slots]
    for slot in slots:
        slot.sort(key=lambda run: run.run_id not in first_runs)
    return sorted(slots, key=lambda slot: slot[0].run_id not in first_runs)


def source_group(dataset_name: str, target: str) -> str:
    """Return the name of a group of data sets that share rows.

    It is the stem of the data set's name, and the target.

    >>> source_group("BNG(tic-tac-toe,nominal,1000)", "Class"), source_group("fri_c0_250_5", "binaryClass")
    ('tic-tac-toe/class', 'fri_c0/binaryclass')
    """
    name = dataset_name.lower()
    simulated_name = re.fullmatch(r"bng\(([^,()]+).*\)", name)
    stem = simulated_name[1] if simulated_name else re.sub(r"(_seed_.*|\(\d+\)|([-_]\d+)+)$", "", name)
    return f"{stem or name}/{target.lower()}"


def _filters(settings: Settings, task_ids: Sequence[str]) -> Iterator[dict[str, str]]:
    if task_ids:
        for start in range(0, len(task_ids), IDS_PER_ADDRESS):
            yield {"status": "all", "task_id": ",".join(task_ids[start : start + IDS_PER_ADDRESS])}
        return
    binary = {"number_classes": "2"} if settings.only_listed_binary else {}
    for tag in settings.tags or (None,):
        # Tasks of data sets that were deactivated are listed too, so that they can be counted.
        yield {"status": "all", **binary, **({"tag": tag} if tag else {})}


def _fault(task: ListedTask, settings: Settings, procedures: Collection[str]) -> Rejection | None:
    # The server can lose all inputs of a task if they are long. The task's own description decides later.
    if task.procedure and task.procedure not in procedures:
        return _rejection(task, Reason.WRONG_PROCEDURE, f"estimation procedure {task.procedure}")
    fault = settings.rows_fault(task.n_rows)
    return _rejection(task, *fault) if fault else None


def _rejection(task: ListedTask, reason: Reason, detail: str) -> Rejection:
    return Rejection(task.task_id, "", Stage.SELECT, reason, detail)


def _runs(
    lists: Lists, settings: Settings, task_ids: Sequence[str]
) -> tuple[list[ListedRun], Counter[str], list[Rejection]]:
    """Return the runs of some tasks to draw from, and rejections of other runs.

    Between them is the number of listed flows of each task without any evaluation.
    """
    before = settings.uploaded_before
    listed = {run.run_id: run for run in lists.runs(task_ids, before)}
    # If no run is listed, none is evaluated.
    evaluated = {run.run_id: run for run in lists.evaluations(task_ids, before)} if listed else {}
    # The list of evaluations has the server's values, and the list of runs has the errors of the uploader.
    if settings.candidates == "listed":
        runs = {i: replace(evaluated.get(i, run), error=run.error) for i, run in (evaluated | listed).items()}
    else:
        runs = evaluated
    candidates, rejections = [], []
    for i, run in (listed | runs).items():
        if i in runs and not run.error:
            candidates.append(run)
        else:
            reason = Reason.SERVER_ERROR if i in runs else Reason.NOT_EVALUATED
            rejections.append(Rejection(run.task_id, run.run_id, Stage.SELECT, reason, run.error))
    evaluated_tasks = {run.task_id for run in runs.values()}
    unevaluated = {
        (run.task_id, run.flow_id) for run in listed.values() if run.task_id not in evaluated_tasks
    }
    return candidates, Counter(task_id for task_id, _ in unevaluated), rejections


def write_pinned(
    path: Path, tasks: Iterable[Mapping[str, object]], runs: Iterable[Mapping[str, object]]
) -> None:
    n_candidates = {task["task_id"]: task["n_candidates"] for task in tasks}
    rows = [{**run, "n_candidates": n_candidates[run["task_id"]]} for run in runs]
    frame = pd.DataFrame(rows, columns=list(PINNED))
    write_table(frame.sort_values(["task_id", "run_id"], kind="stable"), path)


def read_pinned(path: Path | str, uploaded_before: str | None = None) -> list[TaskJob]:
    """Return what to fetch. Raise InputError if a run is not from before the day `uploaded_before`."""
    frame = read_table(path, PINNED)
    for column in ("task_id", "run_id"):
        bad = frame[~frame[column].str.fullmatch(r"\d+")]
        if len(bad):
            fault = f"{column} {bad[column].iloc[0]!r} in row {bad.index[0] + 2}"
            raise InputError(f"{path}: {fault}; expected a number")
    late = frame[frame["upload_time"] >= uploaded_before] if uploaded_before is not None else frame[:0]
    if len(late):
        fault = f"upload_time {late['upload_time'].iloc[0]!r} in row {late.index[0] + 2}"
        raise InputError(f"{path}: {fault}; expected a time before openml.uploaded_before, {uploaded_before}")
    names = ["task_id", "run_id", "flow_id", "flow_name", "setup_id", "upload_time"]
    jobs = []
    for task_id, rows in frame.groupby("task_id", sort=False):
        pinned_runs = zip(rows[names].to_dict("records"), rows["server_auroc"], strict=True)
        slots = [[ListedRun(**row, auroc=float(auroc))] for row, auroc in pinned_runs]
        sha256 = dict(zip(rows["run_id"], rows["sha256"], strict=True))
        jobs.append(
            TaskJob(str(task_id), partial(list, slots), int(rows["n_candidates"].iloc[0]), sha256=sha256)
        )
    return sorted(jobs, key=lambda job: int(job.task_id))
