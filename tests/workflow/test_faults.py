"""After a kill, damage or a full disk, the next run makes the same tables or names the file in one line."""

import os
import random
import signal
import subprocess
import time
from contextlib import suppress

import psutil
import pytest
from clones import Clone
from killed import kill, killed

from aucstudy.store.files import write_whole
from aucstudy.store.task_store import predictions_path
from aucstudy.verify import check_tables

pytestmark = pytest.mark.whole
RUN = ("aucstudy", "run", "faults.yaml", "--cores", "1")


def with_one_experiment(clone):
    """Write `faults.yaml`, the tiny study with one experiment, to the clone and return the clone."""
    clone.with_experiments("faults", "thresholds", batches={"fetch": 1, "measure": 2})
    return clone


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Return the tables of an undisturbed run and the number of files that it writes."""
    made = with_one_experiment(Clone(tmp_path_factory.mktemp("undisturbed")))
    made.run(*RUN)
    return made.tables(), n_files(made)


def n_files(study):
    """Return the number of files that a run has written so far, which shows how far it is."""
    # `os.walk` passes over a folder that a job renames or deletes meanwhile. `rglob` would raise.
    walked = (walk for name in ("data", "results/tiny") for walk in os.walk(study.folder / name))
    return sum(len(files) for _, _, files in walked)


@pytest.mark.parametrize("whom", ["job", "Snakemake", "group"])
def test_a_study_in_which_a_process_was_killed_ends_with_the_same_tables(undisturbed, fresh, whom):
    tables, whole = undisturbed
    study = with_one_experiment(fresh)
    dice = random.Random(whom)
    far = dice.randrange(whole)
    process = subprocess.Popen(
        study.command(*RUN), cwd=study.folder, env=study.environment, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while process.poll() is None:
        # A process may end between two looks.
        with suppress(psutil.NoSuchProcess):
            below = psutil.Process(process.pid).children(recursive=True)
            # The first child is Snakemake, and the processes that it starts are jobs.
            processes = below[1:] if whom == "job" else below[:1]
            if processes and n_files(study) >= far:
                if whom == "group":
                    os.killpg(process.pid, signal.SIGKILL)
                    os.killpg(below[0].pid, signal.SIGKILL)
                else:
                    dice.choice(processes).kill()
                break
        time.sleep(0.02)
    process.wait()
    study.run(*RUN)
    assert study.tables() == tables


def test_what_a_job_left_that_was_killed_in_the_middle_of_a_table_is_removed(undisturbed, fresh):
    study = with_one_experiment(fresh)
    folder = study.folder / "results/tiny/tables"
    killed(lambda: write_whole(folder / "thresholds.csv", kill))
    assert len(list(folder.iterdir())) == 1
    study.run(*RUN)
    assert study.tables() == undisturbed[0]
    check_tables(study.folder / "results/tiny")


@pytest.mark.parametrize("damage", [lambda body: body[:100], lambda body: bytes(reversed(body))])
def test_a_damaged_prediction_file_is_told_in_one_line(undisturbed, fresh, damage):
    study = with_one_experiment(fresh)
    study.snakemake("data/tiny/tasks.csv", study=fresh.folder / "faults.yaml")
    damaged = predictions_path(fresh.folder / "data/tiny", "wine")
    damaged.write_bytes(damage(damaged.read_bytes()))
    done = study.run(*RUN, check=False)
    assert done.returncode == 1
    told = {line for line in done.stdout.splitlines() if line.startswith("aucstudy: ")}
    assert len(told) == 1, "every job that reads the file tells the same line"
    assert "wine.parquet: is not the file that" in told.pop()
    assert "Traceback" not in done.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount the small disk")
def test_a_study_on_a_full_disk_fails_and_goes_on_once_there_is_room(undisturbed, tmp_path):
    tables, _ = undisturbed
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", disk], check=True)
    try:
        study = with_one_experiment(Clone(disk))
        (disk / "filling").write_bytes(bytes(free(disk) - 300_000))
        done = study.run(*RUN, check=False)
        assert done.returncode
        assert "No space left on device" in done.stdout
        (disk / "filling").unlink()
        study.run(*RUN)
        assert study.tables() == tables
    finally:
        subprocess.run(["umount", disk], check=True)


def free(folder):
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize
