"""The downsampling experiment's figure."""

from aucstudy.figures.downsampling import downsampled_areas_figure
from aucstudy.figures.style import save
from aucstudy.scripting import job
from aucstudy.tables import read_table

with job(snakemake.log[0]):  # noqa: F821
    out = snakemake.output  # noqa: F821
    drawn = downsampled_areas_figure(read_table(snakemake.input.table))  # noqa: F821
    save(drawn, {"png": out.png, "svg": out.svg})
