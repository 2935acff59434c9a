"""Measure how much exactness is lost by fewer draws for large tasks.

`python benchmarks/draws.py` writes results/benchmarks/draws.csv. Made-up tasks with the shapes of real ones
are measured twice, with two seeds. Half of the squared difference is the Monte Carlo variance of one task's
number. Its mean over the tasks, as a share of the variance between tasks, is what random draws add to the
variance of a mean over tasks. The table has this share with all draws, and with fewer draws for tasks of many
rows (`draws_needed`). The command fails where the fewer draws add more than 2 % on average over a column's
rows.
"""

import math
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from made_store import make_store
from made_studies import options_of_tasks
from origin import write_measured

from aucstudy.config import load_config
from aucstudy.experiments.contract import experiments
from aucstudy.experiments.inputs import Task
from aucstudy.metrics.choosing import UTILITIES
from aucstudy.statistics import seeds
from aucstudy.store.task_store import read_tasks

BOUND = 0.02
SEEDS = (1, 2)
# For each experiment: the frame, the columns that identify its rows within a task, and the measured numbers.
MEASURED = {
    "downsampling": ("areas", ["ratio"], ["aupr", "auprg", "auroc", "aucnpr"]),
    "downsampling.prevalence_shift": (
        "prevalence_shift_tasks",
        ["ratio", "area", "estimator"],
        ["bias", "sd", "rmse"],
    ),
    "fold_skew": (
        "fold_skew_tasks",
        ["cut", "area"],
        ["error", "size", "winner_changes", "control", "control_size"],
    ),
    "selection": ("selection_tasks", ["design", "selected_by"], [*UTILITIES, "self_agreement"]),
}


def measured(name: str, store: Path, seed: int) -> pd.DataFrame:
    """Return the numbers of each task by the columns that identify its rows.

    Rows that these columns do not distinguish, such as those of different models, are averaged.
    """
    experiment = experiments()[name]
    frame, keys, columns = MEASURED[name]
    settings, module, frames = experiment.values("of_task", load_config()), experiment.load(), []
    for facts in read_tasks(store).to_dict("records"):
        of_task = module.of_task(Task(store, facts), seed=seed, **settings).get(frame, pd.DataFrame())
        if len(of_task):
            frames.append(of_task.assign(task_id=facts["task_id"])[["task_id", *keys, *columns]])
    return pd.concat(frames).groupby([*keys, "task_id"], sort=False).mean()


def shares(name: str, store: Path) -> pd.DataFrame:
    """Return the Monte Carlo variance of each column as a share of the variance between tasks.

    `share` is its mean over the rows that `MEASURED` distinguishes, `largest` the largest of them.
    """
    first, second = (measured(name, store, seed) for seed in SEEDS)
    keys = MEASURED[name][1]
    by_row = ((first - second) ** 2 / 2).groupby(level=keys).mean() / first.groupby(level=keys).var()
    by_row = by_row.where(np.isfinite(by_row))
    return pd.DataFrame({"share": by_row.mean(), "largest": by_row.max()}).dropna()


def main(given: Sequence[str] | None = None) -> int:
    """Measure and write the table; return 1 if a column exceeds the bound, otherwise 0."""
    arguments = options_of_tasks(__doc__, 10, 60).parse_args(given)
    tables, fewer_from = [], seeds.ALL_DRAWS_ROWS
    with tempfile.TemporaryDirectory() as folder:
        make_store(Path(folder), arguments.tasks, arguments.models)
        for name in MEASURED:
            seeds.ALL_DRAWS_ROWS = math.inf
            everywhere = shares(name, Path(folder))
            seeds.ALL_DRAWS_ROWS = fewer_from
            fewer = shares(name, Path(folder))
            both = everywhere.join(fewer, lsuffix=" with all draws", rsuffix=" with fewer")
            tables.append(both.rename_axis("column").reset_index().assign(experiment=name))
    table = pd.concat(tables, ignore_index=True).set_index("experiment").reset_index().round(5)
    added = table["share with fewer"] - table["share with all draws"]
    command = f"python benchmarks/draws.py --tasks {arguments.tasks} --models {arguments.models}"
    write_measured(table.assign(command=command), arguments.out / "draws.csv")
    print(table.assign(added=added).to_string(index=False))
    if (over := table[added > BOUND]).size:
        print(f"more than {BOUND:.0%} added: {', '.join(over['experiment'] + ' ' + over['column'])}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
