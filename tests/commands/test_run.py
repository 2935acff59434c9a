"""One run of a study at a time: the lock lives as long as the Snakemake that works under it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from aucstudy.commands import run
from aucstudy.errors import InputError

SOURCE = Path(__file__).parents[2] / "src"
# In place of Snakemake: says its process id in one pipe, then works until the other is opened for reading.
STAND_IN = """
import os, signal, sys
started, pipe = sys.argv[0] + ".started", sys.argv[0] + ".ended"
def end(number, frame):
    open(pipe, "w").write(f"signal {number}")
    sys.exit(1)
signal.signal(signal.SIGTERM, end)
open(started, "w").write(str(os.getpid()))
open(pipe, "w").write("done")
"""
PARENT = """
import sys
from pathlib import Path
from aucstudy.commands import run
run.REPOSITORY = Path(sys.argv[1])
with run._alone() as lock:
    run._snakemake(lock)
"""


@pytest.fixture
def parent(tmp_path):
    """A run in a process of its own, its Snakemake at work; the pipe in which that says how it ends."""
    (tmp_path / "snakemake.py").write_text(STAND_IN)
    started, pipe = tmp_path / "snakemake.py.started", tmp_path / "snakemake.py.ended"
    os.mkfifo(started)
    os.mkfifo(pipe)
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{SOURCE}"}
    child = subprocess.Popen(
        [sys.executable, "-c", PARENT, tmp_path], env=environment, stderr=subprocess.DEVNULL
    )
    child.worker = int(started.read_text())
    yield child, pipe
    child.kill()
    child.wait()


def locked():
    try:
        with run._alone():
            return False
    except InputError:
        return True


def test_the_lock_stays_with_snakemake_when_the_run_is_killed(parent, tmp_path, monkeypatch):
    child, pipe = parent
    monkeypatch.setattr(run, "REPOSITORY", tmp_path)
    assert locked()
    child.kill()
    child.wait()
    assert locked()
    worker = os.pidfd_open(child.worker) if hasattr(os, "pidfd_open") else None
    assert pipe.read_text() == "done"
    if worker is not None:  # readable when the process has ended
        import select

        select.select([worker], [], [])
        os.close(worker)
        assert not locked()


def test_a_request_to_end_is_passed_on_to_snakemake(parent):
    child, pipe = parent
    child.send_signal(signal.SIGTERM)
    assert pipe.read_text() == f"signal {int(signal.SIGTERM)}"
    assert child.wait() == 0


def test_a_checkout_that_cannot_be_written_is_one_line(tmp_path, monkeypatch):
    (tmp_path / ".snakemake").write_text("no folder")
    monkeypatch.setattr(run, "REPOSITORY", tmp_path)
    with pytest.raises(
        InputError, match=r"aucstudy\.lock: cannot be written \(File exists\); a study runs in"
    ):
        run._alone().__enter__()
