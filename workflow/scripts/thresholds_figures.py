"""The figure of the thresholds."""

from aucstudy.figures.style import save
from aucstudy.figures.thresholds import thresholds_figure
from aucstudy.scripting import job
from aucstudy.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    figure = thresholds_figure(read_table(given.reached), read_table(given.tasks))
    save(figure, {"png": out.reached, "svg": out.reached_svg})
