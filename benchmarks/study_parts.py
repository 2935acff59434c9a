"""What the default study costs from a bare clone, part by part, at one commit or in turns at several.

    python benchmarks/study_parts.py --times 3 HEAD~20 HEAD

Each run begins in a clone without an environment and with an empty cache of machine code, as a user's first run
does. Then the code of one experiment is edited, and the study runs again. The packages come from the caches of pip
and uv. Nothing else may run on the machine.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import pandas as pd
from made_studies import Cost, options, timed
from origin import processor

from aucstudy.config import REPOSITORY
from aucstudy.store.tables import write_table

SETUP, STARTS = "installing the packages", "starts and ends of the jobs, and Snakemake"
# The parts of the study by the names of its rules. The first pattern that fits counts.
PARTS = {
    "fits of the learners": r"fetch|measure_downsampling_refitting",
    "metrics of all models": r"task_store|scores?",
    "measurements of the other experiments": r"measure_.+",
    "tables and figures": r"tables_.+",
    "estimates, claims and report": r"estimates|claims|pages",
}
EDITED = Path("src/aucstudy/experiments/conventions.py")
CACHES = {"UV_CACHE_DIR": "uv", "PIP_CACHE_DIR": "pip"}


def run_of(commit: str, folder: Path) -> pd.DataFrame:
    """Return the costs of each part of one run in a clone of a commit, and of the run after an edit."""
    clone, study = folder / "clone", ["make", "--silent", "study"]
    subprocess.run(["git", "clone", "--quiet", REPOSITORY, clone], check=True)
    subprocess.run(["git", "-C", clone, "checkout", "--quiet", commit], check=True)
    caches = {name: str(Path.home() / ".cache" / cache) for name, cache in CACHES.items()}
    surroundings = {
        "cwd": clone,
        "env": {**caches, **os.environ, "XDG_CACHE_HOME": str(folder / "cache")},
        "stderr": subprocess.DEVNULL,
    }
    setup = timed(["make", "--silent", ".venv/.ready"], **surroundings)
    whole = timed(study, **surroundings)
    by_part = of_parts(clone / "data" / "default" / "benchmarks")
    with (clone / EDITED).open("a", encoding="utf-8") as code:
        code.write("\n# An edit that changes no number.\n")
    again = timed(study, **surroundings)
    seconds = by_part["cpu_seconds"].sum()
    rows = [
        by_part,
        one_row(SETUP, setup),
        pd.DataFrame([{"part": STARTS, "jobs": 0, "cpu_seconds": whole.cpu_seconds - seconds}]),
        one_row("the whole study", Cost(setup[0] + whole[0], setup[1] + whole[1], whole.peak_mb)),
        one_row("again, after an edit of one experiment", again),
    ]
    return pd.concat(rows, ignore_index=True)


def one_row(part: str, cost: Cost) -> pd.DataFrame:
    return pd.DataFrame([{"part": part, "jobs": 0, "cpu_seconds": cost.cpu_seconds, "seconds": cost.seconds}])


def of_parts(folder: Path) -> pd.DataFrame:
    """Return the jobs and the seconds of processor of each part, from the files that Snakemake's `benchmark` wrote."""
    seconds = {file.stem: pd.read_csv(file, sep="\t")["cpu_time"].iloc[-1] for file in folder.glob("*.tsv")}
    part_of = {job: part_of_job(job) for job in seconds}
    table = pd.Series(seconds).groupby(part_of).agg(jobs="size", cpu_seconds="sum")
    return table.reindex(PARTS).rename_axis("part").reset_index()


def part_of_job(job: str) -> str:
    """Return the part of the study to which a job belongs, by the name of its rule and its batch.

    >>> part_of_job("measure_noise_1"), part_of_job("measure_downsampling_refitting_0")
    ('measurements of the other experiments', 'fits of the learners')
    """
    rule = re.sub(r"_\d+$", "", job)
    return next(part for part, rules in PARTS.items() if re.fullmatch(rules, rule))


def run(out: Path, commits: list[str], times: int) -> None:
    tables = []
    for repeat in range(times):
        for commit in commits:
            words = ["git", "rev-parse", "--short=8", commit]
            name = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout
            with tempfile.TemporaryDirectory(prefix="aucstudy-parts-") as folder:
                table = run_of(name.strip(), Path(folder))
            tables.append(table.assign(run=repeat, cores=os.cpu_count(), commit=name.strip()))
            print(tables[-1].to_string(index=False), flush=True)
    measured = pd.concat(tables, ignore_index=True).assign(processor=processor())
    write_table(measured, out / "study_parts.csv")


def main() -> None:
    parser = options(__doc__.partition("\n")[0])
    parser.add_argument("commits", nargs="*", metavar="COMMIT", default=["HEAD"])
    parser.add_argument("--times", type=int, default=1, help="runs of each commit, in turns")
    arguments = parser.parse_args()
    run(arguments.out, arguments.commits, arguments.times)


if __name__ == "__main__":
    main()
