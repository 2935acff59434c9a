"""What is measured in batches is gathered in the order of the store, and damage to a measured file is told."""

import pandas as pd
import pytest
from openml_server.stores import make_store

from aucstudy.errors import InputError
from aucstudy.experiments.contract import experiments
from aucstudy.figures import charts
from aucstudy.figures import noise as drawings
from aucstudy.figures.charts import why_not_drawn
from aucstudy.jobs.measuring import gather, measure
from aucstudy.jobs.together import draw
from aucstudy.store.measured import write_frames
from aucstudy.store.task_store import predictions_path

TASKS = {"b": 40, "a": 60, "c": 50}


def measure_tasks(store, task_ids, folder):
    frames = measure(experiments()["decomposition"], store, task_ids, settings={}, seed=1)
    write_frames(frames, folder)


@pytest.fixture
def measured(tmp_path):
    """A store, and the folder of each task's frames of the decomposition, in two batches."""
    make_store(tmp_path / "store", TASKS, flows=4)
    folders = {}
    for batch, task_ids in enumerate((["c"], ["b", "a"])):
        folder = tmp_path / "measured" / "decomposition" / str(batch)
        measure_tasks(tmp_path / "store", task_ids, folder)
        folders |= dict.fromkeys(task_ids, folder)
    return folders


def made(tmp_path, folders):
    experiment = experiments()["decomposition"]
    tables = {name: tmp_path / f"{name}.csv" for name in experiment.tables}
    gather(experiment, tmp_path / "store", folders, tables, settings={}, seed=1)
    return {name: path.read_bytes() for name, path in tables.items()}


def test_batches_are_gathered_in_the_order_of_the_store_whatever_their_own(tmp_path, measured):
    assert made(tmp_path, measured) == made(tmp_path, dict(reversed(measured.items())))
    tasks = pd.read_csv(tmp_path / "decomposition_tasks.csv")["task_id"]
    assert list(dict.fromkeys(tasks)) == ["a", "b", "c"]


def test_frames_that_a_folder_has_of_other_tasks_are_left(tmp_path, measured):
    made(tmp_path, {task_id: measured[task_id] for task_id in ("a", "c")})
    assert list(pd.read_csv(tmp_path / "decomposition_tasks.csv")["task_id"].unique()) == ["a", "c"]


def test_a_flipped_bit_in_a_measured_file_is_told_in_one_line(tmp_path, measured):
    path = measured["a"] / "decomposition_tasks.parquet"
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(
        InputError,
        match=r"decomposition_tasks.parquet: not a readable Parquet file .*; delete .*measured/\*.json",
    ) as told:
        made(tmp_path, measured)
    assert "\n" not in str(told.value)


def test_a_batch_that_fails_leaves_no_folder(tmp_path, measured):
    folder = tmp_path / "measured" / "decomposition" / "2"
    predictions_path(tmp_path / "store", "b").write_bytes(b"")
    with pytest.raises(InputError, match=r"b\.parquet: not a readable"):
        measure_tasks(tmp_path / "store", ["a", "b"], folder)
    assert not list(folder.parent.glob("*2*"))


@pytest.mark.parametrize(
    ("rows", "drawn", "why"),
    [
        pytest.param([], None, "in no task do random halves of the test rows hold both classes", id="no row"),
        pytest.param([{"top": 1}], lambda study: study.rows("noise", top=3), "noise.csv has no row with 3",
                     id="no row of a kind"),
        pytest.param([{"top": 1}], lambda study: charts.panels(height=1)[0], "", id="rows"),
    ],
)  # fmt: skip
def test_a_figure_without_rows_says_why(tmp_path, monkeypatch, rows, drawn, why):
    """By the page of its experiment where a table has no row, else by the rows that it lacks."""
    noise = experiments()["noise"]
    for name, table in noise.tables.items():
        frame = pd.DataFrame(rows, columns=list(table.columns))
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    files = {kind: str(tmp_path / f"noise_halves.{kind}") for kind in ("png", "svg")}
    monkeypatch.setattr(drawings, "noise_halves", drawn)
    draw(experiments(), noise, tmp_path, tmp_path, {"noise_halves": files}, settings={"noise_halves": {}})
    assert why_not_drawn(files["png"]) == why
    assert why in (tmp_path / "noise_halves.svg").read_text()
