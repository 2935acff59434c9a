"""All scores in one table, and everything that was left out, at whatever stage, in another."""

from pathlib import Path

import pandas as pd

from aucstudy.stages.job import job
from aucstudy.store.rejections import read_rejections, write_rejections
from aucstudy.store.scores import read_scores, write_scores
from aucstudy.store.tables import read_table, write_table

with job(snakemake.log[0]):  # noqa: F821
    given, out = snakemake.input, snakemake.output  # noqa: F821
    files = [*(Path(part) / "rejections.csv" for part in given.fetched), *given.scored]
    rejections = [rejection for file in files for rejection in read_rejections(file)]
    write_rejections(out.rejections, rejections)
    for table, copied in ((out.rejections, out.table_of_rejections), (given.tasks, out.table_of_tasks)):
        write_table(read_table(table), copied)
    write_scores(pd.concat([read_scores(part) for part in given.scores], ignore_index=True), out.scores)
