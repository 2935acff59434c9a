"""The batch of a task follows from its id, and the file of a batch changes with the tasks in it."""

import pytest
from openml_server.stores import make_store

from aucstudy.errors import InputError
from aucstudy.store.batches import batch_of, read_batch, write_batches
from aucstudy.store.task_store import predictions_path

TASKS = dict.fromkeys("abcdefgh", 30)


def batches(store, n_batches=3):
    folder = store / "batches"
    write_batches(store, n_batches, folder)
    return {path.stem: path.read_bytes() for path in folder.iterdir()}


def test_every_task_is_in_the_one_batch_of_its_id(tmp_path):
    make_store(tmp_path, TASKS, flows=2)
    made = batches(tmp_path)
    read = [
        (task, int(number))
        for number in made
        for task in read_batch(tmp_path / "batches" / f"{number}.csv")["task_id"]
    ]
    assert sorted(read) == [(task, batch_of(task, 3)) for task in sorted(TASKS)]


def test_a_batch_without_tasks_has_a_file_without_rows(tmp_path):
    make_store(tmp_path, {"a": 30}, flows=2)
    assert set(batches(tmp_path, 10)) == {str(number) for number in range(10)}
    n_tasks = {number: len(read_batch(tmp_path / "batches" / f"{number}.csv")) for number in range(10)}
    assert n_tasks == {**dict.fromkeys(range(10), 0), batch_of("a", 10): 1}


@pytest.mark.parametrize(("task", "rows"), [("i", 30), ("h", 40)], ids=["added", "of other predictions"])
def test_a_task_that_changes_changes_its_batch_alone(tmp_path, task, rows):
    make_store(tmp_path, TASKS, flows=2)
    before = batches(tmp_path)
    make_store(tmp_path, {**TASKS, task: rows}, flows=2)
    after = batches(tmp_path)
    changed = {number for number in after if after[number] != before.get(number)}
    assert changed == {str(batch_of(task, 3))}


def test_predictions_that_are_not_those_of_the_batch_are_refused(tmp_path):
    make_store(tmp_path, TASKS, flows=2)
    batches(tmp_path)
    path = predictions_path(tmp_path, "c")
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(InputError, match=r"c\.parquet: is not the file that .*\.csv names; delete"):
        read_batch(tmp_path / "batches" / f"{batch_of('c', 3)}.csv")
