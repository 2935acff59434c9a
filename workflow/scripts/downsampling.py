"""The areas of every task's models on test sets cut to each ratio, and what they say together."""

from pathlib import Path

import pandas as pd

from aucstudy.experiments.downsampling.numbers import (
    downsampled_areas,
    downsampling_claims,
    downsampling_table,
)
from aucstudy.stages.job import job
from aucstudy.store.scores import scored_tasks
from aucstudy.store.tables import write_table
from aucstudy.store.task_store import read_predictions

with job(snakemake.log[0]):  # noqa: F821
    out, params = snakemake.output, snakemake.params  # noqa: F821
    store = Path(snakemake.input.tasks).parent  # noqa: F821
    tasks, settings = scored_tasks(store), params.settings
    groups = tasks.set_index("task_id")["source_group"]
    drawn = [
        downsampled_areas(read_predictions(store, task), settings["ratios"], settings["draws"], params.seed)
        for task in tasks["task_id"]
    ]
    downsampled = pd.concat(drawn, ignore_index=True)
    write_table(downsampling_table(downsampled, groups, settings["bootstrap"], params.seed), out.table)
    write_table(downsampling_claims(downsampled, groups, settings["bootstrap"], params.seed), out.claims)
