"""The figures of some experiments."""

from aucstudy.experiments.contract import experiments_of
from aucstudy.jobs.job import job
from aucstudy.jobs.together import Folders, Run, draw_together

study = Folders.of(snakemake.config["study"])  # noqa: F821
runs = {name: Run(**run) for name, run in snakemake.params.runs.items()}  # noqa: F821
declared = experiments_of(snakemake.config)  # noqa: F821
with job(snakemake.log[0], study.data / "failed") as attempts:  # noqa: F821
    draw_together(declared, runs, study, attempts)
