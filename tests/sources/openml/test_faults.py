"""Faults of the connection, of a file or of a data set, and what a fetch makes of them."""

import copy
import errno
import os
import re
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import count
from math import inf
from pathlib import Path

import pytest
from killed import kill, killed
from openml_server import (
    FAULTS,
    Engine,
    OpenMLServer,
    TaskEntry,
    World,
    answers,
    edited,
    failing,
    world_from_store,
)
from openml_server.answering import Reply, error
from openml_server.stores import store_bytes

from aucstudy.errors import InputError
from aucstudy.sources.openml import transport
from aucstudy.store.rejections import read_rejections

# Four runs of five are drawn, the third one among them.
DRAWN = {"models": 4, "flows": 4, "draw": "runs", "seed": 2, "retries": 2}
RUN, FILE, FILES, TASK, LIST = (
    "/run/3$",
    "/data/download/1003/",
    "/data/download/",
    "xml/task/1$",
    "evaluation/list",
)
DATA, DATA_FILE = "xml/data/1$", "/data/v1/download/1/"
NO_ANSWER = "no answer to GET .*run the same command again (to go on|later)"
NONE_LEFT = "task 1 too_few_flows: . usable, 4 needed"
NO_PARAMETERS = edited(rb'(<oml:parameter name="[a-z_]+">|<oml:type>)[^<]*', rb"\1")
UNUSUAL_TEXT = edited(rb"(<oml:(?:flow_name|run_details)>)[^<]*", rb"\1weka.Bagging & <b> Boosting(1)")
LOST = edited(
    rb'<oml:input name="\w+">[^<]*</oml:input>', b""
)  # The real server loses long inputs of a task from its lists.


@dataclass
class Case:
    """A fault with its outcome, which by default is the same store as without the fault.

    The fault is of the paths in which `where` matches, for `times` requests of each, or of the world.
    """

    where: str = ""
    fault: str | Callable = ""
    rejected: str = ""  # pattern of the rejections, a line each
    error: str = ""  # pattern of the line with which the fetch ends instead
    times: float = inf
    unanswered: str = "stop"
    world: Callable[[World], None] = lambda world: None

    def __str__(self) -> str:
        fault = self.fault if isinstance(self.fault, str) else ""
        return f"{self.where} {fault} {self.rejected}{self.error}"


def data_file(pattern: bytes, text: bytes) -> Callable[[World], None]:
    """Return a change of the world that edits the data set's file. The described checksum changes, too."""
    return lambda world: vars(world.data_sets[1]).update(file=re.sub(pattern, text, world.data_sets[1].file))


def sparse(world: World) -> None:
    data_file(rb"\n\d,(.*)", rb"\n{1 \1}")(world)
    world.data_sets[1].format = "Sparse_ARFF"


def three_engines(world: World) -> None:
    for run in world.runs.values():
        run.engines += [Engine("area_under_roc_curve", "0.123", "[0.123,0.123]", 2)] * 2


def cut_ever_shorter() -> Callable[[Reply], Reply]:
    """Return a fault that cuts each answer at another place than the one before."""
    bytes_missing = count(30)
    return lambda reply: replace(reply, body=reply.body[: -next(bytes_missing)])


def retry_after(seconds: str) -> Callable[[Reply], Reply]:
    return answers(503, headers={"Retry-After": seconds})


CASES = [
    # These faults pass or change nothing.
    *(Case("", fault, times=1) for fault in (
        "connection closed", "transfer cut", "content cut", "503", "107", "no results", "page with 200")),
    Case("/download/", "last line cut", times=1),
    Case("/download/", "gzip torn", times=1),
    Case("", "gzip is plain", times=1),
    Case(f"{FILE}|{LIST}", "drips", times=1),
    *(Case(where, cut_ever_shorter(), times=2) for where in (FILE, DATA_FILE)),
    *(Case(RUN, retry_after(seconds), times=1) for seconds in ("soon", "-1", "1.5", "9" * 5000, "")),
    Case(f"{FILE}|{LIST}", "stalls", times=1),
    Case("task/list", LOST),
    Case("/list/", UNUSUAL_TEXT),
    Case(world=sparse),
    Case(world=three_engines),
    # Without an answer the fetch ends or goes on without it.
    *(Case(where, fault, error=NO_ANSWER) for where, fault in (
        (FILE, "connection closed"), (RUN, "page with 200"), (LIST, "504"), (TASK, NO_PARAMETERS),
        (DATA_FILE, "gzip is plain"), (RUN, "drips"), (FILES, cut_ever_shorter()))),
    Case(FILE, "503", "run 3 server_error: .*status 503", unanswered="reject"),
    Case(LIST, "504", "task 1 server_error: .*status 504", unanswered="reject"),
    Case(FILE, "connection closed", error=NO_ANSWER, unanswered="reject"),
    Case(RUN, edited(b"run_id>3<", b"run_id>2<"), error="run_id is '2', asked for was 3"),
    Case(LIST, edited(b"task_id>1<", b"task_id>3<"), error="it lists task 3, which was not asked for"),
    Case("estimationproc", lambda reply: error(102, "Please provide API key"), error="needs an API key"),
    # These are answers of a working server.
    Case(FILE, answers(404), "run 3 file_missing: status 404"),
    Case(FILE, answers(403), "run 3 file_private: status 403"),
    Case(LIST, lambda reply: error(542, "No results"), "task 1 too_few_flows: 0 flows(\nrun . not_evaluated: ){5}"),
    Case(RUN, edited(b"</oml:run>", b"<oml:error_message>Out of memory</oml:error_message></oml:run>"),
         "run 3 server_error: Out of memory"),
    Case(r"/run/\d", edited(b"name>predictions<", b"name>model<"), rf"{NONE_LEFT}(\nrun . no_predictions_file: ){{5}}"),
    # These files are not what they should be.
    Case(FILE, edited(rb"(.*\n){5}\Z", b"% made by a cl"), "run 3 rows_incomplete: .*; the last comment has no end$"),
    Case(FILE, edited(rb".*\n\Z", b""), "run 3 rows_incomplete: 1 of 20 rows are not predicted"),
    Case(FILE, edited(b"(.*\n)\\Z", rb"\1\1"), r"run 3 rows_duplicated: row_id \d+ occurs 2 times"),
    Case(FILE, edited(b"confidence.no", b"confidence.maybe"), "run 3 classes_mismatch: .*'maybe'"),
    Case(FILE, edited(rb"(@DATA\n.*,).*", rb"\1?"), "run 3 confidence_missing: .* row 1 of the data"),
    Case(FILE, edited(b"\n0,1,", b"\n0,2,", 1), "run 3 folds_broken: 1 rows are in other folds"),
    Case(FILE, edited(rb"\n(\d+,\d+,\d+),.*,(no|'yes sir'),.*,.*", rb"\n\1,\2,no,0,0"),
         "run 3 swapped_columns: .*`prediction` holds the truth"),
    # These faults are of the task and its data set.
    Case(DATA, lambda reply: error(112, "No access granted"), "task 1 file_private: data set: "),
    Case(DATA, edited(rb"(md5_checksum>)\w+", rb"\g<1>0"), "task 1 truth_unavailable: data set: md5 .* says 0"),
    Case(DATA_FILE, answers(404), "task 1 truth_unavailable: status 404 for the data set"),
    Case(DATA_FILE, "page with 200", "task 1 truth_unavailable: data set: md5"),
    Case(world=data_file(rb",'yes sir'\n", b",'no'\n"), rejected="task 1 one_class: of the target only 'no' occurs"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_fault_has_its_outcome_and_the_next_fetch_mends_it(tiny, fetched, monkeypatch, case):
    monkeypatch.setattr(transport, "DAY", 0 * transport.DAY)
    with OpenMLServer(tiny) as server:
        clean = store_bytes(fetched(server, "clean", **DRAWN))
        server.fault, server.world = (
            failing(case.fault, case.where, case.times * bool(case.fault)),
            copy.deepcopy(tiny),
        )
        case.world(server.world)
        with pytest.raises(InputError, match=case.error) if case.error else nullcontext() as stopped:
            limits = {"drips": {"answer_timeout": 0.5}, "stalls": {"timeout": 0.5}}.get(str(case.fault), {})
            folder = fetched(server, unanswered=case.unanswered, **limits, **DRAWN)
        if stopped:
            assert "\n" not in str(stopped.value)
        else:
            rejections = "\n".join(
                f"{f'run {r.run_id}' if r.run_id else f'task {r.task_id}'} {r.reason.value}: {r.detail}"
                for r in read_rejections(folder / "rejections.csv")
            )
            assert re.fullmatch(f"{case.rejected}.*", rejections)
            assert case.rejected or without_hashes(store_bytes(folder)) == without_hashes(clean)
        # An edited answer that came whole is kept as it is, so the next fetch does not mend it.
        if case.fault and not callable(case.fault):
            server.fault = failing("503", times=0)
            assert store_bytes(fetched(server, **DRAWN)) == clean


DISTURBANCES = {
    **FAULTS,
    "404": answers(404),
    "403": answers(403),
    "login": answers(302, headers={"Location": "/login"}),
    "cut ever shorter": cut_ever_shorter(),
}
PATHS = (
    "estimationprocedure/list", "task/list", "run/list", "evaluation/list", r"xml/task/\d", "data/features/",
    r"xml/data/\d", "data/v1/download/", r"xml/run/\d", "data/download/", "",
)  # fmt: skip
WHAT_TO_DO = (
    "run the same command again (to go on|later)|--ask-again .* asks again|The same command asks again"
)


@pytest.mark.whole
@pytest.mark.parametrize("where", PATHS)
@pytest.mark.parametrize("name", DISTURBANCES)
def test_a_disturbed_fetch_ends_in_the_same_store_or_in_one_line_that_says_what_to_do(
    store, fetched, tmp_path, name, where
):
    """The fault is of all paths of a kind, once or for ever."""
    limits = {"drips": {"answer_timeout": 0.3}, "stalls": {"timeout": 0.3}}.get(name, {})
    settings = {"max_refused": 0.1, "retries": 2, "connections": 3, **limits}
    with OpenMLServer(world_from_store(store)) as server:
        clean = store_bytes(fetched(server, "clean", max_refused=0.1))
        for times in (1, inf):
            server.fault = failing(DISTURBANCES[name], where, times)
            try:
                outcome = store_bytes(fetched(server, f"times {times}", **settings))
            except InputError as error:
                outcome = str(error)
                assert not list((tmp_path / f"times {times}").rglob("tasks.csv"))
            assert outcome == clean or re.fullmatch(f".*({WHAT_TO_DO}).*", str(outcome))


def without_hashes(store: dict[str, bytes]) -> dict[str, bytes]:
    return {name: re.sub(rb"[0-9a-f]{64}", b"", body) for name, body in store.items()}


@pytest.mark.parametrize("request_number", range(0, 16, 2))
def test_a_server_that_stops_at_any_request_ends_the_fetch_which_then_goes_on(tiny, fetched, request_number):
    with OpenMLServer(tiny) as server:
        clean, asked = store_bytes(fetched(server, "clean", **DRAWN)), [*server.paths]
        server.fault = lambda path, reply: (
            answers(503)(reply) if len(server.paths) > len(asked) + request_number else reply
        )
        with pytest.raises(InputError, match=NO_ANSWER):
            fetched(server, **DRAWN | {"retries": 0})
        server.fault, n = failing("503", times=0), len(server.paths)
        assert store_bytes(fetched(server, **DRAWN)) == clean
        # Answers from before the stop are not requested again.
        assert len(server.paths) - n == len(asked) - request_number


def test_what_is_not_there_is_asked_for_once_a_day_and_all_else_never(tiny, fetched, monkeypatch):
    tiny.runs[3].file_status = 404
    with OpenMLServer(tiny) as server:
        first, n = store_bytes(fetched(server, **DRAWN)), len(server.paths)
        assert store_bytes(fetched(server, **DRAWN)) == first
        assert len(server.paths) == n == len(set(server.paths))
        monkeypatch.setattr(transport, "DAY", 0 * transport.DAY)
        fetched(server, "later", **DRAWN)
        n = len(server.paths)
        assert store_bytes(fetched(server, "later", **DRAWN)) == first
        assert server.paths[n:] == ["/data/download/1003/predictions.arff"]
        # If no server answers, its earlier answer counts.
        server.stop()
        assert store_bytes(fetched(server, "later", **DRAWN | {"retries": 0})) == first


def test_a_second_fetch_into_the_same_cache_ends_at_once_and_the_first_one_goes_on(tiny, fetched):
    with OpenMLServer(tiny) as server:
        clean = store_bytes(fetched(server, "clean"))
        seconds = []

        def second_fetch(path, reply):
            if not seconds and "/data/1" in path:
                seconds.append("started")
                with pytest.raises(InputError, match=r"raw: another fetch uses this folder \(process \d+\)"):
                    fetched(server)
                seconds.append("ended")
            return reply

        server.fault = second_fetch
        assert store_bytes(fetched(server)) == clean
        assert seconds == ["started", "ended"]


@pytest.mark.parametrize(
    ("fault", "words", "limits"),
    [
        ("connection closed", "the connection was closed", {}),
        ("transfer cut", "the answer was cut off", {}),
        ("gzip is plain", "the answer is not compressed as it says", {}),
        ("stalls", "not a byte came in 0.2 s", {"timeout": 0.2}),
        ("drips", "not whole after 0.2 s", {"answer_timeout": 0.2}),
        (answers(302, headers={"Location": "?"}), "it redirects without end", {}),
    ],
)
def test_a_fault_of_the_connection_is_told_in_plain_words(tiny, fetched, fault, words, limits):
    with OpenMLServer(tiny) as server:
        server.fault = failing(fault, RUN)
        with pytest.raises(
            InputError, match=rf"no answer to GET http://127.0.0.1:\d+/api/v1/xml/run/3\??: {words};"
        ):
            fetched(server, **DRAWN | {"retries": 0}, **limits)


def test_an_api_that_moved_to_another_host_is_followed_there(tiny, fetched):
    """The list of the runs of a task without runs is an answer of status 412."""
    tiny.tasks[2] = TaskEntry(2, 1)
    with OpenMLServer(tiny) as server, OpenMLServer(tiny) as old:
        clean = fetched(server, "clean", draw="runs", models=4, flows=4)
        old.fault = lambda path, reply: answers(301, headers={"Location": f"{server.host}{path}"})(reply)
        moved = fetched(old, "moved", draw="runs", models=4, flows=4)
        assert store_bytes(moved) == store_bytes(clean)
        n = len(old.paths)
        assert store_bytes(fetched(old, "moved", draw="runs", models=4, flows=4)) == store_bytes(clean)
        assert {path.split("/")[-1] for path in old.paths[n:]} <= {"2", "list"}


def test_an_api_that_moved_to_a_page_says_where_the_page_is(tiny, fetched):
    with OpenMLServer(tiny) as server:
        moved = answers(302, headers={"Location": "/login"})
        server.fault = failing(moved, "task/1$")
        with pytest.raises(InputError, match=r"no XML .*, redirected to http://127.0.0.1:\d+/login"):
            fetched(server, retries=1)


@pytest.mark.parametrize("number", [1, 4, 9])
@pytest.mark.parametrize("what", ["killed", "full disk"])
def test_a_fetch_that_is_killed_while_it_writes_or_finds_the_disk_full_goes_on(
    tiny, fetched, monkeypatch, what, number
):
    """Half of an answer is written before the process is killed or the disk is full."""
    write, calls = Path.open, count(1)

    class Torn:
        def __init__(self, stream):
            self.stream = stream

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.stream.close()

        def write(self, body: bytes):
            self.stream.write(body[: len(body) // 2])
            self.stream.flush()
            if what == "killed":
                kill()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def torn(path, mode="r", *words, **options):
        stream = write(path, mode, *words, **options)
        return Torn(stream) if mode == "wb" and path.suffix == ".gz" and next(calls) == number else stream

    with OpenMLServer(tiny) as server:
        clean = store_bytes(fetched(server, "clean"))
        with monkeypatch.context() as patch:
            patch.setattr(Path, "open", torn)
            if what == "full disk":
                with pytest.raises(InputError, match=r"raw: cannot be written \(No space left on device\)"):
                    fetched(server)
            else:
                killed(lambda: fetched(server))
        assert store_bytes(fetched(server)) == clean
