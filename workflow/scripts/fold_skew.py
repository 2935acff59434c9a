"""The mean over folds of unequal skew against the merged value, for every task and over all of them."""

from pathlib import Path

import pandas as pd

from aucstudy import sources
from aucstudy.experiments.fold_skew.fold_cuts import cluster_folds
from aucstudy.experiments.fold_skew.numbers import averaging_table, fold_skew_by_task, fold_skew_table
from aucstudy.stages.job import job
from aucstudy.store.scores import scored_tasks
from aucstudy.store.tables import write_table
from aucstudy.store.task_store import read_predictions

with job(snakemake.log[0]):  # noqa: F821
    out, params = snakemake.output, snakemake.params  # noqa: F821
    store = Path(snakemake.input.tasks).parent  # noqa: F821
    tasks, settings = scored_tasks(store), params.settings
    groups = tasks.set_index("task_id")["source_group"]
    config = {"source": params.source, params.source: params.source_settings}
    folds, spreads, draws = settings["folds"], settings["spreads"], settings["draws"]

    def clusters(task):
        if not sources.has_rows(config):
            return None
        return cluster_folds(sources.rows(config, task)[0], folds, settings["clusterings"], params.seed)

    by_task = pd.concat(
        [
            fold_skew_by_task(
                read_predictions(store, task), folds, spreads, draws, params.seed, clusters(task)
            )
            for task in tasks["task_id"]
        ],
        ignore_index=True,
    )
    drawn = (groups, settings["bootstrap"], params.seed)
    write_table(by_task, out.by_task)
    write_table(averaging_table(by_task, tasks.set_index("task_id")["prevalence"], *drawn), out.averaging)
    write_table(fold_skew_table(by_task, *drawn), out.table)
