"""The first page of the report."""

from pathlib import Path

from aucstudy.claims.verdicts import Evidence
from aucstudy.report.front_page import front_page
from aucstudy.stages.job import job
from aucstudy.store.tables import write_whole

with job(snakemake.log[0]):  # noqa: F821
    given, params = snakemake.input, snakemake.params  # noqa: F821
    tables = Path(given.claims).parent
    evidence = Evidence(tables, params.source)
    page = front_page(evidence, params.study, tables.with_name("figures"), Path(given.captions[0]).parent)
    write_whole(snakemake.output[0], lambda path: path.write_text(page, encoding="utf-8"))  # noqa: F821
