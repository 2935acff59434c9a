"""Clones of the working tree: one in which the tiny study was run, and fresh ones."""

import os
import shutil

import pytest
import yaml
from clones import Clone

# These are connected like the others and have tests of their own, and the studies of tests/fuzz run all of them. So
# Snakemake runs them only where whole studies run, as by `make test-all`. Of those that stay, `noise` measures tasks,
# `multiverse` reads what another one measured, `downsampling.refitting` reads rows of the source, and `answer` reads
# tables of others.
LEFT_TO_WHOLE = {
    "decomposition", "conventions", "thresholds.fold_averages", "fold_skew", "thresholds",
    "task_aggregation", "downsampling.prevalence_shift", "downsampling", "selection", "selection.favour", "papers",
}  # fmt: skip


@pytest.fixture(scope="session")
def clone(request, tmp_path_factory) -> Clone:
    """A clone in which the tiny study was run with `aucstudy run`."""
    made = Clone(tmp_path_factory.mktemp("clone"))
    if not any(item.get_closest_marker("whole") for item in request.session.items):
        listed = yaml.safe_load(made.study.read_text())["experiments"]
        short = [name for name in listed if name not in LEFT_TO_WHOLE]
        # With two batches, both would compile the same functions at the same time.
        made.study = made.with_settings("short", experiments=short, batches={"fetch": 2, "measure": 1})
    made.output = made.run("aucstudy", "run", str(made.study)).stdout
    return made


@pytest.fixture
def fresh(tmp_path) -> Clone:
    """A clone in which nothing was run."""
    return Clone(tmp_path)


@pytest.fixture
def editable(tmp_path) -> Clone:
    """A clone in which nothing was run, with a package of its own."""
    return Clone(tmp_path, copied=True)


@pytest.fixture
def edited(clone, tmp_path) -> Clone:
    """The clone in which the tiny study was run, as a copy with a package of its own that a test may edit."""
    made = Clone(tmp_path, copied=True)
    for name in ("data", "results", ".snakemake"):
        shutil.rmtree(tmp_path / name, ignore_errors=True)
        shutil.copytree(clone.folder / name, tmp_path / name, symlinks=True)
    for name in ("src", "config.yaml", "workflow", "tests"):
        # Only what a test edits may look newer than the results.
        paths = [tmp_path / name, *(tmp_path / name).rglob("*")]
        for path in paths:
            os.utime(path, (0, 0))
    return made
