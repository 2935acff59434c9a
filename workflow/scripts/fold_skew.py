"""The mean over folds of unequal skew against the merged value, for every task and over all of them."""

from pathlib import Path

import pandas as pd

from aucstudy.experiments.fold_skew import fold_skew_by_task, fold_skew_table
from aucstudy.scripting import job
from aucstudy.store import read_predictions, read_tasks
from aucstudy.tables import write_table

with job(snakemake.log[0]):  # noqa: F821
    out, params = snakemake.output, snakemake.params  # noqa: F821
    store = Path(snakemake.input.tasks).parent  # noqa: F821
    tasks, settings = read_tasks(store), params.settings
    folds, spreads, draws = settings["folds"], settings["spreads"], settings["draws"]
    by_task = pd.concat(
        [
            fold_skew_by_task(read_predictions(store, task), folds, spreads, draws, params.seed)
            for task in tasks["task_id"]
        ],
        ignore_index=True,
    )
    groups = tasks.set_index("task_id")["source_group"]
    write_table(by_task, out.by_task)
    write_table(fold_skew_table(by_task, groups, settings["bootstrap"], params.seed), out.table)
