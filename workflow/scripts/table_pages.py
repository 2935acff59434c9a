"""The pages of the report's tables."""

from pathlib import Path

from aucstudy.report.table_page import write_table_pages
from aucstudy.stages.job import job

with job(snakemake.log[0]):  # noqa: F821
    write_table_pages(
        [Path(table) for table in snakemake.input.tables],  # noqa: F821
        [Path(page) for page in snakemake.output.pages],  # noqa: F821
    )
