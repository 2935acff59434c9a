"""The multiverse's figure."""

from aucstudy.figures.multiverse import multiverse_figure
from aucstudy.figures.style import save
from aucstudy.published.flach_kull import printed_shares
from aucstudy.scripting import job
from aucstudy.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    out = snakemake.output  # noqa: F821
    figure = multiverse_figure(read_table(snakemake.input.shares), printed_shares())  # noqa: F821
    save(figure, {"png": out.choices, "svg": out.choices_svg})
