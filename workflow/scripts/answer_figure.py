"""The one figure of the answer."""

from pathlib import Path

from aucstudy.claims.verdicts import Evidence
from aucstudy.presentation.style import save
from aucstudy.report.answer_figure import answer_figure
from aucstudy.stages.job import job

with job(snakemake.log[0]):  # noqa: F821
    tables = Path("results", snakemake.params.study, "tables")  # noqa: F821
    files = dict(zip(("png", "svg"), snakemake.output, strict=True))  # noqa: F821
    save(answer_figure(Evidence(tables, snakemake.params.source)), files)  # noqa: F821
