"""One run of a study at a time: the lock lives as long as the Snakemake that works under it."""

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aucstudy.commands import run
from aucstudy.errors import InputError

SOURCE = Path(__file__).parents[2] / "src"
# In place of Snakemake: says its process id, then works until its standard input is closed.
STAND_IN = """
import os, signal, sys
def end(number, frame):
    print("signal", int(number), flush=True)
    sys.exit(1)
signal.signal(signal.SIGTERM, end)
signal.signal(signal.SIGINT, end)
print(os.getpid(), flush=True)
sys.stdin.read()
"""
PARENT = """
import signal, sys
from pathlib import Path
from aucstudy.commands import run
signal.signal(signal.SIGINT, signal.default_int_handler)
folder = Path(sys.argv[1])
with run._alone(folder) as (lock, _):
    run.snakemake(folder, held=[lock])
"""


@pytest.fixture
def parent(tmp_path):
    """A run in a process of its own, with its Snakemake at work."""
    (tmp_path / "snakemake.py").write_text(STAND_IN)
    child = subprocess.Popen(
        [sys.executable, "-c", PARENT, tmp_path],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{SOURCE}"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        start_new_session=True,
    )  # fmt: skip
    assert int(child.stdout.readline()) != child.pid
    yield child
    child.kill()
    child.communicate()


def locked(folder):
    try:
        with run._alone(folder):
            return False
    except InputError:
        return True


def test_the_lock_stays_with_snakemake_when_the_run_is_killed(parent, tmp_path):
    parent.kill()
    parent.wait()
    assert locked(tmp_path)
    parent.communicate()  # returns when nothing writes any more: Snakemake has ended
    assert not locked(tmp_path)


def test_a_request_to_end_is_passed_on_to_snakemake(parent):
    parent.send_signal(signal.SIGTERM)
    assert parent.stdout.read() == f"signal {int(signal.SIGTERM)}\n"
    assert parent.wait() == 0


def test_an_interrupt_of_the_run_alone_is_passed_on_and_ends_it(parent):
    parent.send_signal(signal.SIGINT)
    assert parent.stdout.read() == f"signal {int(signal.SIGINT)}\n"
    assert parent.wait() == -signal.SIGINT  # what Python makes of KeyboardInterrupt


@pytest.mark.parametrize(("foreground", "passed_on"), [(True, False), (False, True)])
def test_an_interrupt_from_the_terminal_is_not_passed_on_a_second_time(monkeypatch, foreground, passed_on):
    sent = []
    monkeypatch.setattr(run, "_at_a_terminal", lambda: foreground)
    child = argparse.Namespace(send_signal=sent.append)
    monkeypatch.setattr(signal, "getsignal", lambda number: signal.default_int_handler)
    with run._passed_on_to(child) as came:
        signal.raise_signal(signal.SIGINT)
    assert came == {signal.SIGINT}
    assert sent == [signal.SIGINT] * passed_on


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path):
    (tmp_path / ".snakemake").write_text("no folder")
    with pytest.raises(
        InputError, match=r"aucstudy\.lock: cannot be written \(File exists\); a study runs in"
    ):
        run._alone(tmp_path).__enter__()


def test_a_run_that_failed_on_a_full_disk_says_so_in_one_line(tmp_path, monkeypatch):
    run.check_room(tmp_path)
    monkeypatch.setattr(run, "LEAST_ROOM", 1 << 80)
    with pytest.raises(InputError, match=rf"^{tmp_path}: the disk is full; make room"):
        run.check_room(tmp_path)


def test_a_store_dated_in_the_future_gets_the_time_of_now(tmp_path):
    store = tmp_path / "data/own"
    (store / "predictions").mkdir(parents=True)
    old, ahead = store / "old.csv", store / "predictions/ahead.parquet"
    for path, moved in ((old, -1000), (ahead, 1000)):
        path.touch()
        os.utime(path, (time.time() + moved,) * 2)
    before = old.stat().st_mtime
    run.make_usable(store)
    assert ahead.stat().st_mtime < time.time() + 1
    assert old.stat().st_mtime == before
    run.make_usable(tmp_path / "results/own")  # of a study that was not run yet


def test_a_file_that_another_job_renames_meanwhile_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "predictions").mkdir()
    temporary = tmp_path / "predictions" / ".glass.parquet"
    temporary.touch()
    # folders are looked at before what is in them
    monkeypatch.setattr(os, "access", lambda path, mode: temporary.unlink(missing_ok=True) is None)
    run.make_usable(tmp_path)
    assert not temporary.exists()


def test_a_results_folder_that_cannot_be_written_is_one_line(tmp_path, monkeypatch):
    tables = tmp_path / "results/own/tables"
    tables.mkdir(parents=True)
    # root may write everywhere
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tables)
    with pytest.raises(InputError, match=rf"^{tables}: a folder that the study can write is wanted"):
        run.make_usable(tmp_path / "results/own")
    (tmp_path / "data").touch()
    with pytest.raises(InputError, match="data: a folder that the study can write is wanted"):
        run.make_usable(tmp_path / "data/own")


def test_a_folder_with_braces_is_one_line(tmp_path):
    with pytest.raises(InputError, match=r"my\{first\}study: Snakemake cannot work in a folder with braces"):
        run.check_workflow(tmp_path / "my{first}study")


@pytest.fixture
def reporting(tmp_path, monkeypatch):
    """A finished study with a table, and runs of it: whether each made the report, `ends` being Snakemake's answer."""

    def run_again(ends=0):
        made = []

        def stand_in(folder, *arguments, held):
            if "--report" not in arguments:
                return 0
            made.append((tmp_path / arguments[arguments.index("--report") + 1]).write_text("<html>"))
            return ends

        monkeypatch.setattr(run, "snakemake", stand_in)
        options = {"study": tmp_path / "mine.yaml", "cores": 1, "directory": tmp_path}
        assert run.run(argparse.Namespace(**options)) == ends
        assert not list(tmp_path.glob("results/mine/.*"))
        return bool(made)

    (tmp_path / "mine.yaml").write_text("study: mine")
    (tmp_path / "results/mine/tables").mkdir(parents=True)
    (tmp_path / "results/mine/tables/tasks.csv").touch()
    return run_again


def test_a_report_is_made_where_none_is_and_not_again(reporting, tmp_path):
    assert reporting()
    assert not reporting()
    (tmp_path / "results/mine/report.html").unlink()
    assert reporting()


@pytest.mark.parametrize("shown", ["results/mine/tables/tasks.csv", "data/mine/captions/a.rst", "mine.yaml"])
def test_a_report_is_made_again_where_what_it_shows_is_newer(reporting, tmp_path, shown):
    reporting()
    path = tmp_path / shown
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("study: mine")
    os.utime(path, ns=((tmp_path / "results/mine/report.html").stat().st_mtime_ns + 1,) * 2)
    assert reporting()
    assert not reporting()


def test_half_a_report_is_removed_and_does_not_count(reporting, tmp_path):
    assert reporting(ends=1)
    assert not list(tmp_path.rglob("*.html"))
    # what a killed run was writing
    (tmp_path / "results/mine/.report.html").touch()
    assert reporting()
