"""The page of the study."""

from pathlib import Path

from aucstudy.audit.study_page import read_payloads, study_page
from aucstudy.jobs.job import job
from aucstudy.store.files import write_text
from aucstudy.store.task_store import read_tasks

with job(snakemake.log[0]):  # noqa: F821
    given, params = snakemake.input, snakemake.params  # noqa: F821
    tasks = read_tasks(Path(given.tasks).parent)
    write_text(snakemake.output[0], study_page(params.study, tasks, read_payloads(given.payloads)))  # noqa: F821
