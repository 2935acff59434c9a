"""The test server answers as the real server software was recorded to: status, headers that matter, shape."""

import gzip
import http.client
import xml.etree.ElementTree as ET

import openml
import pytest
from openml_server import Engine, OpenMLServer


@pytest.fixture
def server(tiny):
    """The small world, with a private file, one that is gone, and a run that two engines evaluated."""
    tiny.runs[3].file_status, tiny.runs[4].file_status = 403, 404
    tiny.runs[1].engines.append(Engine(2, "area_under_roc_curve", "0.5", "[0.5,0.5]"))
    with OpenMLServer(tiny) as started:
        yield started


def ask(server, path: str, encoding: str = "identity") -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", path, headers={"Accept-Encoding": encoding})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, response.headers, body


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
    status, headers, body = ask(server, f"/api/v1/xml/{path}", "gzip")
    code, message = (element.text.strip() for element in ET.fromstring(body))
    assert (status, f"{code} {message}") == (412, ERRORS[path])
    assert (headers["Content-Type"], headers["Content-Encoding"]) == ("text/xml; charset=utf-8", None)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/v2/xml/task/1", 200),
        *((f"/data/download/{i}/x.arff", s) for i, s in ((1003, 403), (1004, 404), (77, 404))),
    ],
)
def test_what_is_not_there_is_a_page(server, path, status):
    answered, headers, body = ask(server, path)
    assert (answered, headers["Content-Type"]) == (status, "text/html; charset=UTF-8")
    assert b"Page Not Found" in body


def test_a_file_is_sent_in_chunks_where_it_is_compressed_and_with_its_length_where_not(server):
    path = "/data/download/1001/whatever.arff"
    (status, headers, body), (plain_status, plain, text) = ask(server, path, "gzip"), ask(server, path)
    assert (status, headers["Transfer-Encoding"], headers["Content-Length"]) == (200, "chunked", None)
    assert (plain_status, plain["Content-Length"], plain["Content-Encoding"]) == (200, str(len(text)), None)
    assert gzip.decompress(body) == text
    assert plain["Content-Type"] == "text/plain;charset=UTF-8"


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
        assert len(ET.fromstring(ask(server, f"/api/v1/xml/{path}/limit/9/offset/0")[2])) == 5 + 1
