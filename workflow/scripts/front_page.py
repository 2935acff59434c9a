"""The first page of the report."""

from pathlib import Path

from aucstudy.published.verdicts import Evidence
from aucstudy.report.front_page import front_page
from aucstudy.scripting import job
from aucstudy.tables import write_whole

with job(snakemake.log[0]):  # noqa: F821
    params = snakemake.params  # noqa: F821
    evidence = Evidence(Path(params.tables), params.source)
    page = front_page(evidence, params.study, Path(params.figures), Path(params.captions))
    write_whole(snakemake.output[0], lambda path: path.write_text(page, encoding="utf-8"))  # noqa: F821
