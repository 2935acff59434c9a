"""The decomposition's figure."""

from aucstudy.experiments.decomposition.telling import decomposition_figure
from aucstudy.presentation.style import save
from aucstudy.stages.job import job
from aucstudy.store.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    figure = decomposition_figure(read_table(given.shares), read_table(given.swaps))
    save(figure, {"png": out.steps, "svg": out.steps_svg})
