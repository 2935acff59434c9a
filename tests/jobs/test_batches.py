"""Batches hold every task once, weigh about the same, and follow from the tasks alone."""

import numpy as np
import pytest

from aucstudy.errors import InputError
from aucstudy.jobs.batches import TaskSize, batches, job_needs, predicted_seconds, task_sizes
from aucstudy.store.files import digest_path

SIZES = [TaskSize(f"t{i}", rows) for i, rows in enumerate((700, 50_000, 90, 4_000, 700, 12_000))]


@pytest.mark.parametrize("wanted", [None, 1, 2, 7, 50])
@pytest.mark.parametrize("n_tasks", [1, 2, 5, 40])
def test_every_task_is_in_one_batch_and_no_batch_is_empty(n_tasks, wanted):
    rows = (10 ** np.random.default_rng(n_tasks).uniform(0, 6, n_tasks)).astype(int).tolist()
    sizes = [TaskSize(f"t{i}", n) for i, n in enumerate(rows)]
    cut = batches(sizes, 30, 100, wanted)
    assert sorted(task for batch in cut for task in batch) == sorted(size.task_id for size in sizes)
    assert all(cut)


def test_tasks_keep_their_order_inside_a_batch():
    assert batches(SIZES, 30, 10, n_batches=1) == [[size.task_id for size in SIZES]]


def test_the_longest_batch_is_no_longer_than_the_longest_task_where_that_rules():
    cut = batches(SIZES, 30, 10, n_batches=3)
    assert ["t1"] in cut


@pytest.mark.parametrize("passes", [1, 1e4, 1e6])
def test_as_many_jobs_as_a_minute_each_asks_for(passes):
    seconds = sum(predicted_seconds(size.n_rows, 30, passes) for size in SIZES)
    assert len(batches(SIZES, 30, passes)) == min(len(SIZES), max(1, -int(-seconds // 60)))


def test_tasks_of_one_class_are_not_measured(tmp_path):
    path = tmp_path / "tasks.csv"
    path.write_text("task_id,n_rows,n_positive\na,10,3\nb,10,0\nc,10,10\n")
    assert task_sizes(path) == [TaskSize("a", 10)]


@pytest.mark.parametrize(
    "body", [b"\xff", b"task_id,n_rows,n_positive\na,10\n", b"task_id,n_rows,n_positive\na,1o,3\n"]
)
def test_damaged_tasks_are_told_in_one_line_that_names_the_file(tmp_path, body):
    path = tmp_path / "tasks.csv"
    path.write_bytes(body)
    with pytest.raises(InputError, match=r"tasks\.csv: not a readable table of tasks"):
        task_sizes(path)
    digest_path(path).write_text("0" * 64)
    with pytest.raises(InputError, match=r"tasks\.csv: .* \(its bytes are not those"):
        task_sizes(path)


def test_a_job_asks_for_the_time_of_all_its_tasks_the_memory_of_the_largest_and_twice_both_when_tried_again():
    small, large, both = (job_needs(sizes, 30, 1e4) for sizes in (SIZES[:1], SIZES[1:2], SIZES[:2]))
    assert small.minutes < large.minutes <= both.minutes
    assert small.megabytes < large.megabytes == both.megabytes
    assert job_needs(SIZES[:2], 30, 1e4, attempt=2) == (2 * both.minutes, 2 * both.megabytes)
