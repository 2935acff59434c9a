"""The frames of one batch of tasks by one experiment."""

from pathlib import Path

from aucstudy.experiments.contract import experiments
from aucstudy.stages.batches import experiment_batches
from aucstudy.stages.job import job
from aucstudy.stages.measuring import measure

with job(snakemake.log[0]):  # noqa: F821
    given, params = snakemake.input, snakemake.params  # noqa: F821
    experiment = experiments()[params.experiment]
    batches = experiment_batches(experiment, snakemake.config, given.tasks)  # noqa: F821
    measure(
        experiment,
        Path(given.tasks).parent,
        batches[int(snakemake.wildcards.batch)],  # noqa: F821
        Path(snakemake.output[0]),  # noqa: F821
        settings=params.settings,
        seed=params.seed,
        source=params.source,
        frames_of={name: given[experiments()[name].stem] for name in experiment.frames_of},
    )
