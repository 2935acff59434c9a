"""Make the tables and figures of one experiment from what was measured on all batches."""

from pathlib import Path

from aucstudy.experiments.contract import experiments_of
from aucstudy.jobs.job import job
from aucstudy.jobs.measuring import draw, make_tables
from aucstudy.jobs.process import end_process

params = snakemake.params  # noqa: F821
declared = experiments_of(snakemake.config)  # noqa: F821
experiment = declared[params.experiment]
data, results = Path("data", params.study), Path("results", params.study)
with job(snakemake.log[0], data / "failed" / experiment.name):  # noqa: F821
    measured = [Path(folder) for folder in snakemake.input.measured]  # noqa: F821
    chosen = {"settings": params.settings, "weight": params.weight}
    own = Path(snakemake.output.estimates[0]) if experiment.has_quantities else None  # noqa: F821
    make_tables(experiment, data, measured, results / "tables", seed=params.seed, estimates=own, **chosen)
    parts = [Path(part) for part in snakemake.input.estimates]  # noqa: F821
    parts = [own, *parts] if own else parts
    draw(
        experiment,
        declared,
        data,
        results / "tables",
        results / "figures",
        brings_models=params.brings_models,
        estimates=parts,
        **chosen,
    )
end_process()
