"""A data set whose ARFF file is not found: its classes out of the Parquet file, if that fits what else is known."""

import io

import pandas as pd
import pytest
from openml_server import Faults, OpenMLServer, world_from_store
from openml_server.stores import store_bytes

from aucstudy.errors import InputError
from aucstudy.sources.openml.predictions import Unusable, read_parquet_target
from aucstudy.store.rejections import Reason, read_rejections
from aucstudy.store.task_store import read_tasks


def parquet_file(target, name: str = "class") -> bytes:
    buffer = io.BytesIO()
    pd.DataFrame({"x": range(len(target)), name: target}).to_parquet(buffer)
    return buffer.getvalue()


@pytest.fixture
def server(store):
    """Two tasks of four flows; each data set has a Parquet file beside its ARFF file."""
    world = world_from_store(store)
    for data in world.data_sets.values():
        rows = data.file.decode().partition("@data\n")[2].splitlines()
        labels = [row.partition(",")[2].strip("'") for row in rows]
        data.parquet = parquet_file(pd.Categorical(labels, categories=("no", "yes sir")))
    with OpenMLServer(world) as started:
        yield started


@pytest.fixture
def clean(server, fetched):
    made = store_bytes(fetched(server, "clean"))
    assert not [path for path in server.log.paths if "/datasets/" in path]
    return made


@pytest.mark.parametrize("gone", [[1], [2], [1, 2]])
def test_a_data_set_whose_arff_is_not_found_is_read_from_its_parquet_file(
    server, fetched, clean, capsys, gone
):
    """Some, or all, as in August 2025 (openml/OpenML#1232); a fetch done again asks for nothing."""
    for number in gone:
        server.world.data_sets[number].file_status = 404
    start = len(server.log.paths)
    assert store_bytes(fetched(server)) == clean
    notes = [line for line in capsys.readouterr().err.splitlines() if "the classes are from" in line]
    assert len(notes) == len(gone)
    n = len(server.log.paths)
    assert len([path for path in server.log.paths[start:] if "/data/v1/download/" in path]) == 2
    assert store_bytes(fetched(server)) == clean
    assert len(server.log.paths) == n


@pytest.mark.parametrize(
    ("fault", "where", "status"),
    [
        ("nginx_503", "/data/v1/download/1/", 200),
        ("connection_closed", "/data/v1/download/1/", 200),
        ("nginx_503", "/datasets/0000/0000/dataset_1.pq", 404),
    ],
)
def test_a_file_without_an_answer_is_waited_for(server, fetched, clean, fault, where, status):
    server.world.data_sets[1].file_status = status
    server.faults = Faults((fault,), where=where, times=99)
    with pytest.raises(InputError, match=f"tasks that wait for an answer: 1, .*{where}"):
        fetched(server, retries=1)
    assert status == 404 or not [path for path in server.log.paths if "/datasets/" in path]
    server.faults = Faults()
    assert store_bytes(fetched(server)) == clean


UNFIT = {
    "not there": (b"", "status 403"),
    "no Parquet file": (b"<html>Page Not Found</html>", "no whole Parquet file"),
    "damaged": (b"PAR1" + b"x" * 20 + b"PAR1", "no column 'class' that can be read"),
    "other rows": (parquet_file(["no", "yes sir"] * 9), "18 rows, the server lists 40"),
    "another class": (parquet_file(["no", "maybe"] * 20), "the target holds 'maybe'"),
    "without the target": (parquet_file(["no"] * 40, "klass"), "no column 'class' that can be read"),
}


@pytest.mark.parametrize("name", UNFIT)
def test_a_parquet_file_that_does_not_fit_leaves_the_task_out_with_both_reasons(server, fetched, name):
    data = server.world.data_sets[1]
    data.file_status, (data.parquet, fault) = 404, UNFIT[name]
    folder = fetched(server)
    (rejection,) = read_rejections(folder / "rejections.csv")
    assert (rejection.task_id, rejection.reason) == ("1", Reason.TRUTH_UNAVAILABLE)
    assert "status 404 for the data set" in rejection.detail
    assert fault in rejection.detail
    assert read_tasks(folder)["task_id"].tolist() == ["2"]


# a column of three rows, the classes of the description, those of the target, and the class of each row
COLUMNS = [
    (pd.Categorical(["b", "a", "a"], categories=["b", "z", "a"]), "abz", ("b", "z", "a"), "baa"),
    (["b", "a", "a"], "abz", ("a", "b", "z"), "baa"),
    ([True, False, False], ["FALSE", "TRUE"], ("FALSE", "TRUE"), ["TRUE", "FALSE", "FALSE"]),
    ([1, 0, 0], "01", ("0", "1"), "100"),
    ([1.0, 0.0, 0.0], "10", ("1", "0"), "100"),
    ([2, 10, 10], ["10", "2"], ("10", "2"), ["2", "10", "10"]),
    (["b", None, "a"], "ab", ("a", "b"), ["b", None, "a"]),
    (["a", "a", "a"], "ab", ("a", "b"), "aaa"),
]


@pytest.mark.parametrize(("column", "described", "classes", "rows"), COLUMNS)
def test_a_target_of_any_kind_is_read_by_the_names_of_its_classes(column, described, classes, rows):
    target = read_parquet_target(parquet_file(column), "class", list(described), 3)
    assert target.classes == classes
    assert [None if code < 0 else classes[code] for code in target.codes] == list(rows)
    assert target.counts.sum() == sum(row is not None for row in rows)
    with pytest.raises(Unusable, match="3 rows, the server lists 4"):
        read_parquet_target(parquet_file(column), "class", list(described), 4)
