"""The best flow over all tasks by each average, and the tasks that carry it."""

from pathlib import Path

import pandas as pd

from aucstudy.experiments.task_aggregation.numbers import carrying_tasks, criteria_of, task_aggregation_table
from aucstudy.stages.job import job
from aucstudy.store.scores import scored_tasks
from aucstudy.store.tables import write_table
from aucstudy.store.task_store import read_predictions, read_runs

with job(snakemake.log[0]):  # noqa: F821
    out, params = snakemake.output, snakemake.params  # noqa: F821
    store = Path(snakemake.input.tasks).parent  # noqa: F821
    tasks, settings = scored_tasks(store), params.settings
    groups = tasks.set_index("task_id")["source_group"]
    criteria = pd.concat([criteria_of(read_predictions(store, task)) for task in tasks["task_id"]])
    flows = read_runs(store)[["task_id", "run_id", "flow_name"]]
    criteria = criteria.merge(flows, on=["task_id", "run_id"])
    write_table(carrying_tasks(criteria), out.tasks)
    write_table(task_aggregation_table(criteria, groups, settings["bootstrap"], params.seed), out.table)
