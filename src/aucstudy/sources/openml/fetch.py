"""A fetch: from the server's lists to a task store; every answer is kept, so that it can be taken up again."""

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tqdm import tqdm

from aucstudy.errors import InputError
from aucstudy.sources.openml.client import Client
from aucstudy.sources.openml.pinned import read_pinned, write_pinned
from aucstudy.sources.openml.rawstore import RawStore
from aucstudy.sources.openml.selection import draw_runs, select
from aucstudy.sources.openml.settings import Settings
from aucstudy.sources.openml.task import FetchedTask, TaskFetch, TaskJob
from aucstudy.sources.openml.transport import Transport
from aucstudy.store.task_store import Rejection, write_predictions, write_store

SELECTION = "selection.csv"


def check(settings: Mapping, *, models_per_task: int, min_flows: int) -> None:
    """Check the block `openml` before anything starts.

    Raises
    ------
    InputError
        A key or value that cannot be, or fewer flows asked for than models are to be drawn from them.
    """
    read = Settings.read(settings)
    if read.draw == "flow_then_run" and not read.pinned and min_flows < models_per_task:
        raise InputError(
            f"min_flows: is {min_flows}; wanted: at least models_per_task, {models_per_task}, "
            "because openml.draw takes one run of each flow"
        )


def fetch(
    folder: Path,
    settings: Mapping,
    *,
    models_per_task: int,
    min_flows: int,
    seed: int,
    batch: int = 0,
    batches: int = 1,
    progress: Callable[[str], None] = lambda task_id: None,
) -> None:
    """Fill the task store in `folder` with the tasks and runs that the settings select.

    Parameters
    ----------
    folder : where the task store is written; its tables last, when all tasks are there.
    settings : the block `openml` of the configuration.
    models_per_task, min_flows, seed : as in the configuration.
    batch, batches : 0 and 1: one job asks a server, so that it is asked at one pace.
    progress : called with the id of each task that is through.

    Raises
    ------
    InputError
        The server cannot be reached, or failed too often in a row: what was fetched is kept, the same call goes on.
    """
    if batches != 1:
        raise InputError(f"a server is asked by one job, not by {batches}")
    read = Settings.read(settings)
    folder = Path(folder)
    transport = Transport(RawStore(read.cache_folder(folder)), read.manners)
    with Client(read.server, transport) as client:
        jobs, rejections = _jobs(client, read, min_flows, seed)
        tally = Tally(transport, len(jobs))
        fetched: list[FetchedTask] = []
        for job in jobs:
            work = TaskFetch(client, read, job, models_per_task)
            found = work.fetch()
            rejections += work.rejections
            if found:
                write_predictions(folder, found.predictions, found.facts)
                fetched.append(FetchedTask(None, found.facts, found.runs))  # the scores are written
            tally.task(found, len(work.rejections))
            progress(job.task_id)
        transport.finish()
    runs = [run for task in fetched for run in task.runs]
    write_pinned(transport.store.folder / SELECTION, [task.facts for task in fetched], runs)
    write_store(folder, [task.facts for task in fetched], runs, rejections)
    _remove_stale(folder, {str(task.facts["task_id"]) for task in fetched})
    tally.say("done")


class Tally:
    """What is told of a fetch under way: tasks, runs, rejections, rate, time left; a line a minute at most."""

    EVERY = 60.0

    def __init__(self, transport: Transport, n_tasks: int):
        self.transport, self.n_tasks = transport, n_tasks
        self.done = self.runs = self.rejected = 0
        self.started = self.last = time.monotonic()
        if n_tasks:
            self.say("lists read")

    def task(self, found: FetchedTask | None, n_rejected: int) -> None:
        """Count a task that is through."""
        self.done += 1
        self.runs += len(found.runs) if found else 0
        self.rejected += n_rejected
        if time.monotonic() - self.last > self.EVERY:
            self.say("fetching")

    def say(self, what: str) -> None:
        """Write the line to stderr."""
        self.last = now = time.monotonic()
        took = now - self.started
        rate = f", {self.transport.n_requests / took:.1f} requests/s" if took > 1 else ""
        left = took / self.done * (self.n_tasks - self.done) if self.done else 0
        tqdm.write(
            f"openml: {what}: {self.done} of {self.n_tasks} tasks, {self.runs} runs kept, {self.rejected} rejected, "
            f"{self.transport.n_requests} requests, {self.transport.n_bytes / 1e6:.1f} MB{rate}"
            + (f", {duration(left)} left" if left else ""),
            file=sys.stderr,
        )


def duration(seconds: float) -> str:
    """Seconds in words.

    >>> duration(59), duration(3700), duration(100_000)
    ('59 s', '1 h 02 min', '27 h 47 min')
    """
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} min"


def _jobs(
    client: Client, settings: Settings, min_flows: int, seed: int
) -> tuple[list[TaskJob], list[Rejection]]:
    """The tasks to fetch, by the server's lists or by a pinned selection."""
    if settings.pinned:
        return read_pinned(settings.pinned), []
    told = Tally(client.transport, 0)
    selection = select(client, settings, min_flows=min_flows, progress=lambda line: _now_and_then(told, line))
    jobs = [
        TaskJob(
            candidate.task.task_id,
            draw_runs(candidate, settings.draw, seed, settings.first_runs),
            candidate.n_flows,
        )
        for candidate in selection.candidates
    ]
    return jobs, list(selection.rejections)


def _now_and_then(tally: Tally, line: str) -> None:
    if time.monotonic() - tally.last > tally.EVERY:
        tally.say(line)


def _remove_stale(folder: Path, task_ids: set[str]) -> None:
    """What an earlier fetch left in the folder: predictions of other tasks, half a file where it was killed."""
    for path in [*folder.glob(".*.csv"), *(folder / "predictions").glob("*.parquet")]:
        if path.stem not in task_ids:
            path.unlink()
