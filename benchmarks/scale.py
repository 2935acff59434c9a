"""The whole study on made task stores: `python benchmarks/scale.py 100 886` says what each rule takes.

Each store is that of a study of its own, scale-886, and stands where the fetch rule would leave it. What a job took
is the last line of its log. scale.csv keeps the sizes that are not run again; scale.png draws time and memory.
`--only disagreement noise` runs these experiments and no others, for sizes at which all would take hours.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import yaml
from made_store import make_store, shapes

from aucstudy.commands.arguments import whole_number
from aucstudy.config import REPOSITORY
from aucstudy.jobs.job import LINE, OF_EXPERIMENT
from aucstudy.presentation.charts import PAGE
from aucstudy.store.tables import write_table


def study_of(n_tasks: int, n_models: int, only: Sequence[str] | None = None) -> dict[str, object]:
    """What the study overlays on config.yaml. Its server answers to nobody: a fetch would fail at once."""
    return {
        **({"experiments": list(only), "audit": {"enabled": False}} if only else {}),
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
# what also runs at sizes at which all experiments would take hours
EVERYWHERE = ("score", "gather_disagreement", "measure_noise", "gather_noise")


def arguments_of(given: Sequence[str] | None) -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    of_tasks = whole_number(2, 100_000, "the number of tasks")
    of_models = whole_number(2, 500, "the number of models")
    of_cores = whole_number(1, 10_000, "the number of cores")
    parser.add_argument("tasks", type=of_tasks, nargs="+", help="how many tasks, one run each")
    parser.add_argument("--models", type=of_models, default=30, help="of a task (default: 30)")
    parser.add_argument("--cores", type=of_cores, default=os.cpu_count(), help="to use (default: all)")
    parser.add_argument(
        "--only", nargs="+", metavar="EXPERIMENT", help="run these experiments and no others (default: all)"
    )
    parser.add_argument("--out", type=Path, help="folder to write into (default: results/benchmarks)")
    return parser.parse_args(given)


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
    study = study_of(n_tasks, n_models, only)
    data, results = (REPOSITORY / folder / study["study"] for folder in ("data", "results"))
    for folder in (data, results):
        shutil.rmtree(folder, ignore_errors=True)
    # younger than the code, and unknown to Snakemake: it takes the batch for up to date
    make_store(data / "fetched" / "0", n_tasks, n_models)
    overlay = data / "study.yaml"
    overlay.write_text(yaml.safe_dump(study))
    command = [sys.executable, "-m", "aucstudy", "run", str(overlay), "--cores", str(n_cores)]
    start = time.time()  # the clock of files
    subprocess.run(command, cwd=REPOSITORY, check=True)
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


def scale_figure(table: pd.DataFrame) -> plt.Figure:
    """Processor time a task and memory of the largest job against the number of tasks: level where linear."""
    some = table[table["rule"].isin(EVERYWHERE)].groupby("tasks", as_index=False)
    lines = {
        "all experiments": table[table["rule"] == WHOLE],
        "scoring, disagreement, noise": some.agg({"cpu_seconds": "sum", "peak_mb": "max"}),
    }
    figure, axes = plt.subplots(1, 2, figsize=(PAGE, 2.8))
    for label, rows in lines.items():
        axes[0].plot(rows["tasks"], rows["cpu_seconds"] / rows["tasks"], "o-", label=label)
        axes[1].plot(rows["tasks"], rows["peak_mb"], "o-", label=label)
    axes[0].set(xlabel="tasks", ylabel="seconds of processor a task", ylim=(0, None))
    axes[0].legend()
    axes[1].set(xlabel="tasks", ylabel="MB of the largest job", ylim=(0, None))
    sizes = sorted(table["tasks"].unique())
    for axis in axes:
        axis.set_xscale("log")
        axis.set_xticks(sizes, [f"{n:,}" for n in sizes])
        axis.minorticks_off()
        axis.grid(True)
    return figure


def main(given: Sequence[str] | None = None) -> int:
    """Run the studies and write scale.csv and its plot; 0, or 1 where a run failed."""
    arguments = arguments_of(given)
    out = arguments.out or REPOSITORY / "results" / "benchmarks"
    for n_tasks in arguments.tasks:
        try:
            table = run_study(n_tasks, arguments.models, arguments.cores, arguments.only)
        except subprocess.CalledProcessError:
            return 1
        print(table.to_string(index=False))
        out.mkdir(parents=True, exist_ok=True)
        if (out / "scale.csv").exists():
            before = pd.read_csv(out / "scale.csv")
            table = pd.concat([before[before["tasks"] != n_tasks], table], ignore_index=True)
        table = table.sort_values("tasks", kind="stable", ignore_index=True)
        write_table(table, out / "scale.csv")
        figure = scale_figure(table)
        figure.savefig(out / "scale.png", metadata={"Software": None})
        plt.close(figure)
    return 0


if __name__ == "__main__":
    sys.exit(main())
