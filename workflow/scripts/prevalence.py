"""The disagreement by prevalence."""

from pathlib import Path

from aucstudy.experiments.prevalence import by_prevalence, moved_of_tasks
from aucstudy.scripting import job
from aucstudy.store import read_predictions, read_tasks
from aucstudy.tables import read_table, write_table

with job(snakemake.log[0]):  # noqa: F821
    given, params = snakemake.input, snakemake.params  # noqa: F821
    store = Path(given.tasks).parent
    tasks = read_tasks(store)
    predictions = (read_predictions(store, task_id) for task_id in tasks["task_id"])
    moved = moved_of_tasks(predictions, params.prevalences)
    shares = by_prevalence(read_table(given.by_task), moved, tasks, params.bootstrap, params.seed)
    write_table(shares, snakemake.output.shares)  # noqa: F821
