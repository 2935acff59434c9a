"""The experiment task_aggregation with hundreds and thousands of flows: `python benchmarks/many_flows.py`.

Each size is a process of its own, whose memory is its alone. Few flows stand in most tasks and most in few, as on
OpenML; every flow counts here (a share of 0), which is more than a study asks for.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from aucstudy.experiments.task_aggregation import (
    averages_of,
    carrying_tasks,
    comparable,
    task_aggregation_table,
)
from aucstudy.store.tables import write_table

SIZES = (41, 1140, 300), (886, 2000, 100)  # tasks, flows, flows of a task
CRITERIA = ("AUPR", "AUCNPR", "signed AUPRG", "clipped AUPRG", "AUROC", "rank by AUPR", "rank by AUCNPR",
            "rank by signed AUPRG", "rank by AUROC")  # fmt: skip
OUT = Path("results/benchmarks/many_flows.csv")


def made_criteria(n_tasks: int, n_flows: int, of_task: int) -> pd.DataFrame:
    """What `of_task` of the experiment would give: a row a run, of flows of falling popularity."""
    rng = np.random.default_rng(0)
    popularity = 1 / np.arange(1, n_flows + 1) ** 0.5
    drawn = [
        rng.choice(n_flows, of_task, replace=False, p=popularity / popularity.sum()) for _ in range(n_tasks)
    ]
    frame = pd.DataFrame(
        {"task_id": np.repeat(np.arange(n_tasks).astype(str), of_task), "flow": np.concatenate(drawn)}
    )
    values = rng.random((len(frame), len(CRITERIA)))
    return pd.DataFrame(values, columns=list(CRITERIA)).assign(
        task_id=frame["task_id"], source_group=frame["task_id"], run_id=frame.index.astype(str),
        flow_name="flow " + frame["flow"].astype(str),
    )  # fmt: skip


def measured(n_tasks: int, n_flows: int, of_task: int, bootstrap: int) -> dict[str, object]:
    criteria = comparable(made_criteria(n_tasks, n_flows, of_task), 0)
    groups = criteria.drop_duplicates("task_id").set_index("task_id")["source_group"]
    start, cpu = time.perf_counter(), time.process_time()
    averages = averages_of(criteria)
    task_aggregation_table(averages, groups, bootstrap, seed=1)
    carrying_tasks(averages)
    return {
        "tasks": n_tasks,
        "flows": criteria["flow_name"].nunique(),
        "runs": len(criteria),
        "resamples": bootstrap,
        "seconds": round(time.perf_counter() - start, 1),
        "cpu_seconds": round(time.process_time() - cpu, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--bootstrap", type=int, default=2000, help="resamples of source groups (default: 2000)"
    )
    parser.add_argument("--out", type=Path, default=OUT, help=f"table to write (default: {OUT})")
    parser.add_argument("--size", type=int, nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.size:
        print(json.dumps(measured(*arguments.size, arguments.bootstrap)))
        return
    rows = []
    for size in SIZES:
        words = [sys.executable, __file__, "--bootstrap", str(arguments.bootstrap), "--size", *map(str, size)]
        line = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        rows.append(json.loads(line))
        print(line.strip(), flush=True)
        write_table(pd.DataFrame(rows), arguments.out)


if __name__ == "__main__":
    main()
