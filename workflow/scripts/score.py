"""Compute the metrics of all models of one batch of the tasks."""

from pathlib import Path

from aucstudy.jobs.job import job
from aucstudy.jobs.process import end_process
from aucstudy.jobs.scoring import score_tasks
from aucstudy.store.batches import read_batch
from aucstudy.store.measured import write_scores
from aucstudy.store.rejections import write_rejections

with job(snakemake.log[0]):  # noqa: F821
    batch, out = Path(snakemake.input.batch), snakemake.output  # noqa: F821
    task_ids = read_batch(batch)["task_id"]
    scores, rejections = score_tasks(batch.parents[1], task_ids, snakemake.params.metrics)  # noqa: F821
    write_rejections(out.rejections, rejections)
    write_scores(scores, out.scores)
end_process()
