"""The figure of the thresholds."""

from aucstudy.experiments.thresholds.telling import thresholds_figure
from aucstudy.presentation.style import save
from aucstudy.stages.job import job
from aucstudy.store.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    figure = thresholds_figure(read_table(given.reached), read_table(given.tasks))
    save(figure, {"png": out.reached, "svg": out.reached_svg})
