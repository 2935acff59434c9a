"""Flows fitted again on training sets cut to each ratio."""

from pathlib import Path

import pandas as pd

from aucstudy import sources
from aucstudy.experiments.refitting.numbers import (
    Plan,
    chosen_tasks,
    refitted_areas,
    refitting_table,
    refitting_table_3,
)
from aucstudy.stages.job import job
from aucstudy.store.scores import scored_tasks
from aucstudy.store.tables import write_table

with job(snakemake.log[0]):  # noqa: F821
    out, params = snakemake.output, snakemake.params  # noqa: F821
    store = Path(snakemake.input.tasks).parent  # noqa: F821
    tasks, settings = scored_tasks(store), params.settings
    groups = tasks.set_index("task_id")["source_group"]
    counts = (settings[key] for key in ("folds", "training_draws", "draws"))
    plan = Plan(tuple(settings["flows"]), tuple(params.ratios), *counts)
    config = {"source": params.source, params.source: params.source_settings}
    chosen = chosen_tasks(tasks, plan.ratios, settings["tasks"], params.seed)
    parts = [refitted_areas(*sources.rows(config, task), plan, params.seed) for task in chosen]
    refitted = pd.concat(parts, ignore_index=True)
    write_table(refitted, out.by_task)
    write_table(refitting_table_3(refitted), out.table_3)
    write_table(refitting_table(refitted, groups, settings["bootstrap"], params.seed), out.table)
