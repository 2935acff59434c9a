"""The batches' task stores put together into the study's."""

from pathlib import Path

from aucstudy.jobs.job import job
from aucstudy.store.task_store import merge_stores

with job(snakemake.log[0]):  # noqa: F821
    merge_stores(snakemake.input.parts, Path(snakemake.output.tasks).parent)  # noqa: F821
