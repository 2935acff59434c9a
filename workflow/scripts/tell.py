"""The figures, captions and findings of one experiment."""

from pathlib import Path

from aucstudy.stages.job import job
from aucstudy.stages.telling import tell

with job(snakemake.log[0]):  # noqa: F821
    params = snakemake.params  # noqa: F821
    study = snakemake.config["study"]  # noqa: F821
    tell(
        params.experiment,
        Path("data", study),
        Path("results", study, "tables"),
        Path("results", study, "figures"),
        Path(snakemake.output.told),  # noqa: F821
        settings=params.settings,
    )
