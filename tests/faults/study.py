"""The tiny study with one experiment, run to its end once; copies of it to be damaged and run again."""

import re
import shutil
import subprocess
from pathlib import Path

import yaml
from clones import Clone

# what is made of a stage's files, and is gone before the run that reads them again; the audit page has no table
MADE_OF = {
    "store": ("data/tiny/scored", "data/tiny/scores.parquet", "data/tiny/rejections.csv"),
    "score": ("data/tiny/measured",),
    "measured": ("data/tiny/told", "results/tiny"),
}
FILES_OF = {
    "store": ("fetched/**/*", "predictions/*", "tasks.csv*", "runs.csv*"),
    "score": ("scored/*", "scores.parquet*", "rejections.csv*"),
    "measured": ("measured/**/*",),
}
RUN = ("aucstudy", "run", "faults.yaml", "--cores", "1")


class FaultStudy(Clone):
    """A clone with the study `faults.yaml`: two batches in every stage, and all that is not needed switched off."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        slim = yaml.safe_load(self.without_most_experiments("faults").read_text())
        slim |= {"disagreement": {"enabled": False}, "thresholds": {"enabled": True}, "audit": {"enabled": False}}
        slim["batches"] = {"fetch": 2, "score": 2, "measure": 2}
        self.with_settings("faults", **slim)

    def copy(self, folder: Path) -> "FaultStudy":
        """A copy with all times and links; the package stays linked."""
        subprocess.run(["cp", "-a", self.folder, folder], check=True)
        copied = object.__new__(FaultStudy)
        copied.folder, copied.study = folder, folder / "faults.yaml"
        copied.environment = {**self.environment, "PYTHONPATH": str(folder / "src")}
        return copied

    def again(self) -> subprocess.CompletedProcess:
        """Run the study, or go on with it."""
        return self.run(*RUN, check=False)

    def files(self, stage: str) -> list[Path]:
        """The files of a stage; Snakemake's own are none."""
        data = self.folder / "data/tiny"
        paths = {path for pattern in FILES_OF[stage] for path in data.glob(pattern)}
        return sorted(path for path in paths if path.is_file() and not path.name.startswith(".snakemake"))

    def forget_what_is_made_of(self, stage: str) -> None:
        """Delete what later stages made of a stage, so that the next run reads the stage's files."""
        for name in list(MADE_OF)[list(MADE_OF).index(stage) :]:
            for path in (self.folder / made for made in MADE_OF[name]):
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def n_files(self) -> int:
        """How many files a run has written so far, a measure of how far it is."""
        return sum(1 for name in ("data", "results/tiny") for _ in (self.folder / name).rglob("*"))

    def names_in_one_line(self, output: str, path: Path) -> bool:
        """Whether a failed run said in one line, and without a traceback, which file is at fault.

        Of a digest the file that it belongs to may be named too, and of a list of frames one of the frames.
        """
        lines = {line for line in output.splitlines() if re.match("aucstudy: |InputError: ", line.lstrip())}
        names = {str(path.relative_to(self.folder)), str(path.relative_to(self.folder)).removesuffix(".sha256")}
        return len(lines) == 1 and "Traceback" not in output and any(name in lines.copy().pop() for name in names)
