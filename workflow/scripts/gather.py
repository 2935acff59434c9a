"""The tables of some experiments, from what was measured on all tasks."""

from pathlib import Path

from aucstudy.experiments.contract import experiments_of
from aucstudy.jobs.job import job
from aucstudy.jobs.together import Folders, Run, gather_together
from aucstudy.store.measured import read_indexes

study = Folders.of(snakemake.config["study"])  # noqa: F821
runs = {name: Run(**run) for name, run in snakemake.params.runs.items()}  # noqa: F821
declared = experiments_of(snakemake.config)  # noqa: F821
with job(snakemake.log[0], study.data / "failed") as attempts:  # noqa: F821
    measured = read_indexes([Path(index) for index in snakemake.input.measured])  # noqa: F821
    gather_together(declared, runs, study, measured, attempts)
