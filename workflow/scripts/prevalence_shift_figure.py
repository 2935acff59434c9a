"""The figure of areas moved between skews."""

from aucstudy.experiments.prevalence_shift.telling import prevalence_shift_figure
from aucstudy.presentation.style import save
from aucstudy.stages.job import job
from aucstudy.store.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    save(
        prevalence_shift_figure(read_table(given.table), read_table(given.by_task)),
        {"png": out.png, "svg": out.svg},
    )
