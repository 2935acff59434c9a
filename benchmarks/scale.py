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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", type=whole_number(2, 100_000, "the number of tasks"), help="how many tasks")
    parser.add_argument(
        "--models", type=whole_number(2, 500, "the number of models"), default=30, help="of a task"
    )
    parser.add_argument("--cores", default="all", help="processor cores to use (default: all)")
    parser.add_argument(
        "--out", type=Path, default=REPOSITORY / "results/benchmarks", help="folder to write into"
    )
    arguments = parser.parse_args()
    study = study_of(arguments.tasks, arguments.models)
    data, results = (REPOSITORY / folder / study["study"] for folder in ("data", "results"))
    for folder in (data, results):
        shutil.rmtree(folder, ignore_errors=True)
    start = time.perf_counter()
    # younger than the code, and unknown to Snakemake: it takes the batch for up to date
    make_store(data / "fetched" / "0", arguments.tasks, arguments.models)
    made = time.perf_counter() - start
    overlay = data / "study.yaml"
    overlay.write_text(yaml.safe_dump(study))
    cores = [] if arguments.cores == "all" else ["--cores", arguments.cores]
    start = time.perf_counter()
    code = subprocess.run(
        [sys.executable, "-m", "aucstudy", "run", str(overlay), *cores], cwd=REPOSITORY
    ).returncode
    run = time.perf_counter() - start
    if code:
        return code
    table = costs(results / "logs")
    whole = {"rule": "whole run", "jobs": table["jobs"].sum(), "seconds": run}
    whole |= {"cpu_seconds": table["cpu_seconds"].sum(), "peak_mb": table["peak_mb"].max()}
    whole |= {"longest_job": table["longest_job"].max()}
    table = pd.concat([table, pd.DataFrame([whole])], ignore_index=True).round(2)
    arguments.out.mkdir(parents=True, exist_ok=True)
    write_table(table, arguments.out / "scale.csv")
    print(table.to_string(index=False))
    print(f"{arguments.tasks} tasks made in {made:.0f} s, studied in {run:.0f} s on {os.cpu_count()} cores")
    return 0


if __name__ == "__main__":
    sys.exit(main())
