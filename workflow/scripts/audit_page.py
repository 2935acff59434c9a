"""The page of the study."""

from pathlib import Path

from aucstudy.audit.page import write_page
from aucstudy.audit.study_page import study_page, task_payloads
from aucstudy.stages.job import job
from aucstudy.store.scores import read_scores
from aucstudy.store.task_store import read_tasks

with job(snakemake.log[0]):  # noqa: F821
    given, params = snakemake.input, snakemake.params  # noqa: F821
    store = Path(given.tasks).parent
    payloads = task_payloads(
        store,
        read_scores(given.scores, params.aggregation),
        curve_tasks=params.settings["curve_tasks"],
        resamples=params.settings["resamples"],
        seed=params.seed,
    )
    write_page(study_page(params.study, read_tasks(store), payloads), snakemake.output[0])  # noqa: F821
