"""Running a study: Snakemake on the repository's workflow, then Snakemake's own report."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aucstudy.config import REPOSITORY, load_config
from aucstudy.errors import InputError


def run_study(study: Path | None = None, *, cores: int | None = None) -> int:
    """Run a study from fetching to the report.

    Parameters
    ----------
    study : a file of studies/ that overlays config.yaml; None for the default study.
    cores : how many cores to use, None for all.

    Returns
    -------
    0 when all is made, and the path of the report was printed; 1 when a job failed and has said why.

    Raises
    ------
    InputError
        The configuration is wrong, another run is at work here, or this is no checkout of the repository.
    """
    if not (REPOSITORY / "Snakefile").exists():
        raise InputError(f"{REPOSITORY}: no Snakefile here; a study runs from a checkout of the repository")
    config = load_config(*([study] if study else []))
    overlay = ["--configfile", "config.yaml", str(study.resolve())] if study else []
    report = Path("results") / config["study"] / "report.html"
    with _alone() as unlock:
        if unlock:
            _snakemake("--unlock", "--quiet", "all", *overlay)
        wanted = ["--cores", str(cores or "all"), "--quiet", "rules", "reason", "host"]
        if _snakemake(*wanted, *overlay) or _snakemake("--report", str(report), *overlay):
            return 1
    print(f"report: {report}")
    return 0


def _snakemake(*arguments: str) -> int:
    command = [sys.executable, "-m", "snakemake", *arguments]
    code = subprocess.run(command, cwd=REPOSITORY, check=False).returncode
    if code < 0:
        raise InputError(f"Snakemake was ended by signal {-code}; run the same command to go on")
    return code


@contextmanager
def _alone() -> Iterator[bool]:
    """Hold the repository for one run; yields True if the last run was killed and left Snakemake's own lock.

    The lock of the operating system goes with the process, however it ends, so a lock of Snakemake's that is there
    when ours can be had is a left-over.
    """
    (REPOSITORY / ".snakemake").mkdir(exist_ok=True)
    with (REPOSITORY / ".snakemake" / "aucstudy.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputError(f"{REPOSITORY}: another study is running here; wait for it") from None
        lock.seek(0)
        killed = bool(lock.read())
        lock.write(str(os.getpid()))
        lock.flush()
        yield killed
        lock.truncate(0)  # not reached where Snakemake was killed or interrupted: the mark stays
