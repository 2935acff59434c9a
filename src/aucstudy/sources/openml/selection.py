"""Selecting tasks and runs from the server's lists by the paper's rules, or as in an earlier fetch.

The rules are those of Flach & Kull 2015, section 4. They take binary tasks with 10-fold cross-validated
predictions of at least 30 flows, and draw 30 models of each task at random.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.sources.openml.lists import ListedRun, ListedTask, Lists
from aucstudy.sources.openml.settings import Settings
from aucstudy.sources.openml.transport import NoAnswer
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.tables import read_table, write_table

IDS_PER_ADDRESS = 200
PINNED = (
    "task_id", "n_candidates", "run_id", "flow_id", "flow_name", "setup_id", "upload_time", "server_auroc",
    "sha256",
)  # fmt: skip

RunsOfTasks = tuple[list[ListedRun], list[Rejection]]


@dataclass(frozen=True)
class Candidate:
    task: ListedTask
    runs: tuple[ListedRun, ...]

    @property
    def n_flows(self) -> int:
        """The number of flows that have runs. A new version of a flow is another flow, as in 2015."""
        return len({run.flow_id for run in self.runs})


@dataclass(frozen=True)
class TaskJob:
    """What to fetch of a task.

    The `slots` are those of `draw_runs`. `sha256` holds the pinned digests of files of predictions by run id.
    """

    task_id: str
    slots: Sequence[Sequence[ListedRun]]
    n_candidates: int
    sha256: Mapping[str, str] = field(default_factory=dict)


def task_jobs(
    lists: Lists, settings: Settings, min_flows: int, seed: int, progress: Callable[[str], None]
) -> tuple[list[TaskJob], list[Rejection]]:
    if settings.pinned:
        return read_pinned(settings.pinned), []
    candidates, rejections = select(lists, settings, min_flows=min_flows, progress=progress)
    jobs = []
    for candidate in candidates:
        slots = draw_runs(candidate, settings.draw, seed, settings.first_runs)
        jobs.append(TaskJob(candidate.task.task_id, slots, candidate.n_flows))
    return jobs, rejections


def select(
    lists: Lists, settings: Settings, *, min_flows: int, progress: Callable[[str], None] = lambda line: None
) -> tuple[list[Candidate], list[Rejection]]:
    """Return the tasks that qualify by the lists, and rejections of other tasks and of single runs.

    Once `max_tasks` tasks qualify, the remaining tasks are left out without a rejection.
    """
    qualifying, rejections = listed_tasks(lists, settings)
    known: dict[str, RunsOfTasks] = {}
    candidates, more_rejections = lists.settled(
        lambda: _candidates(lists, settings, qualifying, min_flows, known, progress)
    )
    return candidates, rejections + more_rejections


def _candidates(
    lists: Lists,
    settings: Settings,
    qualifying: Sequence[ListedTask],
    min_flows: int,
    known: dict[str, RunsOfTasks],
    progress: Callable[[str], None],
) -> tuple[list[Candidate], list[Rejection]]:
    """Return the tasks with enough flows and the rejections of other tasks and of runs.

    `known` holds the runs of the groups of tasks, by the first task, whose lists have been read without doubt.
    """
    candidates: list[Candidate] = []
    rejections: list[Rejection] = []
    for start in range(0, len(qualifying), settings.tasks_per_list):
        if settings.max_tasks is not None and len(candidates) >= settings.max_tasks:
            break
        progress(f"lists of runs: task {start + 1} of {len(qualifying)}, {len(candidates)} qualify")
        group = qualifying[start : start + settings.tasks_per_list]
        n_doubts, first = lists.n_doubts, group[0].task_id
        runs, group_rejections = known.get(first) or _runs_of_all(lists, settings, group)
        if lists.n_doubts == n_doubts:
            known[first] = runs, group_rejections
        rejections += group_rejections
        rejected_tasks = {rejection.task_id for rejection in group_rejections if not rejection.run_id}
        for task in group:
            if task.task_id in rejected_tasks:
                continue
            candidate = Candidate(task, tuple(run for run in runs if run.task_id == task.task_id))
            if candidate.n_flows < min_flows:
                rejections.append(_rejection(task, Reason.TOO_FEW_FLOWS, f"{candidate.n_flows} flows"))
            elif settings.max_tasks is None or len(candidates) < settings.max_tasks:
                candidates.append(candidate)
    return candidates, rejections


def listed_tasks(lists: Lists, settings: Settings) -> tuple[list[ListedTask], list[Rejection]]:
    procedures = lists.procedures(settings.repeats, settings.folds)
    listed_ids = lists.suite(settings.suite) if settings.suite else settings.tasks
    filters = [*_filters(settings, listed_ids)]
    pages = lists.settled(lambda: [lists.tasks(each) for each in filters])
    tasks_by_id: dict[str, ListedTask] = {}
    for task in chain(*pages):
        tasks_by_id.setdefault(task.task_id, task)
    rejections = [
        Rejection(task, "", Stage.SELECT, Reason.WRONG_PROCEDURE, "no active classification task of this id")
        for task in listed_ids
        if task not in tasks_by_id
    ]
    tasks = sorted(tasks_by_id.values(), key=lambda task: int(task.task_id))
    faults = {task.task_id: _fault(task, settings, procedures) for task in tasks}
    rejections += filter(None, faults.values())
    return [task for task in tasks if faults[task.task_id] is None], rejections


def draw_runs(
    candidate: Candidate, draw: str, seed: int, first_runs: Collection[str] = ()
) -> list[list[ListedRun]]:
    """Return slots of runs in a seeded order. The first usable run of each slot is to be used.

    If `draw` is `flow_then_run`, a slot holds the runs of a flow. If it is `runs`, a slot holds one run. The
    runs in `first_runs` come before all others in their slot, and so do their slots.
    """
    rng = np.random.default_rng([seed, int(candidate.task.task_id)])
    groups: dict[str, list[ListedRun]] = {}
    for run in sorted(candidate.runs, key=lambda run: int(run.run_id)):
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
            yield {"task_id": ",".join(task_ids[start : start + IDS_PER_ADDRESS])}
        return
    binary = {"number_classes": "2"} if settings.only_listed_binary else {}
    for tag in settings.tags or (None,):
        yield {**binary, **({"tag": tag} if tag else {})}


def _fault(task: ListedTask, settings: Settings, procedures: set[str]) -> Rejection | None:
    # The server can lose all inputs of a task if they are long. The task's own description decides later.
    if task.procedure and task.procedure not in procedures:
        return _rejection(task, Reason.WRONG_PROCEDURE, f"estimation procedure {task.procedure}")
    fault = settings.rows_fault(task.n_rows)
    return _rejection(task, *fault) if fault else None


def _rejection(task: ListedTask, reason: Reason, detail: str) -> Rejection:
    return Rejection(task.task_id, "", Stage.SELECT, reason, detail)


def _runs_of_all(lists: Lists, settings: Settings, group: Sequence[ListedTask]) -> RunsOfTasks:
    """Return the runs of a group of tasks and the rejections.

    If there is no answer for the whole group, a list is requested for each task.
    """
    try:
        return _runs(lists, settings, [task.task_id for task in group])
    except NoAnswer as error:
        if len(group) == 1 and settings.unanswered == "reject" and error.status:
            return [], [_rejection(group[0], Reason.SERVER_ERROR, str(error))]
        if len(group) == 1 or not error.status:
            raise
    runs, rejections = zip(*(_runs_of_all(lists, settings, [task]) for task in group), strict=True)
    return list(chain(*runs)), list(chain(*rejections))


def _runs(lists: Lists, settings: Settings, task_ids: Sequence[str]) -> RunsOfTasks:
    listed = {run.run_id: run for run in lists.runs(task_ids)}
    # If no run is listed, none is evaluated.
    evaluated = {run.run_id: run for run in lists.evaluations(task_ids)} if listed else {}
    # The list of evaluations has the server's values, and the list of runs has the errors of the uploader.
    if settings.candidates == "listed":
        runs = {i: replace(evaluated.get(i, run), error=run.error) for i, run in (evaluated | listed).items()}
    else:
        runs = evaluated
    latest_upload = settings.uploaded_before
    candidates, rejections = [], []
    for i, run in (listed | runs).items():
        if latest_upload is not None and run.upload_time >= latest_upload:
            continue
        if i in runs and not run.error:
            candidates.append(run)
        else:
            reason = Reason.SERVER_ERROR if i in runs else Reason.NOT_EVALUATED
            rejections.append(Rejection(run.task_id, run.run_id, Stage.SELECT, reason, run.error))
    return candidates, rejections


def write_pinned(
    path: Path, tasks: Iterable[Mapping[str, object]], runs: Iterable[Mapping[str, object]]
) -> None:
    n_candidates = {task["task_id"]: task["n_candidates"] for task in tasks}
    rows = [{**run, "n_candidates": n_candidates[run["task_id"]]} for run in runs]
    frame = pd.DataFrame(rows, columns=list(PINNED))
    write_table(frame.sort_values(["task_id", "run_id"], kind="stable"), path)


def read_pinned(path: Path | str) -> list[TaskJob]:
    frame = read_table(path, PINNED)
    for column in ("task_id", "run_id"):
        bad = frame[~frame[column].str.fullmatch(r"\d+")]
        if len(bad):
            fault = f"{column} {bad[column].iloc[0]!r} in row {bad.index[0] + 2}"
            raise InputError(f"{path}: {fault}; expected a number")
    names = ["task_id", "run_id", "flow_id", "flow_name", "setup_id", "upload_time"]
    jobs = []
    for task_id, rows in frame.groupby("task_id", sort=False):
        pinned_runs = zip(rows[names].to_dict("records"), rows["server_auroc"], strict=True)
        slots = [[ListedRun(**row, auroc=float(auroc))] for row, auroc in pinned_runs]
        sha256 = dict(zip(rows["run_id"], rows["sha256"], strict=True))
        jobs.append(TaskJob(str(task_id), slots, int(rows["n_candidates"].iloc[0]), sha256=sha256))
    return sorted(jobs, key=lambda job: int(job.task_id))
