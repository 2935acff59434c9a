"""What real servers and uploaders have done: worked around, or rejected with the reason."""

import hashlib

import numpy as np
import pytest
from openml_server import DataSet, Engine, OpenMLServer, world_from_store
from openml_server.stores import make_store

from aucstudy.sources.openml import client, plan
from aucstudy.sources.openml.client import Evaluation, Run
from aucstudy.sources.openml.predictions import Target
from aucstudy.sources.openml.task import recorded_auroc
from aucstudy.store.rejections import Reason, Stage, read_rejections
from aucstudy.store.task_store import read_predictions, read_runs, read_tasks


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """One task of 20 rows and five flows."""
    folder = tmp_path_factory.mktemp("tiny")
    make_store(folder, {"tiny": 20}, flows=5)
    return folder


def _spoilt(old: bytes, new: bytes, count: int = -1):
    def spoil(run):
        assert old in run.file
        run.file = run.file.replace(old, new, count)

    return spoil


def _without_last_row(run):
    run.file = run.file[: run.file.rstrip().rindex(b"\n") + 1]


def _with_a_row_twice(run):
    run.file += run.file.rstrip().rpartition(b"\n")[2] + b"\n"


def _all_zero_and_swapped(run):
    rows = []
    head, _, data = run.file.partition(b"@DATA\n")
    for row in data.splitlines():
        repeat, fold, row_id, _, correct, *_ = row.split(b",")
        rows.append(b",".join([repeat, fold, row_id, correct, b"no", b"0", b"0"]))
    run.file = head + b"@DATA\n" + b"\n".join(rows) + b"\n"


RUNS_THAT_FAIL = {
    "error of the uploader": (lambda run: setattr(run, "message", "Out of memory"), Reason.SERVER_ERROR),
    "no predictions": (lambda run: setattr(run, "file", None), Reason.NO_PREDICTIONS_FILE),
    "file gone": (lambda run: setattr(run, "file_status", 404), Reason.FILE_MISSING),
    "file private": (lambda run: setattr(run, "file_status", 403), Reason.FILE_PRIVATE),
    "no column row_id": (_spoilt(b"row_id", b"instance"), Reason.COLUMNS_MISSING),
    "no confidences": (_spoilt(b"confidence.", b"probability."), Reason.COLUMNS_MISSING),
    "other classes": (_spoilt(b"confidence.no", b"confidence.maybe"), Reason.CLASSES_MISMATCH),
    "a row missing": (_without_last_row, Reason.ROWS_INCOMPLETE),
    "a row twice": (_with_a_row_twice, Reason.ROWS_DUPLICATED),
    "a NUL byte inside": (_spoilt(b"@DATA\n0,", b"@DATA\n0\0,"), Reason.FILE_BROKEN),
    "a value too many": (_spoilt(b"@DATA\n0,", b"@DATA\n0,0,"), Reason.FILE_BROKEN),
    "another fold": (_spoilt(b"\n0,1,", b"\n0,2,", 1), Reason.FOLDS_BROKEN),
    "a fold too high": (_spoilt(b"\n0,1,", b"\n0,10,", 1), Reason.FOLDS_BROKEN),
    "a row_id too high": (_spoilt(b"\n0,1,", b"\n0,1,9", 1), Reason.ROWS_INCOMPLETE),
    "truth in prediction, no confidence": (_all_zero_and_swapped, Reason.SWAPPED_COLUMNS),
}


@pytest.mark.parametrize("name", RUNS_THAT_FAIL)
def test_an_unusable_run_is_rejected_and_the_next_takes_its_place(tiny, fetched, name):
    spoil, reason = RUNS_THAT_FAIL[name]
    world = world_from_store(tiny)
    spoil(world.runs[3])
    with OpenMLServer(world) as server:
        folder = fetched(server, models=4, flows=4, draw="runs", seed=2)
    rejections = read_rejections(folder / "rejections.csv")
    assert [(r.run_id, r.reason) for r in rejections] == [("3", reason)]
    assert rejections[0].detail or reason == Reason.NO_PREDICTIONS_FILE
    assert read_runs(folder)["run_id"].tolist() == ["1", "2", "4", "5"]


def test_a_missing_confidence_rejects_the_run(tiny, fetched):
    world = world_from_store(tiny)
    head, _, data = world.runs[3].file.partition(b"@DATA\n")
    first, _, rest = data.partition(b"\n")
    world.runs[3].file = head + b"@DATA\n" + first.rpartition(b",")[0] + b",?\n" + rest
    with OpenMLServer(world) as server:
        folder = fetched(server, models=4, flows=4, draw="runs", seed=2)
    (rejection,) = read_rejections(folder / "rejections.csv")
    assert (rejection.reason, rejection.stage) == (Reason.CONFIDENCE_MISSING, Stage.READ)
    assert "row 1 of the data" in rejection.detail


def test_a_run_without_folds_takes_those_of_the_others(tiny, fetched):
    world = world_from_store(tiny)
    for fold in range(10):
        world.runs[1].file = world.runs[1].file.replace(b"\n0,%d," % fold, b"\n0,?,")
    with OpenMLServer(world) as server:
        folder = fetched(server, models=5)
    assert len(set(read_predictions(folder, "1").folds)) == 10
    assert not read_rejections(folder / "rejections.csv")


def test_too_few_usable_runs_reject_the_task_and_leave_no_file(tiny, fetched):
    world = world_from_store(tiny)
    world.runs[1].file_status = world.runs[2].file_status = 404
    with OpenMLServer(world) as server:
        folder = fetched(server, models=4, flows=4)
    assert not list(folder.glob("predictions/*"))
    assert ("", Reason.TOO_FEW_FLOWS) in [
        (r.run_id, r.reason) for r in read_rejections(folder / "rejections.csv")
    ]


def _data(world) -> DataSet:
    return world.data_sets[1]


def _new_file(world, old: bytes, new: bytes, count: int = -1) -> None:
    data = _data(world)
    assert old in data.file
    data.file = data.file.replace(old, new, count)
    data.md5 = hashlib.md5(data.file).hexdigest()


def _three_classes(world):
    _new_file(world, b"{'no','yes sir'}", b"{'no','yes sir',maybe}")
    _new_file(world, b",'no'\n", b",maybe\n", 2)


def _numeric_target(world):
    _data(world).features[1].values, _data(world).features[1].data_type = (), "numeric"


TASKS_THAT_FAIL = {
    "three classes": (_three_classes, Reason.NOT_BINARY),
    "one class": (lambda world: _new_file(world, b",'yes sir'\n", b",'no'\n"), Reason.ONE_CLASS),
    "undeclared class": (lambda world: _new_file(world, b",'no'\n", b",nay\n", 1), Reason.TRUTH_UNAVAILABLE),
    "target missing": (lambda world: _new_file(world, b"class", b"klass"), Reason.TRUTH_UNAVAILABLE),
    "numeric target": (_numeric_target, Reason.NOT_BINARY),
    "data set private": (lambda world: setattr(_data(world), "visibility", "private"), Reason.FILE_PRIVATE),
    "other checksum": (lambda world: setattr(_data(world), "md5", "0" * 32), Reason.TRUTH_UNAVAILABLE),
    "file elsewhere": (
        lambda world: setattr(_data(world), "redirect", "http://127.0.0.1:9/x.arff"),
        Reason.SERVER_ERROR,
    ),
    "other procedure": (lambda world: setattr(world.tasks[1], "procedure", 3), Reason.WRONG_PROCEDURE),
}


@pytest.mark.parametrize("name", TASKS_THAT_FAIL)
def test_an_unusable_task_is_rejected_with_the_reason(tiny, fetched, name):
    spoil, reason = TASKS_THAT_FAIL[name]
    world = world_from_store(tiny)
    spoil(world)
    with OpenMLServer(world) as server:
        folder = fetched(server, retries=1, unanswered="reject")
    (rejection,) = read_rejections(folder / "rejections.csv")
    assert (rejection.task_id, rejection.run_id, rejection.reason) == ("1", "", reason)
    assert read_tasks(folder).empty


def test_the_procedure_is_read_from_the_task_where_the_list_lost_it(tiny, fetched):
    world = world_from_store(tiny)
    world.tasks[1].inputs_lost = True
    with OpenMLServer(world) as server:
        assert len(read_tasks(fetched(server))) == 1
        world.tasks[1].procedure = 3
        (rejection,) = read_rejections(fetched(server, "other") / "rejections.csv")
    assert rejection.reason == Reason.WRONG_PROCEDURE


def test_rows_without_a_class_are_left_out(tiny, fetched):
    world = world_from_store(tiny)
    _new_file(world, b",'no'\n", b",?\n", 3)
    with OpenMLServer(world) as server:
        task = read_tasks(fetched(server)).iloc[0]
    assert (task.n_rows, task.n_positive) == (17, 7)


def test_a_sparse_data_set_and_a_class_that_never_occurs_are_read(tiny, fetched):
    world = world_from_store(tiny)
    data = _data(world)
    head, _, rows = data.file.partition(b"@data\n")
    sparse = [b"{1 %s}" % row.partition(b",")[2] for row in rows.splitlines()]
    data.file = head.replace(b"{'no'", b"{never,'no'") + b"@data\n" + b"\n".join(sparse)
    data.md5, data.format = hashlib.md5(data.file).hexdigest(), "Sparse_ARFF"
    data.features[1].values = ("never", "no", "yes sir")
    with OpenMLServer(world) as server:
        task = read_tasks(fetched(server)).iloc[0]
    assert (task.positive_class, task.n_positive, task.n_rows) == ("yes sir", 7, 20)


def test_lists_are_read_to_the_empty_page_whatever_they_repeat(tiny, fetched, monkeypatch):
    monkeypatch.setattr(client, "PAGE", 2)
    world = world_from_store(tiny)
    for run in world.runs.values():
        run.engines += [Engine(2, "area_under_roc_curve", "0.123", "[0.123,0.123]")] * 2
    with OpenMLServer(world) as server:
        folder = fetched(server, models=5, flows=5)
    runs = read_runs(folder)
    assert len(runs) == 5
    assert 0.123 not in runs["server_auroc"].tolist()  # the first engine counts


def _order_changed_at(world, offset: int):
    """The server's order is that of the setups; they are turned round when the page at the offset is asked for."""

    def before(path):
        if "evaluation/list" in path and f"/offset/{offset}/" in path:
            for run in world.runs.values():
                run.setup = -run.setup

    return before


@pytest.mark.parametrize("offset", [2, 99])
def test_pages_that_repeat_rows_are_reported(tiny, fetched, monkeypatch, capsys, tmp_path, offset):
    monkeypatch.setattr(client, "PAGE", 2)
    world = world_from_store(tiny)
    with OpenMLServer(world, before=_order_changed_at(world, offset)) as server:
        fetched(server, models=2, flows=2)
        printed = capsys.readouterr().err
        settings = {"server": server.url, "pause": 0}
        planned = plan(settings, tmp_path / "study/fetched/0", models_per_task=2, min_flows=2, seed=1)
    fault = "area_under_roc_curve/task/1: 2 rows came on two pages, so that as many others may be missing"
    assert (fault in printed) == (fault in str(planned)) == (offset == 2)


def test_a_page_with_bare_ampersands_costs_no_run(tiny, fetched):
    world = world_from_store(tiny)
    world.listed_escaped = False
    for run in world.runs.values():
        run.flow_name, run.message = "weka.Bagging & <b> Boosting(1)", ""
    world.runs[3].details = "a < b & c"
    with OpenMLServer(world) as server:
        folder = fetched(server, models=5, flows=5, candidates="listed")
    assert set(read_runs(folder)["flow_name"]) == {"weka.Bagging & <b> Boosting(1)"}


def test_runs_that_were_never_evaluated_can_be_drawn_from_the_list_of_runs(tiny, fetched):
    world = world_from_store(tiny)
    world.runs[3].engines, world.runs[3].error = [], None
    world.runs[4].message = "Out of memory"
    with OpenMLServer(world) as server:
        assert read_tasks(fetched(server, "evaluated", models=4, flows=5)).empty
        folder = fetched(server, "listed", models=4, flows=4, candidates="listed")
    runs = read_runs(folder).set_index("run_id")["server_auroc"]
    assert runs.index.tolist() == ["1", "2", "3", "5"]
    assert np.isnan(runs["3"])
    (rejection,) = read_rejections(folder / "rejections.csv")
    assert (rejection.run_id, rejection.stage, rejection.detail) == ("4", Stage.SELECT, "Out of memory")


def test_only_runs_from_before_the_day_are_drawn(tiny, fetched):
    with OpenMLServer(world_from_store(tiny)) as server:
        folder = fetched(server, models=3, uploaded_before="2016-01-01", draw="runs")
    assert read_runs(folder)["upload_time"].max() < "2016"
    assert read_tasks(folder)["n_candidates"].tolist() == [4]


def test_values_of_a_class_are_compared_where_confidences_do_not_add_up(tiny, fetched):
    world = world_from_store(tiny)
    for run in world.runs.values():
        run.engines[0].value, run.engines[0].array = "0.55", "[0.4,0.7]"
    with OpenMLServer(world) as server:
        assert set(read_runs(fetched(server))["server_auroc"]) == {0.7}


@pytest.mark.parametrize(("counts", "auroc"), [((2.0, 1.0), 0.7), ((1.0, 2.0), 0.4)])
def test_an_engine_that_has_the_classes_in_reverse_is_known_by_their_counts(counts, auroc):
    target = Target(("no", "yes"), np.array([0, 0, 1]))
    listed = Evaluation("1", "1", "1", "flow", "1", "2015", auroc=0.55, per_class=(0.4, 0.7))
    described = Run("1", "1", "1", "flow", "1", "", "file", class_counts=counts)
    assert recorded_auroc(listed, described, target, positive=1) == auroc
