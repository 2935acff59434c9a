"""Which area's choice is better, what averaging F1 over folds does, and the theorems."""

from pathlib import Path

import pandas as pd

from aucstudy.experiments.favour.fold_averages import averages_by_task, averages_over_tasks
from aucstudy.experiments.favour.numbers import favour_by_task, favour_over_tasks
from aucstudy.experiments.favour.theorems import theorems_over_tasks
from aucstudy.experiments.thresholds.numbers import reached
from aucstudy.stages.job import job
from aucstudy.store.tables import write_table
from aucstudy.store.task_store import read_predictions, read_tasks

with job(snakemake.log[0]):  # noqa: F821
    given, out, params = snakemake.input, snakemake.output, snakemake.params  # noqa: F821
    store = Path(given.tasks).parent
    groups = read_tasks(store).set_index("task_id")["source_group"]
    counts = [(i, part) for i, part in pd.read_parquet(given.counts).groupby("task_id", observed=True)]
    judged = ((read_predictions(store, task_id), reached(part)) for task_id, part in counts)
    by_task = favour_by_task(judged, groups)
    write_table(by_task, out.tasks)
    write_table(favour_over_tasks(by_task, params.bootstrap, params.seed), out.favour)
    averages = averages_by_task(counts, groups)
    write_table(averages, out.averages_tasks)
    write_table(averages_over_tasks(averages, params.bootstrap, params.seed), out.averages)
    predictions = (read_predictions(store, task_id) for task_id in groups.index)
    write_table(theorems_over_tasks(predictions, params.seed), out.theorems)
