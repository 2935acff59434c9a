"""The test server answers as the real server software was recorded to: status, headers that matter, shape."""

import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import openml
import pytest
import requests
from openml_server import Engine, OpenMLServer

from aucstudy.sources.openml.predictions import Unusable, read_predictions, read_target


@pytest.fixture
def server(tiny):
    """The small world, with a run that two engines evaluated."""
    tiny.runs[1].engines.append(Engine("area_under_roc_curve", "0.5", "[0.5,0.5]", 2))
    with OpenMLServer(tiny) as started:
        yield started


ERRORS = {
    "task/list/type/1/number_classes/999/limit/10/offset/0": "482 No results",
    "run/list/limit/10000/offset/10000/task/1": "512 No results",
    "evaluation/list/function/area_under_roc_curve/limit/9/offset/0/task/99": "542 No results",
    "run/999999": "236 Run not found",
    "task/999999": "151 Unknown task",
    "data/999999": "111 Unknown dataset",
    "data/features/999999": "271 Unknown dataset",
    "study/999999": "601 Unknown study",
}


@pytest.mark.parametrize("path", ERRORS)
def test_an_error_has_status_412_and_its_code(server, path):
    response = requests.get(f"{server.url}/{path}")
    code, message = (element.text.strip() for element in ET.fromstring(response.content))
    assert (response.status_code, f"{code} {message}") == (412, ERRORS[path])
    assert response.headers["Content-Type"] == "text/xml; charset=utf-8"


def test_the_client_itself_reads_every_kind_of_answer(server, monkeypatch, tmp_path):
    monkeypatch.setattr(openml.config, "server", server.url)
    monkeypatch.setattr(openml.config, "_root_cache_directory", tmp_path)
    monkeypatch.setenv("OPENML_SKIP_PARQUET", "true")
    kind = openml.tasks.TaskType.SUPERVISED_CLASSIFICATION
    tasks = openml.tasks.list_tasks(task_type=kind, number_classes=2, output_format="dataframe")
    assert tasks["estimation_procedure"].tolist() == ["10-fold Crossvalidation"]
    task = openml.tasks.get_task(1, download_splits=False, download_data=False)
    assert (task.dataset_id, task.target_name) == (1, "class")
    data_set = openml.datasets.get_dataset(1, download_data=True, download_qualities=False)
    assert data_set.features[1].nominal_values == ["no", "yes sir"]
    data, *_ = data_set.get_data()
    assert data.shape == (20, 2)
    # One row an engine: the package, too, counts a run that two engines evaluated once.
    assert len(openml.runs.list_runs(task=[1], output_format="dataframe")) == 5
    for path in ("run/list", "evaluation/list/function/area_under_roc_curve"):
        assert len(ET.fromstring(requests.get(f"{server.url}/{path}/limit/9/offset/0").content)) == 5 + 1


def test_runs_of_the_benchmarks_are_usable_or_missing_or_lack_rows(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[3] / "benchmarks")
    from fetch_server import made_world

    world = made_world(4, 20)
    targets = {i: read_target(data.file, "class") for i, data in world.data_sets.items()}
    sizes = [len(target.codes) for target in targets.values()]
    assert sizes == sorted(sizes, reverse=True)  # the largest task comes first
    run = world.runs[1]
    read = read_predictions(run.file, targets[1], positive=1)
    assert np.array_equal(run.keys.fold[np.argsort(run.keys.row_id)], read.fold)
    broken = [run for run in world.runs.values() if run.broken]
    assert {run.file_status for run in broken} == {200, 404}
    for run in broken:
        with pytest.raises(Unusable, match="rows_incomplete"):
            read_predictions(run.file, targets[run.task], positive=1)
