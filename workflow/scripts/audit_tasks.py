"""What the page of the study holds of one batch of tasks."""

from pathlib import Path

from aucstudy.audit.study_page import task_payloads, write_payloads
from aucstudy.jobs.job import job
from aucstudy.store.measured import read_scores

with job(snakemake.log[0]):  # noqa: F821
    given, params = snakemake.input, snakemake.params  # noqa: F821
    payloads = task_payloads(
        Path(given.tasks).parent,
        read_scores(given.scores, params.aggregation),
        params.tasks,
        curve_tasks=params.settings["curve_tasks"],
        resamples=params.settings["resamples"],
        seed=params.seed,
    )
    write_payloads(payloads, snakemake.output[0])  # noqa: F821
