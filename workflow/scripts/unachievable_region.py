"""Figures 1 to 4 of Boyd et al. 2012."""

from pathlib import Path

from aucstudy.figures.style import save
from aucstudy.figures.unachievable import FIGURES
from aucstudy.scripting import job

with job(snakemake.log[0]):  # noqa: F821
    folder = Path(snakemake.output[0]).parent  # noqa: F821
    for name, draw in FIGURES.items():
        save(draw(), {kind: str(folder / f"{name}.{kind}") for kind in ("png", "svg")})
