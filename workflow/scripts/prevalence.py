"""The disagreement by prevalence."""

from pathlib import Path

from aucstudy.experiments.prevalence.numbers import by_prevalence, moved_of_tasks
from aucstudy.stages.job import job
from aucstudy.store.tables import read_table, write_table
from aucstudy.store.task_store import read_predictions, read_tasks

with job(snakemake.log[0]):  # noqa: F821
    given, params = snakemake.input, snakemake.params  # noqa: F821
    store = Path(given.tasks).parent
    tasks = read_tasks(store)
    predictions = (read_predictions(store, task_id) for task_id in tasks["task_id"])
    moved = moved_of_tasks(predictions, params.prevalences)
    shares = by_prevalence(read_table(given.by_task), moved, tasks, params.bootstrap, params.seed)
    write_table(shares, snakemake.output.shares)  # noqa: F821
