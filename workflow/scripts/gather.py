"""The tables of one experiment, from what was measured on all tasks."""

from pathlib import Path

from aucstudy.experiments.contract import experiments
from aucstudy.stages.job import job
from aucstudy.stages.measuring import gather

with job(snakemake.log[0]):  # noqa: F821
    params = snakemake.params  # noqa: F821
    gather(
        experiments()[params.experiment],
        Path("data", snakemake.config["study"]),  # noqa: F821
        [Path(folder) for folder in snakemake.input.get("measured", [])],  # noqa: F821
        {name: Path(path) for name, path in snakemake.output.items()},  # noqa: F821
        settings=params.settings,
        seed=params.seed,
    )
