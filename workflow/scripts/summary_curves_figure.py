"""The figure of summary curves over folds."""

from aucstudy.experiments.summary_curves.telling import summary_curves_figure
from aucstudy.presentation.style import save
from aucstudy.stages.job import job
from aucstudy.store.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    save(summary_curves_figure(read_table(given.table)), {"png": out.png, "svg": out.svg})
