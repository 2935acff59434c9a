"""A clone of the working tree in which tests run the tiny study, at first without its data and results."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]


class Clone:
    """A copy of the files that git would commit, with the commands that tests run in it.

    The package is linked. With `copied` it is copied, so that a test can edit it.
    """

    def __init__(self, folder: Path, copied: bool = False):
        self.folder = folder
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
            cwd=ROOT, check=True, capture_output=True, text=True,
        ).stdout.split("\0")  # fmt: skip
        for name in filter(None, listed):
            if (ROOT / name).is_file() and not name.startswith("src/"):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, folder / name)
        if copied:
            shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("*.egg-info"))
        else:
            (folder / "src").symlink_to(ROOT / "src")
        self.study = folder / "tests" / "workflow" / "tiny.yaml"
        self.environment = {**os.environ, "PYTHONPATH": str(folder / "src")}

    def with_settings(self, name: str, **settings: object) -> Path:
        """Write a copy of the tiny study with other settings and return its path."""
        path = self.folder / f"{name}.yaml"
        path.write_text(yaml.safe_dump({**yaml.safe_load(self.study.read_text()), **settings}))
        return path

    def with_experiments(self, name: str, *experiments: str, **settings: object) -> Path:
        """Write a copy of the tiny study with only these experiments and return its path."""
        return self.with_settings(name, experiments=list(experiments), **settings)

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", *words]

    def run(self, *words: str, check: bool = True) -> subprocess.CompletedProcess:
        """Run a module's command in the clone; `stdout` of the result holds output and errors together."""
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
