"""The areas of every task's models on test sets cut to each ratio, and what they say together."""

from pathlib import Path

import pandas as pd

from aucstudy.experiments.downsampling import downsampled_areas, downsampling_claims, downsampling_table
from aucstudy.scripting import job
from aucstudy.store import read_predictions, read_tasks
from aucstudy.tables import write_table

with job(snakemake.log[0]):  # noqa: F821
    out, params = snakemake.output, snakemake.params  # noqa: F821
    store = Path(snakemake.input.tasks).parent  # noqa: F821
    tasks, settings = read_tasks(store), params.settings
    drawn = [
        downsampled_areas(read_predictions(store, task), settings["ratios"], settings["draws"], params.seed)
        for task in tasks["task_id"]
    ]
    downsampled, groups = pd.concat(drawn, ignore_index=True), tasks.set_index("task_id")["source_group"]
    write_table(downsampling_table(downsampled, groups, settings["bootstrap"], params.seed), out.table)
    write_table(downsampling_claims(downsampled, groups, settings["bootstrap"], params.seed), out.claims)
