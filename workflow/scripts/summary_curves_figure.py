"""The figure of summary curves over folds."""

from aucstudy.figures.style import save
from aucstudy.figures.summary_curves import summary_curves_figure
from aucstudy.scripting import job
from aucstudy.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    save(summary_curves_figure(read_table(given.table)), {"png": out.png, "svg": out.svg})
