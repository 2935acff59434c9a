"""What a fetch will cost: how many tasks and runs qualify, how many requests, how long; from the lists alone."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from aucstudy.sources.openml.client import Client
from aucstudy.sources.openml.raw_store import RawStore
from aucstudy.sources.openml.selection import Selection, draw_runs, select, unique_problems
from aucstudy.sources.openml.settings import Settings
from aucstudy.sources.openml.tally import duration

REQUESTS_PER_RUN = 2  # its description and its predictions
REQUESTS_PER_DATA_SET = 3  # description, features, file


@dataclass(frozen=True)
class Plan:
    """The cost of a fetch, as far as the lists tell.

    Attributes
    ----------
    n_listed, n_tasks, n_problems : tasks looked at; of them those that qualify by the lists; and those that differ
        in more than the measure they ask for.
    n_tasks_by_name : tasks that would qualify if flows were counted by name, whatever their version.
    n_runs, n_candidate_runs : runs to fetch, and runs they are drawn from.
    n_requests : requests still to be made, those of unusable runs not counted.
    seconds : how long that takes at the pace of the lists, but never faster than the pause allows.
    n_list_requests : requests that the lists have cost just now; none where they were kept.
    doubts : a line for each list whose pages do not fit together.
    """

    n_listed: int
    n_tasks: int
    n_problems: int
    n_tasks_by_name: int
    n_runs: int
    n_candidate_runs: int
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
    """Ask the server for its lists, which the fetch into `folder` needs too and finds kept, and count.

    Raises
    ------
    InputError
        The server cannot be reached, or the settings cannot be.
    """
    read = Settings.read(settings)
    store = RawStore(read.cache_folder(folder))
    with Client(read.server, store, read.manners) as client:
        started = time.monotonic()
        selection = select(client, read, min_flows=min_flows, progress=progress)
        took = time.monotonic() - started
    seconds_each = took / client.transport.n_requests if client.transport.n_requests else 0.0
    n_requests = _requests_left(read, selection, store, models_per_task, seed)
    looked_at = {r.task_id for r in selection.rejections} | {c.task.task_id for c in selection.candidates}
    return Plan(
        n_listed=len(looked_at),
        n_tasks=len(selection.candidates),
        n_problems=unique_problems(selection.candidates),
        n_tasks_by_name=sum(candidate.n_flow_names >= min_flows for candidate in selection.candidates),
        n_runs=len(selection.candidates) * models_per_task,
        n_candidate_runs=sum(len(candidate.runs) for candidate in selection.candidates),
        n_requests=n_requests,
        seconds=n_requests * max(read.pause, seconds_each / read.connections),
        n_list_requests=client.transport.n_requests,
        doubts=tuple(client.doubts),
    )


def _requests_left(
    settings: Settings, selection: Selection, store: RawStore, models_per_task: int, seed: int
) -> int:
    server = settings.server.rstrip("/")
    left = sum(f"{server}/task/{candidate.task.task_id}" not in store for candidate in selection.candidates)
    data_sets = {candidate.task.dataset_id for candidate in selection.candidates}
    left += sum(REQUESTS_PER_DATA_SET for i in data_sets if f"{server}/data/features/{i}" not in store)
    for candidate in selection.candidates:
        first = [
            place[0].run_id
            for place in draw_runs(candidate, settings.draw, seed, settings.first_runs)[:models_per_task]
        ]
        left += sum(REQUESTS_PER_RUN for run_id in first if f"{server}/run/{run_id}" not in store)
    return left
