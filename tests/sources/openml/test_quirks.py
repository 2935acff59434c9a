"""What real servers and uploaders have done: worked around, or the task is left out with the reason."""

import io
import re

import numpy as np
import pandas as pd
import pytest
from openml_server import OpenMLServer, world_from_store
from openml_server.stores import store_bytes

from aucstudy.sources.openml import client, plan
from aucstudy.sources.openml.client import Evaluation, Run
from aucstudy.sources.openml.predictions import Target
from aucstudy.sources.openml.task import recorded_auroc
from aucstudy.store.rejections import Reason, Stage, read_rejections
from aucstudy.store.task_store import read_runs, read_tasks


@pytest.fixture
def fetched_from(tiny, fetched):
    """A function that fetches from the world as it is then: the folder, its only task or None, its rejections."""

    def run(into: str = "study", **settings):
        with OpenMLServer(tiny) as server:
            folder = fetched(server, into, **settings)
        tasks = read_tasks(folder)
        return folder, None if tasks.empty else tasks.iloc[0], read_rejections(folder / "rejections.csv")

    return run


def test_rows_without_a_class_are_left_out_and_a_run_predicts_all_of_them_or_none(tiny, fetched_from):
    row_of_fold = dict(re.findall(rb"\n\d+,(\d+),(\d+),.*,no,", tiny.runs[1].file))
    rows = [int(row) for row in row_of_fold.values()][:4]
    lines = tiny.data_sets[1].file.partition(b"@data\n")[2].splitlines(keepends=True)
    unknown = [b"%d,?\n" % (i % 7) if i in rows else line for i, line in enumerate(lines)]
    tiny.data_sets[1].file = tiny.data_sets[1].file.replace(b"".join(lines), b"".join(unknown))
    for run, n in (1, 2), (2, 4):  # the second one is of a client that leaves all of them out
        ids = b"|".join(b"%d" % row for row in rows[:n])
        tiny.runs[run].file = re.sub(rb"\n0,\d+,(%s),[^\n]*" % ids, b"", tiny.runs[run].file)
    _, task, rejections = fetched_from(models=4, flows=4, draw="runs", seed=1)
    assert (task.n_rows, task.n_positive) == (16, 7)
    detail = "2 of 4 rows whose class is missing are not predicted, others are"
    assert [(r.run_id, r.reason, r.detail) for r in rejections] == [("1", Reason.ROWS_INCOMPLETE, detail)]


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


@pytest.mark.parametrize(("counts", "auroc"), [((2.0, 1.0), 0.7), ((1.0, 2.0), 0.4)])
def test_an_engine_that_has_the_classes_in_reverse_is_known_by_their_counts(counts, auroc):
    target = Target(("no", "yes"), np.array([0, 0, 1]))
    listed = Evaluation("1", "1", "1", "flow", "1", "2015", auroc=0.55, per_class=(0.4, 0.7))
    described = Run("1", "1", "1", "flow", "1", "", "file", class_counts=counts)
    assert recorded_auroc(listed, described, target, positive=1) == auroc


@pytest.mark.parametrize("gone", [[1], [2], [1, 2]])
def test_a_data_set_whose_arff_is_not_found_is_read_from_its_parquet_file(store, fetched, capsys, gone):
    """Some, or all, as in August 2025 (openml/OpenML#1232); a fetch done again asks for nothing."""
    world = world_from_store(store)
    for data in world.data_sets.values():
        rows = data.file.decode().partition("@data\n")[2].splitlines()
        labels = pd.Categorical([row.split(",")[1].strip("'") for row in rows], categories=("no", "yes sir"))
        pd.DataFrame({"class": labels}).to_parquet(buffer := io.BytesIO())
        data.parquet = buffer.getvalue()
    with OpenMLServer(world) as server:
        clean, n = store_bytes(fetched(server, "clean")), len(server.paths)
        assert not [path for path in server.paths if "/datasets/" in path]
        for number in gone:
            world.data_sets[number].file_status = 404
        assert store_bytes(fetched(server)) == clean
        assert capsys.readouterr().err.count("the classes are from") == len(gone)
        assert len([path for path in server.paths[n:] if "/data/v1/download/" in path]) == 2
        n = len(server.paths)
        assert store_bytes(fetched(server)) == clean
        assert len(server.paths) == n
