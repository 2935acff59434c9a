"""Areas of cut test sets moved back to the original prevalence, against the truth."""

from pathlib import Path

import pandas as pd

from aucstudy.experiments.prevalence_shift.numbers import prevalence_shift_table, shifted_areas
from aucstudy.stages.job import job
from aucstudy.store.scores import scored_tasks
from aucstudy.store.tables import write_table
from aucstudy.store.task_store import read_predictions

with job(snakemake.log[0]):  # noqa: F821
    out, params = snakemake.output, snakemake.params  # noqa: F821
    store = Path(snakemake.input.tasks).parent  # noqa: F821
    tasks, settings = scored_tasks(store), params.settings
    groups = tasks.set_index("task_id")["source_group"]
    ratios, draws = settings["ratios"], settings["moved_draws"]
    by_task = pd.concat(
        [
            shifted_areas(read_predictions(store, task), ratios, draws, params.seed)
            for task in tasks["task_id"]
        ],
        ignore_index=True,
    )
    write_table(by_task, out.by_task)
    write_table(prevalence_shift_table(by_task, groups, settings["bootstrap"], params.seed), out.table)
