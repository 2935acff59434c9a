"""Everything that can go wrong on the line: tried again where that helps, rejected or reported where it does not."""

import hashlib
import re
from collections import Counter
from contextlib import suppress

import pytest
from openml_server import FAULTS, Faults, OpenMLServer, Outage, world_from_store
from openml_server.answering import Reply, answer, error
from openml_server.faults import Sent
from openml_server.stores import make_store, store_bytes

from aucstudy.errors import InputError
from aucstudy.sources.openml import client, transport
from aucstudy.store.rejections import Reason, read_rejections
from aucstudy.store.task_store import read_runs

SEQUENCES = 30


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
    # Each request went wrong once, and was answered; some were asked again because others were in doubt. A list of one
    # row is only asked for then, and where the rows end "no results" is no fault.
    asked, well = (
        Counter(path for path in paths if not re.search("limit/1/|offset/10000/?", path))
        for paths in (server.log.paths, faults.well)
    )
    assert asked == well + Counter(set(well))


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


LASTING = [
    "gone_404", "no_content_204", "redirect_without_address", "redirect_to_no_address", "redirect_to_no_port",
    "redirect_to_no_name", "text_behind",
]  # fmt: skip


@pytest.mark.parametrize("name", LASTING)
def test_a_file_that_was_away_for_a_while_replaces_no_run(tiny, fetched, clean, name):
    """Away from the first file on, or from the second: either way the next fetch asks for it again."""
    for well in (0, 1):
        asked = []

        def faults(path, reply, well=well, asked=asked):
            asked.append(path) if "/data/download/" in path and path not in asked else None
            return FAULTS[name](reply) if path in asked[well:] else Sent(reply)

        with OpenMLServer(world_from_store(tiny), faults) as server:
            with suppress(InputError):
                fetched(server, f"away{well}", **DRAWN)
            server.faults = Faults()
            assert store_bytes(fetched(server, f"away{well}", **DRAWN)) == clean


@pytest.mark.parametrize("name", ["gone_404", "no_content_204", "redirect_without_address"])
def test_a_folder_out_of_which_no_file_comes_is_no_answer(tiny, fetched, name):
    """Whatever else the server answers well: with the folder of the runs' files away no run is rejected."""
    with (
        OpenMLServer(world_from_store(tiny), Faults((name,), where="/data/download/", times=99)) as server,
        pytest.raises(
            InputError, match=r"tasks that wait for an answer: 1, .*no other file of its kind has come"
        ),
    ):
        fetched(server, **DRAWN)


def _clean_of(world, fetched, **settings):
    with OpenMLServer(world) as server:
        return store_bytes(fetched(server, "undisturbed", **settings))


@pytest.fixture
def three_tasks(tmp_path):
    """Three tasks with four flows each."""
    make_store(tmp_path / "three", {"a": 20, "b": 30, "c": 40})
    return world_from_store(tmp_path / "three")


@pytest.mark.parametrize("length", [1, 2, 3, 5])
def test_no_results_after_a_full_page_are_doubted(three_tasks, fetched, monkeypatch, length):
    """As a database that is killed between two pages and comes back: its server says that there are no results."""
    monkeypatch.setattr(client, "PAGE", 2)
    clean = _clean_of(three_tasks, fetched)
    killed = Outage("query_failed", 0, length)
    with OpenMLServer(three_tasks) as server:
        server.faults = lambda path, reply: (
            killed(path, reply) if killed.n or path.endswith("/offset/2/task/1") else Sent(reply)
        )
        assert store_bytes(fetched(server)) == clean
    assert killed.n > length


def test_a_short_page_after_a_full_one_is_doubted(three_tasks, fetched, monkeypatch):
    monkeypatch.setattr(client, "PAGE", 2)
    clean, asked = _clean_of(three_tasks, fetched), []

    def faults(path, reply):
        asked.append(path)
        lost = "evaluation/list" in path and "offset/2/task/1" in path and asked.count(path) == 1
        return Sent(answer(three_tasks, path.replace("limit/2", "limit/1"), "") if lost else reply)

    with OpenMLServer(three_tasks, faults) as server:
        assert store_bytes(fetched(server)) == clean


def test_what_an_earlier_version_kept_for_good_is_asked_for_again(tiny, fetched, clean, tmp_path):
    with OpenMLServer(world_from_store(tiny)) as server:
        raw = transport.RawStore(tmp_path / "study" / "raw")
        raw.keep(f"{server.host}/data/download/1002/predictions.arff", 404, b"gone")
        raw.keep(f"{server.url}/run/3", 200, b"<html></html>")
        assert store_bytes(fetched(server, **DRAWN)) == clean


@pytest.mark.parametrize("tasks_per_list", [1, 20])
def test_a_locked_table_rejects_no_task(three_tasks, fetched, tasks_per_list):
    clean = _clean_of(three_tasks, fetched)
    with OpenMLServer(three_tasks, Faults(("query_failed",), where="evaluation/list", times=99)) as server:
        with pytest.raises(InputError, match="a list is missing"):
            fetched(server, tasks_per_list=tasks_per_list)
        server.faults = Faults(("query_failed",), where="task/3", times=99)  # while the lists of others come
        with suppress(InputError):
            fetched(server, tasks_per_list=tasks_per_list)
        server.faults = Faults()
        assert store_bytes(fetched(server, tasks_per_list=tasks_per_list)) == clean


def test_a_list_without_results_is_asked_for_again_by_the_next_fetch(three_tasks, fetched):
    runs, three_tasks.runs = (
        three_tasks.runs,
        {i: run for i, run in three_tasks.runs.items() if run.task != 2},
    )
    with OpenMLServer(three_tasks) as server:
        assert ("2", Reason.TOO_FEW_FLOWS) in _rejected(fetched(server))
        three_tasks.runs = runs
        assert not _rejected(fetched(server))


def _rejected(folder):
    return [(r.task_id, r.reason) for r in read_rejections(folder / "rejections.csv")]


def _without_parameters(reply):
    body = re.sub(rb'(<oml:parameter name="[a-z_]+">)[^<]*', rb"\1", reply.body)
    return Sent(Reply(reply.status, reply.kind, re.sub(rb"<oml:type>[^<]*", b"<oml:type>", body)))


def test_a_task_without_its_procedure_is_asked_for_again(three_tasks, fetched):
    clean = _clean_of(three_tasks, fetched)
    asked = []

    def faults(path, reply):
        asked.append(path)
        times = 1 if path.endswith("/task/1") else 99
        wrong = re.search(r"xml/task/[12]$", path) and asked.count(path) <= times
        return _without_parameters(reply) if wrong else Sent(reply)

    with OpenMLServer(three_tasks, faults) as server:
        assert _rejected(fetched(server)) == [("2", Reason.SERVER_ERROR)]
        server.faults = Faults()
        assert store_bytes(fetched(server)) == clean


def test_a_file_that_lost_rows_whose_class_is_missing_is_incomplete(three_tasks, fetched):
    world = three_tasks
    data = world.data_sets[1]
    head, _, rows = data.file.partition(b"@data\n")
    lines = rows.splitlines(keepends=True)
    lines[:4] = [re.sub(rb",'[^']*'\n", b",?\n", line) for line in lines[:4]]
    data.file = head + b"@data\n" + b"".join(lines)
    data.md5 = hashlib.md5(data.file).hexdigest()
    first = world.runs[1].file
    world.runs[1].file = re.sub(rb"\n0,\d+,[01],[^\n]*", b"", first)
    world.runs[2].file = re.sub(
        rb"\n0,\d+,[0-3],[^\n]*", b"", world.runs[2].file
    )  # as clients that leave them out
    with OpenMLServer(world) as server:
        folder = fetched(server, tasks=[1])
    rejections = read_rejections(folder / "rejections.csv")
    assert [(r.run_id, r.reason, r.detail) for r in rejections] == [
        ("1", Reason.ROWS_INCOMPLETE, "2 of 4 rows whose class is missing are not predicted, others are")
    ]


def test_a_list_that_never_comes_costs_its_task_or_ends_in_one_line(three_tasks, fetched):
    never = Faults(("nginx_504",), where="task/1,2,3", times=999)
    with OpenMLServer(three_tasks, never) as server:
        assert not _rejected(fetched(server, "together", tasks_per_list=3, retries=1))
        server.faults = Faults(
            ("nginx_504",), where="area_under_roc_curve/limit/10000/offset/0/task/2", times=999
        )
        with pytest.raises(InputError, match=r"task/2: status 504 .*openml.unanswered: reject does without"):
            fetched(server, retries=1)
        assert _rejected(fetched(server, retries=1, unanswered="reject")) == [("2", Reason.SERVER_ERROR)]


def test_a_description_of_another_run_is_not_believed(tiny, fetched, clean):
    with OpenMLServer(world_from_store(tiny)) as server:
        server.faults = lambda path, reply: Sent(
            answer(server.world, "/api/v1/xml/run/3", server.host) if path.endswith("/run/2") else reply
        )
        assert _rejected_run_2(fetched(server, **DRAWN))
        server.faults = Faults()
        assert store_bytes(fetched(server, **DRAWN)) == clean


def test_a_list_of_other_tasks_is_not_believed(three_tasks, fetched):
    with OpenMLServer(three_tasks) as server:
        mixed_up = re.compile("(/task/)2$")
        server.faults = lambda path, reply: Sent(
            answer(three_tasks, mixed_up.sub(r"\g<1>3", path), server.host) if "/list/" in path else reply
        )
        with pytest.raises(InputError, match="it lists task 3, which was not asked for"):
            fetched(server, retries=0)


@pytest.mark.parametrize("where", ["estimationprocedure", "evaluation/list", "/run/2", "/data/download/1002"])
def test_an_answer_that_drips_has_its_time(tiny, fetched, where):
    """A byte every 20 ms, so that no timeout between two of them ever runs out."""
    asked = []

    def faults(path, reply):
        asked.append(path)
        return Sent(reply, drip=0.02 if where in path else 0.0)

    with (
        OpenMLServer(world_from_store(tiny), faults) as server,
        pytest.raises(InputError, match=r"bytes and no end after 0[.]1"),
    ):
        fetched(server, timeout=0.06, retries=0, **{k: v for k, v in DRAWN.items() if k != "retries"})


def test_an_answer_that_unpacks_to_more_than_the_limit_is_no_answer(tiny, fetched, monkeypatch):
    monkeypatch.setattr(transport, "LARGEST", 1_000_000, raising=False)
    world = world_from_store(tiny)
    world.runs[2].file += 1_000_000 * b"%\n"
    with OpenMLServer(world) as server:
        folder = fetched(server, **DRAWN)
    assert _rejected_run_2(folder)
    assert "more than 1,000,000 bytes" in read_rejections(folder / "rejections.csv")[0].detail


def test_redirects_are_paced_and_bounded(tiny, fetched, waits):
    where = "/data/download/1002"
    with OpenMLServer(world_from_store(tiny)) as server:
        server.faults = lambda path, reply: Sent(Reply(302, "", b"", path) if where in path else reply)
        assert _rejected_run_2(fetched(server, pause=1000, **DRAWN))
    asked = [path for path in server.log.paths if where in path]
    assert len(asked) in (2 * 6, 3 * 6)  # twice, or once more after another file has come
    paced = [wait for wait in waits if wait > 500]
    assert len(paced) == len(server.log.paths) - 1


def test_two_fetches_at_once_ask_nothing_twice(tiny, fetched, clean):
    with OpenMLServer(world_from_store(tiny)) as server:
        refused = []

        def before(path):
            server.before = lambda path: None
            with pytest.raises(InputError, match="another fetch is at work here; wait for it"):
                fetched(server)
            refused.append(path)

        server.before = before
        assert store_bytes(fetched(server)) == clean
    assert len(refused) == 1
    assert len(server.log.paths) == len(set(server.log.paths))


def test_what_a_killed_fetch_left_half_written_is_removed(tiny, fetched, tmp_path):
    left = [
        "raw/127.0.0.1/api/.1.gz.ab12_x9z.gz", "raw/.selection.csv.abcdefgh.csv", "raw/.openml-abcdefgh/org/x.xml",
        "fetched/0/.tasks.csv.sha256.abcdefgh.sha256", "fetched/0/predictions/.1.parquet.abcdefgh.parquet",
    ]  # fmt: skip
    for name in left:
        path = tmp_path / "study" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")
    with OpenMLServer(world_from_store(tiny)) as server:
        fetched(server)
    assert not [name for name in left if (tmp_path / "study" / name).exists()]
    assert not list((tmp_path / "study").rglob(".*"))


@pytest.mark.parametrize("tail", [b"% made by a client, by hand", b"0,0,1"])
def test_a_file_cut_in_its_last_line_is_asked_for_again(tiny, fetched, tail):
    """What a comment lost is no number; the file is another one all the same, and the lines behind it may be gone."""
    world = world_from_store(tiny)
    rows = world.runs[2].file.rstrip(b"\n").rpartition(b"\n")
    world.runs[2].file = b"".join(
        [*rows, b"\n", b"% made by a client, by hand\n" if tail[:1] == b"%" else b""]
    )
    clean = _clean_of(world, fetched, **DRAWN)
    asked = []

    def faults(path, reply):
        asked.append(path)
        cut = "/data/download/1002/" in path and asked.count(path) == 1
        return Sent(Reply(reply.status, reply.kind, reply.body[:-4]) if cut else reply)

    with OpenMLServer(world, faults) as server:
        assert store_bytes(fetched(server, **DRAWN)) == clean


def test_a_file_that_ends_in_an_open_comment_says_so_where_rows_are_missing(tiny, fetched):
    world = world_from_store(tiny)
    world.runs[2].file = b"\n".join([*world.runs[2].file.split(b"\n")[:-5], b"% made by a cl"])
    with OpenMLServer(world) as server:
        (rejection,) = read_rejections(fetched(server, **DRAWN) / "rejections.csv")
    assert rejection.reason is Reason.ROWS_INCOMPLETE
    assert rejection.detail.endswith("; the last comment has no end")


KEY_WANTED = {
    "401": Reply(401, "text/html", b"<html>Unauthorized</html>"),
    "102": Reply(412, "text/xml", error(102, "Please provide API key")),
}


@pytest.mark.parametrize("where", ["estimationprocedure", "evaluation/list"])
@pytest.mark.parametrize("code", KEY_WANTED)
def test_a_server_that_wants_a_key_gets_none_and_no_advice_that_does_not_help(tiny, fetched, code, where):
    def faults(path, reply):
        return Sent(KEY_WANTED[code] if where in path else reply)

    with (
        OpenMLServer(world_from_store(tiny), faults) as server,
        pytest.raises(InputError, match="wants an API key, and this project never sends one") as refusal,
    ):
        fetched(server, retries=1)
    assert "run the same command again" not in str(refusal.value)


NEW_API = {
    "an address it does not have": Reply(404, "application/json", b'{"detail":"Not Found"}'),
    "a list": Reply(200, "application/json", b'[{"id":1,"task_type_id":1,"name":"10-fold Crossvalidation"}]'),
    "a problem": Reply(
        404, "application/problem+json", b'{"type":"https://openml.org/problems/no-results","detail":"none"}'
    ),
}


@pytest.mark.parametrize("answered", NEW_API)
def test_a_server_of_the_new_api_is_named_as_such(tiny, fetched, answered):
    with (
        OpenMLServer(world_from_store(tiny), lambda path, reply: Sent(NEW_API[answered])) as server,
        pytest.raises(
            InputError, match=r"OpenML's new API \(server-api, v2\).* wanted: openml.server: a v1 API"
        ) as refusal,
    ):
        fetched(server)
    assert "run the same command again" not in str(refusal.value)
    assert len(server.log.paths) <= 2
