"""What is measured in batches is gathered in the order of the store, and damage to a measured file is told."""

import pandas as pd
import pytest
from openml_server.stores import make_store

from aucstudy.errors import InputError
from aucstudy.experiments.contract import experiments
from aucstudy.stages.measuring import gather, measure
from aucstudy.store.task_store import predictions_path

TASKS = {"b": 40, "a": 60, "c": 50}


def measure_tasks(store, task_ids, folder):
    measure(experiments()["decomposition"], store, task_ids, folder, settings={"of_task": {}}, seed=1)


@pytest.fixture
def measured(tmp_path):
    """A store and the folders of two batches of the decomposition."""
    make_store(tmp_path / "store", TASKS, flows=4)
    folders = []
    for batch, task_ids in enumerate((["c"], ["b", "a"])):
        folders.append(tmp_path / "measured" / str(batch))
        measure_tasks(tmp_path / "store", task_ids, folders[-1])
    return folders


def made(tmp_path, folders):
    experiment = experiments()["decomposition"]
    tables = {name: tmp_path / f"{name}.csv" for name in experiment.tables}
    gather(experiment, tmp_path / "store", folders, tables, settings={}, seed=1)
    return {name: path.read_bytes() for name, path in tables.items()}


def test_batches_are_gathered_in_the_order_of_the_store_whatever_their_own(tmp_path, measured):
    assert made(tmp_path, measured) == made(tmp_path, measured[::-1])
    tasks = pd.read_csv(tmp_path / "decomposition_tasks.csv")["task_id"]
    assert list(dict.fromkeys(tasks)) == ["a", "b", "c"]


def test_a_flipped_bit_in_a_measured_file_is_told_in_one_line(tmp_path, measured):
    path = measured[1] / "decomposition_tasks.parquet"
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(
        InputError, match=r"decomposition_tasks.parquet: not a readable Parquet file .*; delete .*measured/1"
    ) as told:
        made(tmp_path, measured)
    assert "\n" not in str(told.value)


def test_a_batch_that_fails_leaves_no_folder(tmp_path, measured):
    folder = tmp_path / "measured" / "2"
    predictions_path(tmp_path / "store", "b").write_bytes(b"")
    with pytest.raises(InputError, match=r"b\.parquet: not a readable"):
        measure_tasks(tmp_path / "store", ["a", "b"], folder)
    assert not list((tmp_path / "measured").glob("*2*"))
