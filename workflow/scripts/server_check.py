"""Our area under the ROC curve against the server's: the share that agrees, and the runs that do not."""

from pathlib import Path

from aucstudy.scores import read_scores
from aucstudy.scripting import job
from aucstudy.sources.openml.crosscheck import compare_with_server
from aucstudy.store import read_runs
from aucstudy.tables import write_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    check = compare_with_server(read_runs(Path(given.runs).parent), read_scores(given.scores))
    write_table(check.summary, out.summary)
    write_table(check.exceptions, out.exceptions)
