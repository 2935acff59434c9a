"""The figure of refitted flows, with the paper's table 3."""

from aucstudy.experiments.refitting.telling import refitting_figure
from aucstudy.presentation.style import save
from aucstudy.published.boyd_tables import printed_table
from aucstudy.stages.job import job
from aucstudy.store.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    drawn = refitting_figure(read_table(given.table), read_table(given.table_3), printed_table(3))
    save(drawn, {"png": out.png, "svg": out.svg})
