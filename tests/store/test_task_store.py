"""The task store gives back what was written, and refuses what a store may not hold."""

import numpy as np
import pytest

from aucstudy.errors import InputError
from aucstudy.store.files import write_whole
from aucstudy.store.rejections import Reason, Rejection, Stage, read_rejections, write_rejections
from aucstudy.store.task_store import (
    Predictions,
    describe_scores,
    merge_stores,
    predictions_path,
    read_predictions,
    read_runs,
    read_tasks,
    write_predictions,
    write_store,
)


def predictions(task_id="t1", n=6, **changes):
    facts = {
        "task_id": task_id,
        "row_id": np.arange(n),
        "repeat": np.zeros(n, dtype=int),
        "fold": np.arange(n) % 2,
        "y_true": np.arange(n) % 3 == 0,
        "scores": np.asfortranarray(np.linspace(0, 1, 2 * n).reshape(n, 2)),
        "run_ids": (f"{task_id}.a", f"{task_id}.b"),
    }
    return Predictions(**{**facts, **changes})


def task_row(task_id):
    return {"task_id": task_id, "dataset_id": "007", "dataset_name": "x", "n_rows": 6, "prevalence": 1 / 3}


def fill(folder, task_id):
    write_predictions(folder, predictions(task_id), task_row(task_id))
    runs = [{"task_id": task_id, "run_id": f"{task_id}.{name}", "flow_name": name} for name in "ab"]
    rejection = Rejection(task_id, "r", Stage.FETCH, Reason.FIT_FAILED, "a\nb")
    write_store(folder, [task_row(task_id)], runs, [rejection])


def test_predictions_come_back_as_they_were_written(tmp_path):
    written = predictions()
    write_predictions(tmp_path, written, task_row("t1"))
    read = read_predictions(tmp_path, "t1")
    assert read.run_ids == written.run_ids
    for name in ("row_id", "repeat", "fold", "y_true", "scores"):
        np.testing.assert_array_equal(getattr(read, name), getattr(written, name))
    assert read.folds.tolist() == [0, 1, 0, 1, 0, 1]


def test_a_fold_of_another_repeat_is_another_fold():
    again = predictions(repeat=np.array([0, 0, 0, 1, 1, 1]))
    assert again.folds.tolist() == [0, 1, 0, 3, 2, 3]


def test_each_reason_against_a_run_has_its_own_row(tmp_path):
    reasons = (Reason.COLUMNS_MISSING, Reason.FILE_BROKEN)
    rejections = [Rejection("t1", "r", Stage.READ, reason) for reason in reasons]
    write_rejections(tmp_path / "rejections.csv", [*rejections, *rejections])
    assert read_rejections(tmp_path / "rejections.csv") == rejections


def test_ids_stay_text_and_a_rejection_is_one_line(tmp_path):
    fill(tmp_path, "t1")
    assert read_tasks(tmp_path)["dataset_id"].tolist() == ["007"]
    assert read_runs(tmp_path)["flow_id"].tolist() == ["", ""]
    rejection = Rejection("t1", "r", Stage.FETCH, Reason.FIT_FAILED, "a b")
    assert read_rejections(tmp_path / "rejections.csv") == [rejection]


def test_batches_are_merged_in_the_order_of_their_tasks_and_a_task_fetched_twice_is_refused(tmp_path):
    fill(tmp_path / "0", "t2")
    fill(tmp_path / "1", "t1")
    merge_stores([tmp_path / "0", tmp_path / "1"], tmp_path / "merged")
    assert read_tasks(tmp_path / "merged")["task_id"].tolist() == ["t1", "t2"]
    assert read_predictions(tmp_path / "merged", "t2").run_ids == ("t2.a", "t2.b")
    fill(tmp_path / "2", "t1")
    with pytest.raises(InputError, match="task t1 was fetched by two batches"):
        merge_stores([tmp_path / "1", tmp_path / "2"], tmp_path / "merged")


def test_no_task_left_says_each_reason_once(tmp_path):
    faults = [(Reason.TRUTH_UNAVAILABLE, f"no file {i} " + "of the data set " * 40) for i in range(9)]
    faults.append((Reason.TOO_FEW_FLOWS, "3 of 30"))
    rejections = [Rejection(f"t{i}", "", Stage.SELECT, *fault) for i, fault in enumerate(faults)]
    write_store(tmp_path / "0", [], [], rejections)
    message = r"no task is left .*t0 and 8 more: truth_unavailable no file 0 .*; t9: too_few_flows 3 of 30"
    with pytest.raises(InputError, match=message) as caught:
        merge_stores([tmp_path / "0"], tmp_path / "merged")
    assert len(str(caught.value).removeprefix(str(tmp_path))) < 250


@pytest.mark.parametrize("damage", ["cut", "text", "gone"])
def test_a_damaged_file_is_named_with_what_to_do(tmp_path, damage):
    write_predictions(tmp_path, predictions(), task_row("t1"))
    path = predictions_path(tmp_path, "t1")
    body = path.read_bytes()
    path.unlink()
    if damage != "gone":
        path.write_bytes(body[: len(body) // 2] if damage == "cut" else b"no parquet")
    message = r"t1\.parquet: .*; delete the study's folders predictions and fetched"
    with pytest.raises(InputError, match=message):
        read_predictions(tmp_path, "t1")


ONE_NAN = np.where(np.arange(12).reshape(6, 2) == 7, np.nan, 0.5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scores": ONE_NAN}, r"1 scores are NaN, the first of run t1\.b in row 3"),
        ({"row_id": np.array([0, 1, 2, 3, 4, 4])}, "row_id 4 is repeated in repeat 0"),
    ],
)
def test_nan_scores_and_repeated_rows_are_refused(tmp_path, changes, message):
    write_predictions(tmp_path, predictions(**changes), {})
    with pytest.raises(InputError, match=message):
        read_predictions(tmp_path, "t1")


def test_hard_scores_are_told_from_others():
    assert describe_scores(np.array([0.0, 1.0, 1.0])) == {"n_distinct_scores": 2, "hard": True}
    assert describe_scores(np.array([0.0, 0.5])) == {"n_distinct_scores": 2, "hard": False}


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")

    def full_disk(temporary):
        temporary.write_text("ne")
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match=r"table\.csv: cannot be written \(No space left on device\)"):
        write_whole(path, full_disk)
    assert [entry.name for entry in tmp_path.iterdir()] == ["table.csv"]
    assert path.read_text() == "old"
