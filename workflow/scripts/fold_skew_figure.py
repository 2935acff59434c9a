"""The fold-skew experiment's figure."""

from aucstudy.figures.fold_skew import fold_skew_figure
from aucstudy.figures.style import save
from aucstudy.scripting import job
from aucstudy.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    out = snakemake.output  # noqa: F821
    save(fold_skew_figure(read_table(snakemake.input.table)), {"png": out.png, "svg": out.svg})  # noqa: F821
