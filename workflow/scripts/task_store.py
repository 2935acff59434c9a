"""Merge the task stores of all fetching jobs into the study's, and divide its tasks into batches."""

from pathlib import Path

from aucstudy.jobs.job import job
from aucstudy.jobs.process import end_process
from aucstudy.store.batches import write_batches
from aucstudy.store.task_store import merge_stores

with job(snakemake.log[0]):  # noqa: F821
    out = snakemake.output  # noqa: F821
    store = Path(out.tasks).parent
    merge_stores(snakemake.input.fetched, store)  # noqa: F821
    write_batches(store, snakemake.params.batches, store / "batches")  # noqa: F821
end_process()
