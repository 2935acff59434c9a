"""The pages of the report's tables."""

from pathlib import Path

from aucstudy.report.table_page import write_table_page
from aucstudy.stages.job import job

with job(snakemake.log[0]):  # noqa: F821
    for table, page in zip(snakemake.input.tables, snakemake.output.pages, strict=True):  # noqa: F821
        write_table_page(Path(table), Path(page))
