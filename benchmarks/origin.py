"""Where a measurement comes from: the commit of the code, and the processor that ran it."""

import platform
import subprocess
from functools import cache
from pathlib import Path

import pandas as pd

from aucstudy.config import REPOSITORY
from aucstudy.store.tables import write_table

CPU = Path("/proc/cpuinfo")
COLUMNS = ("commit", "processor")


def write_measured(table: pd.DataFrame, path: Path) -> None:
    """Write a table of measurements, with the columns of `origin` after its own."""
    write_table(table.assign(**origin()), path)


@cache
def origin() -> dict[str, str]:
    """Return the commit and the processor of this run.

    The commit ends in `-dirty` if files of the working copy differ from it. Files in results/ do not count,
    because benchmarks write there.
    """
    commit = _git("rev-parse", "--short=8", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ":/", ":/!results")
    return dict(zip(COLUMNS, (f"{commit}-dirty" if changed else commit, processor()), strict=True))


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def processor(cpu: Path = CPU) -> str:
    """Return the name of the processor, with its family and model where Linux tells them.

    Virtual machines shorten the name, and the family and model still tell generations apart.
    """
    if not cpu.exists():
        return platform.processor() or platform.machine()
    lines = [line.partition(":") for line in cpu.read_text(encoding="utf-8").splitlines()]
    facts = {key.strip(): value.strip() for key, _, value in reversed(lines)}
    if "model name" not in facts:
        return platform.machine()
    return f"{facts['model name']}, family {facts['cpu family']}, model {facts['model']}"
