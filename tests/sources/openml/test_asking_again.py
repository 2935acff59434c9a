"""A fetch that is done, and done again: what is asked for again, how often, and what holds where nobody answers."""

import json
from collections import Counter

import pytest
from openml_server import Faults, OpenMLServer, TaskEntry, world_from_store
from openml_server.stores import make_store, store_bytes

from aucstudy.sources.openml import transport
from aucstudy.store.rejections import Reason, read_rejections

UNUSABLE = [1, 2, 3, 4, 11, 12, 13, 14]
REASONS = Reason.NO_PREDICTIONS_FILE, Reason.FILE_MISSING, Reason.FILE_PRIVATE, Reason.ROWS_INCOMPLETE
# five runs of ten are wanted, and those that cannot be used are tried first, with one that can
MANY = {"models": 5, "flows": 5, "draw": "runs", "retries": 0, "first_runs": [*UNUSABLE, 5, 15]}
FILES = [f"/data/download/{1000 + i}/predictions.arff" for i in UNUSABLE if i not in (1, 11)]
ALL = [*FILES, "/api/v1/xml/run/list/limit/10000/offset/0/task/3"]


@pytest.fixture
def server(tmp_path):
    """Two tasks of ten runs, of each one without a file, one gone, one private, one cut short; a third without runs."""
    make_store(tmp_path / "made", {"one": 20, "two": 30}, flows=10)
    world = world_from_store(tmp_path / "made")
    for first in (1, 11):
        world.runs[first].file = None
        world.runs[first + 1].file_status = 404
        world.runs[first + 2].file_status = 403
        world.runs[first + 3].file = world.runs[first + 3].file.rstrip(b"\n").rpartition(b"\n")[0] + b"\n"
    world.tasks[3] = TaskEntry(3, 1)
    with OpenMLServer(world) as started:
        yield started


@pytest.fixture
def fetch_again(server, fetched):
    """A function that fetches once more: the store, how often it asked for what, and the reasons of rejected runs."""

    def run(**settings):
        n = len(server.paths)
        folder = fetched(server, **MANY, **settings)
        reasons = Counter(r.reason for r in read_rejections(folder / "rejections.csv") if r.run_id)
        return store_bytes(folder), Counter(server.paths[n:]), reasons

    return run


def test_what_can_change_is_asked_for_once_by_a_later_fetch_and_after_a_day_no_more(fetch_again, tmp_path):
    first, asked, reasons = fetch_again()
    assert reasons == dict.fromkeys(REASONS, 2)
    assert all(asked[path] >= 2 for path in ALL)  # twice, and another one between
    assert fetch_again() == (first, Counter(ALL), reasons)
    index = tmp_path / "study" / "raw" / transport.INDEX
    lines = [json.loads(line) for line in index.read_text().splitlines() if line]
    for line in lines:
        if "since" in line:
            line["since"] = line["time"] = "2026-01-01T00:00:00+00:00"
    index.write_text("\n".join(map(json.dumps, lines)))
    assert fetch_again() == (first, Counter(ALL), reasons)
    assert fetch_again() == (first, Counter(), reasons)


def test_a_finished_fetch_ends_well_where_the_server_is_away_and_asks_it_a_few_times_only(
    server, fetch_again, waits, capsys
):
    first, *_ = fetch_again()
    waits.clear()
    server.faults = Faults(("connection_closed",), times=99)
    again, asked, _ = fetch_again(max_failures_in_a_row=3)
    assert (again, asked.total(), any(waits)) == (first, 3, False)
    server.stop()
    assert fetch_again()[0] == first
    assert capsys.readouterr().err.splitlines()[-1].endswith(f", {len(ALL)} without an answer")


def test_a_new_task_asks_for_what_is_new(fetch_again):
    fetch_again(tasks=[1])
    _, asked, _ = fetch_again(tasks=[1, 2])
    old = [path for path in FILES if int(path.split("/")[3]) < 1011]
    assert [asked[path] for path in old] == [1, 1, 1]
    assert not [path for path in asked if path.endswith(tuple(f"/run/{i}" for i in range(1, 11)))]
