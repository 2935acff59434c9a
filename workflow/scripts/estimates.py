"""Join the estimates of all experiments into the one table of the study."""

from pathlib import Path

from aucstudy.estimates import joined, read_estimates
from aucstudy.jobs.job import job
from aucstudy.jobs.process import end_process
from aucstudy.store.tables import write_table

with job(snakemake.log[0]):  # noqa: F821
    parts = [read_estimates(Path(part)) for part in snakemake.input.parts]  # noqa: F821
    write_table(joined(parts), snakemake.output[0])  # noqa: F821
end_process()
