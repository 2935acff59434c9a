"""The decomposition's tables."""

from pathlib import Path

from aucstudy.experiments.decomposition.numbers import decompose, shares_over_tasks
from aucstudy.stages.job import job
from aucstudy.store.tables import write_table
from aucstudy.store.task_store import read_predictions, read_tasks

with job(snakemake.log[0]):  # noqa: F821
    out, params = snakemake.output, snakemake.params  # noqa: F821
    store = Path(snakemake.input.tasks).parent  # noqa: F821
    groups = read_tasks(store).set_index("task_id")["source_group"]
    swaps, shares = decompose((read_predictions(store, task_id) for task_id in groups.index), groups)
    write_table(swaps, out.swaps)
    write_table(shares, out.tasks)
    write_table(shares_over_tasks(shares, swaps, params.bootstrap, params.seed), out.shares)
