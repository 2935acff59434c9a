"""The fold-skew experiment's figure."""

from aucstudy.experiments.fold_skew.telling import fold_skew_figure
from aucstudy.presentation.style import save
from aucstudy.stages.job import job
from aucstudy.store.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    out = snakemake.output  # noqa: F821
    save(fold_skew_figure(read_table(snakemake.input.table)), {"png": out.png, "svg": out.svg})  # noqa: F821
