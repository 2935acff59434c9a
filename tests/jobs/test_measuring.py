"""Batches of measured tasks are gathered in the order of the store, and a damaged file is reported."""

import pandas as pd
import pytest
from openml_server.stores import make_store

from aucstudy.errors import InputError
from aucstudy.experiments.contract import experiments
from aucstudy.figures import charts
from aucstudy.figures import noise as drawings
from aucstudy.figures.charts import why_not_drawn
from aucstudy.jobs.measuring import draw, make_tables, measure
from aucstudy.store.batches import write_batches
from aucstudy.store.measured import write_frames

TASKS = {"b": 40, "a": 60, "c": 50}
OF_TASK = {"settings": {"of_task": {}}, "seed": 1}
OVER_ALL = {"by_task": {}, "over_all": {}}


@pytest.fixture
def store(tmp_path):
    make_store(tmp_path / "store", TASKS, flows=4)
    write_batches(tmp_path / "store", 2, tmp_path / "store/batches")
    return tmp_path / "store"


def measured_by(name, store, frames_of=()):
    """Measure an experiment in each batch, and return the folders of its frames, one for each batch."""
    folders = []
    for batch in sorted((store / "batches").iterdir()):
        folder = store / "measured" / name / batch.stem
        others = [store / "measured" / other / batch.stem for other in frames_of]
        write_frames(measure(experiments()[name], batch, frames_of=others, **OF_TASK), folder)
        folders.append(folder)
    return folders


def made(name, store, folders):
    tables = store.parent / "tables"
    part = tables / "estimates.csv"
    tables.mkdir(exist_ok=True)
    make_tables(
        experiments()[name],
        store,
        folders,
        tables,
        settings=OVER_ALL,
        seed=1,
        weight="source",
        estimates=part,
    )
    return {path.name: path.read_bytes() for path in tables.iterdir()}


def test_batches_are_gathered_in_the_order_of_the_store_whatever_their_own(store):
    folders = measured_by("conventions", store)
    assert len(folders) == 2
    tables = made("conventions", store, folders)
    assert made("conventions", store, reversed(folders)) == tables
    tasks = pd.read_csv(store.parent / "tables/conventions_tasks.csv")["task_id"]
    assert list(dict.fromkeys(tasks)) == ["a", "b", "c"]


def test_an_experiment_gets_the_frames_of_the_same_task_that_another_measured(store, monkeypatch):
    measured_by("conventions", store)
    seen = {}

    def of_task(task, *, seed):
        seen[task.task_id] = {key: set(frame["task_id"]) for key, frame in task.frames.items()}
        return {}

    monkeypatch.setattr(experiments()["multiverse"].load(), "of_task", of_task)
    measured_by("multiverse", store, frames_of=["conventions"])
    assert set(seen) == set(TASKS)
    assert all(frames and set.union(*frames.values()) <= {task} for task, frames in seen.items())


def test_tasks_are_measured_that_the_experiment_chooses_of_all(store, monkeypatch):
    module = experiments()["decomposition"].load()
    monkeypatch.setattr(module, "choose", lambda tasks, *, seed: list(tasks["task_id"])[1:], raising=False)
    settings = {"of_task": {}, "choose": {}}
    frames = [
        measure(experiments()["decomposition"], batch, settings=settings, seed=1)
        for batch in (store / "batches").iterdir()
    ]
    tasks = {task for batch in frames for frame in batch.values() for task in frame["task_id"]}
    assert tasks == {"b", "c"}


def test_a_flipped_bit_in_a_measured_file_is_told_in_one_line(store):
    folders = measured_by("decomposition", store)
    path = folders[0] / "decomposition_tasks.parquet"
    damaged = bytearray(path.read_bytes())
    damaged[60] ^= 1  # This byte is in the first page.
    path.write_bytes(damaged)
    with pytest.raises(
        InputError,
        match=r"decomposition_tasks.parquet: not a readable Parquet file .*; delete .*decomposition/. and",
    ) as told:
        made("decomposition", store, folders)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("rows", "drawn", "why"),
    [
        pytest.param([], None, "in every random split of every task, at least one half lacks a class", id="no row"),
        pytest.param([{"top": 1}], lambda study: study.rows("noise_tasks", top=3), "noise_tasks.csv has no row with 3",
                     id="no row of a kind"),
        pytest.param([{"top": 1}], lambda study: charts.panels(height=1)[0], "", id="rows"),
    ],
)  # fmt: skip
def test_a_figure_without_rows_says_why(tmp_path, monkeypatch, rows, drawn, why):
    """If a table has no row, the experiment says why; otherwise the missing rows are named."""
    noise = experiments()["noise"]
    for name, table in noise.tables.items():
        frame = pd.DataFrame(rows, columns=list(table.columns))
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    monkeypatch.setattr(drawings, "noise_halves", drawn)
    draw(noise, experiments(), tmp_path, tmp_path, tmp_path, settings={"noise_halves": {}}, weight="source")
    assert why_not_drawn(tmp_path / "noise_halves.png") == why
    assert why in (tmp_path / "noise_halves.svg").read_text()
