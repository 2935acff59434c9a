"""The faults: each happens to a copy of the study, and the run after it is judged."""

import os
import random
import re
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil

from faults.study import MADE_OF, RUN, TABLES, FaultStudy, is_one_line

IDENTICAL, TOLD = "tables byte-identical", "one line names the file"
OUTCOMES = (IDENTICAL, TOLD, f"{TOLD}, then {IDENTICAL}")
Tables = dict[str, bytes]


def flip(body: bytearray, rng: random.Random) -> bytes:
    """The bytes with one bit turned."""
    body[rng.randrange(len(body))] ^= 1 << rng.randrange(8)
    return bytes(body)


def truncate(body: bytearray, rng: random.Random) -> bytes:
    """The bytes without some at the end."""
    return bytes(body[: rng.randrange(1, len(body))])


DAMAGE = {"flipped": flip, "truncated": truncate, "emptied": lambda body, rng: b"", "deleted": None}


def damaged(
    study: FaultStudy, tables: Tables, stage: str, how: str, rng: random.Random, name: str = "*"
) -> str:
    """Damage a random file of a finished study, of those of a name; what was made of its stage is made again."""
    paths = [path for path in study.files(stage) if path.match(name)]
    path = rng.choice([path for path in paths if how == "deleted" or path.stat().st_size > 1])
    study.forget_what_is_made_of(stage)
    if path.parent.name == "scored":
        (study.folder / "data/tiny/scores.parquet").unlink()
    names, before = study.names_of(path), path.stat()
    if DAMAGE[how] is None:
        path.unlink()
    else:
        path.write_bytes(DAMAGE[how](bytearray(path.read_bytes()), rng))
        # as rotten bits, which leave the time of a file alone
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    done = study.again(TABLES)
    if done.returncode == 0 and study.tables() == tables:
        return IDENTICAL
    if done.returncode and is_one_line(done.stdout, names):
        return TOLD
    return f"wrong after {path.relative_to(study.folder)}, exit code {done.returncode}:\n{done.stdout}"


def killed(study: FaultStudy, tables: Tables, whom: str, n_files: int, rng: random.Random) -> str:
    """Kill a job, Snakemake or all processes of a run once it has written a number of files; then run again."""
    n_files = rng.randrange(n_files)
    process = subprocess.Popen(
        study.command(*RUN), cwd=study.folder, env=study.environment, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while process.poll() is None:
        # a process may end between two looks
        with suppress(psutil.NoSuchProcess):
            below = psutil.Process(process.pid).children(recursive=True)
            # the first child is Snakemake, and what it starts are jobs
            wanted = below[1:] if whom == "job" else below[:1]
            if wanted and study.n_files() >= n_files:
                os.killpg(process.pid, signal.SIGKILL) if whom == "group" else rng.choice(wanted).kill()
                break
        time.sleep(0.02)
    process.wait()
    done = study.again()
    if done.returncode == 0 and study.tables() == tables:
        return IDENTICAL
    return f"wrong after {n_files} files, exit code {done.returncode}:\n{done.stdout}"


def full_disk(study: FaultStudy, tables: Tables, kilobytes: int, rng: random.Random) -> str:
    """Run on a disk with too little room, then with enough: the study lies on a disk in memory of its own."""
    kilobytes = rng.randrange(kilobytes)
    mounted = study.folder.with_name("disk")
    mounted.mkdir()
    used = sum(path.lstat().st_blocks for path in study.folder.rglob("*")) // 2
    # a file system counts whole pages
    mount("-t", "tmpfs", "-o", f"size={used + 512 + kilobytes}k", "tmpfs", mounted)
    try:
        small = study.copy(mounted / "study")
        done = small.again()
        lines = [line for line in done.stdout.splitlines() if line.startswith("aucstudy: ")]
        # a job names its file, or the run the folder whose disk has no room for Snakemake's records
        named = all(re.search(r"(data|results|disk)/\S+: ", line) for line in lines)
        # Snakemake has a traceback of its own where its report finds no room; then the run's line comes after it
        ours = re.search(r'File ".*(src/aucstudy|\.snakemake/scripts)/', done.stdout)
        if done.returncode and not (lines and named and not ours):
            return f"wrong with {kilobytes} kB left, exit code {done.returncode}:\n{done.stdout}"
        mount("-o", "remount,size=1g", mounted)
        done = small.again()
        if done.returncode or small.tables() != tables:
            return f"wrong once the disk had room again, exit code {done.returncode}:\n{done.stdout}"
        return f"{TOLD}, then {IDENTICAL}" if lines else IDENTICAL
    finally:
        subprocess.run(["umount", mounted], check=True)


def mount(*words: object) -> None:
    """Run mount."""
    subprocess.run(["mount", *map(str, words)], check=True, capture_output=True)


KINDS = {f"kill {whom}": partial(killed, whom=whom) for whom in ("job", "Snakemake", "group")}
KINDS |= {"full disk": full_disk}
KINDS |= {
    f"{stage} file {how}": partial(damaged, stage=stage, how=how) for how in DAMAGE for stage in MADE_OF
}
# Snakemake itself reads this one, to know how many jobs there are
KINDS |= {
    f"table of tasks {how}": partial(damaged, stage="store", how=how, name="tasks.csv") for how in DAMAGE
}


@dataclass(frozen=True)
class Undisturbed:
    """A study that was run to its end, its tables, and how many files and kilobytes it made."""

    study: FaultStudy
    tables: Tables
    n_files: int
    kilobytes: int

    @classmethod
    def run(cls, folder: Path) -> "Undisturbed":
        """Run the study in a new folder."""
        study = FaultStudy(folder)
        done = study.again()
        assert done.returncode == 0, done.stdout
        return cls(study, study.tables(), study.n_files(), study.kilobytes())

    def after(self, kind: str, folder: Path, rng: random.Random) -> str:
        """What comes of a fault in a copy of the study: one of `OUTCOMES`, or what went wrong."""
        folder.mkdir()
        study = self.study.copy(folder / "study")
        call = partial(KINDS[kind], study, self.tables, rng=rng)
        try:
            if kind.startswith("kill"):
                study.forget_all()
                return call(n_files=self.n_files)
            if kind == "full disk":
                study.forget_all()
                return call(kilobytes=self.kilobytes)
            return call()
        finally:
            shutil.rmtree(folder, ignore_errors=True)
