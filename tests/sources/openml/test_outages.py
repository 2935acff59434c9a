"""A server that stops or freezes, or a fetch that is killed, at any request: the next one ends as if nothing was."""

import errno
import os
import random
import signal
from contextlib import contextmanager, suppress
from itertools import count
from math import inf
from pathlib import Path
from urllib.parse import unquote

import pytest
import requests
from openml.tasks import functions
from openml_server import OpenMLServer, TaskEntry, outage, world_from_store
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
    world.tasks[3] = TaskEntry(3, 2, procedure=3)
    world.tasks[4] = TaskEntry(4, 2)
    with OpenMLServer(world) as started:
        yield started


def _fetch(server, folder, **settings):
    fetch(Batch(folder / "fetched" / "0", {"server": server.url, **QUICK, **settings}, **STUDY))
    return store_bytes(folder / "fetched" / "0")


@pytest.fixture(scope="module")
def undisturbed(server, tmp_path_factory):
    """The files of a fetch from the server in order."""
    n = len(server.paths)
    store = _fetch(server, tmp_path_factory.mktemp("undisturbed"))
    assert len(server.paths) - n == N_REQUESTS
    assert store["rejections.csv"].count(b"\n") == 1 + 3
    return store


@contextmanager
def disturbed(server, how, first, length=inf):
    """From a request on the server is `stopped`, `frozen` so that no answer comes in time, or has a fault."""
    get, urls, last = requests.Session.get, [], len(server.paths) + first + 1

    def frozen(self, url, **options):
        urls.append(url)
        if len(urls) > first:
            raise requests.ReadTimeout("timed out")
        return get(self, url, **options)

    with pytest.MonkeyPatch.context() as patch:
        if how == "frozen":
            patch.setattr(requests.Session, "get", frozen)
        elif how == "stopped":
            patch.setattr(server, "before", lambda path: server.stop() if len(server.paths) == last else None)
        else:
            patch.setattr(server, "faults", outage(how, first, length))
        try:
            yield
        finally:
            if how == "stopped":
                server.stop()
                server.restart()


DISTURBANCES = [
    *(("stopped", first, {}) for first in range(N_REQUESTS)),
    *(("stopped", KINDS[kind], {"connections": 3}) for kind in ("task", "run", "second task")),
    *(
        (how, first, {})
        for how in ("frozen", "nginx_503", "text_with_status_200", "database_overloaded")
        for first in KINDS.values()
    ),
]


@pytest.mark.parametrize(("how", "first", "settings"), DISTURBANCES)
def test_a_disturbed_server_changes_nothing(server, undisturbed, tmp_path, how, first, settings):
    """The disturbance ends a fetch, and the next one goes on when it is over."""
    with disturbed(server, how, first):
        with AGAIN:
            _fetch(server, tmp_path, **settings)
        index = (tmp_path / "raw" / "requests.jsonl").read_bytes()
        if how == "stopped":  # another one while it lasts
            with AGAIN:
                _fetch(server, tmp_path)
            assert (tmp_path / "raw" / "requests.jsonl").read_bytes() == index
    assert not (tmp_path / "fetched" / "0" / "tasks.csv").exists()
    assert b'"status": 0' not in index
    assert _fetch(server, tmp_path, **settings) == undisturbed


@pytest.mark.parametrize("length", [1, 2, 4])
@pytest.mark.parametrize("fault", ["connection_closed", "text_with_status_200"])
@pytest.mark.parametrize("first", KINDS.values(), ids=KINDS)
def test_a_short_outage_changes_nothing(server, undisturbed, tmp_path, fault, first, length):
    with disturbed(server, fault, first, length):
        for _ in range(length):
            with suppress(InputError):
                _fetch(server, tmp_path)
        assert _fetch(server, tmp_path) == undisturbed


# where a disk is full: for our own answers, or for the package, which writes each description to a cache of its own
FULL = {
    "answers": (
        transport.RawStore,
        "keep",
        InputError("raw: cannot be written (No space left on device)"),
        "",
    ),
    "cache": (
        functions,
        "_get_task_description",
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
        ".*/raw/.*: ",
    ),
}


@pytest.mark.parametrize("disk", FULL)
def test_a_full_disk_is_named_and_no_fault_of_a_description(server, tmp_path, monkeypatch, disk):
    owner, name, error, folder = FULL[disk]
    call = getattr(owner, name)

    def full(*words):
        if disk == "cache" or words[1].url.endswith("/xml/task/1"):
            raise error
        return call(*words)

    monkeypatch.setattr(owner, name, full)
    with pytest.raises(InputError, match=rf"^{folder}.*cannot be written \(No space left on device\)"):
        _fetch(server, tmp_path)


# the call before which a process is killed, and how often it is made
MOMENTS = {
    "request": (requests.Session, "get", 27),
    "line": (transport, "write_whole", 27),
    "replace": (Path, "replace", 33),
}


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("seed", range(6))
def test_a_killed_fetch_goes_on_where_it_was(store, fetched, tmp_path, moment, seed):
    owner, name, times = MOMENTS[moment]
    call, calls, last = getattr(owner, name), count(1), random.Random(f"{moment} {seed}").randint(1, times)

    def killed(*words, **options):
        if next(calls) == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*words, **options)

    with OpenMLServer(world_from_store(store)) as server:
        clean = store_bytes(fetched(server, "clean"))
        first = list(server.paths)
        child = os.fork()
        if child == 0:
            try:
                setattr(owner, name, killed)
                fetched(server, "killed")
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status)
        raw = transport.RawStore(tmp_path / "killed" / "raw")
        asked = server.paths[len(first) :]
        kept = {path for path in asked if raw.get(server.host + unquote(path))}
        assert store_bytes(fetched(server, "killed")) == clean
        again = set(server.paths[len(first) + len(asked) :])
    assert not kept & again
    assert kept | again == set(first)
    assert len(kept) >= len(asked) - 1
