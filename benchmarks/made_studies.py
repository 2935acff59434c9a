"""What the benchmarks share: studies of made-up tasks, the costs of a process, and command options."""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import yaml
from made_store import make_store

from aucstudy.commands.arguments import whole_number
from aucstudy.config import REPOSITORY

OUT = REPOSITORY / "results" / "benchmarks"
MODELS = 30


class Cost(NamedTuple):
    """The seconds of the clock and of the processor of one run of a command, and its peak of memory."""

    seconds: float
    cpu_seconds: float
    peak_mb: float


def timed(command: Sequence[str | Path], **options: object) -> Cost:
    """Run a command and return what it costs; raise a RuntimeError if it fails.

    `options` are those of `subprocess.Popen`.
    """
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(process.pid, 0)
    seconds, process.returncode = time.perf_counter() - start, os.waitstatus_to_exitcode(status)
    if status:
        raise RuntimeError(f"exit code {process.returncode}: {command}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def options(description: str) -> argparse.ArgumentParser:
    """Return a parser with `--out`, the folder to write tables into."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=OUT, help="folder to write into")
    return parser


def options_of_tasks(description: str, fewest: int, tasks: int) -> argparse.ArgumentParser:
    """Return a parser with `--tasks`, `--models` and `--out`.

    `--tasks` is at least `fewest`, and `tasks` by default.
    """
    parser = options(description)
    number, models = whole_number(fewest, 100_000, "the number of tasks"), whole_number(2, 500, "the models")
    parser.add_argument("--tasks", type=number, default=tasks, help=f"how many tasks (default: {tasks})")
    parser.add_argument("--models", type=models, default=MODELS, help=f"runs of a task (default: {MODELS})")
    return parser


def options_of_studies(description: str, sizes: Sequence[int]) -> argparse.ArgumentParser:
    """Return a parser with the numbers of tasks, by default `sizes`, and with `--cores` and `--out`."""
    parser = options(description)
    number, cores = whole_number(2, 100_000, "the number of tasks"), whole_number(1, 10_000, "the cores")
    parser.add_argument("tasks", type=number, nargs="*" if sizes else "+", default=sizes, help="one run each")
    parser.add_argument("--cores", type=cores, default=os.cpu_count(), help="to use (default: all)")
    return parser


def study_of(name: str, n_models: int, **overlay: object) -> dict[str, object]:
    """Return what a study changes in config.yaml.

    Nobody answers at its server, so that a fetch would fail at once.
    """
    return {
        "study": name,
        "source": "openml",
        "models_per_task": n_models,
        "min_flows": n_models,
        "openml": {"server": "http://localhost:9/api/v1/xml", "retries": 0},
        **overlay,
    }


def make_study(data: Path, study: dict[str, object], n_tasks: int, **shape: float) -> None:
    """Fill the folder of a study's data with its task store and its settings."""
    # The store is younger than the code and unknown to Snakemake, which takes the batch for up to date.
    make_store(data / "fetched" / "0", n_tasks, study["models_per_task"], **shape)
    (data / "study.yaml").write_text(yaml.safe_dump(study))


def run_made(data: Path, cores: int) -> None:
    """Run the study that `make_study` made; raise a CalledProcessError if it fails."""
    command = [sys.executable, "-m", "aucstudy", "run", str(data / "study.yaml"), "--cores", str(cores)]
    subprocess.run(command, cwd=REPOSITORY, check=True)
