"""The figure of refitted flows, with the paper's table 3."""

from aucstudy.figures.refitting import refitting_figure
from aucstudy.figures.style import save
from aucstudy.published.boyd_tables import printed_table
from aucstudy.scripting import job
from aucstudy.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    drawn = refitting_figure(read_table(given.table), read_table(given.table_3), printed_table(3))
    save(drawn, {"png": out.png, "svg": out.svg})
