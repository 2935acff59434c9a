"""Run a whole study on made-up tasks and report what each rule takes.

`python benchmarks/scale.py 100 886` does so with 100 and with 886 tasks. Each task store belongs to a study
of its own, such as scale-886, and lies where the fetch rule would leave it. What a job took is read from the
files that Snakemake writes into data/<study>/benchmarks. scale.csv keeps the sizes that are not run again.
`--only disagreement noise` runs these experiments and no others, for sizes at which all would take hours.
"""

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from made_store import shapes
from made_studies import MODELS, make_study, options_of_studies, run_made, study_of
from origin import origin

from aucstudy.commands.arguments import whole_number
from aucstudy.config import REPOSITORY
from aucstudy.store.tables import write_table


def costs(benchmarks: Path) -> pd.DataFrame:
    """Return what the jobs of a study took, by rule, the rule with the most seconds first.

    Parameters
    ----------
    benchmarks : the folder of the files that Snakemake's directive `benchmark` wrote, one for each job.

    Returns
    -------
    A row for each rule: `rule`, `jobs`, `seconds` and `cpu_seconds` (sums over its jobs), `peak_mb` (of the
    job with the largest), `longest_job` (seconds).

    Raises
    ------
    ValueError
        There is no such file, or a job ended before Snakemake could measure it.
    """
    jobs = []
    for file in sorted(benchmarks.glob("*.tsv")):
        job = pd.read_csv(file, sep="\t", na_values="-").loc[0, ["s", "cpu_time", "max_rss"]]
        if job.isna().any():
            raise ValueError(f"{file}: does not say what the job took")
        jobs.append((_rule(file), *job))
    if not jobs:
        raise ValueError(f"{benchmarks}: no benchmark of a job")
    table = pd.DataFrame(jobs, columns=["rule", "seconds", "cpu_seconds", "peak_mb"])
    by_rule = table.groupby("rule").agg(
        jobs=("seconds", "size"),
        seconds=("seconds", "sum"),
        cpu_seconds=("cpu_seconds", "sum"),
        peak_mb=("peak_mb", "max"),
        longest_job=("seconds", "max"),
    )
    return by_rule.sort_values("seconds", ascending=False).reset_index()


def _rule(file: Path) -> str:
    """Return the rule of a benchmark's file, `<rule>.tsv` or `<rule>_<batch>.tsv`."""
    return re.sub(r"_\d+$", "", file.stem)


WHOLE, ALONE = "whole run", "run of {} alone"


def run_study(n_tasks: int, n_models: int, n_cores: int, only: Sequence[str] | None) -> pd.DataFrame:
    """Make the store, run the study on it and return what each rule took.

    Returns
    -------
    The rows of `costs` and one for the whole run, with the columns tasks, rows (of all tasks) and cores. Of
    the whole run, `shares_after` says after how many seconds the first table of shares was there. It is empty
    if there is none.

    Raises
    ------
    subprocess.CalledProcessError
        The run failed.
    """
    study = study_of(f"scale-{n_tasks}", n_models)
    if only:
        study |= {"experiments": list(only)}
    data, results = (REPOSITORY / folder / study["study"] for folder in ("data", "results"))
    for folder in (data, results):
        shutil.rmtree(folder, ignore_errors=True)
    make_study(data, study, n_tasks)
    start = time.time()  # It is compared with times of files.
    run_made(data, n_cores)
    seconds = time.time() - start
    table = costs(data / "benchmarks")
    shares = results / "tables" / "disagreement.csv"
    whole = {
        "rule": ALONE.format(", ".join(only)) if only else WHOLE,
        "jobs": table["jobs"].sum(),
        "seconds": seconds,
        "cpu_seconds": table["cpu_seconds"].sum(),
        "peak_mb": table["peak_mb"].max(),
        "longest_job": table["longest_job"].max(),
        "shares_after": shares.stat().st_mtime - start if shares.exists() else float("nan"),
    }
    table = pd.concat([table, pd.DataFrame([whole])], ignore_index=True)
    table.insert(0, "tasks", n_tasks)
    table.insert(1, "rows", sum(shape.n_rows * shape.repeats for shape in shapes(n_tasks)))
    return table.assign(cores=n_cores).round(2)


def main(given: Sequence[str] | None = None) -> int:
    """Run the studies and write scale.csv; return 1 if a run failed, otherwise 0."""
    parser = options_of_studies(__doc__, ())
    models = whole_number(2, 500, "the number of models")
    parser.add_argument("--models", type=models, default=MODELS, help=f"of a task (default: {MODELS})")
    parser.add_argument(
        "--only", nargs="+", metavar="EXPERIMENT", help="run these experiments and no others (default: all)"
    )
    arguments = parser.parse_args(given)
    file = arguments.out / "scale.csv"
    for n_tasks in arguments.tasks:
        try:
            table = run_study(n_tasks, arguments.models, arguments.cores, arguments.only)
        except subprocess.CalledProcessError:
            return 1
        print(table.to_string(index=False))
        table = table.assign(**origin())
        if file.exists():
            before = pd.read_csv(file, dtype={"commit": str})
            table = pd.concat([before[before["tasks"] != n_tasks], table], ignore_index=True)
        arguments.out.mkdir(parents=True, exist_ok=True)
        write_table(table.sort_values("tasks", kind="stable", ignore_index=True), file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
