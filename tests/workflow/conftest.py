"""A clone of the working tree in which a tiny study runs, with no data and no results of its own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


class Clone:
    """A copy of the files that git would commit, and the commands run in it.

    The package is linked, not copied, so that what numba compiled once serves every clone.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            cwd=ROOT, check=True, capture_output=True, text=True,
        ).stdout.split("\0")  # fmt: skip
        for name in filter(None, listed):
            if (ROOT / name).is_file() and not name.startswith("src/"):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, folder / name)
        (folder / "src").symlink_to(ROOT / "src")
        self.study = folder / "tests" / "workflow" / "tiny.yaml"
        self.environment = {**os.environ, "PYTHONPATH": str(folder / "src")}

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", *words]

    def run(self, *words: str, check: bool = True) -> subprocess.CompletedProcess:
        """Run a module's command in the clone, output and errors together in `stdout`."""
        done = subprocess.run(
            self.command(*words), cwd=self.folder, env=self.environment, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert not check or done.returncode == 0, done.stdout
        return done

    def snakemake(self, *words: str, check: bool = True, study: Path | None = None) -> str:
        files = ["config.yaml", str(study or self.study)]
        return self.run("snakemake", "--cores", "2", *words, "--configfile", *files, check=check).stdout

    def tables(self, study: str = "tiny") -> dict[str, bytes]:
        return {
            path.name: path.read_bytes()
            for path in (self.folder / "results" / study / "tables").glob("*.csv")
        }


@pytest.fixture(scope="session")
def clone(tmp_path_factory) -> Clone:
    """A clone in which the tiny study was run with `aucstudy run`."""
    made = Clone(tmp_path_factory.mktemp("clone"))
    made.output = made.run("aucstudy", "run", str(made.study)).stdout
    return made


@pytest.fixture
def fresh(tmp_path) -> Clone:
    """A clone in which nothing was run."""
    return Clone(tmp_path)
