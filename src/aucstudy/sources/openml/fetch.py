"""A fetch: from the server's lists to a task store; every answer is kept, so that it can be taken up again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aucstudy.errors import InputError
from aucstudy.sources.openml.client import Client
from aucstudy.sources.openml.pinned import read_pinned, write_pinned
from aucstudy.sources.openml.raw_store import RawStore
from aucstudy.sources.openml.selection import draw_runs, select
from aucstudy.sources.openml.settings import Settings
from aucstudy.sources.openml.tally import Tally, say
from aucstudy.sources.openml.task import FetchedTask, TaskFetch, TaskJob
from aucstudy.sources.openml.transport import NoAnswer, ServerUnavailable
from aucstudy.store.rejections import Rejection
from aucstudy.store.task_store import write_predictions, write_store

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
        A request got no answer, so that the selection is not final: no table is written, the answers that came are
        kept, and the same call goes on.
    """
    if batches != 1:
        raise InputError(f"a server is asked by one job, not by {batches}")
    read, folder = Settings.read(settings), Path(folder)
    with Client(read.server, RawStore(read.cache_folder(folder)), read.manners) as client:
        jobs, rejections = _jobs(client, read, min_flows, seed)
        tally = Tally(client.transport, len(jobs), len(rejections))
        tally.say("lists read")
        tables = _Tables(rejections)
        try:
            for work, task in _each_task(client, read, jobs, models_per_task):
                tables.add(folder, work, task)
                tally.task(len(task.runs) if task else 0, len(work.rejections))
                progress(work.job.task_id)
        except NoAnswer as error:
            tally.say("stopped")
            raise InputError(
                f"{error}; what was fetched is kept in {client.transport.store.folder}, run the same command again "
                f"to go on (requests without an answer: {len(client.transport.unanswered)})"
            ) from None
    write_pinned(read.raw_folder(folder) / SELECTION, tables.tasks, tables.runs)
    write_store(folder, tables.tasks, tables.runs, tables.rejections)
    _remove_stale(folder, {str(task["task_id"]) for task in tables.tasks})
    tally.say("done")


@dataclass
class _Tables:
    """The rows of the tables of a task store, while it is filled."""

    rejections: list[Rejection]
    tasks: list[dict[str, object]] = field(default_factory=list)
    runs: list[dict[str, object]] = field(default_factory=list)

    def add(self, folder: Path, work: TaskFetch, task: FetchedTask | None) -> None:
        """Write the predictions of a task and keep its rows."""
        self.rejections += work.rejections
        if task:
            write_predictions(folder, task.predictions, task.facts)
            self.tasks.append(task.facts)
            self.runs += task.runs


def _each_task(
    client: Client, settings: Settings, jobs: Sequence[TaskJob], models_per_task: int
) -> Iterator[tuple[TaskFetch, FetchedTask | None]]:
    """Fetch task by task; those that wait for an answer are tried again once the others are through.

    Raises
    ------
    NoAnswer
        The server is gone, or a task still waits. Another run must not take the place of one that the server would
        have sent a minute later, or the draw would depend on the server's health.
    """
    for _ in range(2):
        waiting: list[TaskJob] = []
        errors: list[NoAnswer] = []
        for job in jobs:
            work = TaskFetch(client, settings, job, models_per_task)
            try:
                task = work.fetch()
            except ServerUnavailable:
                raise
            except NoAnswer as error:
                waiting.append(job)
                errors.append(error)
            else:
                yield work, task
        jobs = waiting
    if waiting:
        ids = ", ".join(job.task_id for job in waiting[:5]) + (", ..." if len(waiting) > 5 else "")
        raise NoAnswer(
            f"tasks that wait for an answer: {ids}, the first for: {errors[0]} "
            "(openml.unanswered: reject does without such runs and tasks)"
        )


def _jobs(
    client: Client, settings: Settings, min_flows: int, seed: int
) -> tuple[list[TaskJob], list[Rejection]]:
    """The tasks to fetch, by the server's lists or by a pinned selection."""
    if settings.pinned:
        return read_pinned(settings.pinned), []
    tally = Tally(client.transport)
    selection = select(client, settings, min_flows=min_flows, progress=tally.now_and_then)
    for doubt in client.doubts:
        say(f"in doubt: {doubt}")
    jobs = [
        TaskJob(
            candidate.task.task_id,
            draw_runs(candidate, settings.draw, seed, settings.first_runs),
            candidate.n_flows,
        )
        for candidate in selection.candidates
    ]
    return jobs, list(selection.rejections)


def _remove_stale(folder: Path, task_ids: set[str]) -> None:
    """What an earlier fetch left in the folder: predictions of other tasks, half a file where it was killed."""
    for path in [*folder.glob(".*.csv"), *(folder / "predictions").glob("*.parquet*")]:
        if path.name.partition(".parquet")[0] not in task_ids:
            path.unlink()
