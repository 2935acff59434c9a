"""`make test-slurm`: through Slurm, with a job killed, the quick study has the tables of a local run."""

import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from aucstudy.commands.verify import link_checkout
from slurm.one_node import CPUS, install, one_node, wait_until

SNAKEMAKE = [sys.executable, "-m", "snakemake"]
STUDY = ["--configfile", "config.yaml", "studies/quick.yaml"]
# This target needs the tables and nothing after them.
LOCAL = ["results/quick/SHA256SUMS", "--cores", "2", "--quiet", "all"]
# The status of jobs comes from squeue, because this Slurm has no accounting.
SLURM = [
    "--workflow-profile", "profiles/slurm", "--jobs", str(CPUS), "--latency-wait", "10",
    "--default-resources", "runtime=15 * attempt", "mem_mb=1000 * attempt", "slurm_partition=debug",
    "--slurm-no-account", "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "3",
]  # fmt: skip
# In squeue a single job has a name like rule_fetch_wildcards_0. A job of a group has the names of the group
# and of its rules, like rule_measure_measure_conventions_measure_noise.
KILLED = "rule_measure_"
AT_ONCE = 2  # jobs at the same time; a job of a group asks for four of the eight cores
FEWEST_JOBS = 9


def main() -> None:
    """Run the study locally and through Slurm, and compare the tables."""
    install()
    # A SIGTERM becomes SystemExit, so that whatever was started is ended, too.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    with tempfile.TemporaryDirectory(prefix="aucstudy-slurm-") as temporary:
        here, there, node = (Path(temporary) / name for name in ("local", "slurm", "node"))
        for folder in (here, there):
            folder.mkdir()
            link_checkout(folder)
        node.mkdir()
        subprocess.run([*SNAKEMAKE, *LOCAL, *STUDY], cwd=here, check=True)
        with one_node(node) as environment:
            killed, said = run_with_a_kill(there, environment)
            jobs = squeue(environment)
        expected, made = tables(here), tables(there)
    ended = next(job.state for job in jobs if job.job_id == killed.job_id)
    # The study was finished all the same, so the killed job was sent again.
    check(ended != "COMPLETED", f"job {killed.job_id} ({killed.name}) was killed, and is {ended}:\n{said}")
    check(len(jobs) > FEWEST_JOBS, f"{len(jobs)} jobs; expected: more than {FEWEST_JOBS}")
    check(most_at_once(jobs) >= AT_ONCE, f"{most_at_once(jobs)} jobs at once; expected: {AT_ONCE}")
    failed = [job.name for job in jobs if job.state != "COMPLETED" and job.job_id != killed.job_id]
    check(not failed, f"jobs failed that were not killed: {', '.join(failed)}")
    different = sorted(name for name in expected.keys() | made.keys() if expected.get(name) != made.get(name))
    check(bool(expected) and not different, f"other tables than the local run: {', '.join(different)}")
    print(
        f"test-slurm: {len(expected)} tables byte for byte as in the local run; {len(jobs)} jobs, "
        f"{most_at_once(jobs)} at once; {killed.name} was killed and sent again"
    )


class Job(NamedTuple):
    """The facts that squeue prints of a job."""

    job_id: str
    state: str
    start: str
    end: str
    name: str


def run_with_a_kill(folder: Path, environment: dict[str, str]) -> tuple[Job, str]:
    """Run the study through Slurm and kill its first measuring job. Return that job and Snakemake's log."""
    log = folder / "snakemake.log"
    with log.open("w") as stream:
        study = subprocess.Popen(
            [*SNAKEMAKE, *SLURM, *STUDY], cwd=folder, env=environment, stdout=stream, stderr=subprocess.STDOUT
        )
    try:
        measuring: list[Job] = []

        def at_work() -> bool:
            running = (job for job in squeue(environment) if job.state == "RUNNING")
            measuring.extend(job for job in running if KILLED in job.name)
            return bool(measuring)

        wait_until(at_work, lambda: study.poll() is None, "the study")
        killed = measuring[0]
        subprocess.run(["scancel", "--signal=KILL", "--full", killed.job_id], env=environment, check=True)
        code = study.wait()
    finally:
        if study.poll() is None:
            study.terminate()
            study.wait()
    said = log.read_text()
    check(code == 0, f"the study through Slurm ended with {code}:\n{said}")
    return killed, said


def squeue(environment: dict[str, str]) -> list[Job]:
    """Return all jobs, also ended ones. The name is the comment, in which the plugin writes the rule."""
    command = ["squeue", "--all", "--states=all", "--noheader", "--format=%i %T %S %e %k"]
    output = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    return [Job(*line.split(maxsplit=4)) for line in output.splitlines()]


def most_at_once(jobs: Sequence[Job]) -> int:
    """Return the largest number of jobs at the same time. Slurm's times can be compared as text."""
    return max(sum(job.start <= moment.start < job.end for job in jobs) for moment in jobs)


def tables(folder: Path) -> dict[str, bytes]:
    """Return the bytes of the tables of the quick study by name."""
    return {path.name: path.read_bytes() for path in (folder / "results/quick/tables").glob("*.csv")}


def check(holds: bool, otherwise: str) -> None:
    """Exit with one line and exit code 1 if `holds` is false."""
    if not holds:
        sys.exit(f"test-slurm: {otherwise}")


if __name__ == "__main__":
    main()
