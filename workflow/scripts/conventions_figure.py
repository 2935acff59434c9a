"""The conventions experiment's figure."""

from aucstudy.experiments.conventions.telling import convention_choices
from aucstudy.presentation.style import save
from aucstudy.stages.job import job
from aucstudy.store.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    save(
        convention_choices(read_table(given.shares), read_table(given.tasks)),
        {"png": out.png, "svg": out.svg},
    )
