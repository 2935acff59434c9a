"""Our area under the ROC curve against the server's: the share that agrees, and the runs that do not."""

from pathlib import Path

from aucstudy.experiments.server_check.numbers import compare_with_server
from aucstudy.stages.job import job
from aucstudy.store.scores import read_scores
from aucstudy.store.tables import write_table
from aucstudy.store.task_store import read_runs

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    check = compare_with_server(read_runs(Path(given.runs).parent), read_scores(given.scores))
    write_table(check.summary, out.summary)
    write_table(check.exceptions, out.exceptions)
