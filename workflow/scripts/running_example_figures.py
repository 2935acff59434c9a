"""Figures 1 to 3 of Flach & Kull 2015."""

from aucstudy.experiments.running_example.numbers import running_example
from aucstudy.experiments.running_example.telling import calibrated_hulls, contours, curves_and_hull
from aucstudy.presentation.style import save
from aucstudy.stages.job import job

with job(snakemake.log[0]):  # noqa: F821
    out = snakemake.output  # noqa: F821
    example = running_example()
    save(curves_and_hull(*example), {"png": out.curves, "svg": out.curves_svg})
    save(contours(*example), {"png": out.contours, "svg": out.contours_svg})
    save(calibrated_hulls(*example), {"png": out.hulls, "svg": out.hulls_svg})
