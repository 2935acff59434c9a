"""The noise experiment's figure."""

from aucstudy.figures.noise import noise_figure
from aucstudy.figures.style import save
from aucstudy.scripting import job
from aucstudy.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    figure = noise_figure(read_table(given.shares), read_table(given.swaps))
    save(figure, {"png": out.excess, "svg": out.excess_svg})
