"""The disagreement shares under every choice."""

from pathlib import Path

from aucstudy.experiments.multiverse.numbers import multiverse, other_values_of_tasks
from aucstudy.stages.job import job
from aucstudy.store.scores import read_scores
from aucstudy.store.tables import write_table
from aucstudy.store.task_store import read_predictions, read_tasks

with job(snakemake.log[0]):  # noqa: F821
    given, params = snakemake.input, snakemake.params  # noqa: F821
    store = Path(given.tasks).parent
    groups = read_tasks(store).set_index("task_id")["source_group"]
    shares = multiverse(
        read_scores(given.scores),
        other_values_of_tasks(read_predictions(store, task_id) for task_id in groups.index),
        groups,
        aggregation=params.aggregation,
        redraws=params.redraws,
        resamples=params.bootstrap,
        seed=params.seed,
    )
    write_table(shares, snakemake.output.shares)  # noqa: F821
