"""The held-out counts of every threshold, and what the thresholds reach."""

from pathlib import Path

from aucstudy.experiments.thresholds.numbers import (
    held_out_counts,
    joined,
    reached_by_task,
    reached_over_tasks,
)
from aucstudy.stages.job import job
from aucstudy.store.tables import write_table, write_whole
from aucstudy.store.task_store import read_predictions, read_tasks

with job(snakemake.log[0]):  # noqa: F821
    out, params = snakemake.output, snakemake.params  # noqa: F821
    store = Path(snakemake.input.tasks).parent  # noqa: F821
    groups = read_tasks(store).set_index("task_id")["source_group"]
    counts = joined((task_id, held_out_counts(read_predictions(store, task_id))) for task_id in groups.index)
    by_task = reached_by_task(counts.groupby("task_id", observed=True), groups)
    write_whole(out.counts, lambda path: counts.to_parquet(path, index=False))
    write_table(by_task, out.tasks)
    write_table(reached_over_tasks(by_task, params.bootstrap, params.seed), out.reached)
