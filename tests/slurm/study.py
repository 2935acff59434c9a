"""make test-slurm: the quick study through Slurm has the tables of a local run, though one of its jobs is killed."""

import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path

from aucstudy.commands.verify import link_checkout
from slurm.one_node import CPUS, install, one_node, wait_until

SNAKEMAKE = [sys.executable, "-m", "snakemake"]
STUDY = ["--configfile", "config.yaml", "studies/quick.yaml"]
# nothing but the tables
LOCAL = ["results/quick/SHA256SUMS", "--cores", "2", "--quiet", "all"]
# squeue: there is no accounting here
SLURM = [
    "--workflow-profile", "profiles/slurm", "--jobs", str(CPUS), "--latency-wait", "10",
    "--default-resources", "runtime=15", "mem_mb=1000", "slurm_partition=debug",
    "--slurm-no-account", "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "3",
]  # fmt: skip
KILLED = "measure_"
FEWEST_JOBS = 20


def main() -> None:
    """Run the study both ways and hold the tables against each other."""
    install()
    with tempfile.TemporaryDirectory(prefix="aucstudy-slurm-") as temporary:
        here, there, node = (Path(temporary) / name for name in ("local", "slurm", "node"))
        for folder in (here, there):
            folder.mkdir()
            link_checkout(folder)
        node.mkdir()
        subprocess.run([*SNAKEMAKE, *LOCAL, *STUDY], cwd=here, check=True)
        with one_node(node) as environment:
            killed, said = run_with_a_kill(there, environment)
            times = [job_times(line) for line in squeue(environment, "%S %e")]
        wanted, made = tables(here), tables(there)
    check("Trying to restart job" in said, f"job {killed} was killed and not sent again:\n{said}")
    check(len(times) > FEWEST_JOBS, f"{len(times)} jobs; wanted: more than {FEWEST_JOBS}")
    check(most_at_once(times) == CPUS, f"{most_at_once(times)} jobs at once; wanted: {CPUS}")
    different = sorted(name for name in wanted.keys() | made.keys() if wanted.get(name) != made.get(name))
    check(bool(wanted) and not different, f"other tables than the local run: {', '.join(different)}")
    print(
        f"test-slurm: {len(wanted)} tables byte for byte as in the local run; {len(times)} jobs, "
        f"{most_at_once(times)} at once; job {killed} was killed and sent again"
    )


def run_with_a_kill(folder: Path, environment: dict[str, str]) -> tuple[str, str]:
    """Run the study through Slurm and kill its first job that measures; that job's id, and what Snakemake said."""
    log = folder / "snakemake.log"
    with log.open("w") as stream:
        study = subprocess.Popen(
            [*SNAKEMAKE, *SLURM, *STUDY], cwd=folder, env=environment, stdout=stream, stderr=subprocess.STDOUT
        )
    try:
        measuring: list[str] = []

        def at_work() -> bool:
            lines = [line.split(maxsplit=2) for line in squeue(environment, "%i %T %k")]
            measuring.extend(job for job, state, name in lines if state == "RUNNING" and KILLED in name)
            return bool(measuring)

        wait_until(at_work, lambda: study.poll() is None, f"the study\n{log.read_text()}")
        subprocess.run(["scancel", "--signal=KILL", "--full", measuring[0]], env=environment, check=True)
        code = study.wait()
    finally:
        if study.poll() is None:
            study.terminate()
            study.wait()
    said = log.read_text()
    check(code == 0, f"the study through Slurm ended with {code}:\n{said}")
    return measuring[0], said


def squeue(environment: dict[str, str], form: str) -> list[str]:
    """A line for each job of any state."""
    command = ["squeue", "--all", "--states=all", "--noheader", f"--format={form}"]
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout.splitlines()


def job_times(line: str) -> tuple[datetime, datetime]:
    """When a job started and ended, of a line of squeue."""
    start, end = map(datetime.fromisoformat, line.split())
    return start, end


def most_at_once(times: list[tuple[datetime, datetime]]) -> int:
    """How many jobs were at work at the same time; the clock of Slurm has whole seconds."""
    return max(sum(start <= moment < end for start, end in times) for moment, _ in times)


def tables(folder: Path) -> dict[str, bytes]:
    """The tables of the quick study, by name."""
    return {path.name: path.read_bytes() for path in (folder / "results/quick/tables").glob("*.csv")}


def check(holds: bool, otherwise: str) -> None:
    """End with one line and exit code 1 where something does not hold."""
    if not holds:
        sys.exit(f"test-slurm: {otherwise}")


if __name__ == "__main__":
    main()
