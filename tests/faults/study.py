"""The tiny study with one experiment, run to its end once; copies of it to be damaged and run again."""

import os
import shutil
import subprocess
from pathlib import Path

from clones import Clone

# what is made of a stage's files, and is gone before the run that reads them again; the tables of tasks and of
# rejections stay, or the scores would be made anew and with them all that is measured
MADE_OF = {
    "store": ("data/tiny/scored", "data/tiny/scores.parquet*", "data/tiny/rejections.csv*"),
    "score": ("data/tiny/measured",),
    "measured": (
        "data/tiny/gathered",
        "results/tiny/tables/thresholds*.csv",
        "results/tiny/tables/claims*.csv",
        "results/tiny/SHA256SUMS",
    ),
}
FILES_OF = {
    "store": ("fetched/**/*", "predictions/*", "tasks.csv*", "runs.csv*"),
    "score": ("scored/*", "scores.parquet*", "rejections.csv*"),
    "measured": ("measured/**/*",),
}
MADE = ("data", "results/tiny", ".snakemake")
RUN = ("aucstudy", "run", "faults.yaml", "--cores", "1")
CONFIGURED = ("--configfile", "config.yaml", "faults.yaml")
TABLES = (
    "snakemake",
    "results/tiny/SHA256SUMS",
    "--cores",
    "1",
    "--quiet",
    "rules",
    "reason",
    "host",
    *CONFIGURED,
)


class FaultStudy(Clone):
    """A clone with the study `faults.yaml`: two measured batches, and all that is not needed switched off."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.with_experiments("faults", "thresholds", batches={"fetch": 1, "score": 1, "measure": 2})

    def copy(self, folder: Path) -> "FaultStudy":
        """A copy with all times and links; the package stays linked."""
        # else the path of the package would be two, and the run that of another checkout
        assert os.pathsep not in str(folder)
        subprocess.run(["cp", "-a", self.folder, folder], check=True)
        copied = object.__new__(FaultStudy)
        copied.folder, copied.study = folder, folder / "faults.yaml"
        copied.environment = {**self.environment, "PYTHONPATH": str(folder / "src")}
        return copied

    def again(self, words: tuple[str, ...] = RUN) -> subprocess.CompletedProcess:
        """Run the study, or go on with it."""
        return self.run(*words, check=False)

    def files(self, stage: str) -> list[Path]:
        """The files of a stage; Snakemake's own are none."""
        data = self.folder / "data/tiny"
        paths = {path for pattern in FILES_OF[stage] for path in data.glob(pattern)}
        return sorted(path for path in paths if path.is_file() and not path.name.startswith(".snakemake"))

    def forget_what_is_made_of(self, stage: str) -> None:
        """Delete what later stages made of a stage, so that the next run reads the stage's files."""
        for name in list(MADE_OF)[list(MADE_OF).index(stage) :]:
            for path in [path for made in MADE_OF[name] for path in self.folder.glob(made)]:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def forget_all(self) -> None:
        """Make it a study in which nothing was run."""
        for name in MADE:
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def kilobytes(self) -> int:
        """What a run has written so far."""
        paths = [path for name in MADE for path in (self.folder / name).rglob("*")]
        return sum(path.lstat().st_blocks for path in paths) // 2

    def n_files(self) -> int:
        """How many files a run has written so far, a measure of how far it is."""
        # `os.walk` passes over a folder that a job renames or deletes meanwhile, where `rglob` raises
        walked = (walk for name in MADE[:2] for walk in os.walk(self.folder / name))
        return sum(len(folders) + len(files) for _, folders, files in walked)

    def names_of(self, path: Path) -> set[str]:
        """The names of a file in the study: a fetched one and that of the whole store are the same, linked."""
        node = path.stat().st_ino
        linked = {path, *(other for other in self.files("store") if other.stat().st_ino == node)}
        # of a digest the file that it belongs to may be named, and of a list of frames one of the frames
        return {str(name.relative_to(self.folder)).removesuffix(".sha256") for name in linked}


def is_one_line(output: str, names: set[str]) -> bool:
    """Whether a failed run said in one line, and without a traceback, which of these files is at fault."""
    lines = {line.strip() for line in output.splitlines() if line.lstrip().startswith("aucstudy: ")}
    line = lines.pop() if len(lines) == 1 else ""
    return "Traceback" not in output and any(name in line or Path(name).name in line for name in names)
