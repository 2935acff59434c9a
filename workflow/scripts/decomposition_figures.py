"""The decomposition's figure."""

from aucstudy.figures.decomposition import decomposition_figure
from aucstudy.figures.style import save
from aucstudy.scripting import job
from aucstudy.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    figure = decomposition_figure(read_table(given.shares), read_table(given.swaps))
    save(figure, {"png": out.steps, "svg": out.steps_svg})
