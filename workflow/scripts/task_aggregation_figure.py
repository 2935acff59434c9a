"""The figure of the best flow by each average."""

from aucstudy.experiments.task_aggregation.telling import task_aggregation_figure
from aucstudy.presentation.style import save
from aucstudy.stages.job import job
from aucstudy.store.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    save(task_aggregation_figure(read_table(given.table)), {"png": out.png, "svg": out.svg})
