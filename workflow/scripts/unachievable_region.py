"""Figures 1 to 4 of Boyd et al. 2012."""

from pathlib import Path

from aucstudy.experiments.unachievable.telling import FIGURES
from aucstudy.presentation.style import save
from aucstudy.stages.job import job

with job(snakemake.log[0]):  # noqa: F821
    folder = Path(snakemake.output[0]).parent  # noqa: F821
    for name, draw in FIGURES.items():
        save(draw(), {kind: str(folder / f"{name}.{kind}") for kind in ("png", "svg")})
