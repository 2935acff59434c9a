"""The conventions experiment's tables."""

from pathlib import Path

import pandas as pd

from aucstudy.experiments.conventions.numbers import compare_conventions, convention_shares
from aucstudy.stages.job import job
from aucstudy.store.tables import write_table
from aucstudy.store.task_store import read_predictions, read_tasks

with job(snakemake.log[0]):  # noqa: F821
    given, out, params = snakemake.input, snakemake.output, snakemake.params  # noqa: F821
    store = Path(given.tasks).parent
    by_task = pd.concat(
        [
            compare_conventions(read_predictions(store, row.task_id), row.source_group)
            for row in read_tasks(store).itertuples()
            if 0 < row.n_positive < row.n_rows
        ],
        ignore_index=True,
    )
    write_table(by_task, out.tasks)
    write_table(convention_shares(by_task, params.settings["bootstrap"], params.seed), out.shares)
