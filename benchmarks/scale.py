"""The whole study on made task stores: `python benchmarks/scale.py 100 886` says what each rule takes.

Each store is that of a study of its own, scale-886, and stands where the fetch rule would leave it. What a job took
is the last line of its log. scale.csv keeps the sizes that are not run again.
`--only disagreement noise` runs these experiments and no others, for sizes at which all would take hours.
"""

import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from made_store import shapes
from made_studies import MODELS, make_study, options_of_studies, run_made, study_of

from aucstudy.commands.arguments import whole_number
from aucstudy.config import REPOSITORY
from aucstudy.jobs.job import LINE, OF_EXPERIMENT
from aucstudy.store.tables import write_table


def costs(logs: Path) -> pd.DataFrame:
    """What the jobs of a study took, by rule, the costliest first.

    Returns
    -------
    One row a rule: `rule`, `jobs`, `seconds` and `cpu_seconds` (sums over its jobs), `peak_mb` (of the job with the
    largest), `longest_job` (seconds). Then one row for each experiment in the jobs of several, such as measure_noise,
    whose seconds are among those of its rule: `rule`, `jobs`, `cpu_seconds` and the `peak_mb` of these jobs.

    Raises
    ------
    ValueError
        A log does not say what its job took.
    """
    rows, parts = [], []
    for log in sorted(logs.glob("*.log")):
        text = log.read_text(encoding="utf-8")
        took = LINE.findall(text)
        if not took:
            raise ValueError(f"{log}: does not say what the job took")
        rule = log.stem.rstrip("0123456789").removesuffix("_")
        rows.append((rule, *map(float, took[-1])))
        verb = rule.partition("_")[0]
        parts += [(f"{verb}_{name}", float(cpu), rows[-1][-1]) for name, cpu in OF_EXPERIMENT.findall(text)]
    jobs = pd.DataFrame(rows, columns=["rule", "seconds", "cpu_seconds", "peak_mb"])
    experiments = pd.DataFrame(parts, columns=["rule", "cpu_seconds", "peak_mb"])
    by_experiment = experiments.groupby("rule").agg(
        jobs=("cpu_seconds", "size"), cpu_seconds=("cpu_seconds", "sum"), peak_mb=("peak_mb", "max")
    )
    by_rule = jobs.groupby("rule").agg(
        jobs=("seconds", "size"),
        seconds=("seconds", "sum"),
        cpu_seconds=("cpu_seconds", "sum"),
        peak_mb=("peak_mb", "max"),
        longest_job=("seconds", "max"),
    )
    by_rule = by_rule.sort_values("seconds", ascending=False).reset_index()
    by_experiment = by_experiment.sort_values("cpu_seconds", ascending=False).reset_index()
    return pd.concat([by_rule, by_experiment], ignore_index=True) if len(by_experiment) else by_rule


WHOLE, ALONE = "whole run", "run of {} alone"


def run_study(n_tasks: int, n_models: int, n_cores: int, only: Sequence[str] | None) -> pd.DataFrame:
    """Make the store, run the study on it and say what each rule took.

    Returns
    -------
    The rows of `costs` and one of the whole run, which says too after how many seconds the first table of shares was
    there (`shares_after`, empty without one), with the columns tasks, rows (of all tasks) and cores.

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
    start = time.time()  # the clock of files
    run_made(data, n_cores)
    seconds = time.time() - start
    table = costs(results / "logs")
    shares = results / "tables" / "disagreement.csv"
    jobs = table[table["seconds"].notna()]
    whole = {
        "rule": ALONE.format(", ".join(only)) if only else WHOLE,
        "jobs": jobs["jobs"].sum(),
        "seconds": seconds,
        "cpu_seconds": jobs["cpu_seconds"].sum(),
        "peak_mb": jobs["peak_mb"].max(),
        "longest_job": jobs["longest_job"].max(),
        "shares_after": shares.stat().st_mtime - start if shares.exists() else float("nan"),
    }
    table = pd.concat([table, pd.DataFrame([whole])], ignore_index=True)
    table.insert(0, "tasks", n_tasks)
    table.insert(1, "rows", sum(shape.n_rows * shape.repeats for shape in shapes(n_tasks)))
    return table.assign(cores=n_cores).round(2)


def main(given: Sequence[str] | None = None) -> int:
    """Run the studies and write scale.csv; 0, or 1 where a run failed."""
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
        if file.exists():
            before = pd.read_csv(file)
            table = pd.concat([before[before["tasks"] != n_tasks], table], ignore_index=True)
        arguments.out.mkdir(parents=True, exist_ok=True)
        write_table(table.sort_values("tasks", kind="stable", ignore_index=True), file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
