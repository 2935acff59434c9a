"""All scores in one table, and everything that was left out, at whatever stage, in another."""

from pathlib import Path

import pandas as pd

from aucstudy.jobs.job import job
from aucstudy.jobs.scoring import compare_with_server
from aucstudy.store.measured import read_scores, write_scores
from aucstudy.store.rejections import read_rejections, write_rejections
from aucstudy.store.tables import read_table, write_table
from aucstudy.store.task_store import read_runs

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    files = [*(Path(batch) / "rejections.csv" for batch in given.fetched), *given.scored]
    rejections = [rejection for file in files for rejection in read_rejections(file)]
    write_rejections(out.rejections, rejections)
    for table, copied in ((out.rejections, out.table_of_rejections), (given.tasks, out.table_of_tasks)):
        write_table(read_table(table), copied)
    scores = pd.concat([read_scores(batch) for batch in given.scores], ignore_index=True)
    write_scores(scores, out.scores)
    if "server_check" in out.keys():  # noqa: SIM118, Snakemake's outputs are no mapping
        tables = compare_with_server(read_runs(Path(given.runs).parent), scores)
        for table, path in zip(tables, (out.server_check, out.server_check_exceptions), strict=True):
            write_table(table, path)
