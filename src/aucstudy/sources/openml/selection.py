"""Which tasks and runs: the paper's rules on the server's lists, or the selection of an earlier fetch.

Flach & Kull 2015, section 4: binary tasks with 10-fold cross-validated predictions of at least 30 flows, 30 models
of each drawn at random.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.errors import InputError
from aucstudy.sources.openml.client import IDS_PER_ADDRESS, Client, Evaluation, ListedTask, MissingList
from aucstudy.sources.openml.settings import Settings
from aucstudy.store.rejections import Reason, Rejection, Stage
from aucstudy.store.tables import read_table, write_table

PINNED = (
    "task_id", "n_candidates", "run_id", "flow_id", "flow_name", "setup_id", "upload_time", "server_auroc",
    "sha256",
)  # fmt: skip


@dataclass(frozen=True)
class Candidate:
    task: ListedTask
    runs: tuple[Evaluation, ...]

    @property
    def n_flows(self) -> int:
        """A new version of a flow is another flow, as in 2015."""
        return len({run.flow_id for run in self.runs})

    @property
    def n_flow_names(self) -> int:
        return len({flow_stem(run.flow_name) or run.flow_id for run in self.runs})


@dataclass(frozen=True)
class TaskJob:
    """What to fetch of a task; `slots` are those of `draw_runs`, `sha256` is pinned by run id."""

    task_id: str
    slots: Sequence[Sequence[Evaluation]]
    n_candidates: int
    n_rows: float = float("nan")
    sha256: Mapping[str, str] = field(default_factory=dict)


def task_jobs(
    client: Client, settings: Settings, min_flows: int, seed: int, progress: Callable[[str], None]
) -> tuple[list[TaskJob], list[Rejection]]:
    if settings.pinned:
        return read_pinned(settings.pinned), []
    candidates, rejections = select(client, settings, min_flows=min_flows, progress=progress)
    jobs = []
    for candidate in candidates:
        slots = draw_runs(candidate, settings.draw, seed, settings.first_runs)
        jobs.append(TaskJob(candidate.task.task_id, slots, candidate.n_flows, candidate.task.n_rows))
    return jobs, rejections


def select(
    client: Client, settings: Settings, *, min_flows: int, progress: Callable[[str], None] = lambda line: None
) -> tuple[list[Candidate], list[Rejection]]:
    """The tasks that qualify by the lists, and a rejection for every other one."""
    qualifying, rejections = listed_tasks(client, settings)
    candidates: list[Candidate] = []
    for start in range(0, len(qualifying), settings.tasks_per_list):
        if settings.max_tasks is not None and len(candidates) >= settings.max_tasks:
            break
        progress(f"lists of runs: task {start + 1} of {len(qualifying)}, {len(candidates)} qualify")
        group = qualifying[start : start + settings.tasks_per_list]
        runs, group_rejections = _runs_of_all(client, settings, group)
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


def listed_tasks(client: Client, settings: Settings) -> tuple[list[ListedTask], list[Rejection]]:
    procedures = client.procedures(settings.repeats, settings.folds)
    wanted_ids = client.suite(settings.suite) if settings.suite else settings.tasks
    tasks_by_id: dict[str, ListedTask] = {}
    for filters in _filters(settings, wanted_ids):
        for task in client.tasks(filters):
            tasks_by_id.setdefault(task.task_id, task)
    rejections = [
        Rejection(task, "", Stage.SELECT, Reason.WRONG_PROCEDURE, "no active classification task of this id")
        for task in wanted_ids
        if task not in tasks_by_id
    ]
    tasks = sorted(tasks_by_id.values(), key=lambda task: int(task.task_id))
    faults = {task.task_id: _fault(task, settings, procedures) for task in tasks}
    rejections += filter(None, faults.values())
    return [task for task in tasks if faults[task.task_id] is None], rejections


def draw_runs(
    candidate: Candidate, draw: str, seed: int, first_runs: Collection[str] = ()
) -> list[list[Evaluation]]:
    """Slots in seeded order, of each of which the first usable run counts; `first_runs` come first.

    With `flow_then_run` a slot is a flow, with `runs` a run.
    """
    rng = np.random.default_rng([seed, int(candidate.task.task_id)])
    groups: dict[str, list[Evaluation]] = {}
    for run in sorted(candidate.runs, key=lambda run: int(run.run_id)):
        groups.setdefault(run.run_id if draw == "runs" else run.flow_id, []).append(run)
    slots = [groups[name] for name in sorted(groups, key=int)]
    slots = [slots[i] for i in rng.permutation(len(slots))]
    slots = [[slot[j] for j in rng.permutation(len(slot))] for slot in slots]
    for slot in slots:
        slot.sort(key=lambda run: run.run_id not in first_runs)
    return sorted(slots, key=lambda slot: slot[0].run_id not in first_runs)


def flow_stem(name: str) -> str:
    """The name of a flow without its version.

    >>> flow_stem("weka.J48(12)")
    'weka.J48'
    """
    return re.sub(r"\(\d+\)$", "", name.strip())


def unique_problems(candidates: Sequence[Candidate]) -> int:
    return len({(c.task.dataset_id, c.task.target, c.task.procedure) for c in candidates})


def _filters(settings: Settings, task_ids: Sequence[str]) -> Iterator[dict[str, str]]:
    if task_ids:
        for start in range(0, len(task_ids), IDS_PER_ADDRESS):
            yield {"task_id": ",".join(task_ids[start : start + IDS_PER_ADDRESS])}
        return
    binary = {"number_classes": "2"} if settings.only_listed_binary else {}
    for tag in settings.tags or (None,):
        yield {**binary, **({"tag": tag} if tag else {})}


def _fault(task: ListedTask, settings: Settings, procedures: set[str]) -> Rejection | None:
    # Where long inputs made the server lose the whole block, the task's own description decides later.
    if task.procedure and task.procedure not in procedures:
        return _rejection(task, Reason.WRONG_PROCEDURE, f"estimation procedure {task.procedure}")
    if task.n_rows < settings.min_rows:
        return _rejection(task, Reason.TOO_FEW_ROWS, f"{task.n_rows:g} rows, {settings.min_rows} wanted")
    if settings.max_rows is not None and task.n_rows > settings.max_rows:
        detail = f"{task.n_rows:g} rows, at most {settings.max_rows} wanted"
        return _rejection(task, Reason.TOO_MANY_ROWS, detail)
    return None


def _rejection(task: ListedTask, reason: Reason, detail: str) -> Rejection:
    return Rejection(task.task_id, "", Stage.SELECT, reason, detail)


def _runs_of_all(
    client: Client, settings: Settings, group: Sequence[ListedTask]
) -> tuple[list[Evaluation], list[Rejection]]:
    """The runs of a group of tasks; in shorter lists, task by task, where theirs does not come."""
    try:
        return _runs(client, settings, [task.task_id for task in group])
    except MissingList as error:
        if len(group) == 1:
            if settings.unanswered == "reject":
                return [], [_rejection(group[0], Reason.SERVER_ERROR, str(error))]
            raise MissingList(f"{error} (openml.unanswered: reject does without such tasks)") from None
    runs, rejections = zip(*(_runs_of_all(client, settings, [task]) for task in group), strict=True)
    return [run for task_runs in runs for run in task_runs], [
        r for task_runs in rejections for r in task_runs
    ]


def _runs(
    client: Client, settings: Settings, task_ids: Sequence[str]
) -> tuple[list[Evaluation], list[Rejection]]:
    lists: dict[str, dict[str, Evaluation]] = {"listed": {}, "evaluated": {}}
    for name, ask in (("listed", client.runs), ("evaluated", client.evaluations)):
        try:
            lists[name] = {run.run_id: run for run in ask(task_ids)}
            if not lists[name]:  # where no run is listed none is evaluated
                break
        except MissingList as error:
            if settings.unanswered == "stop" or name == settings.candidates:
                raise
            client.doubts.append(str(error))
    evaluated, listed = lists["evaluated"], lists["listed"]
    # The list of evaluations has the server's values, that of runs what the uploader reported.
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
            raise InputError(f"{path}: {fault}; wanted a number")
    names = ["task_id", "run_id", "flow_id", "flow_name", "setup_id", "upload_time"]
    jobs = []
    for task_id, rows in frame.groupby("task_id", sort=False):
        pinned_runs = zip(rows[names].to_dict("records"), rows["server_auroc"], strict=True)
        slots = [[Evaluation(**row, auroc=float(auroc))] for row, auroc in pinned_runs]
        sha256 = dict(zip(rows["run_id"], rows["sha256"], strict=True))
        jobs.append(TaskJob(str(task_id), slots, int(rows["n_candidates"].iloc[0]), sha256=sha256))
    return sorted(jobs, key=lambda job: int(job.task_id))
