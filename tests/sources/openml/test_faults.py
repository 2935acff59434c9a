"""Everything that can go wrong on the line: tried again where that helps, rejected or reported where it does not."""

import re
from collections import Counter

import pytest
from openml_server import FAULTS, Faults, OpenMLServer, world_from_store
from openml_server.faults import Sent
from openml_server.stores import make_store, store_bytes

from aucstudy.errors import InputError
from aucstudy.store.rejections import Reason, read_rejections
from aucstudy.store.task_store import read_runs

SEQUENCES = 60


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """One task of 20 rows and four flows."""
    folder = tmp_path_factory.mktemp("tiny")
    make_store(folder, {"tiny": 20})
    return folder


@pytest.fixture
def clean(tiny, fetched):
    """The store that a fetch without faults makes."""
    with OpenMLServer(world_from_store(tiny)) as server:
        return store_bytes(fetched(server, "clean"))


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_passes_changes_nothing(tiny, fetched, clean, name):
    faults = Faults((name,))
    with OpenMLServer(world_from_store(tiny), faults) as server:
        folder = fetched(server)
    assert store_bytes(folder) == clean
    # Each request went wrong once, and was answered; some were asked again because others were in doubt.
    assert Counter(server.log.paths) == Counter(faults.well) + Counter(set(faults.well))


WHERE = pytest.mark.parametrize("where", ["/run/2", "/data/download/1002/"])
# The seed whose draw comes to run 2.
DRAWN = {"seed": 1, "models": 3, "retries": 2}


def _rejected_run_2(folder) -> bool:
    rejections = [(r.run_id, r.reason) for r in read_rejections(folder / "rejections.csv")]
    return rejections == [("2", Reason.SERVER_ERROR)] and "2" not in read_runs(folder)["run_id"].tolist()


@WHERE
@pytest.mark.parametrize("name", ["text_with_status_200", "page_with_status_200", "empty_200"])
def test_a_run_with_an_unusable_answer_is_rejected_and_replaced_until_the_next_fetch(
    tiny, fetched, clean, name, where
):
    with OpenMLServer(world_from_store(tiny), Faults((name,), where=where, times=99)) as server:
        first = store_bytes(fetched(server, **DRAWN))
        again = fetched(server, **DRAWN)
        assert _rejected_run_2(again)
        assert store_bytes(again) == first
        server.faults = Faults()
        assert store_bytes(fetched(server, **DRAWN)) == clean


PASSING = [
    "nginx_503",
    "connection_closed",
    "gzip_torn",
    "body_cut",
    "database_overloaded",
    "too_many_requests",
]


@WHERE
@pytest.mark.parametrize("name", PASSING)
def test_a_run_without_an_answer_is_waited_for(tiny, fetched, clean, name, where):
    with OpenMLServer(world_from_store(tiny), Faults((name,), where=where, times=99)) as server:
        with pytest.raises(
            InputError, match=r"tasks that wait for an answer: 1, .* \(requests without an answer: 1\)$"
        ):
            fetched(server, **DRAWN)
        server.faults = Faults()
        folder = fetched(server, **DRAWN)
    assert store_bytes(folder) == clean


@WHERE
@pytest.mark.parametrize("name", PASSING)
def test_a_run_without_an_answer_can_be_done_without_and_is_asked_again(
    tiny, fetched, clean, capsys, name, where
):
    with OpenMLServer(world_from_store(tiny), Faults((name,), where=where, times=99)) as server:
        folder = fetched(server, unanswered="reject", **DRAWN)
        assert _rejected_run_2(folder)
        assert capsys.readouterr().err.splitlines()[-1].endswith(", 1 without an answer")
        server.faults = Faults()
        assert store_bytes(fetched(server, unanswered="reject", **DRAWN)) == clean


@pytest.mark.parametrize("name", ["text_with_status_200", "page_with_status_200"])
@pytest.mark.parametrize("where", ["/api/v1/xml/task/1", "/data/v1/download/1/"])
def test_a_server_without_its_database_answers_files_with_text_which_is_no_answer(
    tiny, fetched, clean, name, where
):
    world = world_from_store(tiny)
    with OpenMLServer(world) as server:
        server.before = lambda path: where in path and setattr(server, "faults", Faults((name,), times=99))
        with pytest.raises(InputError, match=f"tasks that wait for an answer: 1, .*{where}"):
            fetched(server)
        server.before, server.faults = lambda path: None, Faults()
        assert store_bytes(fetched(server)) == clean


def test_a_stalled_server_is_given_up(tiny, fetched):
    world = world_from_store(tiny)
    with OpenMLServer(
        world, lambda path, reply: Sent(None if re.search(r"/run/\d", path) else reply)
    ) as server:
        with pytest.raises(InputError, match=r"2 requests in a row failed, .* run the same command again"):
            fetched(server, retries=0, max_failures_in_a_row=2, models=4, flows=4)
        n = len(server.log.paths)
        server.faults = Faults()
        folder = fetched(server, retries=0, models=4, flows=4)
    assert len(read_runs(folder)) == 4
    # What was kept before the stop is not asked for again.
    assert not set(server.log.paths[n:]) & {path for path in server.log.paths[:n] if "/run/" not in path}


def test_a_list_that_fails_stops_the_fetch_in_one_line(tiny, fetched):
    with (
        OpenMLServer(
            world_from_store(tiny), Faults(("nginx_502",), where="evaluation/list", times=99)
        ) as server,
        pytest.raises(InputError, match="a list is missing, so nothing can be selected") as caught,
    ):
        fetched(server, retries=1)
    assert "\n" not in str(caught.value)


def test_retry_after_is_waited_for(tiny, fetched, waits):
    with OpenMLServer(
        world_from_store(tiny), Faults(("retry_after",), where="estimationprocedure")
    ) as server:
        fetched(server)
    assert waits[0] == 7


def test_repetitions_wait_twice_as_long_each_time(tiny, fetched, waits):
    faults = Faults(("empty_500",), where="estimationprocedure", times=4)
    with OpenMLServer(world_from_store(tiny), faults) as server:
        fetched(server, backoff=3)
    assert waits[:4] == [0, 3, 6, 12]


def test_whatever_random_faults_did_the_next_fetch_mends(tiny, fetched):
    """Random sequences of faults: sometimes the fetch stops, sometimes it believes what came twice."""
    world, stopped = world_from_store(tiny), 0
    with OpenMLServer(world) as server:
        clean = store_bytes(fetched(server, "clean", models=2, flows=2))
    for seed in range(SEQUENCES):
        faults = Faults(tuple(FAULTS), share=0.35, times=6, seed=seed)
        with OpenMLServer(world, faults) as server:
            try:
                fetched(server, f"random{seed}", models=2, flows=2, retries=2, max_failures_in_a_row=3)
            except InputError:
                stopped += 1
            server.faults = Faults()
            folder = fetched(server, f"random{seed}", models=2, flows=2)
        assert store_bytes(folder) == clean
    assert stopped


def test_random_faults_that_are_done_without_leave_a_right_store_or_a_rejection(tiny, fetched, clean):
    """Random sequences of faults; some requests fail for good, and then the run is rejected, or the fetch stops."""
    world, stopped, rejected = world_from_store(tiny), 0, 0
    right = {row.run_id: row.sha256 for row in _runs(clean)}
    manners = {"retries": 2, "max_failures_in_a_row": 3, "unanswered": "reject"}
    for seed in range(SEQUENCES):
        faults = Faults(tuple(FAULTS), share=0.35, times=6, seed=seed)
        with OpenMLServer(world, faults) as server:
            try:
                folder = fetched(server, f"random{seed}", models=2, flows=2, **manners)
            except InputError:
                stopped += 1
                server.faults = Faults(well=faults.well)
                folder = fetched(server, f"random{seed}", models=2, flows=2)
        runs = read_runs(folder)
        assert len(runs) == 2 or read_rejections(folder / "rejections.csv")
        rejected_ids = {r.run_id for r in read_rejections(folder / "rejections.csv")}
        assert not rejected_ids & set(runs["run_id"])
        rejected += bool(rejected_ids)
        for row in runs.itertuples():
            assert right.get(row.run_id, row.sha256) == row.sha256
            assert abs(row.server_auroc - _auroc(world, row.run_id)) < 1e-6
    assert stopped
    assert rejected


def _runs(files):
    import io

    import pandas as pd

    return pd.read_csv(io.BytesIO(files["runs.csv"]), dtype={"run_id": str}).itertuples()


def _auroc(world, run_id):
    return float(world.runs[int(run_id)].engines[0].value)
