"""What real servers and uploaders have done: worked around, or the task is left out with the reason."""

import hashlib
import re

import numpy as np
import pytest
from openml_server import Engine, Feature, OpenMLServer

from aucstudy.sources.openml import client, plan
from aucstudy.sources.openml.client import Evaluation, Run
from aucstudy.sources.openml.predictions import Target
from aucstudy.sources.openml.task import recorded_auroc
from aucstudy.store.rejections import Reason, Stage, read_rejections
from aucstudy.store.task_store import read_predictions, read_runs, read_tasks


@pytest.fixture
def fetched_from(tiny, fetched):
    """A function that fetches from the world as it is then: the folder, its only task or None, its rejections."""

    def run(into: str = "study", **settings):
        with OpenMLServer(tiny) as server:
            folder = fetched(server, into, **settings)
        tasks = read_tasks(folder)
        return folder, None if tasks.empty else tasks.iloc[0], read_rejections(folder / "rejections.csv")

    return run


def _set(**facts):
    return lambda world: vars(world.data_sets[1]).update(facts)


def _edited(pattern: bytes, text: bytes, count: int = 0):
    """The data set with another file, whose checksum its description has."""

    def edit(world) -> None:
        file, n = re.subn(pattern, text, world.data_sets[1].file, count=count)
        assert n
        _set(file=file, md5=hashlib.md5(file).hexdigest())(world)

    return edit


def _three_classes(world):
    _edited(rb"\{'no'", b"{maybe,'no'")(world)
    _edited(rb",'no'\n", b",maybe\n", 2)(world)


def _numeric_target(world):
    world.data_sets[1].features[1] = Feature("class")


UNUSABLE_TASKS = {
    "three classes": (_three_classes, Reason.NOT_BINARY),
    "one class": (_edited(b",'yes sir'\n", b",'no'\n"), Reason.ONE_CLASS),
    "undeclared class": (_edited(b",'no'\n", b",nay\n", 1), Reason.TRUTH_UNAVAILABLE),
    "target missing": (_edited(b"class", b"klass"), Reason.TRUTH_UNAVAILABLE),
    "numeric target": (_numeric_target, Reason.NOT_BINARY),
    "data set private": (_set(visibility="private"), Reason.FILE_PRIVATE),
    "other checksum": (_set(md5="0" * 32), Reason.TRUTH_UNAVAILABLE),
    "file elsewhere": (_set(redirect="http://127.0.0.1:9/x.arff"), Reason.SERVER_ERROR),
    "other procedure": (lambda world: setattr(world.tasks[1], "procedure", 3), Reason.WRONG_PROCEDURE),
    "another one, which the list lost": (
        lambda world: vars(world.tasks[1]).update(procedure=3, inputs_lost=True), Reason.WRONG_PROCEDURE,
    ),
    "runs without a file": (
        lambda world: [setattr(run, "file", None) for run in world.runs.values()], Reason.TOO_FEW_FLOWS,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNUSABLE_TASKS)
def test_an_unusable_task_is_rejected_with_the_reason_and_leaves_no_file(tiny, fetched_from, name):
    spoil, reason = UNUSABLE_TASKS[name]
    spoil(tiny)
    folder, task, rejections = fetched_from(retries=1, unanswered="reject")
    assert [(r.task_id, r.reason) for r in rejections if not r.run_id] == [("1", reason)]
    assert {r.reason for r in rejections if r.run_id} <= {Reason.NO_PREDICTIONS_FILE}
    assert task is None
    assert not list(folder.glob("predictions/*"))


def test_a_run_without_folds_takes_those_of_the_others(tiny, fetched_from):
    tiny.runs[1].file = re.sub(rb"\n0,\d,", b"\n0,?,", tiny.runs[1].file)
    folder, _, rejections = fetched_from(models=5)
    assert len(set(read_predictions(folder, "1").folds)) == 10
    assert not rejections


def test_the_procedure_is_read_from_the_task_where_the_list_lost_it(tiny, fetched_from):
    tiny.tasks[1].inputs_lost = True
    assert fetched_from()[1] is not None


def test_rows_without_a_class_are_left_out_and_a_run_predicts_all_of_them_or_none(tiny, fetched_from):
    row_of_fold = dict(re.findall(rb"\n\d+,(\d+),(\d+),.*,no,", tiny.runs[1].file))
    rows = [int(row) for row in row_of_fold.values()][:4]
    lines = tiny.data_sets[1].file.partition(b"@data\n")[2].splitlines(keepends=True)
    unknown = [b"%d,?\n" % (i % 7) if i in rows else line for i, line in enumerate(lines)]
    _edited(rb"(?s)(?<=@data\n).*", b"".join(unknown))(tiny)
    for run, n in (1, 2), (2, 4):  # the second one is of a client that leaves all of them out
        ids = b"|".join(b"%d" % row for row in rows[:n])
        tiny.runs[run].file = re.sub(rb"\n0,\d+,(%s),[^\n]*" % ids, b"", tiny.runs[run].file)
    _, task, rejections = fetched_from(models=4, flows=4, draw="runs", seed=1)
    assert (task.n_rows, task.n_positive) == (16, 7)
    detail = "2 of 4 rows whose class is missing are not predicted, others are"
    assert [(r.run_id, r.reason, r.detail) for r in rejections] == [("1", Reason.ROWS_INCOMPLETE, detail)]


def test_a_sparse_data_set_and_a_class_that_never_occurs_are_read(tiny, fetched_from):
    _edited(rb"\n\d,(.*)", rb"\n{1 \1}")(tiny)
    _edited(rb"\{'no'", b"{never,'no'")(tiny)
    tiny.data_sets[1].format, tiny.data_sets[1].features[1].values = "Sparse_ARFF", ("never", "no", "yes sir")
    _, task, _ = fetched_from()
    assert (task.positive_class, task.n_positive, task.n_rows) == ("yes sir", 7, 20)


def test_lists_are_read_to_the_empty_page_whatever_they_repeat(tiny, fetched_from, monkeypatch):
    monkeypatch.setattr(client, "PAGE", 2)
    for run in tiny.runs.values():
        run.engines += [Engine(2, "area_under_roc_curve", "0.123", "[0.123,0.123]")] * 2
    folder, *_ = fetched_from(models=5, flows=5)
    runs = read_runs(folder)
    assert len(runs) == 5
    assert 0.123 not in runs["server_auroc"].tolist()  # the first engine counts


@pytest.mark.parametrize("offset", [2, 99])
def test_pages_that_repeat_rows_are_reported(tiny, fetched, monkeypatch, capsys, tmp_path, offset):
    """The server's order is that of the setups; they are turned round when the page at the offset is asked for."""
    monkeypatch.setattr(client, "PAGE", 2)

    def before(path):
        if "evaluation/list" in path and f"/offset/{offset}/" in path:
            for run in tiny.runs.values():
                run.setup = -run.setup

    with OpenMLServer(tiny, before=before) as server:
        fetched(server, models=2, flows=2)
        printed = capsys.readouterr().err
        settings = {"server": server.url, "pause": 0}
        planned = plan(settings, tmp_path / "study/fetched/0", models_per_task=2, min_flows=2, seed=1)
    fault = "area_under_roc_curve/task/1: 2 rows came on two pages, so that as many others may be missing"
    assert (fault in printed) == (fault in str(planned)) == (offset == 2)


def test_a_page_with_bare_ampersands_costs_no_run(tiny, fetched_from):
    tiny.listed_escaped, name = False, "weka.Bagging & <b> Boosting(1)"
    for run in tiny.runs.values():
        run.flow_name = name
    tiny.runs[3].details = "a < b & c"
    folder, *_ = fetched_from(models=5, flows=5, candidates="listed")
    assert set(read_runs(folder)["flow_name"]) == {name}


def test_runs_that_were_never_evaluated_can_be_drawn_from_the_list_of_runs(tiny, fetched_from):
    tiny.runs[3].engines, tiny.runs[3].error = [], None
    tiny.runs[4].message = "Out of memory"
    assert fetched_from("evaluated", models=4, flows=5)[1] is None
    folder, _, (rejection,) = fetched_from("listed", models=4, flows=4, candidates="listed")
    runs = read_runs(folder).set_index("run_id")["server_auroc"]
    assert runs.index.tolist() == ["1", "2", "3", "5"]
    assert np.isnan(runs["3"])
    assert (rejection.run_id, rejection.stage, rejection.detail) == ("4", Stage.SELECT, "Out of memory")


def test_only_runs_from_before_the_day_are_drawn(fetched_from):
    folder, task, _ = fetched_from(models=3, uploaded_before="2016-01-01", draw="runs")
    assert read_runs(folder)["upload_time"].max() < "2016"
    assert task["n_candidates"] == 4


def test_values_of_a_class_are_compared_where_confidences_do_not_add_up(tiny, fetched_from):
    for run in tiny.runs.values():
        run.engines[0].value, run.engines[0].array = "0.55", "[0.4,0.7]"
    folder, *_ = fetched_from()
    assert set(read_runs(folder)["server_auroc"]) == {0.7}


@pytest.mark.parametrize(("counts", "auroc"), [((2.0, 1.0), 0.7), ((1.0, 2.0), 0.4)])
def test_an_engine_that_has_the_classes_in_reverse_is_known_by_their_counts(counts, auroc):
    target = Target(("no", "yes"), np.array([0, 0, 1]))
    listed = Evaluation("1", "1", "1", "flow", "1", "2015", auroc=0.55, per_class=(0.4, 0.7))
    described = Run("1", "1", "1", "flow", "1", "", "file", class_counts=counts)
    assert recorded_auroc(listed, described, target, positive=1) == auroc
