"""Run the measurements of one experiment on one batch of tasks."""

from pathlib import Path

from aucstudy.experiments.contract import experiments_of
from aucstudy.jobs.job import job
from aucstudy.jobs.measuring import measure
from aucstudy.jobs.process import end_process
from aucstudy.store.measured import write_frames

given, params = snakemake.input, snakemake.params  # noqa: F821
experiment = experiments_of(snakemake.config)[params.experiment]  # noqa: F821
batch = Path(given.batch)
with job(snakemake.log[0], batch.parents[1] / "failed" / experiment.name):  # noqa: F821
    frames = measure(
        experiment,
        batch,
        settings=params.settings,
        seed=params.seed,
        source=params.rows,
        frames_of=[Path(folder) for folder in given.frames],
    )
    write_frames(frames, Path(snakemake.output[0]))  # noqa: F821
end_process()
