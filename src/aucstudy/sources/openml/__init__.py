"""The source `openml`: binary tasks and cross-validated predictions of any OpenML server.

Every answer is kept, so that a fetch can go on.
"""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from aucstudy.errors import InputError
from aucstudy.sources.openml.client import Client
from aucstudy.sources.openml.selection import (
    Candidate,
    TaskJob,
    draw_runs,
    select,
    task_jobs,
    unique_problems,
    write_pinned,
)
from aucstudy.sources.openml.settings import Settings
from aucstudy.sources.openml.task import TaskFetch
from aucstudy.sources.openml.transport import NoAnswer, RawStore, ServerUnavailable, Transport
from aucstudy.store.files import remove_temporary
from aucstudy.store.rejections import Reason
from aucstudy.store.task_store import Batch, Filled, write_store

PATHS = ("pinned", "cache")

__all__ = ["Plan", "check", "fetch", "plan"]

SELECTION = "selection.csv"
REQUESTS_PER_RUN = 2  # its description and its predictions
REQUESTS_PER_DATA_SET = 3  # description, features, file


def check(settings: Mapping, *, models_per_task: int, min_flows: int) -> None:
    read = Settings.read(settings)
    if read.draw == "flow_then_run" and not read.pinned and min_flows < models_per_task:
        raise InputError(
            f"min_flows: is {min_flows}; wanted: at least models_per_task, {models_per_task}, "
            "because openml.draw takes one run of each flow"
        )


def fetch(batch: Batch) -> None:
    """Fill the task store of the batch with the selected tasks and runs, its tables last.

    InputError, and no table, where a request got no answer; the same call then goes on.
    """
    if batch.n_batches != 1:
        raise InputError(f"a server is asked by one job, not by {batch.n_batches}")
    read, folder = Settings.read(batch.settings), batch.folder
    with Client(read.server, RawStore(read.cache_folder(folder)), read) as client:
        for folder_made in {folder, read.raw_folder(folder)}:
            remove_temporary(folder_made)
        progress = Tally(client.transport).now_and_then
        jobs, rejections = task_jobs(client, read, batch.min_flows, batch.seed, progress)
        for doubt in client.doubts:
            say(f"in doubt: {doubt}")
        tally = Tally(client.transport, len(jobs), len(rejections))
        tally.say("lists read")
        filled = Filled(rejections=rejections)
        try:
            for task_id, of_task in _each_task(client, read, batch, jobs):
                filled += of_task
                tally.task(len(of_task.runs), len(of_task.rejections))
                batch.progress(task_id)
        except NoAnswer as error:
            tally.say("stopped")
            transport = client.transport
            raise InputError(
                f"{error}; what was fetched is kept in {transport.store.folder}, run the same command again to go on "
                f"(requests without an answer: {len(transport.unanswered)})"
            ) from None
    write_pinned(read.raw_folder(folder) / SELECTION, filled.tasks, filled.runs)
    write_store(folder, filled.tasks, filled.runs, filled.rejections)
    task_ids = {str(task["task_id"]) for task in filled.tasks}
    for path in (folder / "predictions").glob("*.parquet*"):  # of an earlier selection
        if path.name.partition(".parquet")[0] not in task_ids:
            path.unlink()
    tally.say("done")


def _each_task(
    client: Client, settings: Settings, batch: Batch, jobs: Sequence[TaskJob]
) -> Iterator[tuple[str, Filled]]:
    """Ids and rows of the tasks; those that wait for an answer are tried again after the others.

    NoAnswer where one still waits: another run in its place would make the draw depend on the server's health.
    """
    for last_round in (False, True):
        client.transport.last_round = last_round
        waiting_tasks: list[tuple[TaskJob, NoAnswer]] = []
        for job in jobs:
            task_fetch = TaskFetch(client, settings, batch, job)
            try:
                of_task = task_fetch.fetch()
            except ServerUnavailable:
                raise
            except NoAnswer as error:
                waiting_tasks.append((job, error))
            else:
                for note in task_fetch.notes:
                    say(note)
                yield job.task_id, of_task
        jobs = [job for job, _ in waiting_tasks]
    if waiting_tasks:
        ids = ", ".join(job.task_id for job in jobs[:5]) + (", ..." if len(jobs) > 5 else "")
        raise NoAnswer(
            f"tasks that wait for an answer: {ids}, the first for: {waiting_tasks[0][1]} "
            "(openml.unanswered: reject does without such runs and tasks)"
        )


@dataclass(frozen=True)
class Plan:
    """The cost of a fetch, as far as the lists tell.

    Attributes
    ----------
    n_listed, n_tasks : tasks looked at, and those that qualify.
    n_problems : qualifying tasks that differ in data set, target or procedure.
    n_tasks_by_name : tasks that would qualify if versions of a flow were one flow.
    n_requests, seconds : still to be made, without those of unusable runs, and the time at the pace of the lists.
    doubts : a line for each list whose pages do not fit together.
    """

    n_listed: int
    n_tasks: int
    n_problems: int
    n_tasks_by_name: int
    n_runs: int
    n_candidate_runs: int
    n_not_evaluated: int
    n_requests: int
    seconds: float
    n_list_requests: int
    doubts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(
            [
                f"tasks looked at    {self.n_listed}",
                f"tasks that qualify {self.n_tasks} by the lists ({self.n_problems} different in data set, target or "
                f"procedure; {self.n_tasks_by_name} if versions of a flow are counted as one flow)",
                f"runs to fetch      {self.n_runs}, drawn from {self.n_candidate_runs}",
                f"not evaluated      {self.n_not_evaluated} listed runs; --candidates listed draws from them too",
                f"requests           {self.n_requests} to make, {self.n_list_requests} made now for the lists",
                f"time               {duration(self.seconds)}",
                *(f"in doubt           {doubt}" for doubt in self.doubts),
            ]
        )


def plan(
    settings: Mapping,
    folder: Path,
    *,
    models_per_task: int,
    min_flows: int,
    seed: int,
    progress: Callable[[str], None] = lambda line: None,
) -> Plan:
    """The cost of a fetch into `folder` by the server's lists, which are kept for it."""
    read = Settings.read(settings)
    store = RawStore(read.cache_folder(folder))
    with Client(read.server, store, read) as client:
        started = time.monotonic()
        candidates, rejections = select(client, read, min_flows=min_flows, progress=progress)
        took = time.monotonic() - started
    seconds_each = took / client.transport.n_requests if client.transport.n_requests else 0.0
    n_requests = _requests_left(read, candidates, store, models_per_task, seed)
    looked_at = {r.task_id for r in rejections} | {c.task.task_id for c in candidates}
    return Plan(
        n_listed=len(looked_at),
        n_tasks=len(candidates),
        n_problems=unique_problems(candidates),
        n_tasks_by_name=sum(candidate.n_flow_names >= min_flows for candidate in candidates),
        n_runs=len(candidates) * models_per_task,
        n_candidate_runs=sum(len(candidate.runs) for candidate in candidates),
        n_not_evaluated=sum(r.reason is Reason.NOT_EVALUATED for r in rejections),
        n_requests=n_requests,
        seconds=n_requests * max(read.pause, seconds_each / read.connections),
        n_list_requests=client.transport.n_requests,
        doubts=tuple(client.doubts),
    )


def _requests_left(
    settings: Settings, candidates: Sequence[Candidate], store: RawStore, models_per_task: int, seed: int
) -> int:
    requests = {f"task/{candidate.task.task_id}": 1 for candidate in candidates}
    for candidate in candidates:
        requests[f"data/features/{candidate.task.dataset_id}"] = REQUESTS_PER_DATA_SET
        slots = draw_runs(candidate, settings.draw, seed, settings.first_runs)[:models_per_task]
        requests |= {f"run/{slot[0].run_id}": REQUESTS_PER_RUN for slot in slots}
    server = settings.server.rstrip("/")
    return sum(n for path, n in requests.items() if f"{server}/{path}" not in store)


def say(line: str) -> None:
    tqdm.write(f"openml: {line}", file=sys.stderr)


class Tally:
    """Progress of a fetch on stderr; `rejected` starts with what the lists ruled out."""

    EVERY = 60.0

    def __init__(self, transport: Transport, n_tasks: int = 0, rejected: int = 0):
        self.transport, self.n_tasks, self.rejected = transport, n_tasks, rejected
        self.done = self.runs = 0
        self.started = self.last = time.monotonic()

    def task(self, n_runs: int, n_rejected: int) -> None:
        self.done += 1
        self.runs += n_runs
        self.rejected += n_rejected
        self.now_and_then("fetching")

    def now_and_then(self, event: str) -> None:
        if time.monotonic() - self.last > self.EVERY:
            self.say(event)

    def say(self, event: str) -> None:
        self.last = now = time.monotonic()
        took = now - self.started
        counts = [
            f"{self.done} of {self.n_tasks} tasks",
            f"{self.runs} runs kept",
            f"{self.rejected} rejected",
            f"{self.transport.n_requests} requests",
            f"{self.transport.n_bytes / 1e6:.1f} MB",
        ]
        if took > 1:
            counts.append(f"{self.transport.n_requests / took:.1f} requests/s")
        if self.transport.unanswered:
            counts.append(f"{len(self.transport.unanswered)} without an answer")
        if 0 < self.done < self.n_tasks:
            counts.append(f"{duration(took / self.done * (self.n_tasks - self.done))} left")
        say(f"{event}: {', '.join(counts)}")


def duration(seconds: float) -> str:
    """Seconds in words.

    >>> duration(59), duration(3700), duration(100_000)
    ('59 s', '1 h 02 min', '27 h 47 min')
    """
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"
