"""The figures of one experiment."""

from pathlib import Path

from aucstudy.experiments.contract import experiments
from aucstudy.stages.job import job
from aucstudy.stages.measuring import draw

with job(snakemake.log[0]):  # noqa: F821
    params, study = snakemake.params, snakemake.config["study"]  # noqa: F821
    experiment, figures = experiments()[params.experiment], Path("results", study, "figures")
    files = {
        name: {kind: str(figures / f"{name}.{kind}") for kind in ("png", "svg")}
        for name in experiment.figures
    }
    draw(experiment, Path("data", study), Path("results", study, "tables"), files, settings=params.settings)
