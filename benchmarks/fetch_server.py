"""An OpenML server with tasks of realistic sizes, run in a process of its own.

A file is made when it is requested.
"""

import io
import random
import sys
from collections import Counter
from functools import cached_property, lru_cache
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import pyarrow as pa
from made_store import FOLDS, Shape, shapes
from pyarrow import csv
from scipy.special import expit

from aucstudy.store.task_store import Predictions

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from openml_server import FAULTS, Engine, OpenMLServer, RunEntry, World, add_task
from openml_server.answering import Reply

PASSING = ("500, empty", "503", "504", "connection closed", "transfer cut", "gzip torn", "content cut")
SPARE = 6  # runs of a task beyond the models that are needed
BROKEN_EVERY = 25  # One in so many runs is of no use.
CLASSES = ("no", "yes")
HEAD = (
    b"@RELATION predictions\n@ATTRIBUTE repeat NUMERIC\n@ATTRIBUTE fold NUMERIC\n@ATTRIBUTE row_id NUMERIC\n"
    b"@ATTRIBUTE prediction {no,yes}\n@ATTRIBUTE correct {no,yes}\n"
    b"@ATTRIBUTE confidence.no NUMERIC\n@ATTRIBUTE confidence.yes NUMERIC\n@DATA\n"
)


class MadeRun(RunEntry):
    """A run whose file is made anew each time, since the files of all runs would not fit into memory."""

    keys: Predictions

    @property
    def file(self) -> bytes:
        """The predictions. The last ones are kept, since an answer asks for them several times."""
        return _file_of(self)

    @file.setter
    def file(self, body: bytes | None) -> None:
        """Ignore the bytes, since a run makes its own."""

    @cached_property
    def broken(self) -> bool:
        """Whether the uploader's file is of no use."""
        return self.id % BROKEN_EVERY == 0

    def __hash__(self) -> int:
        return self.id

    def written(self) -> bytes:
        """Return the file of the predictions.

        Some runs have hard confidences and some rounded ones. A broken run has half of its file.
        """
        rng = np.random.default_rng(self.id)
        y = self.keys.y_true
        score = expit(rng.uniform(0.5, 3) * (y - 0.5) + rng.normal(size=len(y)))
        decimals = {0: 0, 1: 1, 2: 2}.get(self.id % 6)
        score = score if decimals is None else score.round(decimals)
        names = pa.array(CLASSES)
        columns = [
            self.keys.repeat, self.keys.fold, self.keys.row_id, names.take(pa.array((score > 0.5).astype(int))),
            names.take(pa.array(y.astype(int))), 1 - score, score,
        ]  # fmt: skip
        body = io.BytesIO()
        unquoted = csv.WriteOptions(include_header=False, quoting_style="none")
        csv.write_csv(pa.table(columns, names=[*"abcdefg"]), body, unquoted)
        rows = body.getvalue()
        return HEAD + (rows[: rows.rindex(b"\n", 0, len(rows) // 2) + 1] if self.broken else rows)


@lru_cache(maxsize=1)
def _file_of(run: MadeRun) -> bytes:
    return run.written()


def made_world(n_tasks: int, n_models: int) -> World:
    """Return a world of tasks with the shapes of `made_store`.

    The largest come first, so that the client's memory can only grow by what piles up.
    """
    world = World()
    for number, shape in enumerate(sorted(shapes(n_tasks), reverse=True), 1):
        keys = _keys(number, shape)
        add_task(world, number, f"made-{number}", keys, CLASSES)
        for i in range(n_models + SPARE):
            run_id = (number - 1) * (n_models + SPARE) + i + 1
            area = Engine("area_under_roc_curve", "0.9", "[0.9,0.9]")
            run = MadeRun(run_id, number, i + 1, f"flow_{i}(1)", run_id, b"", [area])
            run.keys = keys
            if run.broken and run_id % 2:
                run.file_status = 404
            world.runs[run_id] = run
    return world


def _keys(number: int, shape: Shape) -> Predictions:
    """Return the row ids, folds and labels of a task that is cross-validated once."""
    rng = np.random.default_rng(number)
    n = shape.n_rows
    fold = np.sort(np.arange(n) % FOLDS)
    y_true = rng.permutation(np.arange(n) < shape.n_positive)
    return Predictions(
        str(number), rng.permutation(n), np.zeros(n, int), fold, y_true, np.empty((n, 0)), run_ids=()
    )


class RandomFaults:
    """Let a share of the requests go wrong, each address at most three times.

    `seen` counts the faults by address, and `well` lists the addresses of all other requests.
    """

    def __init__(self, share: float) -> None:
        self.share, self.rng = share, random.Random(0)
        self.seen: Counter[str] = Counter()
        self.well: list[str] = []

    def __call__(self, path: str, reply: Reply) -> Reply:
        """Return the reply, or a faulty one in its place."""
        if self.seen[path] < 3 and self.rng.random() < self.share:
            self.seen[path] += 1
            return FAULTS[self.rng.choice(PASSING)](reply)
        self.well.append(path)
        return reply


def serve(line: Connection, n_tasks: int, n_models: int, share: float) -> None:
    """Serve until told to stop; send the address first, and at the end what was requested.

    The last message is a dictionary: `asked` (number of requests), `faults` (how many of them went wrong),
    `twice` (addresses of usable files and descriptions that were requested again after a good answer), `runs`
    (ids of the requested runs), `broken` (ids of those of no use).
    """
    world = made_world(n_tasks, n_models)
    faults = RandomFaults(share)
    with OpenMLServer(world, faults) as server:
        line.send(server.url)
        line.recv()
        well = Counter(faults.well)
        runs = {int(path.rsplit("/", 1)[1]) for path in well if "/xml/run/" in path and "list" not in path}
        broken = {run for run in runs if world.runs[run].broken}
        of_broken = {f"/data/download/{world.runs[run].file_id}/" for run in broken}
        # Clients rightly request a broken file twice, since it might have been cut short on its way.
        twice = [path for path, n in well.items() if n > 1 and not any(start in path for start in of_broken)]
        line.send(
            {
                "asked": len(server.paths),
                "faults": faults.seen.total(),
                "twice": twice,
                "runs": runs,
                "broken": broken,
            }
        )
