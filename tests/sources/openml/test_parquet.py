"""A data set whose ARFF file is not found: its classes out of the Parquet file, if that fits what else is known."""

import io

import numpy as np
import pandas as pd
import pytest
from openml_server import Faults, OpenMLServer, world_from_store
from openml_server.stores import make_store, store_bytes

from aucstudy.errors import InputError
from aucstudy.sources.openml.predictions import Unusable, read_parquet_target
from aucstudy.store.rejections import Reason, read_rejections
from aucstudy.store.task_store import read_tasks

CLASSES = ("no", "yes sir")


def parquet_file(target, name: str = "class") -> bytes:
    buffer = io.BytesIO()
    pd.DataFrame({"x": range(len(target)), name: target}).to_parquet(buffer)
    return buffer.getvalue()


@pytest.fixture
def world(tmp_path):
    """Four tasks of four flows; each data set has a Parquet file beside its ARFF file."""
    make_store(tmp_path / "made", {"a": 20, "b": 30, "c": 40, "d": 50})
    made = world_from_store(tmp_path / "made")
    for data in made.data_sets.values():
        rows = data.file.decode().partition("@data\n")[2].splitlines()
        labels = [row.partition(",")[2].strip("'") for row in rows]
        data.parquet = parquet_file(pd.Categorical(labels, categories=CLASSES))
    return made


@pytest.fixture
def clean(world, fetched):
    with OpenMLServer(world) as server:
        made = store_bytes(fetched(server, "clean"))
    assert not [path for path in server.log.paths if "/datasets/" in path]
    return made


@pytest.mark.parametrize("gone", [[1], [2, 4], [1, 2, 3, 4]])
def test_a_data_set_whose_arff_is_not_found_is_read_from_its_parquet_file(
    world, fetched, clean, capsys, gone
):
    """Some, or all, as in August 2025 (openml/OpenML#1232); a fetch done again asks for nothing."""
    for number in gone:
        world.data_sets[number].file_status = 404
    with OpenMLServer(world) as server:
        assert store_bytes(fetched(server)) == clean
        notes = [line for line in capsys.readouterr().err.splitlines() if "the classes are from" in line]
        assert len(notes) == len(gone)
        n = len(server.log.paths)
        assert len([path for path in server.log.paths if "/data/v1/download/" in path]) == 4
        assert store_bytes(fetched(server)) == clean
        assert len(server.log.paths) == n


@pytest.mark.parametrize("fault", ["nginx_503", "connection_closed"])
def test_an_arff_file_without_an_answer_is_waited_for(world, fetched, clean, fault):
    with OpenMLServer(world, Faults((fault,), where="/data/v1/download/1/", times=99)) as server:
        with pytest.raises(InputError, match="tasks that wait for an answer: 1, "):
            fetched(server, retries=1)
        assert not [path for path in server.log.paths if "/datasets/" in path]
        server.faults = Faults()
        assert store_bytes(fetched(server)) == clean


def test_a_parquet_file_without_an_answer_is_waited_for(world, fetched, clean):
    world.data_sets[1].file_status = 404
    with OpenMLServer(world, Faults(("nginx_503",), where="/datasets/", times=99)) as server:
        with pytest.raises(
            InputError, match=r"tasks that wait for an answer: 1, .*/datasets/0000/0000/dataset_1.pq"
        ):
            fetched(server, retries=1)
        server.faults = Faults()
        assert store_bytes(fetched(server)) == clean


UNFIT = {
    "not there": (b"", "status 403"),
    "no Parquet file": (b"<html>Page Not Found</html>", "no whole Parquet file"),
    "other rows": (parquet_file(["no", "yes sir"] * 9), "18 rows, the server lists 20"),
    "another class": (parquet_file(["no", "maybe"] * 10), "the target holds 'maybe'"),
    "without the target": (parquet_file(["no"] * 20, "klass"), "no column 'class' that can be read"),
}


@pytest.mark.parametrize("what", UNFIT)
def test_a_parquet_file_that_does_not_fit_leaves_the_task_out_with_both_reasons(world, fetched, what):
    world.data_sets[1].file_status, (world.data_sets[1].parquet, fault) = 404, UNFIT[what]
    with OpenMLServer(world) as server:
        folder = fetched(server)
    (rejection,) = read_rejections(folder / "rejections.csv")
    assert (rejection.task_id, rejection.reason) == ("1", Reason.TRUTH_UNAVAILABLE)
    assert "status 404 for the data set" in rejection.detail
    assert fault in rejection.detail
    assert read_tasks(folder)["task_id"].tolist() == ["2", "3", "4"]


@pytest.mark.parametrize(
    ("column", "classes", "wanted"),
    [
        (pd.Categorical(["b", "a", "a"], categories=["b", "z", "a"]), ["a", "b", "z"], ("b", "z", "a")),
        (["b", "a", "a"], ["a", "b", "z"], ("a", "b", "z")),
        ([True, False, False], ["FALSE", "TRUE"], ("FALSE", "TRUE")),
        ([1, 0, 0], ["0", "1"], ("0", "1")),
        ([1.0, 0.0, 0.0], ["1", "0"], ("1", "0")),
        ([2, 10, 10], ["10", "2"], ("10", "2")),
    ],
)
def test_a_target_of_any_kind_is_read_by_the_names_of_its_classes(column, classes, wanted):
    target = read_parquet_target(parquet_file(column), "class", classes, 3)
    assert target.classes == wanted
    first, other = (target.classes[code] for code in target.codes[:2])
    assert [first, other, other] == [target.classes[code] for code in target.codes]
    assert {first.lower(), other.lower()} <= {str(value).lower().removesuffix(".0") for value in column}
    assert first.lower() == str(column[0]).lower().removesuffix(".0")


def test_a_missing_class_is_missing_and_rows_without_one_are_counted():
    target = read_parquet_target(parquet_file(["b", None, "a"]), "class", ["a", "b"], 3)
    assert target.codes.tolist() == [1, -1, 0]
    assert target.counts.tolist() == [1, 1]
    with pytest.raises(Unusable, match="no column 'class' that can be read"):
        read_parquet_target(b"PAR1" + b"x" * 20 + b"PAR1", "class", ["a", "b"])
    assert np.array_equal(
        read_parquet_target(parquet_file(["a"] * 4), "class", ["a", "b"]).codes, np.zeros(4)
    )
