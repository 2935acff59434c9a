"""What the benchmarks share: whole studies of made tasks, what a process takes, and the options of a command."""

import argparse
import os
import resource
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
    """Seconds of the clock and of the processor."""

    seconds: float
    cpu_seconds: float


def timed(command: Sequence[str], **options: object) -> Cost:
    """What one run of a command takes, with the options of `subprocess.run`."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **options)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def options(description: str) -> argparse.ArgumentParser:
    """A parser with `--out`, where tables are written."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=OUT, help="folder to write into")
    return parser


def options_of_tasks(description: str, fewest: int, tasks: int) -> argparse.ArgumentParser:
    """A parser with `--tasks`, at least the fewest and by default so many, `--models` and `--out`."""
    parser = options(description)
    number, models = whole_number(fewest, 100_000, "the number of tasks"), whole_number(2, 500, "the models")
    parser.add_argument("--tasks", type=number, default=tasks, help=f"how many tasks (default: {tasks})")
    parser.add_argument("--models", type=models, default=MODELS, help=f"runs of a task (default: {MODELS})")
    return parser


def options_of_studies(description: str, sizes: Sequence[int]) -> argparse.ArgumentParser:
    """A parser with the numbers of tasks, by default these sizes, `--cores` and `--out`."""
    parser = options(description)
    number, cores = whole_number(2, 100_000, "the number of tasks"), whole_number(1, 10_000, "the cores")
    parser.add_argument("tasks", type=number, nargs="*" if sizes else "+", default=sizes, help="one run each")
    parser.add_argument("--cores", type=cores, default=os.cpu_count(), help="to use (default: all)")
    return parser


def study_of(name: str, n_models: int, **overlay: object) -> dict[str, object]:
    """What a study overlays on config.yaml. Its server answers to nobody: a fetch would fail at once."""
    return {
        "study": name,
        "source": "openml",
        "models_per_task": n_models,
        "min_flows": n_models,
        "openml": {"server": "http://localhost:9/api/v1/xml", "retries": 0},
        **overlay,
    }


def make_study(data: Path, study: dict[str, object], n_tasks: int, **shape: float) -> None:
    """Fill the folder of a study's data: its task store and its overlay."""
    # younger than the code, and unknown to Snakemake: it takes the batch for up to date
    make_store(data / "fetched" / "0", n_tasks, study["models_per_task"], **shape)
    (data / "study.yaml").write_text(yaml.safe_dump(study))


def run_made(data: Path, cores: int) -> None:
    """Run the study that `make_study` made; a CalledProcessError where it fails."""
    command = [sys.executable, "-m", "aucstudy", "run", str(data / "study.yaml"), "--cores", str(cores)]
    subprocess.run(command, cwd=REPOSITORY, check=True)
