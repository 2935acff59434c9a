"""The figure of the choices."""

from aucstudy.experiments.favour.telling import favour_figure
from aucstudy.presentation.style import save
from aucstudy.stages.job import job
from aucstudy.store.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    save(favour_figure(read_table(given.favour)), {"png": out.choices, "svg": out.choices_svg})
