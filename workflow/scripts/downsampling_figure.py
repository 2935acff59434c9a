"""The downsampling experiment's figure."""

from aucstudy.experiments.downsampling.telling import downsampled_areas_figure
from aucstudy.presentation.style import save
from aucstudy.stages.job import job
from aucstudy.store.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    out = snakemake.output  # noqa: F821
    drawn = downsampled_areas_figure(read_table(snakemake.input.table))  # noqa: F821
    save(drawn, {"png": out.png, "svg": out.svg})
