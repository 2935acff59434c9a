"""A server that stops, freezes or loses its database at any request: the next fetch ends as an undisturbed one."""

import errno
import os
from contextlib import contextmanager, suppress

import pytest
import requests
from openml_server import Faults, OpenMLServer, Outage, TaskEntry, world_from_store
from openml_server.stores import make_store, store_bytes

from aucstudy.errors import InputError
from aucstudy.sources.openml import fetch, plan
from aucstudy.store.batch import Batch
from aucstudy.store.rejections import read_rejections
from aucstudy.store.task_store import read_tasks

STUDY = {"models_per_task": 2, "min_flows": 2, "seed": 1}
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
    quick = {"server": server.url, "pause": 0, "backoff": 0, "retries": 0, **settings}
    fetch(Batch(folder / "fetched" / "0", quick, **STUDY))
    return store_bytes(folder / "fetched" / "0")


@pytest.fixture(scope="module")
def undisturbed(server, tmp_path_factory):
    """The files of a fetch from the server in order."""
    n = len(server.log.paths)
    store = _fetch(server, tmp_path_factory.mktemp("undisturbed"))
    assert len(server.log.paths) - n == N_REQUESTS
    assert store["rejections.csv"].count(b"\n") == 1 + 3
    return store


def _from_request(first: int, act):
    """A function of paths that acts at request number `first`."""
    asked = []

    def before(path: str) -> None:
        asked.append(path)
        if len(asked) == first + 1:
            act()

    return before


@contextmanager
def _stopped(server, first, monkeypatch):
    server.before = _from_request(first, server.stop)
    try:
        yield
    finally:
        server.before = lambda path: None
        server.stop()
        server.restart()


@contextmanager
def _frozen(server, first, monkeypatch):
    """No request is answered within its time; the test does not wait for that time."""
    get, asked = requests.Session.get, []

    def answered_late(self, url, **how):
        asked.append(url)
        if len(asked) > first:
            raise requests.ReadTimeout("timed out")
        return get(self, url, **how)

    with monkeypatch.context() as patch:
        patch.setattr(requests.Session, "get", answered_late)
        yield


@contextmanager
def _faulty(server, first, monkeypatch, fault="nginx_503"):
    well, server.faults = server.faults, Outage(fault, first)
    try:
        yield
    finally:
        server.faults = well


def _without_database(server, first, monkeypatch):
    return _faulty(server, first, monkeypatch, "text_with_status_200")


def _overloaded(server, first, monkeypatch):
    return _faulty(server, first, monkeypatch, "database_overloaded")


def _index(folder) -> bytes:
    path = folder / "raw" / "requests.jsonl"
    return path.read_bytes() if path.exists() else b""


def _outlives(disturbance, server, first, folder, monkeypatch, **settings) -> dict[str, bytes]:
    """The store after a fetch that the disturbance ends, another while it lasts, and one when it is over."""
    with disturbance(server, first, monkeypatch):
        with pytest.raises(InputError, match="run the same command again to go on"):
            _fetch(server, folder, **settings)
        kept = _index(folder)
        if disturbance is _stopped:
            with pytest.raises(InputError, match="run the same command again to go on"):
                _fetch(server, folder)
            assert _index(folder) == kept
    assert not (folder / "fetched" / "0" / "tasks.csv").exists()
    assert b'"status": 0' not in kept
    return _fetch(server, folder, **settings)


@pytest.mark.parametrize("first", range(N_REQUESTS))
def test_a_server_that_stops_at_any_request_changes_nothing(
    server, undisturbed, tmp_path, monkeypatch, first
):
    assert _outlives(_stopped, server, first, tmp_path, monkeypatch) == undisturbed


@pytest.mark.parametrize("kind", ["task", "run", "second task"])
def test_a_server_that_stops_under_several_connections_changes_nothing(
    server, undisturbed, tmp_path, monkeypatch, kind
):
    store = _outlives(_stopped, server, KINDS[kind], tmp_path, monkeypatch, connections=3)
    assert store == undisturbed


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("disturbance", [_frozen, _faulty, _without_database, _overloaded])
def test_a_server_that_is_disturbed_at_any_kind_of_request_changes_nothing(
    server, undisturbed, tmp_path, monkeypatch, disturbance, kind
):
    assert _outlives(disturbance, server, KINDS[kind], tmp_path, monkeypatch) == undisturbed


@pytest.mark.parametrize("length", [1, 2, 4])
@pytest.mark.parametrize("fault", ["connection_closed", "text_with_status_200"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_short_outage_changes_nothing(server, undisturbed, tmp_path, fault, kind, length):
    server.faults = Outage(fault, KINDS[kind], length)
    try:
        for _ in range(length):
            with suppress(InputError):
                _fetch(server, tmp_path)
        assert _fetch(server, tmp_path) == undisturbed
    finally:
        server.faults = Faults()


def test_a_server_that_stops_after_a_plan_rejects_no_task(server, undisturbed, tmp_path, monkeypatch):
    settings = {"server": server.url, "pause": 0, "backoff": 0, "retries": 0}
    plan(settings, tmp_path / "fetched" / "0", **STUDY)
    with (
        _stopped(server, 0, monkeypatch),
        pytest.raises(InputError, match=r"run the same command again to go on"),
    ):
        _fetch(server, tmp_path)
    assert _fetch(server, tmp_path) == undisturbed


def test_a_server_that_goes_between_two_tasks_takes_no_task_with_it(server, tmp_path, monkeypatch):
    with (
        _stopped(server, KINDS["second task"], monkeypatch),
        pytest.raises(InputError, match=r"1 requests in a row failed, the last: no answer to GET .*/task/2"),
    ):
        _fetch(server, tmp_path, max_failures_in_a_row=1)
    _fetch(server, tmp_path)
    folder = tmp_path / "fetched" / "0"
    assert read_tasks(folder)["task_id"].tolist() == ["1", "2"]
    assert [r.task_id for r in read_rejections(folder / "rejections.csv")] == ["1", "3", "4"]


def test_a_full_disk_is_no_fault_of_a_description(server, tmp_path, monkeypatch):
    from aucstudy.sources.openml import transport

    keep = transport.RawStore.keep

    def full(self, url, *answer):
        if url.endswith("/xml/task/1"):
            raise InputError("raw: cannot be written (No space left on device)")
        return keep(self, url, *answer)

    monkeypatch.setattr(transport.RawStore, "keep", full)
    with pytest.raises(InputError, match="No space left on device"):
        _fetch(server, tmp_path)


def test_a_disk_that_is_full_for_the_package_is_named(server, tmp_path, monkeypatch):
    """The package writes each description to a cache of its own, in the folder of the answers."""
    from openml.tasks import functions

    def full(number):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(functions, "_get_task_description", full)
    with pytest.raises(
        InputError, match=rf"^{tmp_path}/raw/.*: cannot be written \(No space left on device\)"
    ):
        _fetch(server, tmp_path)
