"""The areas of one batch of the tasks."""

from pathlib import Path

from aucstudy.jobs.job import job
from aucstudy.jobs.scoring import score_tasks
from aucstudy.store.measured import write_scores
from aucstudy.store.rejections import write_rejections
from aucstudy.store.task_store import read_runs, read_tasks

with job(snakemake.log[0]):  # noqa: F821
    store = Path(snakemake.input.tasks).parent  # noqa: F821
    mine = slice(int(snakemake.wildcards.batch), None, snakemake.params.batches)  # noqa: F821
    scores, rejections = score_tasks(store, read_tasks(store)["task_id"][mine], read_runs(store))
    write_rejections(snakemake.output.rejections, rejections)  # noqa: F821
    write_scores(scores, snakemake.output.scores)  # noqa: F821
