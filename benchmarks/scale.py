"""The whole study on a made task store: `python benchmarks/scale.py 886` says what each rule takes.

The store is that of a study of its own, scale-886, and stands where the fetch rule would leave it. What a job took
is the last line of its log.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import yaml
from made_store import make_store

from aucstudy.commands.whole_numbers import whole_number
from aucstudy.config import REPOSITORY
from aucstudy.stages.spent import LINE
from aucstudy.store.tables import write_table


def study_of(n_tasks: int, n_models: int) -> dict[str, object]:
    """What the study overlays on config.yaml. Its server answers to nobody: a fetch would fail at once."""
    return {
        "study": f"scale-{n_tasks}",
        "source": "openml",
        "models_per_task": n_models,
        "min_flows": n_models,
        "openml": {"server": "http://localhost:9/api/v1/xml", "retries": 0},
    }


def costs(logs: Path) -> pd.DataFrame:
    """What the jobs of a study took, by rule, the costliest first.

    Returns
    -------
    One row a rule: `rule`, `jobs`, `seconds` and `cpu_seconds` (sums over its jobs), `peak_mb` (of the job with the
    largest), `longest_job` (seconds).

    Raises
    ------
    ValueError
        A log does not say what its job took.
    """
    rows = []
    for log in sorted(logs.glob("*.log")):
        took = LINE.findall(log.read_text(encoding="utf-8"))
        if not took:
            raise ValueError(f"{log}: does not say what the job took")
        rule = log.stem.rstrip("0123456789").removesuffix("_")
        rows.append((rule, *map(float, took[-1])))
    jobs = pd.DataFrame(rows, columns=["rule", "seconds", "cpu_seconds", "peak_mb"])
    by_rule = jobs.groupby("rule").agg(
        jobs=("seconds", "size"),
        seconds=("seconds", "sum"),
        cpu_seconds=("cpu_seconds", "sum"),
        peak_mb=("peak_mb", "max"),
        longest_job=("seconds", "max"),
    )
    return by_rule.sort_values("seconds", ascending=False).reset_index()


def arguments_of(given: Sequence[str] | None) -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    of_tasks = whole_number(2, 100_000, "the number of tasks")
    of_models = whole_number(2, 500, "the number of models")
    of_cores = whole_number(1, 10_000, "the number of cores")
    parser.add_argument("tasks", type=of_tasks, help="how many tasks")
    parser.add_argument("--models", type=of_models, default=30, help="of a task (default: 30)")
    parser.add_argument("--cores", type=of_cores, default=os.cpu_count(), help="to use (default: all)")
    parser.add_argument("--out", type=Path, help="folder to write into (default: results/benchmarks)")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Make the store, run the study and write scale.csv; 0, or the exit code of the run."""
    arguments = arguments_of(given)
    study = study_of(arguments.tasks, arguments.models)
    data, results = (REPOSITORY / folder / study["study"] for folder in ("data", "results"))
    for folder in (data, results):
        shutil.rmtree(folder, ignore_errors=True)
    # younger than the code, and unknown to Snakemake: it takes the batch for up to date
    make_store(data / "fetched" / "0", arguments.tasks, arguments.models)
    overlay = data / "study.yaml"
    overlay.write_text(yaml.safe_dump(study))
    command = [sys.executable, "-m", "aucstudy", "run", str(overlay), "--cores", str(arguments.cores)]
    start = time.perf_counter()
    code = subprocess.run(command, cwd=REPOSITORY).returncode
    seconds = time.perf_counter() - start
    if code:
        return code
    table = costs(results / "logs")
    whole = {
        "rule": f"whole run, {arguments.tasks} tasks, cores: {arguments.cores}",
        "jobs": table["jobs"].sum(),
        "seconds": seconds,
        "cpu_seconds": table["cpu_seconds"].sum(),
        "peak_mb": table["peak_mb"].max(),
        "longest_job": table["longest_job"].max(),
    }
    table = pd.concat([table, pd.DataFrame([whole])], ignore_index=True).round(2)
    out = arguments.out or REPOSITORY / "results" / "benchmarks"
    out.mkdir(parents=True, exist_ok=True)
    write_table(table, out / "scale.csv")
    print(table.to_string(index=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
