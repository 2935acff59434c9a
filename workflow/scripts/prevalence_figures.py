"""The figure of the disagreement by prevalence."""

from aucstudy.experiments.prevalence.telling import prevalence_figure
from aucstudy.presentation.style import save
from aucstudy.stages.job import job
from aucstudy.store.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    out = snakemake.output  # noqa: F821
    figure = prevalence_figure(read_table(snakemake.input.shares))  # noqa: F821
    save(figure, {"png": out.shares, "svg": out.shares_svg})
