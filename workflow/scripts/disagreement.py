"""The disagreement experiment's tables."""

from aucstudy.experiments.disagreement.numbers import (
    disagreement_by_task,
    disagreement_shares,
    rank_correlations,
    rank_heat,
    task_values,
)
from aucstudy.stages.job import job
from aucstudy.store.scores import read_scores
from aucstudy.store.tables import read_table, write_table

with job(snakemake.log[0]):  # noqa: F821
    given, out, params = snakemake.input, snakemake.output, snakemake.params  # noqa: F821
    values = task_values(read_scores(given.scores, params.aggregation))
    groups = read_table(given.tasks).set_index("task_id")["source_group"]
    resamples = params.settings["bootstrap"]
    by_task = disagreement_by_task(values, groups)
    write_table(by_task, out.tasks)
    write_table(disagreement_shares(by_task, resamples, params.seed), out.shares)
    write_table(rank_correlations(values, groups, by_task, resamples, params.seed), out.correlations)
    write_table(rank_heat(values, params.settings["permutations"], params.seed), out.heat)
