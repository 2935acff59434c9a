"""The noise experiment's figure."""

from aucstudy.experiments.noise.telling import noise_figure
from aucstudy.presentation.style import save
from aucstudy.stages.job import job
from aucstudy.store.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    figure = noise_figure(read_table(given.shares), read_table(given.swaps))
    save(figure, {"png": out.excess, "svg": out.excess_svg})
