"""The test server answers as the real server software was recorded to: status, headers that matter, shape."""

import gzip
import http.client
import xml.etree.ElementTree as ET

import openml
import pytest
from openml_server import Engine, OpenMLServer, world_from_store

OML = "{http://openml.org/openml}"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """The small store, with a private file and one that is gone."""
    from openml_server.stores import make_store

    folder = tmp_path_factory.mktemp("served")
    make_store(folder, {"small": 30})
    world = world_from_store(folder)
    world.runs[3].file_status, world.runs[4].file_status = 403, 404
    world.runs[1].engines.append(Engine(2, "area_under_roc_curve", "0.5", "[0.5,0.5]"))
    world.data_sets[1].tags = ["study_1"]
    with OpenMLServer(world) as started:
        yield started


def ask(server, path: str, encoding: str = "gzip") -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("GET", path, headers={"Accept-Encoding": encoding})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, response.headers, body


@pytest.mark.parametrize(
    ("path", "code", "message"),
    [
        ("task/list/type/1/number_classes/999/limit/10/offset/0", 482, "No results"),
        ("task/list/colour/red", 480, "Illegal filter specified"),
        ("run/list", 510, "Please provide at least task, flow or setup, uploader or run, to filter results."),
        ("run/list/limit/10001/offset/0/task/1", 516, "Requested result limit too high."),
        ("run/list/limit/10000/offset/10000/task/1", 512, "No results"),
        ("evaluation/list/function/area_under_roc_curve/limit/9/offset/0/task/99", 542, "No results"),
        ("run/999999", 236, "Run not found"),
        ("task/999999", 151, "Unknown task"),
        ("flow/999999", 181, "Unknown flow"),
        ("data/999999", 111, "Unknown dataset"),
        ("data/features/999999", 271, "Unknown dataset"),
    ],
)
def test_an_error_has_status_412_and_its_code(server, path, code, message):
    status, headers, body = ask(server, f"/api/v1/xml/{path}")
    root = ET.fromstring(body)
    assert (status, root.findtext(f"{OML}code"), root.findtext(f"{OML}message").strip()) == (
        412,
        str(code),
        message,
    )
    assert headers["Content-Type"] == "text/xml; charset=utf-8"
    assert headers["Content-Encoding"] is None


def test_an_unknown_address_is_a_page_with_the_status_of_success(server):
    status, headers, body = ask(server, "/api/v2/xml/task/1", "identity")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=UTF-8")
    assert b"Page Not Found" in body


def test_a_file_is_sent_in_chunks_where_it_is_compressed_and_with_its_length_where_not(server):
    status, headers, body = ask(server, "/data/download/1001/whatever.arff")
    assert (status, headers["Transfer-Encoding"], headers["Content-Length"]) == (200, "chunked", None)
    plain_status, plain, text = ask(server, "/data/download/1001/whatever.arff", "identity")
    assert (plain_status, plain["Content-Length"], plain["Content-Encoding"]) == (200, str(len(text)), None)
    assert gzip.decompress(body) == text
    assert plain["Content-Type"] == "text/plain;charset=UTF-8"


@pytest.mark.parametrize(("file", "status"), [(1003, 403), (1004, 404), (77, 404)])
def test_a_file_that_cannot_be_had_is_a_page(server, file, status):
    answered, headers, _ = ask(server, f"/data/download/{file}/x.arff")
    assert (answered, headers["Content-Type"]) == (status, "text/html; charset=UTF-8")


def test_a_run_evaluated_by_two_engines_stands_twice_in_the_lists(server):
    for path in ("run/list/run/1", "evaluation/list/function/area_under_roc_curve/run/1"):
        _, _, body = ask(server, f"/api/v1/xml/{path}", "identity")
        assert len(ET.fromstring(body)) == 2


def test_the_client_itself_reads_every_kind_of_answer(server, monkeypatch, tmp_path):
    monkeypatch.setattr(openml.config, "server", server.url)
    monkeypatch.setattr(openml.config, "_root_cache_directory", tmp_path)
    monkeypatch.setenv("OPENML_SKIP_PARQUET", "true")
    tasks = openml.tasks.list_tasks(
        task_type=openml.tasks.TaskType.SUPERVISED_CLASSIFICATION, number_classes=2, output_format="dataframe"
    )
    assert tasks["estimation_procedure"].tolist() == ["10-fold Crossvalidation"]
    task = openml.tasks.get_task(
        1,
        download_splits=False,
        download_data=True,
        download_qualities=True,
        download_features_meta_data=True,
    )
    assert task.class_labels == ["no", "yes sir"]
    data, *_ = task.get_dataset().get_data()
    assert data.shape == (30, 2)
    assert openml.runs.get_run(2).flow_name == "flow1(1)"
    assert len(openml.runs.get_run(2).predictions) == 30
    assert openml.flows.get_flow(101).name == "flow1"
    listed = openml.evaluations.list_evaluations(
        "area_under_roc_curve", tasks=[1], size=None, output_format="dataframe"
    )
    assert len(listed) == 4
    assert len(openml.runs.list_runs(task=[1], output_format="dataframe")) == 4
