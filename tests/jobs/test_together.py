"""A job of several experiments computes what a change touches; where one of them fails, the others go on."""

import logging
import re

import pandas as pd
import pytest
from openml_server.stores import make_store

from aucstudy.errors import InputError
from aucstudy.experiments.contract import experiments
from aucstudy.jobs import together
from aucstudy.jobs.job import Attempts, job
from aucstudy.jobs.together import Folders, Run, draw_together, gather_together, measure_together
from aucstudy.store.measured import read_frames, read_indexes, write_index

TASKS = {"a": 60, "b": 40, "c": 50}
# multiverse reads the frames of conventions
NAMES = ("conventions", "decomposition", "multiverse")
RUNS = {name: Run("code", {"of_task": {}}, 1) for name in NAMES}
GATHERED = {name: Run("code", {"over_all": {}}, 1) for name in ("conventions", "decomposition")}


@pytest.fixture
def study(tmp_path):
    folders = Folders(tmp_path / "data/made", tmp_path / "results/tables", tmp_path / "results/figures")
    make_store(folders.data, TASKS, flows=4)
    return folders


@pytest.fixture
def measure(study, caplog):
    """Measures tasks; gives where their frames are, and of how many tasks each experiment measured them now."""
    caplog.set_level(logging.INFO, "aucstudy")

    def measure(runs=RUNS, tasks=tuple(TASKS), **options):
        caplog.clear()
        measured = measure_together(experiments(), runs, study.data, tasks, Attempts("log"), **options)
        now = re.findall(r"(\w+): measured (\d+) of", caplog.text)
        return measured, {name: int(number) for name, number in now}

    return measure


def frames(measured):
    """What was measured of each task, by experiment and frame, wherever it is kept."""
    return {
        (name, task_id, key): frame[frame["task_id"] == task_id].to_csv(index=False)
        for name, tasks in measured.items()
        for task_id, (folder, _) in tasks.items()
        for key, frame in read_frames(folder).items()
    }


def test_what_is_kept_is_not_measured_again_whatever_the_batches_and_the_order(measure):
    measured, now = measure()
    assert now == dict.fromkeys(NAMES, 3)
    again, now = measure()
    assert (again, now) == (measured, dict.fromkeys(NAMES, 0))
    assert measure(tasks=("c", "a"), backwards=True)[1] == dict.fromkeys(NAMES, 0)


def test_jobs_that_take_the_experiments_backwards_measure_the_same(measure, study, tmp_path):
    measured, _ = measure(backwards=True)
    backwards = frames(measured)
    for name in NAMES:
        together.forget_frames(study.data / "measured" / name, ())
    assert frames(measure()[0]) == backwards


def test_an_added_task_alone_is_measured(measure, study):
    measured, _ = measure()
    make_store(study.data, {**TASKS, "d": 30}, flows=4)
    more, now = measure(tasks=(*TASKS, "d"))
    assert now == dict.fromkeys(NAMES, 1)
    assert {name: {**tasks, "d": more[name]["d"]} for name, tasks in measured.items()} == more


def test_a_task_with_other_predictions_alone_is_measured_again(measure, study):
    measure()
    make_store(study.data, {**TASKS, "c": 54}, flows=4)
    assert measure()[1] == dict.fromkeys(NAMES, 1)


@pytest.mark.parametrize(
    ("changed", "measured_again"),
    [("decomposition", {"decomposition"}), ("conventions", {"conventions", "multiverse"})],
)
def test_an_experiment_of_other_code_alone_is_measured_again_and_what_reads_it(
    measure, changed, measured_again
):
    measure()
    now = measure(RUNS | {changed: Run("other code", {"of_task": {}}, 1)})[1]
    assert {name for name, number in now.items() if number} == measured_again


def test_another_seed_and_another_version_of_a_library_measure_anew(measure, study, monkeypatch):
    measure()
    attempts = Attempts("log")
    runs = {name: run._replace(seed=2) for name, run in RUNS.items()}
    other_seed = measure_together(experiments(), runs, study.data, list(TASKS), attempts)
    assert not set(other_seed["conventions"].values()) & set(measure()[0]["conventions"].values())
    monkeypatch.setattr(together, "_libraries", lambda: {"numpy": "0"})
    assert measure()[1] == dict.fromkeys(NAMES, 3)


@pytest.mark.parametrize("damage", [b"", None])
@pytest.mark.parametrize("name", ["decomposition_tasks.parquet", "keys.json", "frames.txt"])
def test_what_is_kept_and_damaged_is_measured_again(measure, damage, name):
    measured, _ = measure()
    before = frames(measured)
    path = measured["decomposition"]["a"].folder / name
    path.unlink() if damage is None else path.write_bytes(damage)
    again, now = measure()
    assert now["decomposition"] == 3
    assert frames(again) == before


def test_an_index_says_where_frames_are_and_a_damaged_one_is_named(measure, study, tmp_path):
    measured, _ = measure()
    path = study.data / "measured" / "predictions.0.json"
    write_index(measured, path)
    assert read_indexes([path]) == measured
    path.write_bytes(path.read_bytes().replace(b'"a"', b'"A"'))
    with pytest.raises(InputError, match=r"predictions.0.json: cannot be read .*; delete it and run"):
        read_indexes([path])


def gathered(study, measured, caplog, runs=GATHERED):
    caplog.clear()
    gather_together(experiments(), runs, study, measured, Attempts("log"))
    return dict(re.findall(r"(\w+): tables (\w+)", caplog.text))


def test_tables_of_what_changed_are_made_and_the_others_kept(measure, study, caplog):
    measured, _ = measure()
    assert set(gathered(study, measured, caplog).values()) == {"made"}
    before = {path.name: path.read_bytes() for path in study.tables.iterdir()}
    for path in study.tables.iterdir():
        path.unlink()
    assert set(gathered(study, measured, caplog).values()) == {"kept"}
    assert {path.name: path.read_bytes() for path in study.tables.iterdir()} == before
    other = GATHERED | {"conventions": Run("other code", {"over_all": {}}, 1)}
    assert gathered(study, measured, caplog, other) == {"conventions": "made", "decomposition": "kept"}
    kept = study.data / "gathered" / "decomposition" / "decomposition.csv"
    kept.write_bytes(kept.read_bytes() + b"x")
    assert gathered(study, measured, caplog, other) == {"conventions": "kept", "decomposition": "made"}
    assert {path.name: path.read_bytes() for path in study.tables.iterdir()} == before


def test_frames_that_no_table_is_made_of_are_removed(measure, study, caplog):
    old, _ = measure()
    new, _ = measure(RUNS | {"decomposition": Run("other code", {"of_task": {}}, 1)})
    gathered(study, new, caplog)
    assert not old["decomposition"]["a"].folder.exists()
    assert new["decomposition"]["a"].folder.exists()
    assert old["conventions"]["a"].folder.exists()


def test_figures_are_drawn_again_where_their_tables_or_code_changed(measure, study, caplog):
    measured, _ = measure()
    gathered(study, measured, caplog)

    def drawn(code="code"):
        caplog.clear()
        runs = {"decomposition": Run(code, {"decomposition_steps": {}}, 1)}
        draw_together(experiments(), runs, study, Attempts("log"))
        return re.findall(r"figures (\w+)", caplog.text)

    assert [*drawn(), *drawn(), *drawn("other"), *drawn("other")] == ["drawn", "kept", "drawn", "kept"]
    table = study.tables / "decomposition.csv"
    rows = pd.read_csv(table)
    rows.assign(estimate=rows["estimate"] / 2).to_csv(table, index=False)
    assert drawn("other") == ["drawn"]


@pytest.fixture
def broken(monkeypatch):
    """The conventions fail, with a fault of the code."""
    room = experiments()["conventions"].load()
    monkeypatch.setattr(room, "of_task", lambda task, *, seed: 1 // 0)


def test_where_an_experiment_fails_the_others_go_on_and_what_reads_it_is_left_out(
    broken, study, tmp_path, capsys
):
    def work():
        with job(tmp_path / "job.log", tmp_path / "failed") as attempts:
            measured.update(measure_together(experiments(), RUNS, study.data, list(TASKS), attempts))

    measured = {}
    with pytest.raises(SystemExit) as ended:
        work()
    assert ended.value.code not in (0, 1)
    assert set(measured) == {"decomposition"}
    line = f"ZeroDivisionError: integer division or modulo by zero (traceback in {tmp_path / 'job.log'})"
    assert capsys.readouterr().err == f"aucstudy: experiment conventions: {line}\n"
    assert {path.name: path.read_text() for path in (tmp_path / "failed").iterdir()} == {
        "conventions.txt": line
    }
    assert "Traceback" in (tmp_path / "job.log").read_text()


@pytest.mark.parametrize("fault", [InputError("a.csv: is empty"), MemoryError()])
def test_bad_input_and_too_little_memory_end_the_job(study, fault, monkeypatch):
    def of_task(task, *, seed):
        raise fault

    monkeypatch.setattr(experiments()["conventions"].load(), "of_task", of_task)
    with pytest.raises(type(fault)):
        measure_together(experiments(), RUNS, study.data, list(TASKS), Attempts("log"))
