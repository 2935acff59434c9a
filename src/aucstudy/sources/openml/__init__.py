"""The source `openml`, which fetches binary tasks and cross-validated predictions from any OpenML server.

Answers of the server are kept in a cache, so that a fetch that was interrupted can go on.
"""

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from tqdm import tqdm

from aucstudy.errors import InputError
from aucstudy.printable import SECONDS_BETWEEN_LINES, at_most_every
from aucstudy.sources.openml.fetching import TaskFetch
from aucstudy.sources.openml.files import Unusable, read_file
from aucstudy.sources.openml.lists import Lists
from aucstudy.sources.openml.run import described_run
from aucstudy.sources.openml.selection import Selection, task_jobs, write_pinned
from aucstudy.sources.openml.settings import Settings
from aucstudy.sources.openml.task import configured_openml
from aucstudy.sources.openml.transport import NoAnswer, Refusal, Session, say
from aucstudy.store.files import remove_parts
from aucstudy.store.rejections import Reason
from aucstudy.store.task_store import Batch, Filled, write_store

PATHS = ("pinned", "cache")

__all__ = ["Plan", "check", "fetch", "plan"]

SELECTION = "selection.csv"
# The reasons that a file of the server can have as well as one of an uploader.
BROKEN = {Reason.FILE_BROKEN, Reason.ROWS_INCOMPLETE, Reason.TRUTH_UNAVAILABLE}


def check(settings: Mapping, *, models_per_task: int, min_flows: int) -> None:
    read = Settings.read(settings)
    if read.draw == "flow_then_run" and not read.pinned and min_flows < models_per_task:
        raise InputError(
            f"min_flows: is {min_flows}; expected: at least models_per_task, {models_per_task}, "
            "because openml.draw takes one run of each flow"
        )


def fetch(batch: Batch) -> None:
    """Fill the task store of the batch with the selected tasks and runs. Its tables are written last.

    Raise InputError and write no table if a request got no valid answer, unless the settings let its run or
    task be rejected. With another run in its place, the draw would depend on the server's state. The same
    call then continues the fetch.
    """
    if batch.n_batches != 1:
        raise InputError(f"a server is asked by one job, not by {batch.n_batches}")
    settings = Settings.read(batch.settings)
    with Session.alone_in(settings.cache_folder(batch.folder), settings) as session:
        _fetch(batch, settings, session)


def _fetch(batch: Batch, settings: Settings, session: Session) -> None:
    folder = batch.folder
    for folder_made in (folder, settings.raw_folder(folder), settings.cache_folder(folder)):
        remove_parts(folder_made)
    lists = Lists(session, settings.server)
    progress = say if sys.stderr.isatty() else at_most_every(SECONDS_BETWEEN_LINES, say)
    try:
        jobs, rejections, n_unevaluated = task_jobs(lists, settings, batch.min_flows, batch.seed, progress)
        filled, refused = Filled(rejections=rejections), Refused(n_unevaluated, batch.models_per_task)
        with configured_openml(session, settings):
            for job in tqdm(
                jobs,
                desc="openml",
                unit="task",
                mininterval=1.0 if sys.stderr.isatty() else SECONDS_BETWEEN_LINES,
            ):
                session.adapter.refusals.clear()
                fetched = TaskFetch(session, settings, batch, job).fetch()
                refused.add(fetched, session.adapter.refusals)
                filled += fetched
                batch.progress(job.task_id)
    except NoAnswer as error:
        raise InputError(_advice(error, session)) from None
    if refused.n_runs > settings.max_refused * refused.n_runs_asked:
        limit = f"openml.max_refused, {settings.max_refused:g}, allows"
        raise InputError(f"{refused}. That is more than {limit}; a larger value goes on without these runs")
    write_pinned(settings.raw_folder(folder) / SELECTION, filled.tasks, filled.runs)
    write_store(folder, filled.tasks, filled.runs, filled.rejections)
    task_ids = {str(task["task_id"]) for task in filled.tasks}
    # Some files may be left from an earlier selection.
    for path in (folder / "predictions").glob("*.parquet*"):
        if path.name.partition(".parquet")[0] not in task_ids:
            path.unlink()
    say(
        f"done: {len(filled.tasks)} of {len(jobs)} tasks, {len(filled.runs)} runs kept, "
        f"{len(filled.rejections)} rejected, {session.adapter.n_requests} requests"
    )
    if refused.n_runs:
        say(str(refused))


def _advice(error: NoAnswer, session: Session) -> str:
    is_kept = any(session.folder.glob("*.gz"))
    again = "run the same command again to go on" if is_kept else "run the same command again later"
    kept = f"what was fetched is kept in {session.folder}, " if is_kept else ""
    without = " (openml.unanswered: reject does without such runs and tasks)" if error.status else ""
    return f"{error}; {kept}{again}{without}"


@dataclass
class Refused:
    """The runs that the server refused or whose files are broken.

    A task whose data set is refused or broken counts with all its runs. A server that has lost its files for
    some days answers like one that never had them, and its page of an error looks like a broken file. A query
    that fails for ever looks like a list without a row. So a task with enough listed flows counts with all its
    runs, too, if not a single one has an evaluation.
    """

    n_unevaluated: int
    models_per_task: int
    n_broken: int = 0
    refusals: dict[str, Refusal] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.n_runs = self.n_runs_asked = self.n_unevaluated * self.models_per_task

    def add(self, task: Filled, refusals: Mapping[str, Refusal]) -> None:
        n_looked_at = len(task.runs) + sum(bool(rejection.run_id) for rejection in task.rejections)
        n_runs_asked = max(n_looked_at, self.models_per_task)
        self.n_runs_asked += n_runs_asked
        n_broken = sum(rejection.reason in BROKEN for rejection in task.rejections)
        if refusals and not n_looked_at:  # The data set is refused, and not broken.
            n_broken = 0
        self.n_runs += len(refusals) + n_broken if n_looked_at else n_runs_asked * bool(refusals or n_broken)
        self.n_broken += n_broken
        self.refusals |= refusals

    def __str__(self) -> str:
        counts = Counter(refusal.status for refusal in self.refusals.values())
        kinds = [f"{n} with status {status}" for status, n in sorted(counts.items())]
        kinds += [f"{self.n_broken} broken files"] * bool(self.n_broken)
        kinds += [f"{self.n_unevaluated} tasks without an evaluation"] * bool(self.n_unevaluated)
        text = f"the server refused {self.n_runs} of {self.n_runs_asked} runs ({', '.join(kinds)})"
        if self.n_unevaluated:
            text += ". --candidates listed (openml.candidates) draws from runs without an evaluation too"
        if not self.refusals:
            return f"{text}. The same command asks again"
        until = max(refusal.until for refusal in self.refusals.values())
        return f"{text}. This is kept until {until:%Y-%m-%d %H:%M} UTC; --ask-again (openml.ask_again: true) asks again"


@dataclass(frozen=True)
class Plan:
    """The cost of a fetch, estimated from the server's lists.

    The requests and seconds are those that are left if every run that is drawn is usable.
    """

    n_listed: int
    n_tasks: int
    counts: str
    n_not_active: int
    counts_by_day: Mapping[str, str]
    n_runs: int
    n_candidate_runs: int
    n_not_evaluated: int
    n_requests: int
    seconds: float
    n_requests_made: int
    n_list_requests: int

    def __str__(self) -> str:
        return "\n".join(
            [
                f"tasks looked at    {self.n_listed}",
                f"tasks that qualify {self.counts} by the lists",
                *[f"before {day}  {counts}" for day, counts in self.counts_by_day.items()],
                f"not active         {self.n_not_active} further tasks, whose data set was deactivated",
                f"runs to fetch      {self.n_runs}, drawn from {self.n_candidate_runs}",
                f"not evaluated      {self.n_not_evaluated} listed runs; --candidates listed draws from them too",
                f"requests           {self.n_requests} to make, {self.n_requests_made} made now, "
                f"{self.n_list_requests} of them for the lists",
                f"time               {timedelta(seconds=round(self.seconds))}",
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
    """Return the cost of a fetch into `folder`.

    It is estimated from the server's lists and from the time that one run takes. Both are kept.
    """
    read = Settings.read(settings)
    with Session.alone_in(read.cache_folder(folder), read) as session:
        return _plan(session, read, models_per_task, min_flows, seed, progress)


def _plan(
    session: Session,
    read: Settings,
    models_per_task: int,
    min_flows: int,
    seed: int,
    progress: Callable[[str], None],
) -> Plan:
    lists, study = Lists(session, read.server), {"min_flows": min_flows, "seed": seed}
    try:
        selection = Selection(lists, read, **study, progress=progress)
    except NoAnswer as error:
        raise InputError(_advice(error, session)) from None
    n_list_requests = session.adapter.n_requests
    left = _requests_left(read, selection, session, models_per_task)
    candidates, rejections = selection.candidates, selection.rejections
    looked_at = {r.task_id for r in rejections} | {c.task.task_id for c in candidates}
    days = {day: Selection(lists, replace(read, uploaded_before=day), **study) for day in read.count_before}
    return Plan(
        n_listed=len(looked_at),
        counts=_counts(selection),
        n_not_active=sum(r.reason is Reason.NOT_ACTIVE for r in rejections),
        counts_by_day={day: _counts(of_day) for day, of_day in days.items()},
        n_tasks=len(candidates),
        n_runs=len(candidates) * models_per_task,
        n_candidate_runs=sum(candidate.n_runs for candidate in candidates),
        n_not_evaluated=sum(r.reason is Reason.NOT_EVALUATED for r in rejections),
        n_requests=left.descriptions + left.files + lists.n_requests_of_no_results,
        seconds=left.seconds(read) + lists.n_requests_of_no_results * read.pause,
        n_requests_made=session.adapter.n_requests,
        n_list_requests=n_list_requests,
    )


def _counts(selection: Selection) -> str:
    """Return the numbers of tasks and of data sets, and how many tasks have each number of repetitions."""
    tasks = [candidate.task for candidate in selection.candidates]
    repeats = Counter(selection.repeats.get(task.procedure) for task in tasks)
    listed = [
        f"{repeats.pop(number, 0)} with {number} x" for number in sorted(set(selection.repeats.values()))
    ]
    unknown = [f"{n} unknown" for n in repeats.values()]  # The server can lose the inputs of a task.
    n_data_sets = len({task.dataset_id for task in tasks})
    return f"{len(tasks)} on {n_data_sets} data sets ({', '.join(listed + unknown)} cross-validation)"


@dataclass
class RequestsLeft:
    """The requests that a fetch still has to make, and the seconds that one of each kind took, if it was made."""

    descriptions: int = 0
    files: int = 0
    seconds_of_description: float = 0.0
    seconds_of_file: float = 0.0

    def seconds(self, settings: Settings) -> float:
        kinds = ((self.descriptions, self.seconds_of_description), (self.files, self.seconds_of_file))
        return sum(n * max(settings.pause, seconds / settings.connections) for n, seconds in kinds)


def _requests_left(
    settings: Settings, selection: Selection, session: Session, models_per_task: int
) -> RequestsLeft:
    """Count the requests. One run is fetched to see how long a description and a file take."""
    server = settings.server.rstrip("/")
    left, counted = RequestsLeft(), set()

    def add(path: str, descriptions: int, files: int) -> None:
        if path not in counted and not session.cache.contains(url=f"{server}/{path}"):
            left.descriptions, left.files = left.descriptions + descriptions, left.files + files
        counted.add(path)

    is_measured = False
    for candidate in selection.candidates:
        add(f"task/{candidate.task.task_id}", 1, 0)
        add(f"data/features/{candidate.task.dataset_id}", 2, 1)  # The data set has a description too.
        for slot in selection.slots(candidate)[:models_per_task]:
            path = f"run/{slot[0].run_id}"
            if not is_measured and not session.cache.contains(url=f"{server}/{path}"):
                is_measured = True
                with suppress(Unusable, NoAnswer):
                    run = described_run(session, server, slot[0].run_id)
                    left.seconds_of_description = session.adapter.seconds_of_last
                    if run.file:
                        read_file(session, run.file, lambda body: None)
                        left.seconds_of_file = session.adapter.seconds_of_last
            add(path, 1, 1)
    return left
