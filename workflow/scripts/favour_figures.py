"""The figure of the choices."""

from aucstudy.figures.favour import favour_figure
from aucstudy.figures.style import save
from aucstudy.scripting import job
from aucstudy.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    save(favour_figure(read_table(given.favour)), {"png": out.choices, "svg": out.choices_svg})
