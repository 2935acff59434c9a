"""The checksums of the study's tables, and of the store that they were made from."""

from pathlib import Path

from aucstudy.stages.job import job
from aucstudy.stages.verifying import write_checksums

with job(snakemake.log[0]):  # noqa: F821
    given = snakemake.input  # noqa: F821
    write_checksums(map(Path, given.tables), Path(snakemake.output[0]), Path(given.store).parent)  # noqa: F821
