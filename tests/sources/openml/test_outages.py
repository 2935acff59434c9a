"""A server that stops or freezes, or a fetch that is killed, at any request: the next one ends as if nothing was."""

import errno
import os
import random
import signal
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.parse import unquote

import pytest
import requests
from openml_server import Faults, OpenMLServer, TaskEntry, outage, world_from_store
from openml_server.stores import make_store, store_bytes

from aucstudy.errors import InputError
from aucstudy.sources.openml import fetch, transport
from aucstudy.store.task_store import Batch

STUDY = {"models_per_task": 2, "min_flows": 2, "seed": 1}
QUICK = {"pause": 0, "backoff": 0, "retries": 0}
AGAIN = pytest.raises(InputError, match="run the same command again to go on")
N_REQUESTS = 35
# One request of each kind, and the first and last of a task.
KINDS = {
    "procedures": 0, "tasks": 1, "end of tasks": 2, "listed runs": 3, "evaluations": 5, "end of evaluations": 6,
    "empty list again": 13, "task": 14, "data": 15, "features": 16, "data file": 17, "run": 18, "file of a run": 19,
    "second task": 22, "lost file again": 30, "good file again": 31, "last file": 34,
}  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Four tasks: one of another procedure, one without runs, and a run whose file is gone."""
    store = tmp_path_factory.mktemp("outages")
    make_store(store, {"one": 20, "another": 30}, flows=5)
    world = world_from_store(store)
    world.runs[2].file_status = 404
    world.tasks[3] = TaskEntry(3, 2, "class", procedure=3)
    world.tasks[4] = TaskEntry(4, 2, "class")
    with OpenMLServer(world) as started:
        yield started


def _fetch(server, folder, **settings):
    fetch(Batch(folder / "fetched" / "0", {"server": server.url, **QUICK, **settings}, **STUDY))
    return store_bytes(folder / "fetched" / "0")


@pytest.fixture(scope="module")
def undisturbed(server, tmp_path_factory):
    """The files of a fetch from the server in order."""
    n = len(server.log.paths)
    store = _fetch(server, tmp_path_factory.mktemp("undisturbed"))
    assert len(server.log.paths) - n == N_REQUESTS
    assert store["rejections.csv"].count(b"\n") == 1 + 3
    return store


@contextmanager
def _stopped(server, first):
    last = len(server.log.paths) + first + 1
    server.before = lambda path: server.stop() if len(server.log.paths) == last else None
    try:
        yield
    finally:
        server.before = lambda path: None
        server.stop()
        server.restart()


@contextmanager
def _frozen(server, first):
    """No request is answered within its time; the test does not wait for that time."""
    get, urls = requests.Session.get, []

    def answered_late(self, url, **how):
        urls.append(url)
        if len(urls) > first:
            raise requests.ReadTimeout("timed out")
        return get(self, url, **how)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(requests.Session, "get", answered_late)
        yield


@contextmanager
def _faulty(server, first, fault="nginx_503", length=float("inf")):
    server.faults = outage(fault, first, length)
    try:
        yield
    finally:
        server.faults = Faults()


_without_database, _overloaded = (
    partial(_faulty, fault=fault) for fault in ("text_with_status_200", "database_overloaded")
)
DISTURBANCES = [
    *((_stopped, first, {}) for first in range(N_REQUESTS)),
    *((_stopped, KINDS[kind], {"connections": 3}) for kind in ("task", "run", "second task")),
    *(
        (disturbance, first, {})
        for disturbance in (_frozen, _faulty, _without_database, _overloaded)
        for first in KINDS.values()
    ),
]


@pytest.mark.parametrize(("disturbance", "first", "settings"), DISTURBANCES)
def test_a_disturbed_server_changes_nothing(server, undisturbed, tmp_path, disturbance, first, settings):
    """The disturbance ends a fetch, and the next one goes on when it is over."""
    with disturbance(server, first):
        with AGAIN:
            _fetch(server, tmp_path, **settings)
        kept = (tmp_path / "raw" / "requests.jsonl").read_bytes()
        if disturbance is _stopped:  # another one while it lasts
            with AGAIN:
                _fetch(server, tmp_path)
            assert (tmp_path / "raw" / "requests.jsonl").read_bytes() == kept
    assert not (tmp_path / "fetched" / "0" / "tasks.csv").exists()
    assert b'"status": 0' not in kept
    assert _fetch(server, tmp_path, **settings) == undisturbed


@pytest.mark.parametrize("length", [1, 2, 4])
@pytest.mark.parametrize("fault", ["connection_closed", "text_with_status_200"])
@pytest.mark.parametrize("first", KINDS.values(), ids=KINDS)
def test_a_short_outage_changes_nothing(server, undisturbed, tmp_path, fault, first, length):
    with _faulty(server, first, fault, length):
        for _ in range(length):
            with suppress(InputError):
                _fetch(server, tmp_path)
        assert _fetch(server, tmp_path) == undisturbed


def test_a_full_disk_is_no_fault_of_a_description(server, tmp_path, monkeypatch):
    keep = transport.RawStore.keep

    def full(self, answer):
        if answer.url.endswith("/xml/task/1"):
            raise InputError("raw: cannot be written (No space left on device)")
        keep(self, answer)

    monkeypatch.setattr(transport.RawStore, "keep", full)
    with pytest.raises(InputError, match="No space left on device"):
        _fetch(server, tmp_path)


def test_a_disk_that_is_full_for_the_package_is_named(server, tmp_path, monkeypatch):
    """The package writes each description to a cache of its own, in the folder of the answers."""
    from openml.tasks import functions

    def full(number):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(functions, "_get_task_description", full)
    fault = rf"^{tmp_path}/raw/.*: cannot be written \(No space left on device\)"
    with pytest.raises(InputError, match=fault):
        _fetch(server, tmp_path)


# the call before which a process is killed, and how often it is made
MOMENTS = {
    "request": (requests.Session, "get", 27),
    "line": (transport, "write_whole", 27),
    "replace": (Path, "replace", 33),
}


def _kill_at(owner, name: str, count: int) -> None:
    """Kill this process before the `count`-th call."""
    call, moments = getattr(owner, name), iter(range(count))

    def counted(*args, **kwargs):
        if next(moments) == count - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*args, **kwargs)

    setattr(owner, name, counted)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("seed", range(6))
def test_a_killed_fetch_goes_on_where_it_was(store, fetched, tmp_path, moment, seed):
    owner, name, times = MOMENTS[moment]
    with OpenMLServer(world_from_store(store)) as server:
        clean = store_bytes(fetched(server, "clean"))
        asked = len(server.log.paths)
        child = os.fork()
        if child == 0:
            try:
                _kill_at(owner, name, random.Random(f"{moment} {seed}").randint(1, times))
                fetched(server, "killed")
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status)
        raw = transport.RawStore(tmp_path / "killed" / "raw")
        killed = server.log.paths[asked:]
        kept = {path for path in killed if raw.get(server.host + unquote(path))}
        n = len(server.log.paths)
        assert store_bytes(fetched(server, "killed")) == clean
    again = server.log.paths[n:]
    assert not kept & set(again)
    assert sorted(kept | set(again)) == sorted(set(server.log.paths[:asked]))
    assert len(kept) >= len(killed) - 1
