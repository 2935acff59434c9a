"""A whole fetch over HTTP with the real client: its store, its draws and its pauses between requests."""

import io
import re

import numpy as np
import openml
import pandas as pd
import pytest
from openml_server import OpenMLServer, answers, failing, world_from_store
from openml_server.dialects import Dialect
from openml_server.stores import make_store, store_bytes

from aucstudy import __version__
from aucstudy.errors import InputError
from aucstudy.experiments.contract import experiments
from aucstudy.experiments.inputs import Study
from aucstudy.jobs.scoring import compare_with_server, score_tasks, with_flow_names
from aucstudy.metrics import aupr
from aucstudy.sources.openml import check
from aucstudy.store.measured import write_scores
from aucstudy.store.rejections import Reason, read_rejections
from aucstudy.store.task_store import read_predictions, read_runs, read_tasks

DIALECTS = (
    Dialect(),
    Dialect(order="old", sample=True, comments=True, encoding="latin-1"),
    Dialect(order="r", quote='"', keywords="lower", tail=b"\0"),
    Dialect(quote="'", newline="\r\n", blanks=True, quote_values=True),
)


@pytest.fixture
def server(store):
    with OpenMLServer(world_from_store(store, DIALECTS)) as started:
        yield started


def test_a_served_store_comes_back_bit_for_bit(store, server, fetched):
    folder = fetched(server, models=4)
    names = {row.run_id: row.flow_name.removesuffix("(1)") for row in read_runs(folder).itertuples()}
    for task in read_tasks(folder).itertuples():
        ours, theirs = read_predictions(folder, task.task_id), read_predictions(store, task.dataset_name)
        for name in ("row_id", "y_true", "fold"):
            assert np.array_equal(getattr(ours, name), getattr(theirs, name))
        assert task.positive_class == "yes sir"
        for i, run in enumerate(ours.run_ids):
            j = theirs.run_ids.index(f"{task.dataset_name}-{names[run][-1]}")
            assert ours.scores[:, i].tobytes() == theirs.scores[:, j].tobytes()
    assert len(names) == 8


def test_our_areas_agree_with_those_the_server_recorded(server, fetched):
    runs = server.world.runs
    runs[5].engines[0].array = "[0.5,0.5]"
    runs[6].engines[0].value, runs[6].engines[0].array = "?", ""
    folder = fetched(server, models=4, candidates="listed")
    scores, _ = score_tasks(folder, read_tasks(folder)["task_id"])
    compared, exceptions = compare_with_server(read_runs(folder), scores)
    assert (compared["n_compared"].item(), exceptions["run_id"].tolist()) == (7, ["5"])
    assert compared["share"].item() == pytest.approx(6 / 7)


def test_a_pinned_selection_gives_the_same_store_without_lists(server, fetched, tmp_path):
    first = fetched(server, seed=3)
    n = len(server.paths)
    second = fetched(server, "other", seed=99, pinned=str(tmp_path / "study/raw/selection.csv"))
    assert store_bytes(first) == store_bytes(second)
    assert not [path for path in server.paths[n:] if "/list" in path]


def test_a_pinned_run_of_a_later_day_is_refused(server, fetched, tmp_path):
    fetched(server)
    pinned = str(tmp_path / "study/raw/selection.csv")
    with pytest.raises(
        InputError, match=r"selection.csv: upload_time '201\d.*' in row \d+; expected a time before"
    ):
        fetched(server, "other", pinned=pinned, uploaded_before="2013-01-01")


def test_a_task_of_ten_repetitions_has_the_mean_of_the_metrics_of_its_repetitions(tmp_path, fetched):
    make_store(tmp_path / "repeated", {"small": 30}, repeats=10)
    make_store(tmp_path / "single", {"other": 30})
    world = world_from_store(tmp_path / "repeated")
    world.tasks[1].procedure = 3
    with OpenMLServer(world) as server:
        assert read_tasks(fetched(server, "without", repeats=1)).empty
        folder = fetched(server, repeats=[1, 10], models=4)
    (task,) = read_tasks(folder).itertuples()
    assert (task.n_folds, task.n_repeats, task.n_rows) == (100, 10, 300)
    predictions = read_predictions(folder, "1")
    scores, rejections = score_tasks(folder, ["1"])
    assert [r.reason for r in rejections] == [Reason.REPEATED]
    of_run = scores[scores["run_id"] == "1"].set_index("aggregation")["aupr"]
    expected = [
        aupr(predictions.y_true[rows], predictions.scores[rows, predictions.run_ids.index("1")])
        for rows in (predictions.repeat == repeat for repeat in range(10))
    ]
    assert of_run["repetition_mean"] == pytest.approx(np.mean(expected), rel=1e-12)
    assert set(of_run.index) == {"pooled", "repetition_mean"}
    compared, _ = compare_with_server(read_runs(folder), scores)
    assert compared["n_agree"].item() == 4
    # Only an experiment that asks for such tasks gets them.
    write_scores(with_flow_names(scores, read_runs(folder)), folder / "scores.parquet")
    other, disagreement = (Study(folder, folder, repeated=repeated) for repeated in (False, True))
    assert other.tasks.empty
    assert other.scores("pooled").empty
    assert other.scores().empty
    assert len(disagreement.tasks) == 1
    assert disagreement.scores("pooled")["aggregation"].tolist() == ["repetition_mean"] * 4
    used = [experiment.name for experiment in experiments().values() if experiment.repeated]
    assert used == ["disagreement"]


def test_a_file_that_is_not_the_pinned_one_is_rejected(server, fetched, tmp_path):
    fetched(server, models=4, flows=4)
    server.world.runs[2].file += b"\n% changed\n"
    folder = fetched(server, "other", models=4, pinned=str(tmp_path / "study/raw/selection.csv"))
    details = [r.detail for r in read_rejections(folder / "rejections.csv") if r.reason == Reason.FILE_BROKEN]
    assert ["pinned" in detail for detail in details] == [True]


def test_openml_python_of_version_0_16_is_configured_and_gets_its_settings_back(tiny, fetched, monkeypatch):
    """Its dictionary of settings has `servers` in place of the keys server and apikey."""
    config = openml.config
    before = {
        name: getattr(config, name) for name in ("server", "apikey", "retry_policy", "connection_n_retries")
    }
    cache_before, of_0_15 = config.get_cache_directory(), config.get_config_as_dict

    def of_0_16() -> dict:
        facts = of_0_15()
        return {"servers": {"v1": {name: facts.pop(name) for name in ("server", "apikey")}}} | facts

    monkeypatch.setattr(config, "get_config_as_dict", of_0_16)
    with OpenMLServer(tiny) as server:
        assert len(read_runs(fetched(server))) == 3
    assert {name: getattr(config, name) for name in before} == before
    assert config.get_cache_directory() == cache_before


def parquet_of(world, labels: str) -> bytes:
    """Return the data set of the task 1 as Parquet. `labels` says how the column of the target is kept."""
    rows = world.data_sets[1].file.decode().partition("@data\n")[2].splitlines()
    target = pd.Series([row.partition(",")[2].strip("'") for row in rows])
    if labels == "categories":
        target = target.astype(pd.CategoricalDtype(["no", "yes sir"]))
    stream = io.BytesIO()
    pd.DataFrame({"x": range(len(rows)), "class": target}).to_parquet(stream)
    return stream.getvalue()


@pytest.mark.parametrize("labels", ["categories", "texts"])
def test_a_data_set_without_an_arff_file_is_read_from_its_parquet_file(tiny, fetched, labels):
    with OpenMLServer(tiny) as server:
        clean = store_bytes(fetched(server, "clean"))
        tiny.data_sets[1].parquet = parquet_of(tiny, labels)
        tiny.data_sets[1].file_status = 404
        assert store_bytes(fetched(server, max_refused=0)) == clean
        n = len(server.paths)
        assert store_bytes(fetched(server, max_refused=0)) == clean
        assert len(server.paths) == n


def test_a_parquet_file_that_is_broken_or_has_other_rows_is_refused(tiny, fetched):
    good = parquet_of(tiny, "texts")
    tiny.data_sets[1].file_status = 404
    with OpenMLServer(tiny) as server:
        tiny.data_sets[1].parquet = good[:-20]
        (rejection,) = read_rejections(fetched(server, "broken") / "rejections.csv")
        assert rejection.detail.startswith("data set: no Parquet file")
        tiny.data_sets[1].parquet = good
        for run in tiny.runs.values():
            run.engines[1].array = "[12,8]"
        rejections = read_rejections(fetched(server, "other") / "rejections.csv")
    assert {r.reason for r in rejections if r.run_id} == {Reason.TRUTH_UNAVAILABLE}


def test_more_connections_give_the_same_store(server, fetched):
    assert store_bytes(fetched(server, "three", connections=3)) == store_bytes(fetched(server, "one"))


def test_the_pause_stands_between_the_starts_of_requests_repetitions_and_redirects(server, fetched, clock):
    to_itself = answers(302, headers={"Location": "/data/v1/download/1/small.arff"})
    server.fault = failing(to_itself, "/data/v1/download/1/", times=1)
    fetched(server, "redirected", pause=10)
    server.fault = failing("503", "task/1$", times=1)
    fetched(server, pause=10)
    assert clock.waits == [10] * (len(server.paths) - 2)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [({"Retry-After": "7"}, [7, 7, 7]), ({}, [3, 6]), ({"Retry-After": "soon"}, [3, 6])],
)
def test_repetitions_wait_as_long_as_the_server_says_or_twice_as_long_each_time(
    server, fetched, clock, header, seconds
):
    server.fault = failing(answers(503, headers=header), "estimationprocedure", times=3)
    fetched(server, backoff=3)
    assert clock.waits == seconds


def test_the_wait_that_the_server_asks_for_holds_all_connections(server, fetched, clock):
    starts = {}

    def fault(path, reply):
        starts.setdefault(path, []).append(clock.now)
        return reply if len(starts) < 12 or starts.get("held") else held(reply)

    def held(reply):
        starts["held"] = [clock.now]
        return answers(503, headers={"Retry-After": "500"})(reply)

    server.fault = fault
    fetched(server, connections=4, models=4)
    (begin,) = starts["held"]
    times = [time for path in starts if path != "held" for time in starts[path]]
    # The requests that were under way when the answer came are not held.
    assert sum(begin < time < begin + 500 for time in times) <= 3
    assert sum(time >= begin + 500 for time in times) >= 10


def test_an_outage_of_some_minutes_is_waited_for_and_told(server, fetched, clock, capsys):
    clean = store_bytes(fetched(server, "clean", models=4))
    ends = clock.now + 200

    def fault(path, reply):
        is_out = len(server.paths) > n + 12 and clock.now < ends
        return answers(503)(reply) if is_out else reply

    server.fault, n = fault, len(server.paths)
    assert store_bytes(fetched(server, models=4, outage=900, retries=1)) == clean
    lines = [line for line in capsys.readouterr().err.splitlines() if "next try" in line]
    assert [re.search(r"status 503; the next try is in (\d+) s", line)[1] for line in lines] == [
        "60",
        "120",
        "240",
    ]


def test_an_outage_ends_the_fetch_at_last_and_a_server_that_never_answered_is_not_waited_for(
    server, fetched, clock
):
    server.fault = failing("503", "task/1$")
    with pytest.raises(InputError, match="status 503"):
        fetched(server, outage=900)
    assert sum(clock.waits) == 900
    server.fault = failing("503")
    with pytest.raises(InputError, match="status 503"):
        fetched(server, outage=900)
    assert sum(clock.waits) == 900


@pytest.mark.parametrize(("contact", "agent"), [(None, ""), ("ann@example.org", " (ann@example.org)")])
def test_the_contact_is_sent_with_each_request(server, fetched, contact, agent):
    fetched(server, contact=contact)
    assert set(server.agents) == {f"aucstudy/{__version__}{agent}"}
    assert len(server.agents) == len(server.paths)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({}, "min_flows: is 2; expected: at least models_per_task, 3"),
        ({"sever": "x"}, "openml.sever: unknown key"),
        ({"server": "https://www.openml.org"}, "openml.server: is 'https://www.openml.org'"),
        ({"tasks": ["iris"]}, "openml.tasks"),
        ({"draw": "all"}, "openml.draw: is 'all'; expected: flow_then_run | runs"),
        ({"uploaded_before": "June 2015"}, "openml.uploaded_before"),
        ({"min_rows": 9, "max_rows": 5}, "openml.max_rows: is 5; expected: at least min_rows, 9"),
        ({"suite": "CC18/99"}, "openml.suite: is 'CC18/99'; expected: a number, or a name of one word"),
        ({"suite": 99, "tasks": [1]}, "openml.suite: openml.tasks is there too; expected: one of the two"),
        (
            {"contact": "Jos\u00e9"},
            "openml.contact: is 'Jos\u00e9'; expected: an address in letters of ASCII",
        ),
        ({"pinned": "nowhere.csv"}, "openml.pinned: no file nowhere.csv"),
    ],
)
def test_a_wrong_setting_is_reported_with_its_key_before_anything_starts(block, message):
    with pytest.raises(InputError, match=message):
        check(block, models_per_task=2 if block else 3, min_flows=2)
