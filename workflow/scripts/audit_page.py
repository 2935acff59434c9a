"""The page of the study."""

from pathlib import Path

from aucstudy.audit.page import write_page
from aucstudy.audit.study_page import study_page
from aucstudy.stages.job import job
from aucstudy.store.scores import read_scores

with job(snakemake.log[0]):  # noqa: F821
    given, params = snakemake.input, snakemake.params  # noqa: F821
    page = study_page(
        params.study,
        Path(given.tasks).parent,
        read_scores(given.scores, params.aggregation),
        curve_tasks=params.settings["curve_tasks"],
        resamples=params.settings["resamples"],
        seed=params.seed,
    )
    write_page(page, snakemake.output[0])  # noqa: F821
