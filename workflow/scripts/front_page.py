"""The first page of the report."""

from pathlib import Path

from aucstudy.published.verdicts import Evidence
from aucstudy.report.front_page import front_page
from aucstudy.scripting import job
from aucstudy.tables import write_whole

with job(snakemake.log[0]):  # noqa: F821
    params = snakemake.params  # noqa: F821
    page = front_page(Evidence(Path(params.tables), params.source), params.study)
    write_whole(snakemake.output[0], lambda path: path.write_text(page, encoding="utf-8"))  # noqa: F821
