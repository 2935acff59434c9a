"""The multiverse's figure."""

from aucstudy.experiments.multiverse.telling import multiverse_figure
from aucstudy.presentation.style import save
from aucstudy.published.values import printed_shares
from aucstudy.stages.job import job
from aucstudy.store.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    out = snakemake.output  # noqa: F821
    figure = multiverse_figure(read_table(snakemake.input.shares), printed_shares())  # noqa: F821
    save(figure, {"png": out.choices, "svg": out.choices_svg})
