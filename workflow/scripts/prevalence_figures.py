"""The figure of the disagreement by prevalence."""

from aucstudy.figures.prevalence import prevalence_figure
from aucstudy.figures.style import save
from aucstudy.scripting import job
from aucstudy.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    out = snakemake.output  # noqa: F821
    figure = prevalence_figure(read_table(snakemake.input.shares))  # noqa: F821
    save(figure, {"png": out.shares, "svg": out.shares_svg})
