"""The noise experiment's tables."""

from pathlib import Path

from aucstudy.experiments.noise.numbers import noise_of_tasks, noise_over_tasks
from aucstudy.stages.job import job
from aucstudy.store.tables import write_table
from aucstudy.store.task_store import read_predictions, read_tasks

with job(snakemake.log[0]):  # noqa: F821
    out, params = snakemake.output, snakemake.params  # noqa: F821
    store = Path(snakemake.input.tasks).parent  # noqa: F821
    groups = read_tasks(store).set_index("task_id")["source_group"]
    predictions = (read_predictions(store, task_id) for task_id in groups.index)
    excess, swaps = noise_of_tasks(predictions, groups, params.splits, params.seed)
    write_table(excess, out.tasks)
    write_table(swaps, out.swaps)
    write_table(noise_over_tasks(excess, swaps, params.bootstrap, params.seed), out.shares)
