"""Small task stores, and a fetch that does not wait and leaves the home folder alone."""

import copy
import os
import tempfile

# The package openml reads its configuration, and makes folders, when it is imported. XDG_CACHE_HOME stays, because all
# tests of the process and the commands that they start would compile the kernel anew in an empty folder.
_home = tempfile.mkdtemp(prefix="aucstudy-tests-")
os.environ["XDG_CONFIG_HOME"] = os.environ["OPENML_CACHE_DIR"] = _home

from pathlib import Path  # noqa: E402

import pytest  # noqa: E402
from openml_server import World, world_from_store  # noqa: E402
from openml_server.stores import make_store  # noqa: E402

from aucstudy.sources.openml import fetch, transport  # noqa: E402
from aucstudy.store.task_store import Batch  # noqa: E402

MODELS = 3


@pytest.fixture(scope="session")
def _tiny(tmp_path_factory) -> World:
    folder = tmp_path_factory.mktemp("tiny")
    make_store(folder, {"tiny": 20}, flows=5)
    return world_from_store(folder)


@pytest.fixture
def tiny(_tiny) -> World:
    """A world of one task with 20 rows and five flows, which have one run each."""
    return copy.deepcopy(_tiny)


@pytest.fixture(scope="session")
def store(tmp_path_factory) -> Path:
    """A store of two tasks with 30 and 40 rows and four flows each."""
    folder = tmp_path_factory.mktemp("store")
    make_store(folder, {"small": 30, "larger one": 40})
    return folder


@pytest.fixture
def fetched(tmp_path):
    """Return a function that fetches from a server into a folder of the test, without pauses."""

    def run(
        server, into: str = "study", models: int = MODELS, flows: int = MODELS, seed: int = 1, **settings
    ) -> Path:
        folder = tmp_path / into / "fetched" / "0"
        quick = {
            "server": getattr(server, "url", server),
            "pause": 0,
            "backoff": 0,
            "outage": 0,
            "max_refused": 1,
            **settings,
        }
        fetch(Batch(folder, quick, models, flows, seed))
        return folder

    return run


class Clock:
    """A clock for the module `transport`, on which only its own waits take time."""

    def __init__(self):
        self.now, self.waits = 1000.0, []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.waits.append(seconds)


@pytest.fixture
def clock(monkeypatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(transport, "time", clock)
    return clock
