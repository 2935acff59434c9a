"""What goes wrong on the line or with a data set, and what a fetch makes of it: a table of fault and outcome."""

import copy
import hashlib
import io
import re
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import chain, repeat
from math import inf

import pandas as pd
import pytest
from openml_server import (
    FAULTS,
    Engine,
    Faults,
    OpenMLServer,
    World,
    answers,
    edited,
    outage,
    world_from_store,
)
from openml_server.answering import error
from openml_server.faults import transferred
from openml_server.stores import store_bytes

from aucstudy.errors import InputError
from aucstudy.sources.openml import client, transport
from aucstudy.store.rejections import read_rejections
from aucstudy.store.task_store import read_runs

SEQUENCES = 30
# Four runs of five are drawn, the third one among them.
DRAWN = {"models": 4, "flows": 4, "draw": "runs", "seed": 2, "retries": 2}
RUN, FILE, FILES, TASK = "/run/3$", "/data/download/1003/", "/data/download/", "xml/task/1$"
DATA, DATA_FILE, PARQUET, LIST = "xml/data/1$", "/data/v1/download/1/", "/dataset_1.pq", "evaluation/list"
COMMENT = b"% made by a client, by hand\n"


@dataclass
class Case:
    """Faults of the line or the world, and what a fetch does; the next one, without faults, makes the `later` store."""

    faults: Faults = field(default_factory=Faults)
    rejected: str = ""  # pattern of the rejections, a line each; "" for the store of a fetch without faults
    error: str = ""  # pattern of the line with which the fetch ends instead
    said: str = ""  # what the last line on stderr ends in
    later: str = "clean"  # as without faults; `same` as with them, `kept` as with them and without a request
    page: int = client.PAGE  # rows of a list that come at once
    world: Callable[[World], None] = lambda world: None
    settings: dict = field(default_factory=dict)

    def __str__(self) -> str:
        f = self.faults
        name = next((name for name in f.faults if isinstance(name, str)), "edited")
        return f"{name} {f.where}{f.first}-{f.length}: {self.error or self.rejected} {self.settings or ''}"


def on(where, fault, rejected="", times=inf, spared=0, **more):
    """A case of one fault on some paths; `more` are fields of the case, or else settings."""
    fields = {name: more.pop(name) for name in ("error", "said", "later", "page", "world") if name in more}
    faults = Faults((fault,), where=where, times=times, spared=spared)
    return Case(faults, rejected, **fields, settings=more)


def in_turn(first, later):
    """One fault once, then another one."""
    faults = chain([first], repeat(later))
    return lambda reply: next(faults)(reply)


def data_file(*edits: tuple[bytes, bytes, int]) -> Callable[[World], None]:
    """The data set with another file, whose checksum its description has."""

    def change(world: World) -> None:
        for pattern, text, count in edits:
            world.data_sets[1].file, n = re.subn(pattern, text, world.data_sets[1].file, count=count)
            assert n

    return change


def parquet(body: bytes, arff_status: int = 404) -> Callable[[World], None]:
    """The data set with a Parquet file, and perhaps without the ARFF file."""
    return lambda world: vars(world.data_sets[1]).update(parquet=body, file_status=arff_status)


def table(target, name: str = "class") -> bytes:
    pd.DataFrame({name: target}).to_parquet(buffer := io.BytesIO())
    return buffer.getvalue()


WAITS = r"tasks that wait for an answer: 1, .* \(requests without an answer: 1\)$"
NONE_CAME = r"tasks that wait for an answer: 1, .*no other file of its kind has come"
NONE_LEFT = "task 1 too_few_flows: . usable, 4 wanted"
NO_ADVICE = "^(?!.*run the same command again).*"
KEY = f"{NO_ADVICE}wants an API key, and this project never sends one"
NEW_API = rf"{NO_ADVICE}OpenML's new API \(server-api, v2\).* wanted: openml.server: a v1 API"
MISSING_LIST = "a list is missing, so nothing can be selected"
NO_TRUTH = "task 1 truth_unavailable: "
TEXTS = ("text_with_status_200", "page_with_status_200", "empty_200")
PASSING = (
    "nginx_503", "connection_closed", "gzip_torn", "body_cut", "database_overloaded", "too_many_requests",
)  # fmt: skip
NOT_FOUND = (
    "gone_404", "no_content_204", "redirect_without_address", "redirect_to_no_address", "redirect_to_no_port",
    "redirect_to_no_name",
)  # fmt: skip
NO_PARAMETERS = edited(rb'(<oml:parameter name="[a-z_]+">|<oml:type>)[^<]*', rb"\1")
ONE_ROW_LESS = edited(rb"<oml:evaluation>((?!</oml:evaluation>).)*</oml:evaluation>", b"", 1)
TO_ITSELF = answers(302, location="/data/download/1003/predictions.arff")
CUT = edited(rb"(?s).{4}\Z", b"")
# The server loses the inputs of a task from the list where they are long.
LOST = edited(rb'<oml:input name="\w+">[^<]*</oml:input>', b"")
TEN_TIMES = edited(rb'(number_repeats">)1', rb"\g<1>10")
JSON = "application/json"

UNUSUAL_TEXT = edited(rb"(<oml:(?:flow_name|run_details)>)[^<]*", rb"\1weka.Bagging & <b> Boosting(1)")


def sparse(world: World) -> None:
    """The data set in sparse ARFF, with a class that never occurs."""
    data_file((rb"\n\d,(.*)", rb"\n{1 \1}", 0), (rb"\{'no'", b"{never,'no'", 0))(world)
    vars(world.data_sets[1]).update(format="Sparse_ARFF", classes=("never", "no", "yes sir"))


def three_engines(world: World) -> None:
    for run in world.runs.values():
        run.engines += [Engine("area_under_roc_curve", "0.123", "[0.123,0.123]", 2)] * 2


CASES = [
    # what changes nothing
    on("task/list", LOST),
    on("/list/", UNUSUAL_TEXT, candidates="listed"),
    on(FILE, edited(rb"\n0,\d,", b"\n0,?,"), later="kept"),
    Case(world=sparse, later="kept"),
    Case(world=three_engines, page=2),
    # a run or its file does not come
    *(on(where, fault, "run 3 server_error") for fault in TEXTS for where in (RUN, FILE)),
    *(on(where, fault, error=WAITS) for fault in PASSING for where in (RUN, FILE)),
    *(
        on(where, fault, "run 3 server_error", said=", 1 without an answer", unanswered="reject")
        for fault in PASSING
        for where in (RUN, FILE)
    ),
    on(RUN, edited(b"run_id>3<", b"run_id>2<"), "run 3 server_error: .*run_id is '2', asked for was 3"),
    on(r"/run/\d", "connection_closed", error="2 requests in a row failed, .* run the same command again",
       max_failures_in_a_row=2),
    on(FILE, TO_ITSELF, "run 3 server_error: .*more than 5 redirects"),
    on(RUN, edited(b"</oml:run>", b"<oml:error_message>Out of memory</oml:error_message></oml:run>"),
       "run 3 server_error: Out of memory", later="kept"),
    on(RUN, edited(b"name>predictions<", b"name>model<"), "run 3 no_predictions_file: ", later="kept"),
    on(FILE, answers(404), "run 3 file_missing: status 404"),
    on(FILE, answers(403), "run 3 file_private: status 403"),
    on(FILE, edited(rb"\Z", 1_000_000 * b"%\n"), "run 3 server_error: .*more than 1,000,000 bytes"),
    # files that are away for a while
    *(on(FILES, fault, error=NONE_CAME) for fault in NOT_FOUND),
    *(on(FILES, fault, f"{NONE_LEFT}(\nrun . (file_missing|server_error).*){{4}}", spared=1) for fault in NOT_FOUND),
    *(on(FILES, "text_behind", f"{NONE_LEFT}(\nrun . file_broken.*)+", spared=spared) for spared in (0, 1)),
    # a file is not what it was, or not what it should be
    on(FILE, CUT, times=1),
    on("/data/download/1004/", CUT, times=1),
    on(FILE, in_turn(CUT, answers(404)), "run 3 file_missing: status 404"),
    on(FILE, in_turn(edited(rb".*\n\Z", b""), answers(404)), "run 3 file_missing: status 404"),
    on(FILE, edited(rb"(.*\n){5}\Z", b"% made by a cl"), "run 3 rows_incomplete: .*; the last comment has no end$"),
    on(FILE, edited(rb".*\n\Z", b""), "run 3 rows_incomplete: 1 of 20 rows are not predicted"),
    on(FILE, edited(b"\n0,1,", b"\n0,1,9", 1), "run 3 rows_incomplete: row_id 9.* wanted 0 to 19"),
    on(FILE, edited(b"@DATA\n0,", b"@DATA\n0\0,"), "run 3 file_broken"),
    on(FILE, edited(b"@DATA\n0,", b"@DATA\n0,0,"), "run 3 file_broken"),
    on(FILE, edited(b"(.*\n)\\Z", rb"\1\1"), r"run 3 rows_duplicated: row_id \d+ stands 2 times", later="kept"),
    on(FILE, edited(b"row_id", b"instance"), "run 3 columns_missing: no column row_id", later="kept"),
    on(FILE, edited(b"confidence", b"probability"), "run 3 columns_missing: no column confidence", later="kept"),
    on(FILE, edited(b"confidence.no", b"confidence.maybe"), "run 3 classes_mismatch: .*'maybe'", later="kept"),
    on(FILE, edited(rb"(@DATA\n.*,).*", rb"\1?"), "run 3 confidence_missing: .* row 1 of the data", later="kept"),
    on(FILE, edited(b"\n0,1,", b"\n0,2,", 1), "run 3 folds_broken: 1 rows are in other folds", later="kept"),
    on(FILE, edited(b"\n0,1,", b"\n0,10,", 1), "run 3 folds_broken: fold 10", later="kept"),
    on(FILE, edited(rb"\n(\d+,\d+,\d+),.*,(no|'yes sir'),.*,.*", rb"\n\1,\2,no,0,0"),
       "run 3 swapped_columns: .*`prediction` holds the truth", later="kept"),
    # a task
    on(TASK, NO_PARAMETERS, times=1),
    on(TASK, NO_PARAMETERS, "task 1 server_error: .*a description without its estimation procedure"),
    *(
        Case(outage(fault, where), error=f"tasks that wait for an answer: 1, .*{where.rstrip('$')}")
        for fault in TEXTS[:2]
        for where in (TASK, DATA_FILE)
    ),
    on("/task/", lambda reply: TEN_TIMES(LOST(reply)), "task 1 wrong_procedure: crossvalidation 10 x 10", later="kept"),
    on("task/list", edited(b'procedure">1', b'procedure">3'), "task 1 wrong_procedure: estimation procedure 3",
       later="kept"),
    on(r"/run/\d", edited(b"name>predictions<", b"name>model<"), rf"{NONE_LEFT}(\nrun . no_predictions_file: ){{5}}",
       later="kept"),
    # its data set
    on(DATA, lambda reply: error(112, "No access granted"), "task 1 file_private: data set: "),
    on(DATA, edited(rb"(md5_checksum>)\w+", rb"\g<1>0"), f"{NO_TRUTH}data set: md5 .*, the description says 0",
       later="same"),
    on(DATA_FILE, answers(302, location="http://127.0.0.1:9/x.arff"), "task 1 server_error", unanswered="reject"),
    *(
        Case(world=world, rejected=f"task 1 {rejected}", later="kept")
        for world, rejected in (
            (data_file((rb"\{'no'", b"{maybe,'no'", 1), (rb",'no'\n", b",maybe\n", 2)), "not_binary: 3 classes"),
            (data_file((rb",'yes sir'\n", b",'no'\n", 0)), "one_class: of the target only 'no' occurs"),
            (data_file((rb",'no'\n", b",nay\n", 1)), "truth_unavailable: the target holds 'nay', which it does not"),
            (data_file((b"class", b"klass", 0)), "truth_unavailable: the data set has no column 'class'"),
            (lambda world: vars(world.data_sets[1]).update(classes=()), "not_binary: the target 'class' has 0 classes"),
        )
    ),
    # its Parquet file
    *(
        Case(world=parquet(body), rejected=f"{NO_TRUTH}status 404 for the data set .*; its Parquet file: .*{fault}")
        for body, fault in (
            (b"", "status 403"),
            (b"<html>Page Not Found</html>", "no whole Parquet file"),
            (b"PAR1" + b"x" * 20 + b"PAR1", "no column 'class' that can be read"),
            (table(["no", "yes sir"] * 9), "18 rows, the server lists 20"),
            (table(["no", "maybe"] * 10), "the target holds 'maybe'"),
            (table(["no"] * 20, "klass"), "no column 'class' that can be read"),
        )
    ),
    *(
        on(where, fault, error=f"tasks that wait for an answer: 1, .*{where}", world=parquet(table(["no"]), status))
        for fault, where, status in (
            ("nginx_503", DATA_FILE, 200), ("connection_closed", DATA_FILE, 200), ("nginx_503", PARQUET, 404)
        )
    ),
    # a list
    on(LIST, "nginx_502", error=MISSING_LIST),
    on(LIST, "query_failed", error=MISSING_LIST),
    on("list/.*task/1$", "query_failed", "task 1 too_few_flows: 0 flows"),
    on(LIST, "nginx_504", error="task/1: status 504 .*openml.unanswered: reject does without"),
    on(LIST, "nginx_504", "task 1 server_error", unanswered="reject"),
    on(LIST, edited(b"task_id>1<", b"task_id>3<"), error="it lists task 3, which was not asked for"),
    on(f"{LIST}.*offset/2/task/1", ONE_ROW_LESS, times=1, page=2),
    *(Case(outage("query_failed", "/offset/2/task/1", length), page=2) for length in (1, 2, 3)),
    *(on(where, answers(401, b"<html>Unauthorized</html>"), error=KEY) for where in ("estimationproc", LIST)),
    *(on(where, lambda reply: error(102, "Please provide API key"), error=KEY) for where in ("estimationproc", LIST)),
    on("", answers(404, b'{"detail":"Not Found"}', JSON), error=NEW_API),
    on("", answers(404, b'{"type":"https://openml.org/problems/no-results","detail":"none"}', JSON), error=NEW_API),
    on("", answers(200, b'[{"id":1,"name":"10-fold Crossvalidation"}]', JSON), error=NEW_API),
    # a byte every 20 ms, so that no timeout between two of them ever runs out
    *(
        on(where, transferred(drip=0.02), error="bytes and no end after 0[.]1", timeout=0.06, retries=0)
        for where in ("estimationprocedure", LIST, RUN, FILE)
    ),
]  # fmt: skip


def without_hashes(store: dict[str, bytes]) -> dict[str, bytes]:
    return {name: re.sub(rb"[0-9a-f]{64}", b"", body) for name, body in store.items()}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_fault_has_its_outcome_and_the_next_fetch_mends_it(tiny, fetched, monkeypatch, capsys, case):
    monkeypatch.setattr(transport, "LARGEST", 1_000_000)
    monkeypatch.setattr(client, "PAGE", case.page)
    tiny.runs[4].file += COMMENT
    settings = DRAWN | case.settings
    with OpenMLServer(tiny) as server:
        clean = store_bytes(fetched(server, "clean", **DRAWN))
        server.faults, server.world = case.faults, copy.deepcopy(tiny)
        case.world(server.world)
        with pytest.raises(InputError, match=case.error) if case.error else nullcontext() as stopped:
            first = fetched(server, **settings)
            rejections = [
                f"{f'run {r.run_id}' if r.run_id else f'task {r.task_id}'} {r.reason.value}: {r.detail}"
                for r in read_rejections(first / "rejections.csv")
            ]
            assert re.fullmatch(f"{case.rejected}.*", "\n".join(rejections))
            assert list(first.glob("predictions/*")) or case.rejected.startswith("task 1")
            made = store_bytes(first)
            assert case.rejected or without_hashes(made) == without_hashes(clean)
            assert store_bytes(fetched(server, **settings)) == made
        assert capsys.readouterr().err.endswith(f"{case.said}\n")
        assert "\n" not in str(stopped.value if stopped else "")
        server.faults, server.world, n = Faults(), tiny, len(server.paths)
        assert store_bytes(fetched(server, **settings)) == (clean if case.later == "clean" else made)
        assert case.later != "kept" or len(server.paths) == n


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_passes_changes_nothing(tiny, fetched, name):
    faults = Faults((name,))
    with OpenMLServer(tiny) as server:
        clean = store_bytes(fetched(server, "clean"))
        n, server.faults = len(server.paths), faults
        assert store_bytes(fetched(server)) == clean
    # Each request went wrong once, and was answered; some were asked again because others were in doubt. A list of one
    # row is only asked for then, and where the rows end "no results" is no fault.
    asked, well = (
        Counter(path for path in paths if not re.search("limit/1/|offset/10000/?", path))
        for paths in (server.paths[n:], faults.well)
    )
    assert asked == well + Counter(set(well))


@pytest.mark.parametrize("unanswered", ["stop", "reject"])
def test_whatever_random_faults_did_the_store_is_right_and_the_next_fetch_mends_it(tiny, fetched, unanswered):
    """Random sequences of faults: sometimes the fetch stops, sometimes it believes what came twice."""
    drawn = {"models": 2, "flows": 2}
    right = {str(i): hashlib.sha256(run.file).hexdigest() for i, run in tiny.runs.items()}
    areas = {str(i): float(run.engines[0].value) for i, run in tiny.runs.items()}
    manners = {"retries": 2, "max_failures_in_a_row": 3, "unanswered": unanswered}
    stopped = rejected = 0
    with OpenMLServer(tiny) as server:
        clean = store_bytes(fetched(server, "clean", **drawn))
        for seed in range(SEQUENCES):
            server.faults = Faults(tuple(FAULTS), share=0.35, times=6, seed=seed)
            try:
                folder = fetched(server, f"random{seed}", **drawn, **manners)
                runs = read_runs(folder).set_index("run_id")
                ids = {r.run_id for r in read_rejections(folder / "rejections.csv")}
                assert len(runs) == 2 or ids
                assert not ids & {*runs.index}
                assert all(runs["sha256"][i] == right[i] for i in runs.index)
                assert all(abs(runs["server_auroc"][i] - areas[i]) < 1e-6 for i in runs.index)
                rejected += bool(ids)
            except InputError:
                stopped += 1
            server.faults = Faults()
            assert store_bytes(fetched(server, f"random{seed}", **drawn)) == clean
    assert stopped
    assert rejected or unanswered == "stop"


@pytest.mark.parametrize(("fault", "seconds"), [("retry_after", [7, 7, 7, 12]), ("empty_500", [0, 3, 6, 12])])
def test_repetitions_wait_twice_as_long_each_time_and_as_long_as_the_server_says(
    tiny, fetched, waits, fault, seconds
):
    with OpenMLServer(tiny, Faults((fault,), where="estimationprocedure", times=4)) as server:
        fetched(server, backoff=3)
    assert waits[:4] == seconds


def test_a_list_that_does_not_come_for_several_tasks_comes_for_each(store, fetched):
    never = Faults(("nginx_504",), where="task/1,2", times=inf)
    with OpenMLServer(world_from_store(store)) as server:
        clean = store_bytes(fetched(server, "clean"))
        server.faults = never
        assert store_bytes(fetched(server, tasks_per_list=2, retries=1)) == clean
        server.faults = Faults(("query_failed",), where="task/2", times=inf)  # while the lists of others come
        folder = fetched(server, "locked", tasks_per_list=20)
        assert [r.task_id for r in read_rejections(folder / "rejections.csv")] == ["2"]
        server.faults = Faults()
        assert store_bytes(fetched(server, "locked", tasks_per_list=20)) == clean
    assert never.seen


def test_what_an_earlier_version_kept_for_good_is_asked_for_again(tiny, fetched, tmp_path):
    with OpenMLServer(tiny) as server:
        clean = store_bytes(fetched(server, "clean", **DRAWN))
        raw = transport.RawStore(tmp_path / "study" / "raw")
        raw.keep(transport.Answer(f"{server.host}/data/download/1003/predictions.arff", 404, b"gone"))
        raw.keep(transport.Answer(f"{server.url}/run/2", 200, b"<html></html>"))
        assert store_bytes(fetched(server, **DRAWN)) == clean


def test_two_fetches_at_once_ask_nothing_twice(tiny, fetched):
    refused = []

    def before(path):
        server.before = lambda path: None
        with pytest.raises(InputError, match="another fetch is at work here; wait for it"):
            fetched(server)
        refused.append(path)

    with OpenMLServer(tiny, before=before) as server:
        fetched(server)
    assert len(refused) == 1
    assert len(server.paths) == len(set(server.paths))


def test_what_a_killed_fetch_left_half_written_is_removed(tiny, fetched, tmp_path):
    left = [
        "raw/127.0.0.1/api/.1.gz.ab12_x9z.gz", "raw/.selection.csv.abcdefgh.csv", "raw/.openml-abcdefgh/org/x.xml",
        "fetched/0/.tasks.csv.sha256.abcdefgh.sha256", "fetched/0/predictions/.1.parquet.abcdefgh.parquet",
    ]  # fmt: skip
    for name in left:
        path = tmp_path / "study" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"half")
    with OpenMLServer(tiny) as server:
        fetched(server)
    assert not list((tmp_path / "study").rglob(".*"))
