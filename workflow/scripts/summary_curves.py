"""Summary precision-recall curves over folds, judged task by task and over all of them."""

from pathlib import Path

import pandas as pd

from aucstudy.experiments.summary_curves.numbers import summary_curves_by_task, summary_curves_table
from aucstudy.stages.job import job
from aucstudy.store.scores import scored_tasks
from aucstudy.store.tables import write_table
from aucstudy.store.task_store import read_predictions

with job(snakemake.log[0]):  # noqa: F821
    out, params = snakemake.output, snakemake.params  # noqa: F821
    store = Path(snakemake.input.tasks).parent  # noqa: F821
    tasks, settings = scored_tasks(store), params.settings
    groups = tasks.set_index("task_id")["source_group"]
    asked = [settings[key] for key in ("folds", "spreads", "draws", "points")]
    by_task = pd.concat(
        [
            summary_curves_by_task(read_predictions(store, task), *asked, params.seed)
            for task in tasks["task_id"]
        ],
        ignore_index=True,
    )
    write_table(by_task, out.by_task)
    write_table(summary_curves_table(by_task, groups, settings["bootstrap"], params.seed), out.table)
