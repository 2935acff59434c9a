"""Some experiments on one batch of tasks."""

from pathlib import Path

from aucstudy.experiments.contract import experiments_of
from aucstudy.jobs.job import job
from aucstudy.jobs.together import Run, measure_together
from aucstudy.store.measured import write_index

params, batch = snakemake.params, int(snakemake.wildcards.batch)  # noqa: F821
data = Path(snakemake.input.tasks).parent  # noqa: F821
runs = {name: Run(**run) for name, run in params.runs.items()}
declared = experiments_of(snakemake.config)  # noqa: F821
with job(snakemake.log[0], data / "failed") as attempts:  # noqa: F821
    measured = measure_together(declared, runs, data, params.tasks, attempts, backwards=batch % 2 == 1)
    write_index(measured, Path(snakemake.output[0]))  # noqa: F821
